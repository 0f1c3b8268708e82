/**
 * Reduces a problem to the edges (pools in one direction) that a better route than the best known one may use. Most
 * edges of a large graph are removed, so that the further computations of `net-bound.ts`, the caller, are small.
 */

import type { SpotRates } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'
import { subgraphOf } from '../subgraph/build-subgraph.ts'

/** Values and hops of tokens that the bound needs; see `SpotRates`. */
export type TokenRates = Pick<SpotRates, 'maxRate' | 'hops'>

/** A problem on a part of the edges, with the numbers of its own graph. */
export type ReducedProblem = {
  readonly problem: Problem
  readonly tokenRates: TokenRates
  /** Edges of the best known route that are left. */
  readonly routeEdges: Flow['edges']
}

/** Returns the problem in which only the given edges may be used. */
export function reduceTo(
  problem: Problem,
  edges: readonly number[],
  { maxRate, hops }: TokenRates,
  routeEdges: Flow['edges'],
): ReducedProblem {
  const { graph, source, target, rate, budget, extraGas, gasOffset } = problem
  const subgraph = subgraphOf(graph, edges, [source, target])
  budget.spend(8 * subgraph.edges.length)
  const { reverse } = subgraph.graph.topology
  // The graph also has the reverse edges, and all pairs of pools with more than two tokens.
  const mayUse = new Set(edges)
  const reducedRate = Float64Array.from(subgraph.edges, (edge) => (mayUse.has(edge) ? rate[edge]! : 0))
  const indexOf = new Map(Array.from(subgraph.edges, (edge, index) => [edge, index]))
  const reindexed = <T>(valueByEdge: ReadonlyMap<number, T>): ReadonlyMap<number, T> =>
    new Map([...indexOf].flatMap(([edge, index]) => (valueByEdge.has(edge) ? [[index, valueByEdge.get(edge)!]] : [])))
  return {
    problem: {
      ...problem,
      graph: subgraph.graph,
      source: subgraph.tokens.indexOf(source),
      target: subgraph.tokens.indexOf(target),
      rate: reducedRate,
      rateBack: Float64Array.from(reverse, (edge) => reducedRate[edge]!),
      adjustedCurves: reindexed(problem.adjustedCurves),
      outputFactors: reindexed(problem.outputFactors),
      measuredHops: reindexed(problem.measuredHops),
      extraGas: extraGas.length > 0 ? Float64Array.from(subgraph.edges, (edge) => extraGas[edge]!) : extraGas,
      ...(problem.inputLimits && { inputLimits: reindexed(problem.inputLimits) }),
      ...(gasOffset && { gasOffset: (edge: number) => gasOffset(subgraph.edges[edge]!) }),
    },
    tokenRates: {
      maxRate: Float64Array.from(subgraph.tokens, (token) => maxRate[token]!),
      hops: Uint8Array.from(subgraph.tokens, (token) => hops[token]!),
    },
    routeEdges: routeEdges.flatMap((edge) => indexOf.get(edge) ?? []),
  }
}
