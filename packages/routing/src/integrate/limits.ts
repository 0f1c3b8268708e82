/** Reduces an allocation to the limits on pools and hops. */

import type { Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import { type Flow, flowOf, groupBy } from '../solver/flow.ts'
import { BULK_PART, FEW_STEPS, MANY_POOLS, MAX_RESIDUAL, SHORTENINGS } from '../tolerances.ts'
import { dependentEdges, edgeProfits, idleEdges, usedEdges } from './edge-profits.ts'
import { refill } from './refill.ts'

/**
 * The best flow found within the pool and hop limits that uses no pool twice; null if none remains. The reduced flow is
 * refilled, which can restore edges that were removed in favor of others.
 */
export function withinLimits(problem: Problem, allocation: Allocation, flow: Flow): Flow | null {
  if (violations(problem, flow).length === 0) return flow
  const cut = cutDown(problem, allocation, flow)
  return cut && refill(problem, allocation, cut)
}

/**
 * Removes the edges that earn least until the flow is within the limits. Each round removes at least one edge of the
 * allocation and adds none, which bounds the number of rounds.
 */
function cutDown(problem: Problem, allocation: Allocation, flow: Flow): Flow | null {
  let best: Flow | null = flow
  while (best) {
    const candidates = violations(problem, best)
    if (candidates.length === 0) return best
    const profits = edgeProfits(problem, allocation)
    const used = [...profits.keys()]
    const ways = usedEdges(problem, used)
    const above: number = best.edges.length - problem.maxPools
    const sortedCandidates: Candidate[] = []
    for (const candidate of candidates) {
      const edges = dependentEdges(problem, ways, candidate)
      if (edges)
        sortedCandidates.push({ edges, profit: edges.reduce((sum, edge) => sum + (profits.get(edge)?.profit ?? 0), 0) })
    }
    sortedCandidates.sort((a, b) => a.profit - b.profit)
    if (sortedCandidates.length === 0) return null
    const removals: readonly Iterable<number>[] =
      above > 0
        ? [cheapestRemovals(problem, used, sortedCandidates, Math.ceil(above * BULK_PART))]
        : best.edges.length > MANY_POOLS
          ? [[...breaks(problem, best, profits), ...idleEdges(allocation)]]
          : sortedCandidates.slice(0, SHORTENINGS).map(({ edges }) => edges)
    const before = allocation.checkpoint()
    const attempts = removals.flatMap((edges) => {
      allocation.restore(before)
      allocation.removeEdges(new Set(edges))
      solve(allocation, MAX_RESIDUAL, FEW_STEPS)
      const shortened = flowOf(problem, allocation)
      return shortened ? [{ flow: shortened, after: allocation.checkpoint() }] : []
    })
    const next = attempts.sort((a, b) => b.flow.net - a.flow.net)[0]
    if (!next) return null
    best = next.flow
    if (removals.length === 1) continue
    allocation.restore(next.after)
    allocation.evaluate()
  }
  return null
}

type Candidate = { readonly edges: readonly number[]; readonly profit: number }

/** The removals that lose least, up to a number of edges; only the first if nothing would remain. */
function cheapestRemovals(
  problem: Problem,
  used: readonly number[],
  sortedCandidates: readonly Candidate[],
  count: number,
): Iterable<number> {
  const edges = new Set<number>()
  for (const removal of sortedCandidates) {
    if (edges.size >= count) break
    for (const edge of removal.edges) edges.add(edge)
  }
  return leavesWay(problem, used, edges) ? edges : sortedCandidates[0]!.edges
}

/**
 * Edges of which one must be removed: above the pool limit all edges, above the hop limit the edges of the longest
 * path.
 */
function violations(problem: Problem, flow: Flow): readonly number[] {
  const { graph, maxPools, maxHops, reuse } = problem
  if (!reuse && new Set(flow.edges.map((edge) => graph.edges[edge]!.pool.id)).size < flow.edges.length) {
    const ofPool = groupBy(flow.edges, (edge) => graph.edges[edge]!.pool.id)
    const twice = [...ofPool.values()].find((edges) => edges.length > 1)
    if (twice) return twice
  }
  if (flow.edges.length > maxPools) return flow.edges
  return flow.hops > maxHops ? longestWay(problem, flow) : []
}

/** The edges to remove: from each path that is too long, the edge that earns least. Each round removes another edge of the flow. */
function breaks(problem: Problem, flow: Flow, profits: ReturnType<typeof edgeProfits>): ReadonlySet<number> {
  const profit = (edge: number) => profits.get(edge)?.profit ?? 0
  const broken = new Set<number>()
  for (;;) {
    problem.budget.spend(8 * flow.edges.length)
    const way = longestWay(problem, { ...flow, edges: flow.edges.filter((edge) => !broken.has(edge)) })
    if (way.length <= problem.maxHops) return broken
    broken.add(way.reduce((a, b) => (profit(b) < profit(a) ? b : a)))
  }
}

function longestWay({ graph, source, target }: Problem, { edges }: Flow): readonly number[] {
  const { from, to } = graph.topology
  const depth = new Map<number, number>([[source, 0]])
  const last = new Map<number, number>()
  for (const edge of edges) {
    const reached = (depth.get(from[edge]!) ?? Number.NaN) + 1
    if (!(reached > (depth.get(to[edge]!) ?? 0))) continue
    depth.set(to[edge]!, reached)
    last.set(to[edge]!, edge)
  }
  const way: number[] = []
  for (let token = target; token !== source && last.has(token); token = from[way.at(-1)!]!) way.push(last.get(token)!)
  return way
}

function leavesWay({ source, target, graph }: Problem, used: readonly number[], without: ReadonlySet<number>): boolean {
  const { from, to } = graph.topology
  const remaining = used.filter((edge) => !without.has(edge))
  return remaining.some((edge) => from[edge] === source) && remaining.some((edge) => to[edge] === target)
}
