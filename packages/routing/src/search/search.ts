/** The steps of a search, from several starts where gas makes the problem non-convex. */

import { upperBound } from './certificate.ts'
import { generateColumns } from './columns.ts'
import { shortenChains } from './direct.ts'
import { type Flow, flowOf, pushThrough } from './flow.ts'
import { type Potential, potential, wayTo } from './potentials.ts'
import type { Problem } from './problem.ts'
import { prune, withinLimits } from './pruning.ts'
import { bestSinglePath } from './single-path.ts'
import { WaterFilling } from './water-filling.ts'

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

  const forward = potential(problem, source, 'from')
  const starts = free || !first ? [single] : [[...first, ...single], single]
  let bound: number | null = null
  const flows: Flow[] = alone ? [alone] : []
  starts.forEach((edges, index) => {
    const filling = start(problem, edges, backward)
    generateColumns(problem, filling, forward, backward)
    if (index === 0) bound = upperBound(problem, filling)
    const flow = free ? limited(problem, filling) : prune(problem, filling)
    if (flow) flows.push(flow)
  })
  const best = flows.filter((flow) => fits(problem, flow)).sort((a, b) => b.net - a.net)[0]
  if (!best) return null
  return { flow: free ? best : shortenChains(problem, best), bound }
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
