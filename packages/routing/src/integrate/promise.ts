/** The best of the routes found so far, and what there may be beyond it. */
import type { Potential } from '../problem/potentials.ts'
import { leastLegCost, type Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import {
  BOUND_WORTHLESS,
  DOUBTED_CERTIFIED,
  DOUBTED_LACK,
  DOUBTED_NET,
  FAR_BELOW,
  FEW_LEGS,
  GOOD_ENOUGH,
} from '../tolerances.ts'

export function bestOf(problem: Problem, flows: readonly (Flow | null)[]): Flow | undefined {
  let best: Flow | undefined
  for (const flow of flows) if (flow && fits(problem, flow) && !(best && best.net >= flow.net)) best = flow
  return best
}

/**
 * True where a route may still be better by what matters: none pays more than the bound less the cost of its fewest
 * legs.
 */
export function mayImprove(
  problem: Problem,
  flows: readonly (Flow | null)[],
  bound: number | null,
  { hops }: Potential,
): boolean {
  const best = bestOf(problem, flows)
  if (bound === null || !best || best.cut) return true
  return best.net < (bound - hops[problem.source]! * leastLegCost(problem)) * (1 - GOOD_ENOUGH)
}

/**
 * True where the best route pays so much less than the bound that gas is not likely to be all there is between them, nor the
 * limit on pools.
 */
export function isFarBelow(problem: Problem, flows: readonly (Flow | null)[], bound: number | null): boolean {
  const best = bestOf(problem, flows)
  if (!best) return true
  return best.edges.length < problem.maxPools && (bound === null || best.amountOut < bound * (1 - FAR_BELOW))
}

/** True where what a route lacks to the bound would pay for so many more legs. */
export function mayPayFor(legs: number, problem: Problem, best: Flow | undefined, bound: number | null): boolean {
  if (!best) return true
  const isShort = bound === null || bound - best.amountOut > legs * leastLegCost(problem)
  return isShort && best.edges.length + legs <= problem.maxPools
}

/**
 * True of a route that is not known to be about the best, by the bound without gas or for what its legs cost, and that a
 * narrower problem may better: what gas leaves of one path or two is found by the first start, but for where pools disagree by
 * more than their gas.
 */
export function isInDoubt({ amountOut, net, edges }: Flow, bound: number | null, fewLegs = FEW_LEGS): boolean {
  if (bound === null) return true
  if (amountOut === net) return net < bound * (1 - DOUBTED_LACK)
  if (net >= bound * (1 - DOUBTED_NET)) return false
  return edges.length > fewLegs || (isWorthless(amountOut, bound) && bound - amountOut > amountOut - net)
}

/** @param netBound - after the cost of legs, where it is known */
export function isCertified({ net }: Flow, netBound: number | null | undefined): boolean {
  return typeof netBound === 'number' && net >= netBound * (1 - DOUBTED_CERTIFIED)
}

/** True of a bound so far above what a route pays that it says nothing. */
export function isWorthless(output: number, bound: number | null): boolean {
  return bound !== null && bound > output * (1 + BOUND_WORTHLESS)
}

export function fits({ maxPools, maxHops }: Problem, flow: Flow): boolean {
  return flow.edges.length <= maxPools && flow.hops <= maxHops && flow.amountOut > 0 && flow.unsold === 0
}
