/**
 * Finds the minimum input with which a route pays an output, if only one of the legs that sell the source token may
 * change its input. Solves backward from the target, pool by pool. Each step then takes one pool quote. A search over
 * the whole route would take one quote per leg in each step. Called by `route-input.ts`.
 */
import { inputOf } from '../graph/price-curve.ts'
import { curveOf } from '../problem/problem.ts'
import { type AmountPoint, bracketFrom, narrowBracket, stepFrom } from './min-amount.ts'
import { FLOAT_ERROR_DIVISOR, OUTPUT_MARGIN } from './output-tolerances.ts'
import type { EvaluatedLeg, RouteEvaluator } from './route-evaluator.ts'

/**
 * Returns the minimum input that pays at least `requiredOut`. Null if it is not found, for example because the
 * evaluator cannot compute some output. The caller must then settle the route (see `settle.ts`) for each tried input.
 *
 * @param nearPoint - an input of the route that pays about the required output, with the output that it pays
 * @param price - output per additional unit of the source token
 * @throws WorkSpent
 */
export function solveBackwards(
  evaluator: RouteEvaluator,
  nearPoint: AmountPoint,
  requiredOut: bigint,
  price: number,
): bigint | null {
  if (evaluator.outputAt(nearPoint.amountIn) !== nearPoint.amountOut) return null
  const chain = chainOf(evaluator)
  const forkToken = chain[0]!.to
  const totalInputOf = (token: number): bigint => {
    if (token === evaluator.target) return nearPoint.amountOut
    return evaluator.legs.reduce((sum, { from, amountIn }) => (from === token ? sum + amountIn : sum), 0n)
  }
  // Legs outside the chain buy a constant amount of each token of the chain.
  const otherOutputs = chain.map(({ to, amountOut }) => totalInputOf(to) - amountOut)
  const fixedInput = nearPoint.amountIn - chain.at(-1)!.amountIn
  const forkPrice = chain.reduce(
    (product, { amountIn, amountOut }) => (product * Number(amountIn)) / Number(amountOut),
    price,
  )
  const point = { amountIn: totalInputOf(forkToken), amountOut: nearPoint.amountOut }
  let requiredInput =
    forkToken === evaluator.target
      ? requiredOut
      : solveFork(evaluator, { nearPoint, forkToken, point }, requiredOut, forkPrice)
  for (const [k, leg] of chain.entries()) {
    if (requiredInput === null || requiredInput <= otherOutputs[k]!) return null
    requiredInput = solveLeg(evaluator, leg, requiredInput - otherOutputs[k]!)
  }
  return requiredInput === null ? null : requiredInput + fixedInput
}

/**
 * Returns the chain, last leg first. The chain begins with the variable leg, the last one that sells the source token.
 * It ends at the first token that several legs sell, or at the target.
 */
function chainOf({ legs, target }: RouteEvaluator): readonly EvaluatedLeg[] {
  const chain = [legs.findLast(({ from }) => from === 0)!]
  while (chain.length < legs.length) {
    const token = chain[0]!.to
    const legsOut = legs.filter(({ from }) => from === token)
    if (token === target || legsOut.length !== 1) break
    chain.unshift(legsOut[0]!)
  }
  return chain
}

type ForkPoint = {
  readonly nearPoint: AmountPoint
  /** Token at the end of the chain, which several legs sell. */
  readonly forkToken: number
  /** A balance of the fork token, with the output of the route if it has this balance. */
  readonly point: AmountPoint
}

/**
 * Returns the minimum balance of the fork token with which the route pays the required output; null if unknown.
 *
 * @param price - output per additional unit of the fork token
 */
function solveFork(
  evaluator: RouteEvaluator,
  { nearPoint, forkToken, point }: ForkPoint,
  requiredOut: bigint,
  price: number,
): bigint | null {
  let knowsAllOutputs = true
  const pointAt = (balance: bigint): AmountPoint => {
    const amountOut = evaluator.outputAt(nearPoint.amountIn, { token: forkToken, balance })
    knowsAllOutputs &&= amountOut !== null
    return { amountIn: balance, amountOut: amountOut ?? 0n }
  }
  const bracket = bracketFrom(pointAt, point, requiredOut, stepFrom(point, requiredOut, price))
  const min = bracket && narrowBracket(pointAt, bracket, requiredOut)[1].amountIn
  return knowsAllOutputs ? min : null
}

/** Returns the minimum input with which a leg pays the required output; null if none is found. */
function solveLeg(evaluator: RouteEvaluator, leg: EvaluatedLeg, requiredOut: bigint): bigint | null {
  const pointAt = (amountIn: bigint): AmountPoint => ({ amountIn, amountOut: evaluator.outputOf(leg, amountIn) })
  const estimatedInput = evaluator.inputFor(leg, requiredOut)
  if (estimatedInput !== null && estimatedInput > 0n) {
    const bracket = bracketFrom(pointAt, pointAt(estimatedInput), requiredOut, 1n)
    if (bracket) return narrowBracket(pointAt, bracket, requiredOut)[1].amountIn
  }
  const curve = curveOf(evaluator.problem, leg.share.edge)
  const extraOutput = Number(requiredOut) * OUTPUT_MARGIN
  const [exactInput, largerInput] = [
    inputOf(curve, Number(requiredOut)),
    inputOf(curve, Number(requiredOut) + extraOutput),
  ]
  if (!(largerInput > exactInput && largerInput < Number.POSITIVE_INFINITY)) return null
  const point = pointAt(BigInt(Math.ceil(exactInput)))
  const missingOut = requiredOut - point.amountOut
  // An exact curve errs only by float rounding. This may be much less than the input for one output unit, so the first
  // step is small.
  const isExact = missingOut === 0n || missingOut === 1n
  const firstStep = isExact
    ? point.amountIn / FLOAT_ERROR_DIVISOR + 1n
    : stepFrom(point, requiredOut, extraOutput / (largerInput - exactInput))
  const bracket = bracketFrom(pointAt, point, requiredOut, firstStep)
  return bracket && narrowBracket(pointAt, bracket, requiredOut)[1].amountIn
}
