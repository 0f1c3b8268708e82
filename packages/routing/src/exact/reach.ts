/** The most that pools pay for any input: for outputs that may be out of reach, before much work goes into the best route. */
import { outputOf } from '../graph/price-curve.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import type { RouteTerms } from '../types.ts'
import { routedAs } from './best-route.ts'
import { AMOUNT_LIMIT } from './largest-routable.ts'
import {
  FLAT_GAIN,
  FLAT_LEAST,
  FLAT_STEP,
  OUTPUT_PROBES,
  PROBE_FALL,
  PROBE_NEAR,
  PROBE_PART,
  PROBE_STEP,
} from './output-tolerances.ts'
import type { FoundRoute } from './search-and-settle.ts'

/** Upper bound on what any input buys, output base units: all that the pools of the target have. */
export function outputBound(problem: Problem): number {
  const { graph, target, rate, budget } = problem
  const { offset, reverse } = graph.topology
  budget.spend(offset[target + 1]! - offset[target]!)
  let most = 0
  for (let out = offset[target]!; out < offset[target + 1]!; out++) {
    const edge = reverse[out]!
    if (rate[edge]! > 0) most += outputOf(curveOf(problem, edge), Number.POSITIVE_INFINITY)
  }
  return most
}

export type Paid = { readonly amountIn: bigint; readonly route: FoundRoute }
export type Reached = {
  /** The amount that buys the output, or the one of those tried that buys most; null where none of them routes. */
  readonly best: Paid | null
  /** The largest amount that routes and does not buy it; 0 where none was tried. */
  readonly low: bigint
}

/**
 * An amount that buys an output, or about all that any buys, gas aside: by steps up while they buy more, or down from what nothing
 * routes, and then between the two.
 *
 * @param first - the amount to begin with
 * @param known - a route of a smaller amount
 */
export function reach(
  problem: Problem,
  first: bigint,
  wished: bigint,
  request: RouteTerms,
  known: Paid | null = null,
): Reached {
  const free: Problem = { ...problem, perGas: 0, perLeg: 0 }
  let best = known
  let low = known?.amountIn ?? 0n
  let last = known
  /** The least amount that does not route, as far as is known. */
  let high = AMOUNT_LIMIT
  let amountIn = first
  for (let probe = 0; probe < OUTPUT_PROBES && amountIn > low && amountIn < high; probe++) {
    const asked = amountIn
    const route = problem.budget.attempt(
      PROBE_PART,
      () => routedAs(free, asked, request),
      () => null,
    )
    if (route) {
      const paid: Paid = { amountIn, route }
      if (!best || paysOf(paid) > paysOf(best)) best = paid
      if (paysOf(paid) >= wished) break
      low = asked
      if (last && isFlat(last, paid, wished)) break
      last = paid
    } else high = asked
    amountIn = between(low, high)
  }
  return { best, low }
}

export const paysOf = ({ route }: Paid): bigint => route.settlement.amountOut

/**
 * True where the last step, of several times the input, hardly bought more, and what is wished is further off than that: returns
 * diminish, so no input buys it.
 */
export function isFlat(before: Paid, last: Paid, wished: bigint): boolean {
  const gain = Number(paysOf(last)) / Number(paysOf(before))
  const isLong = last.amountIn >= before.amountIn * FLAT_STEP
  return isLong && gain <= FLAT_GAIN && Number(wished) > Number(paysOf(last)) * Math.max(gain, FLAT_LEAST)
}

/** The amount to try next; one of the two where they are close to each other. */
function between(low: bigint, high: bigint): bigint {
  if (low === 0n) return high / PROBE_FALL
  if (low * PROBE_STEP < high) return low * PROBE_STEP
  return low * PROBE_NEAR < high ? (low + high) / 2n : low
}
