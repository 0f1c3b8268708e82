/**
 * Finds two paths over a large graph: the best path after gas, and the best path at spot rates. Bounds avoid most pool
 * quotes. An edge is a pool in one direction. Called by `select-subgraph.ts`.
 */
import { bestSinglePath, curveQuoter, type PathBounds } from '../columns/single-path.ts'
import type { DeepestExits, Graph, TargetLabels } from '../graph/graph.ts'
import { maxConductance } from '../graph/price-curve.ts'
import { bestSpotRates } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'
import type { Subgraph } from './build-subgraph.ts'
import type { ExpansionContext } from './expander.ts'
import { MAX_SCANNED_EDGES, PATH_ROUNDING } from './tolerances.ts'

/**
 * Finds the best path after gas; empty if there is none.
 *
 * @param problem - on the whole graph
 * @param coarseSearch - the problem on a subgraph, whose best path gives a lower bound on the result
 */
export function bestPath(
  problem: Problem,
  { maxValue, hops }: TargetLabels,
  coarseSearch: { readonly problem: Problem; readonly subgraph: Subgraph },
): readonly number[] {
  const { from, scratch } = problem.graph.topology
  const nextEdge = scratch.ints(maxValue.length, -1)
  const coarsePath = bestSinglePath(
    coarseSearch.problem,
    bestSpotRates(coarseSearch.problem, coarseSearch.problem.target),
  )
  for (const subgraphEdge of coarsePath ?? []) {
    const edge = coarseSearch.subgraph.edges[subgraphEdge]!
    nextEdge[from[edge]!] = edge
  }
  return (
    bestSinglePath(problem, { maxRate: maxValue, hops, nextEdge }, curveQuoter(problem), boundsOf(problem, maxValue)) ??
    []
  )
}

/**
 * Bounds the output of an edge, and the value of that output at the target. A pool pays at most as much as an imaginary
 * pool of x·y = k that has the pool's maximum depth everywhere. This bounds the output of the edge. The rest of the
 * path is bounded by one such imaginary pool at spot rates. Its depth is the lower of two depths: that of the bought
 * token's deepest exit (outgoing edge), and that of the deepest edge into the target.
 */
function boundsOf(problem: Problem, maxValue: Float64Array): PathBounds {
  const { adjustedCurves, graph, rate, source, target } = problem
  const { from, to } = graph.topology
  const exits = deepestExitsOf(graph)
  // Taxes and discounts on the output do not change the depth. Taxes on the input occur only on edges out of the
  // source.
  const depthOf = (edge: number) => {
    const curve = from[edge] === source ? adjustedCurves.get(edge) : undefined
    return 2 * (curve ? maxConductance(curve) : graph.maxConductance[edge]!)
  }
  const depthIntoTarget = maxDepthIntoTarget(problem, maxValue, depthOf)
  // Output of an imaginary pool with a spot rate of 1.
  const valueThrough = (value: number, depth: number) => (value * (1 + PATH_ROUNDING)) / (1 + value / depth)
  return {
    maxOutput: (edge, amountIn) => rate[edge]! * valueThrough(amountIn, depthOf(edge)),
    maxValue: (edge, amountOut) => {
      const token = to[edge]!
      if (token === target) return amountOut
      // The path does not return to the token that the edge sells.
      const exitDepth =
        exits.deepestNeighbor[token] === from[edge] ? exits.maxDepthElsewhere[token]! : exits.maxDepth[token]!
      return valueThrough(amountOut * maxValue[token]!, Math.min(exitDepth * maxValue[token]!, depthIntoTarget))
    },
  }
}

/** Returns the deepest outgoing edges of all tokens, cached in the graph. */
function deepestExitsOf(graph: Graph): DeepestExits {
  if (graph.facts.exits) return graph.facts.exits
  const { maxConductance: conductance } = graph
  const { offset, to, tokens } = graph.topology
  const [maxDepth, maxDepthElsewhere] = [new Float64Array(tokens.length), new Float64Array(tokens.length)]
  const deepestNeighbor = new Int32Array(tokens.length).fill(-1)
  for (let token = 0; token < tokens.length; token++)
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const depth = 2 * conductance[edge]!
      if (depth > maxDepth[token]!) {
        if (to[edge] !== deepestNeighbor[token]) maxDepthElsewhere[token] = maxDepth[token]!
        maxDepth[token] = depth
        deepestNeighbor[token] = to[edge]!
      } else if (to[edge] !== deepestNeighbor[token] && depth > maxDepthElsewhere[token]!)
        maxDepthElsewhere[token] = depth
    }
  graph.facts.exits = { maxDepth, deepestNeighbor, maxDepthElsewhere }
  return graph.facts.exits
}

/** Depth of the deepest edge into the target, in output base units; ∞ if the target has too many edges to scan. */
function maxDepthIntoTarget(
  { graph, target }: Problem,
  maxValue: Float64Array,
  depthOf: (edge: number) => number,
): number {
  const { offset, to, reverse } = graph.topology
  const [firstEdge, endEdge] = [offset[target]!, offset[target + 1]!]
  if (endEdge - firstEdge > MAX_SCANNED_EDGES) return Number.POSITIVE_INFINITY
  let maxDepth = 0
  for (let outgoingEdge = firstEdge; outgoingEdge < endEdge; outgoingEdge++)
    maxDepth = Math.max(maxDepth, depthOf(reverse[outgoingEdge]!) * maxValue[to[outgoingEdge]!]!)
  return maxDepth
}

/**
 * Returns the best path from the source at spot rates. The path ends before the target if no edge leads on within the
 * hop limit.
 */
export function bestSpotPath(
  graph: Graph,
  { ends, labels, maxHops, intermediateRates, budget }: ExpansionContext,
): readonly number[] {
  const { offset, to } = graph.topology
  const path: number[] = []
  let token = ends.source
  while (token !== ends.target && path.length < maxHops) {
    let [bestEdge, bestValue] = [-1, 0]
    const { rate } = token === ends.source ? graph : intermediateRates
    budget.spend(1 + (offset[token + 1]! - offset[token]!) / 4)
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
      const neighbor = to[edge]!
      if (labels.hops[neighbor]! > maxHops - 1 - path.length) continue
      const value = (neighbor === ends.target ? graph.rate[edge]! : rate[edge]!) * labels.maxValue[neighbor]!
      if (value > bestValue) [bestEdge, bestValue] = [edge, value]
    }
    if (bestEdge < 0) break
    path.push(bestEdge)
    token = to[bestEdge]!
  }
  return path
}
