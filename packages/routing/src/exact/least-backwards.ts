/**
 * The least input of a route of which one leg out of the source takes all that changes, from the target backwards: pool by pool the
 * least input, which takes one quote a step where the whole route takes one of every leg.
 */
import { inputOf } from '../graph/price-curve.ts'
import { curveOf } from '../problem/problem.ts'
import { bracketFrom, narrowed, type Point, stepFrom } from './least-amount.ts'
import { FLOAT_UNITS, OUTPUT_MARGIN } from './output-tolerances.ts'
import type { LegOutput, RouteOutput } from './route-output.ts'

/**
 * Null where only settlements tell.
 *
 * @param near - of the route as it is drawn, an amount that pays about what is wished
 * @param price - output for one more unit of the source
 * @throws WorkSpent
 */
export function leastBackwards(output: RouteOutput, near: Point, wished: bigint, price: number): bigint | null {
  if (output.of(near.amountIn) !== near.amountOut) return null
  const chain = chainOf(output)
  const end = chain[0]!.to
  const total = (token: number): bigint => {
    if (token === output.target) return near.amountOut
    return output.legs.reduce((sum, { from, amountIn }) => (from === token ? sum + amountIn : sum), 0n)
  }
  // Legs beside the chain bring the same, whatever it brings.
  const beside = chain.map(({ to, amountOut }) => total(to) - amountOut)
  const drawn = near.amountIn - chain.at(-1)!.amountIn
  const priceOfEnd = chain.reduce((of, { amountIn, amountOut }) => (of * Number(amountIn)) / Number(amountOut), price)
  const known = { amountIn: total(end), amountOut: near.amountOut }
  let needed = end === output.target ? wished : leastOfFork(output, { near, end, known }, wished, priceOfEnd)
  for (const [k, leg] of chain.entries()) {
    if (needed === null || needed <= beside[k]!) return null
    needed = leastOfLeg(output, leg, needed - beside[k]!)
  }
  return needed === null ? null : needed + drawn
}

/** Legs from the one out of the source that takes the rest on, up to the first token that several legs divide; the last one first. */
function chainOf({ legs, target }: RouteOutput): readonly LegOutput[] {
  const chain = [legs.findLast(({ from }) => from === 0)!]
  while (chain.length < legs.length) {
    const token = chain[0]!.to
    const out = legs.filter(({ from }) => from === token)
    if (token === target || out.length !== 1) break
    chain.unshift(out[0]!)
  }
  return chain
}

/** A token that several legs divide, and what a route pays for what is held of it. */
type ForkPoint = { readonly near: Point; readonly end: number; readonly known: Point }

function leastOfFork(
  output: RouteOutput,
  { near, end, known }: ForkPoint,
  wished: bigint,
  price: number,
): bigint | null {
  let isTold = true
  const at = (balance: bigint): Point => {
    const amountOut = output.of(near.amountIn, { token: end, balance })
    isTold &&= amountOut !== null
    return { amountIn: balance, amountOut: amountOut ?? 0n }
  }
  const bracket = bracketFrom(at, known, wished, stepFrom(known, wished, price))
  const least = bracket && narrowed(at, bracket, wished)[1].amountIn
  return isTold ? least : null
}

function leastOfLeg(output: RouteOutput, leg: LegOutput, wished: bigint): bigint | null {
  const at = (amountIn: bigint): Point => ({ amountIn, amountOut: output.outputOf(leg, amountIn) })
  const about = output.inputFor(leg, wished)
  if (about !== null && about > 0n) {
    const bracket = bracketFrom(at, at(about), wished, 1n)
    if (bracket) return narrowed(at, bracket, wished)[1].amountIn
  }
  const curve = curveOf(output.problem, leg.share.edge)
  const step = Number(wished) * OUTPUT_MARGIN
  const [least, beyond] = [inputOf(curve, Number(wished)), inputOf(curve, Number(wished) + step)]
  if (!(beyond > least && beyond < Number.POSITIVE_INFINITY)) return null
  const known = at(BigInt(Math.ceil(least)))
  const missing = wished - known.amountOut
  // Where a curve is exact, it misses by the rounding of floats, which may be far less than what buys a unit.
  const isExact = missing === 0n || missing === 1n
  const first = isExact ? known.amountIn / FLOAT_UNITS + 1n : stepFrom(known, wished, step / (beyond - least))
  const bracket = bracketFrom(at, known, wished, first)
  return bracket && narrowed(at, bracket, wished)[1].amountIn
}
