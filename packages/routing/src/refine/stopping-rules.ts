/** Selects the best route so far, and decides whether to continue the search. */
import type { SpotRates } from '../problem/potentials.ts'
import { minLegCost, type Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import {
  BOUND_WORTHLESS,
  FAR_BELOW_BOUND_GAP,
  MAX_CERTIFIED_GAP,
  MAX_FEW_LEGS,
  MAX_GAP_TO_STOP,
  MAX_GAP_WITH_GAS,
  MAX_GAP_WITHOUT_GAS,
} from '../tolerances.ts'

/** Returns the best flow within the limits, by net output. */
export function bestOf(problem: Problem, flows: readonly (Flow | null)[]): Flow | undefined {
  let best: Flow | undefined
  for (const flow of flows) if (flow && fits(problem, flow) && !(best && best.net >= flow.net)) best = flow
  return best
}

/**
 * Returns true if a significantly better route may exist. No route exceeds the bound less the cost of the minimum
 * number of legs.
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
 * Returns true if the gap between the best route and the bound is too large to be explained by gas or by the pool
 * limit.
 */
export function isFarBelow(problem: Problem, flows: readonly (Flow | null)[], bound: number | null): boolean {
  const best = bestOf(problem, flows)
  if (!best) return true
  return best.edges.length < problem.maxPools && (bound === null || best.amountOut < bound * (1 - FAR_BELOW_BOUND_GAP))
}

/** Returns true if the gap to the bound would pay for this many additional legs. */
export function mayPayFor(legs: number, problem: Problem, best: Flow | undefined, bound: number | null): boolean {
  if (!best) return true
  const isShort = bound === null || bound - best.amountOut > legs * minLegCost(problem)
  return isShort && best.edges.length + legs <= problem.maxPools
}

/**
 * Returns true if a route is not proven to be nearly optimal and a restricted problem might improve it. With gas, the
 * first allocation finds the best routes of one or two legs, unless pools disagree on prices by more than their gas.
 */
export function isUncertain({ amountOut, net, edges }: Flow, bound: number | null, fewLegs = MAX_FEW_LEGS): boolean {
  if (bound === null) return true
  if (amountOut === net) return net < bound * (1 - MAX_GAP_WITHOUT_GAS)
  if (net >= bound * (1 - MAX_GAP_WITH_GAS)) return false
  return edges.length > fewLegs || (isWorthless(amountOut, bound) && bound - amountOut > amountOut - net)
}

/** @param netBound - upper bound on the net output, if known */
export function isCertified({ net }: Flow, netBound: number | null | undefined): boolean {
  return typeof netBound === 'number' && net >= netBound * (1 - MAX_CERTIFIED_GAP)
}

/** Returns true if the bound is so far above the output that it carries no information. */
export function isWorthless(output: number, bound: number | null): boolean {
  return bound !== null && bound > output * (1 + BOUND_WORTHLESS)
}

/** Returns true if the flow is complete and within the limits. */
export function fits({ maxPools, maxHops }: Problem, flow: Flow): boolean {
  return flow.edges.length <= maxPools && flow.hops <= maxHops && flow.amountOut > 0 && flow.unsoldShare === 0
}
