/**
 * Finds the minimum input of a route in which only one leg out of the source is variable. Solves backward from the
 * target, pool by pool. Each step takes one quote, while a step over the whole route takes one quote per leg.
 */
import { inputOf } from '../graph/price-curve.ts'
import { curveOf } from '../problem/problem.ts'
import { type AmountPoint, bracketFrom, narrowBracket, stepFrom } from './min-amount.ts'
import { FLOAT_UNITS, OUTPUT_MARGIN } from './output-tolerances.ts'
import type { LegOutput, RouteOutput } from './route-output.ts'

/**
 * Returns the minimum input; null if only full settlements can find it.
 *
 * @param nearPoint - a point of the route with its fixed legs that pays about the required output
 * @param price - output per additional unit of the source token
 * @throws WorkSpent
 */
export function solveBackwards(
  output: RouteOutput,
  nearPoint: AmountPoint,
  required: bigint,
  price: number,
): bigint | null {
  if (output.outputAt(nearPoint.amountIn) !== nearPoint.amountOut) return null
  const chain = chainOf(output)
  const forkToken = chain[0]!.to
  const totalOf = (token: number): bigint => {
    if (token === output.target) return nearPoint.amountOut
    return output.legs.reduce((sum, { from, amountIn }) => (from === token ? sum + amountIn : sum), 0n)
  }
  // Legs outside the chain contribute a constant amount.
  const otherOutputs = chain.map(({ to, amountOut }) => totalOf(to) - amountOut)
  const fixedInput = nearPoint.amountIn - chain.at(-1)!.amountIn
  const forkPrice = chain.reduce(
    (price, { amountIn, amountOut }) => (price * Number(amountIn)) / Number(amountOut),
    price,
  )
  const point = { amountIn: totalOf(forkToken), amountOut: nearPoint.amountOut }
  let needed =
    forkToken === output.target ? required : solveFork(output, { nearPoint, forkToken, point }, required, forkPrice)
  for (const [k, leg] of chain.entries()) {
    if (needed === null || needed <= otherOutputs[k]!) return null
    needed = solveLeg(output, leg, needed - otherOutputs[k]!)
  }
  return needed === null ? null : needed + fixedInput
}

/** The legs from the variable leg to the first token that several legs divide; last leg first. */
function chainOf({ legs, target }: RouteOutput): readonly LegOutput[] {
  const chain = [legs.findLast(({ from }) => from === 0)!]
  while (chain.length < legs.length) {
    const token = chain[0]!.to
    const legsOut = legs.filter(({ from }) => from === token)
    if (token === target || legsOut.length !== 1) break
    chain.unshift(legsOut[0]!)
  }
  return chain
}

/** A token that several legs divide, with the route's output for a balance of it. */
type ForkPoint = { readonly nearPoint: AmountPoint; readonly forkToken: number; readonly point: AmountPoint }

function solveFork(
  output: RouteOutput,
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

function solveLeg(output: RouteOutput, leg: LegOutput, required: bigint): bigint | null {
  const pointAt = (amountIn: bigint): AmountPoint => ({ amountIn, amountOut: output.outputOf(leg, amountIn) })
  const estimatedInput = output.inputFor(leg, required)
  if (estimatedInput !== null && estimatedInput > 0n) {
    const bracket = bracketFrom(pointAt, pointAt(estimatedInput), required, 1n)
    if (bracket) return narrowBracket(pointAt, bracket, required)[1].amountIn
  }
  const curve = curveOf(output.problem, leg.share.edge)
  const step = Number(required) * OUTPUT_MARGIN
  const [exactInput, largerInput] = [inputOf(curve, Number(required)), inputOf(curve, Number(required) + step)]
  if (!(largerInput > exactInput && largerInput < Number.POSITIVE_INFINITY)) return null
  const point = pointAt(BigInt(Math.ceil(exactInput)))
  const missingOut = required - point.amountOut
  // An exact curve has only the error of float rounding, which may be much less than the price of one unit.
  const isExact = missingOut === 0n || missingOut === 1n
  const firstStep = isExact
    ? point.amountIn / FLOAT_UNITS + 1n
    : stepFrom(point, required, step / (largerInput - exactInput))
  const bracket = bracketFrom(pointAt, point, required, firstStep)
  return bracket && narrowBracket(pointAt, bracket, required)[1].amountIn
}
