/**
 * Reduces the flow of an allocation to the limits on pools and hops. An allocation is a set of edges (pools in one
 * direction) with token prices. Its flow is the edges with their inputs at these prices. Called by `search.ts` and
 * `pruning.ts`.
 */

import type { Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { solveDual } from '../solver/dual-solver.ts'
import { type Flow, flowOf, groupBy } from '../solver/flow.ts'
import { BULK_REMOVAL_SHARE, MANY_POOLS, MAX_RESIDUAL, MAX_SHORTENINGS, MAX_STEPS_AFTER_CHANGE } from '../tolerances.ts'
import { dependentEdges, earningsAndCosts, groupUsedEdges, idleEdges } from './edge-earnings.ts'
import { refill } from './refill.ts'

/**
 * Returns the best flow found within the pool and hop limits; null if no flow remains. After edges are removed,
 * profitable paths are added again, which may contain removed edges.
 *
 * @param allocation - allocation of the flow; changed in place
 */
export function withinLimits(problem: Problem, allocation: Allocation, flow: Flow): Flow | null {
  if (edgesOverLimit(problem, flow).length === 0) return flow
  const reducedFlow = reduceToLimits(problem, allocation, flow)
  return reducedFlow && refill(problem, allocation, reducedFlow)
}

/**
 * Removes the edges that earn least until the flow is within the limits. The number of rounds is bounded, because each
 * round removes at least one edge of the allocation and adds none.
 */
function reduceToLimits(problem: Problem, allocation: Allocation, flow: Flow): Flow | null {
  let best: Flow | null = flow
  while (best) {
    const edgesToReduce = edgesOverLimit(problem, best)
    if (edgesToReduce.length === 0) return best
    const earningsByEdge = earningsAndCosts(problem, allocation)
    const usedEdgeList = [...earningsByEdge.keys()]
    const edgesByToken = groupUsedEdges(problem, usedEdgeList)
    const excessCount: number = best.edges.length - problem.maxPools
    const sortedCandidates: RemovalCandidate[] = []
    for (const candidate of edgesToReduce) {
      const edges = dependentEdges(problem, edgesByToken, candidate)
      if (edges)
        sortedCandidates.push({
          edges,
          earnings: edges.reduce((sum, edge) => sum + (earningsByEdge.get(edge)?.earnings ?? 0), 0),
        })
    }
    sortedCandidates.sort((a, b) => a.earnings - b.earnings)
    if (sortedCandidates.length === 0) return null
    const removals: readonly Iterable<number>[] =
      excessCount > 0
        ? [cheapestRemovals(problem, usedEdgeList, sortedCandidates, Math.ceil(excessCount * BULK_REMOVAL_SHARE))]
        : best.edges.length > MANY_POOLS
          ? [[...edgesToBreak(problem, best, earningsByEdge), ...idleEdges(allocation)]]
          : sortedCandidates.slice(0, MAX_SHORTENINGS).map(({ edges }) => edges)
    const checkpoint = allocation.checkpoint()
    const attempts = removals.flatMap((edges) => {
      allocation.restore(checkpoint)
      allocation.removeEdges(new Set(edges))
      solveDual(allocation, MAX_RESIDUAL, MAX_STEPS_AFTER_CHANGE)
      const shortenedFlow = flowOf(problem, allocation)
      return shortenedFlow ? [{ flow: shortenedFlow, checkpointAfter: allocation.checkpoint() }] : []
    })
    const bestAttempt = attempts.sort((a, b) => b.flow.net - a.flow.net)[0]
    if (!bestAttempt) return null
    best = bestAttempt.flow
    if (removals.length === 1) continue
    allocation.restore(bestAttempt.checkpointAfter)
    allocation.evaluate()
  }
  return null
}

/** Edges that would be removed together, with their total earnings before gas. */
type RemovalCandidate = { readonly edges: readonly number[]; readonly earnings: number }

/**
 * Returns the edges of the cheapest removals, at least `count` edges in total. If these removals would leave no path,
 * returns only the edges of the first one.
 */
function cheapestRemovals(
  problem: Problem,
  usedEdgeList: readonly number[],
  sortedCandidates: readonly RemovalCandidate[],
  count: number,
): Iterable<number> {
  const edges = new Set<number>()
  for (const removal of sortedCandidates) {
    if (edges.size >= count) break
    for (const edge of removal.edges) edges.add(edge)
  }
  return leavesPath(problem, usedEdgeList, edges) ? edges : sortedCandidates[0]!.edges
}

/**
 * Returns edges of which at least one must be removed; empty if the flow is within the limits. If a pool is used twice
 * but must not be: its edges. Above the pool limit: all edges. Above the hop limit: the edges of the longest path.
 */
function edgesOverLimit(problem: Problem, flow: Flow): readonly number[] {
  const { graph, maxPools, maxHops, mayReusePools } = problem
  if (!mayReusePools && new Set(flow.edges.map((edge) => graph.edges[edge]!.pool.id)).size < flow.edges.length) {
    const edgesByPool = groupBy(flow.edges, (edge) => graph.edges[edge]!.pool.id)
    const reusedPoolEdges = [...edgesByPool.values()].find((edges) => edges.length > 1)
    if (reusedPoolEdges) return reusedPoolEdges
  }
  if (flow.edges.length > maxPools) return flow.edges
  return flow.hops > maxHops ? longestPath(problem, flow) : []
}

/** Returns, for each path that is too long, its edge that earns least. */
function edgesToBreak(
  problem: Problem,
  flow: Flow,
  earningsByEdge: ReturnType<typeof earningsAndCosts>,
): ReadonlySet<number> {
  const earningsOfEdge = (edge: number) => earningsByEdge.get(edge)?.earnings ?? 0
  const brokenEdges = new Set<number>()
  for (;;) {
    problem.budget.spend(8 * flow.edges.length)
    const longestPathEdges = longestPath(problem, {
      ...flow,
      edges: flow.edges.filter((edge) => !brokenEdges.has(edge)),
    })
    if (longestPathEdges.length <= problem.maxHops) return brokenEdges
    brokenEdges.add(longestPathEdges.reduce((a, b) => (earningsOfEdge(b) < earningsOfEdge(a) ? b : a)))
  }
}

function longestPath({ graph, source, target }: Problem, { edges }: Flow): readonly number[] {
  const { from, to } = graph.topology
  const hopsFromSource = new Map<number, number>([[source, 0]])
  const lastEdgeByToken = new Map<number, number>()
  for (const edge of edges) {
    const newHops = (hopsFromSource.get(from[edge]!) ?? Number.NaN) + 1
    if (!(newHops > (hopsFromSource.get(to[edge]!) ?? 0))) continue
    hopsFromSource.set(to[edge]!, newHops)
    lastEdgeByToken.set(to[edge]!, edge)
  }
  const path: number[] = []
  for (let token = target; token !== source && lastEdgeByToken.has(token); token = from[path.at(-1)!]!)
    path.push(lastEdgeByToken.get(token)!)
  return path
}

/** Returns true if edges out of the source and edges into the target remain. */
function leavesPath(
  { source, target, graph }: Problem,
  usedEdgeList: readonly number[],
  removedEdges: ReadonlySet<number>,
): boolean {
  const { from, to } = graph.topology
  const remainingEdges = usedEdgeList.filter((edge) => !removedEdges.has(edge))
  return remainingEdges.some((edge) => from[edge] === source) && remainingEdges.some((edge) => to[edge] === target)
}
