/** The steps of a search, from several starts where gas makes the problem non-convex. */

import { upperBound } from './certificate.ts'
import { addAlternatives, generateColumns } from './columns.ts'
import { shortenChains } from './direct.ts'
import { type Flow, flowOf, pushThrough } from './flow.ts'
import { type Potential, type PotentialWithSecond, potential, wayTo, withSecond } from './potentials.ts'
import type { Problem } from './problem.ts'
import { prune, withinLimits } from './pruning.ts'
import { bestSinglePath } from './single-path.ts'
import { WaterFilling } from './water-filling.ts'

/** A bound further above the division than this part is worth the work of a better one. */
const LOOSE = 1e-3
/** No more is looked for within this part of what is possible. */
const GOOD_ENOUGH = 1e-6

export type Found = {
  /** Best first. More than one, for the case that a pool refuses in exact arithmetic. */
  readonly flow: Flow
  /** Output base units that no route can exceed, gas aside; null where none is known. */
  readonly bound: number | null
}

export function search(problem: Problem): Found | null {
  const { source, target, perGas, perLeg } = problem
  const backward = potential(problem, target, 'to')
  if (!(backward.best[source]! > 0)) return null
  const free = perGas === 0 && perLeg === 0
  const first = wayTo(problem, backward, source, target)
  const single = free && first ? first : bestSinglePath(problem, backward)
  if (!single) return null
  const alone = pushThrough(problem, new Map(single.map((edge) => [edge, 1])))
  if (problem.maxPools === 1) return alone && { flow: alone, bound: null }

  const forward = withSecond(problem, potential(problem, source, 'from'), 'from')
  const back = withSecond(problem, backward, 'to')
  const opening = start(problem, free || !first ? single : [...first, ...single], backward)
  generateColumns(problem, opening, forward, back)
  const bound = certify(problem, opening, single, [forward, back])
  const flows = [alone, free ? limited(problem, opening) : prune(problem, opening)]
  if (!free && mayImprove(problem, flows, bound, backward)) {
    // The fixed costs make the problem non-convex: other starts end in other places.
    const fresh = start(problem, single, backward)
    generateColumns(problem, fresh, forward, back)
    flows.push(prune(problem, fresh))
    const known = flows.flatMap((flow) => flow?.edges ?? [])
    const repaired = start(problem, [...known, ...opening.edges, ...fresh.edges], backward)
    generateColumns(problem, repaired, forward, back)
    addAlternatives(problem, repaired)
    flows.push(prune(problem, repaired))
  }
  const best = bestOf(problem, flows)
  if (!best) return null
  return { flow: free ? best : shortenChains(problem, best), bound }
}

function bestOf(problem: Problem, flows: readonly (Flow | null)[]): Flow | undefined {
  return flows.filter((flow): flow is Flow => flow !== null && fits(problem, flow)).sort((a, b) => b.net - a.net)[0]
}

/** Whether a route may still be better by what matters: none pays more than the bound less the cost of its fewest legs. */
function mayImprove(
  problem: Problem,
  flows: readonly (Flow | null)[],
  bound: number | null,
  { hops }: Potential,
): boolean {
  const { graph, perGas, perLeg, source } = problem
  const best = bestOf(problem, flows)
  if (bound === null || !best || best.cut) return true
  return best.net < (bound - hops[source]! * (graph.leastGas * perGas + perLeg)) * (1 - GOOD_ENOUGH)
}

/**
 * The bound knows no gas, but gas keeps edges out that its prices need: where it is far above the division, it is found by
 * a division of its own.
 */
function certify(
  problem: Problem,
  filling: WaterFilling,
  path: readonly number[],
  [forward, backward]: readonly [PotentialWithSecond, PotentialWithSecond],
): number | null {
  const bound = upperBound(problem, filling)
  if ((problem.perGas === 0 && problem.perLeg === 0) || (bound !== null && bound <= filling.value * (1 + LOOSE)))
    return bound
  const free = { ...problem, perGas: 0, perLeg: 0 }
  const gross = start(free, path, backward)
  generateColumns(free, gross, forward, backward)
  const tighter = upperBound(free, gross)
  return tighter === null || bound === null ? (tighter ?? bound) : Math.min(tighter, bound)
}

function start(problem: Problem, edges: readonly number[], backward: Potential): WaterFilling {
  const { from } = problem.graph.topology
  const filling = new WaterFilling(problem)
  for (const edge of edges) filling.addToken(from[edge]!, Math.log(backward.best[from[edge]!]!))
  for (const edge of edges) filling.addEdge(edge)
  return filling
}

function limited(problem: Problem, filling: WaterFilling): Flow | null {
  const flow = flowOf(problem, filling)
  return flow && withinLimits(problem, filling, flow)
}

function fits({ maxPools, maxHops }: Problem, flow: Flow): boolean {
  return flow.edges.length <= maxPools && flow.hops <= maxHops && flow.amountOut > 0
}
