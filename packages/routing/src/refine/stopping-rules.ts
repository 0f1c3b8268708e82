/**
 * Rules that decide whether a search goes on, by the gap between the best flow and the upper bound on the output. A
 * flow is a set of edges (pools in one direction) with their inputs.
 */
import type { SpotRates } from '../problem/potentials.ts'
import { minLegCost, type Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import {
  FAR_BELOW_BOUND_GAP,
  MAX_CERTIFIED_GAP,
  MAX_FEW_LEGS,
  MAX_GAP_TO_STOP,
  MAX_GAP_WITH_GAS,
  MAX_GAP_WITHOUT_GAS,
  WORTHLESS_BOUND_GAP,
} from '../tolerances.ts'

/** Returns the best flow within the limits, by net output. */
export function bestOf(problem: Problem, flows: readonly (Flow | null)[]): Flow | undefined {
  let best: Flow | undefined
  for (const flow of flows) if (flow && isWithinLimits(problem, flow) && !(best && best.net >= flow.net)) best = flow
  return best
}

/**
 * Returns true if a significantly better route than the best of `flows` may exist. No route has a net output above the
 * bound less the cost of the minimum number of legs.
 */
export function mayImprove(
  problem: Problem,
  flows: readonly (Flow | null)[],
  bound: number | null,
  { hops }: SpotRates,
): boolean {
  const best = bestOf(problem, flows)
  if (bound === null || !best || best.hasCutCycle) return true
  return best.net < (bound - hops[problem.source]! * minLegCost(problem)) * (1 - MAX_GAP_TO_STOP)
}

/**
 * Returns true if the output of the best route is far below the bound, although the route has fewer pools than the
 * limit allows.
 */
export function isFarBelow(problem: Problem, flows: readonly (Flow | null)[], bound: number | null): boolean {
  const best = bestOf(problem, flows)
  if (!best) return true
  return best.edges.length < problem.maxPools && (bound === null || best.amountOut < bound * (1 - FAR_BELOW_BOUND_GAP))
}

/**
 * Returns true if a better route may pay for a number of additional legs. The gap between the best route and the bound
 * must exceed their cost, and the pool limit must allow for them.
 */
export function mayPayFor(legs: number, problem: Problem, best: Flow | undefined, bound: number | null): boolean {
  if (!best) return true
  const isGapLarge = bound === null || bound - best.amountOut > legs * minLegCost(problem)
  return isGapLarge && best.edges.length + legs <= problem.maxPools
}

/**
 * Returns true if a route is not proven to be nearly optimal, and the search of restricted problems might improve it.
 * Such a search hardly ever improves routes of at most `fewLegs` legs, unless pools disagree on prices by more than the
 * route's gas.
 */
export function isUncertain({ amountOut, net, edges }: Flow, bound: number | null, fewLegs = MAX_FEW_LEGS): boolean {
  if (bound === null) return true
  if (amountOut === net) return net < bound * (1 - MAX_GAP_WITHOUT_GAS)
  if (net >= bound * (1 - MAX_GAP_WITH_GAS)) return false
  return edges.length > fewLegs || (isWorthless(amountOut, bound) && bound - amountOut > amountOut - net)
}

/**
 * Returns true if a route is proven to be nearly optimal after gas.
 *
 * @param netBound - upper bound on the net output, if known
 */
export function isCertified({ net }: Flow, netBound: number | null | undefined): boolean {
  return typeof netBound === 'number' && net >= netBound * (1 - MAX_CERTIFIED_GAP)
}

/** Returns true if the bound is so far above the output that it says nothing about the route. */
export function isWorthless(output: number, bound: number | null): boolean {
  return bound !== null && bound > output * (1 + WORTHLESS_BOUND_GAP)
}

/** Returns true if the flow sells the whole amount and is within the limits on pools and hops. */
export function isWithinLimits({ maxPools, maxHops }: Problem, flow: Flow): boolean {
  return flow.edges.length <= maxPools && flow.hops <= maxHops && flow.amountOut > 0 && flow.unsoldShare === 0
}
