/**
 * Builds and extends routes path by path: each step adds the path that improves the route most. This finds good routes
 * within a low pool limit. Reducing a large allocation to the limit often does not, because the pool that earns least
 * among twenty may be one of the best three. An edge is a pool in one direction. An allocation is a flow over some
 * edges, with a price for each token. Called by `search.ts` and `restricted-starts.ts`.
 */

import { outputOf } from '../graph/price-curve.ts'
import type { Problem } from '../problem/problem.ts'
import { curveOf, legCost } from '../problem/problem.ts'
import { type Allocation, allocationOver } from '../solver/allocation.ts'
import { solveDual } from '../solver/dual-solver.ts'
import { type Flow, flowOf } from '../solver/flow.ts'
import {
  JOIN_CANDIDATES,
  JOIN_PART,
  JOIN_SMALL_PART,
  JOIN_STARTS,
  MAX_DETOUR_ROUNDS,
  MAX_ENUMERATION_STEPS,
  MAX_RESIDUAL,
  MAX_STEPS_AFTER_CHANGE,
} from '../tolerances.ts'
import { findDetours } from './detours.ts'

/**
 * Edges in series, with their net output for the whole trade and for two fractions of it (`JOIN_PART`,
 * `JOIN_SMALL_PART`), in output base units.
 */
type Path = {
  readonly edges: readonly number[]
  readonly netOfWhole: number
  readonly netOfPart: number
  readonly netOfSmallPart: number
}

/**
 * Builds the best route from paths over some edges; null if there is none.
 *
 * @param candidateEdges - edges that some allocation included
 * @param values - initial values of the tokens in the output token
 */
export function joinPaths(problem: Problem, candidateEdges: Iterable<number>, values: Float64Array): Flow | null {
  const paths = enumeratePaths(problem, withDirectEdges(problem, candidateEdges))
  const candidates = new Set([...bestPathsBy(paths, 'netOfWhole'), ...bestPathsBy(paths, 'netOfPart')])
  let best: Flow | null = null
  for (const firstPath of bestPathsBy(paths, 'netOfWhole').slice(0, JOIN_STARTS)) {
    const flow = addGreedily(problem, flowOverEdges(problem, new Set(firstPath.edges), values), candidates, values)
    if (flow && (!best || flow.net > best.net)) best = flow
  }
  return best
}

/**
 * Adds paths and detours to a route while the route improves. Finds paths that pruning removed because they earn their
 * gas only together, and paths that column generation ignores because they are too long.
 */
export function extendByPaths(
  problem: Problem,
  flow: Flow,
  candidateEdges: Iterable<number>,
  values: Float64Array,
): Flow {
  const usedEdges = new Set(flow.edges)
  const paths = enumeratePaths(problem, withDirectEdges(problem, candidateEdges)).filter(({ edges }) =>
    edges.some((edge) => !usedEdges.has(edge)),
  )
  const extendedFlow =
    addGreedily(
      problem,
      flow,
      new Set([...bestPathsBy(paths, 'netOfPart'), ...bestPathsBy(paths, 'netOfSmallPart')]),
      values,
    ) ?? flow
  return withDetours(problem, extendedFlow, values)
}

/**
 * Adds detours to a route while the route improves. Each detour changes the prices, so detours are searched again after
 * each one.
 */
export function withDetours(problem: Problem, flow: Flow, values: Float64Array): Flow {
  let best = flow
  for (let round = 0; round < MAX_DETOUR_ROUNDS && best.edges.length < problem.maxPools; round++) {
    const detours = problem.graph.topology.scratch.within(() =>
      findDetours(problem, solveOverEdges(problem, best.edges, values), best),
    )
    const extendedFlow = addGreedily(
      problem,
      best,
      detours.map((edges) => ({ edges })),
      values,
    )
    if (!extendedFlow || !(extendedFlow.net > best.net)) break
    best = extendedFlow
  }
  return best
}

/**
 * Adds candidate paths one at a time while the flow improves. Each time, adds the path that gives the highest net
 * output.
 */
function addGreedily(
  problem: Problem,
  initialFlow: Flow | null,
  candidates: Iterable<Pick<Path, 'edges'>>,
  values: Float64Array,
): Flow | null {
  let flow = initialFlow
  // Each round adds at least one edge, or is the last. The pool limit bounds the number of edges.
  for (let bestExtension = flow; bestExtension; flow = bestExtension ?? flow) {
    bestExtension = null
    for (const { edges } of candidates) {
      const jointEdges = new Set([...(flow?.edges ?? []), ...edges])
      if (jointEdges.size > problem.maxPools || jointEdges.size === flow?.edges.length) continue
      const extension = flowOverEdges(problem, jointEdges, values)
      if (extension && extension.net > (bestExtension ?? flow)!.net) bestExtension = extension
    }
  }
  return flow
}

const bestPathsBy = (
  paths: readonly Path[],
  netField: 'netOfWhole' | 'netOfPart' | 'netOfSmallPart',
): readonly Path[] => paths.toSorted((a, b) => b[netField] - a[netField]).slice(0, JOIN_CANDIDATES)

/** Returns the edges, and all edges from the source directly to the target. */
function withDirectEdges(
  { graph, rate, source, target }: Problem,
  candidateEdges: Iterable<number>,
): ReadonlySet<number> {
  const { offset, to } = graph.topology
  const edges = new Set(candidateEdges)
  for (let edge = offset[source]!; edge < offset[source + 1]!; edge++)
    if (to[edge] === target && rate[edge]! > 0) edges.add(edge)
  return edges
}

/**
 * Enumerates the simple paths over some edges within the hop limit, depth first. Stops after `MAX_ENUMERATION_STEPS`
 * steps.
 */
export function enumeratePaths(problem: Problem, edges: ReadonlySet<number>): readonly Path[] {
  const { graph, source, target, amountIn, maxHops, rate, budget } = problem
  const { from, to } = graph.topology
  const edgesBySoldToken = new Map<number, number[]>()
  for (const edge of edges) {
    if (rate[edge] === 0) continue
    const edgesOut = edgesBySoldToken.get(from[edge]!)
    if (edgesOut) edgesOut.push(edge)
    else edgesBySoldToken.set(from[edge]!, [edge])
  }
  const paths: Path[] = []
  let steps = 0
  const visit = (token: number, path: readonly number[], amounts: readonly number[], cost: number): void => {
    if (token === target) {
      const [fullNet, partNet, smallNet] = amounts.map((amount) => amount - cost)
      paths.push({ edges: path, netOfWhole: fullNet!, netOfPart: partNet!, netOfSmallPart: smallNet! })
      return
    }
    if (path.length === maxHops) return
    for (const edge of edgesBySoldToken.get(token) ?? []) {
      const boughtToken = to[edge]!
      if (
        boughtToken === source ||
        path.some((earlierEdge) => from[earlierEdge] === boughtToken) ||
        steps >= MAX_ENUMERATION_STEPS
      )
        continue
      steps++
      budget.spend(20)
      const curve = curveOf(problem, edge)
      const amountsOut = amounts.map((amount) => outputOf(curve, amount))
      visit(boughtToken, [...path, edge], amountsOut, cost + legCost(problem, edge, amounts[0]!))
    }
  }
  const amounts = [1, JOIN_PART, JOIN_SMALL_PART].map((share) => amountIn * share)
  visit(source, [], amounts, 0)
  return paths
}

/** Allocates the trade over some edges; null if the flow exceeds the limits on pools or hops. */
function flowOverEdges(problem: Problem, edges: Iterable<number>, values: Float64Array): Flow | null {
  return problem.graph.topology.scratch.within(() => {
    const flow = flowOf(problem, solveOverEdges(problem, edges, values))
    return flow && flow.edges.length <= problem.maxPools && flow.hops <= problem.maxHops ? flow : null
  })
}

function solveOverEdges(problem: Problem, edges: Iterable<number>, values: Float64Array): Allocation {
  const allocation = allocationOver(problem, edges, { maxRate: values })
  solveDual(allocation, MAX_RESIDUAL, MAX_STEPS_AFTER_CHANGE)
  return allocation
}
