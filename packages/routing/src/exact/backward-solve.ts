/**
 * Finds the minimum input of a route if only one of its legs out of the source may change. Solves backward from the
 * target, pool by pool. Each step of the search then takes one quote; a search over the whole route takes one quote per
 * leg and step.
 */
import { inputOf } from '../graph/price-curve.ts'
import { curveOf } from '../problem/problem.ts'
import { type AmountPoint, bracketFrom, narrowBracket, stepFrom } from './min-amount.ts'
import { FLOAT_ERROR_DIVISOR, OUTPUT_MARGIN } from './output-tolerances.ts'
import type { EvaluatedLeg, RouteEvaluator } from './route-output.ts'

/**
 * Returns the minimum input that pays at least `required`; null if only full settlements can find it.
 *
 * @param nearPoint - an input of the route that pays about the required output, with this output
 * @param price - output per additional unit of the source token
 * @throws WorkSpent
 */
export function solveBackwards(
  output: RouteEvaluator,
  nearPoint: AmountPoint,
  required: bigint,
  price: number,
): bigint | null {
  if (output.outputAt(nearPoint.amountIn) !== nearPoint.amountOut) return null
  const chain = chainOf(output)
  const forkToken = chain[0]!.to
  const totalInputOf = (token: number): bigint => {
    if (token === output.target) return nearPoint.amountOut
    return output.legs.reduce((sum, { from, amountIn }) => (from === token ? sum + amountIn : sum), 0n)
  }
  // Legs outside the chain contribute a constant amount of each token.
  const otherOutputs = chain.map(({ to, amountOut }) => totalInputOf(to) - amountOut)
  const fixedInput = nearPoint.amountIn - chain.at(-1)!.amountIn
  const forkPrice = chain.reduce(
    (product, { amountIn, amountOut }) => (product * Number(amountIn)) / Number(amountOut),
    price,
  )
  const point = { amountIn: totalInputOf(forkToken), amountOut: nearPoint.amountOut }
  let requiredInput =
    forkToken === output.target ? required : solveFork(output, { nearPoint, forkToken, point }, required, forkPrice)
  for (const [k, leg] of chain.entries()) {
    if (requiredInput === null || requiredInput <= otherOutputs[k]!) return null
    requiredInput = solveLeg(output, leg, requiredInput - otherOutputs[k]!)
  }
  return requiredInput === null ? null : requiredInput + fixedInput
}

/**
 * The chain: the legs from the variable leg to the first token that several legs sell, or to the target. Last leg
 * first.
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

/** `forkToken` is sold by several legs. `point`: a balance of this token, and the route's output with it. */
type ForkPoint = { readonly nearPoint: AmountPoint; readonly forkToken: number; readonly point: AmountPoint }

/** Returns the minimum balance of the fork token with which the route pays the required output; null if unknown. */
function solveFork(
  output: RouteEvaluator,
  { nearPoint, forkToken, point }: ForkPoint,
  required: bigint,
  price: number,
): bigint | null {
  let isExact = true
  const pointAt = (balance: bigint): AmountPoint => {
    const amountOut = output.outputAt(nearPoint.amountIn, { token: forkToken, balance })
    isExact &&= amountOut !== null
    return { amountIn: balance, amountOut: amountOut ?? 0n }
  }
  const bracket = bracketFrom(pointAt, point, required, stepFrom(point, required, price))
  const min = bracket && narrowBracket(pointAt, bracket, required)[1].amountIn
  return isExact ? min : null
}

/** Returns the minimum input with which a leg pays the required output; null if none is found. */
function solveLeg(output: RouteEvaluator, leg: EvaluatedLeg, required: bigint): bigint | null {
  const pointAt = (amountIn: bigint): AmountPoint => ({ amountIn, amountOut: output.outputOf(leg, amountIn) })
  const estimatedInput = output.inputFor(leg, required)
  if (estimatedInput !== null && estimatedInput > 0n) {
    const bracket = bracketFrom(pointAt, pointAt(estimatedInput), required, 1n)
    if (bracket) return narrowBracket(pointAt, bracket, required)[1].amountIn
  }
  const curve = curveOf(output.problem, leg.share.edge)
  const extraOutput = Number(required) * OUTPUT_MARGIN
  const [exactInput, largerInput] = [inputOf(curve, Number(required)), inputOf(curve, Number(required) + extraOutput)]
  if (!(largerInput > exactInput && largerInput < Number.POSITIVE_INFINITY)) return null
  const point = pointAt(BigInt(Math.ceil(exactInput)))
  const missingOut = required - point.amountOut
  // If the curve is exact, its error is only float rounding, which may be much less than the price of one unit.
  const isExact = missingOut === 0n || missingOut === 1n
  const firstStep = isExact
    ? point.amountIn / FLOAT_ERROR_DIVISOR + 1n
    : stepFrom(point, required, extraOutput / (largerInput - exactInput))
  const bracket = bracketFrom(pointAt, point, required, firstStep)
  return bracket && narrowBracket(pointAt, bracket, required)[1].amountIn
}
