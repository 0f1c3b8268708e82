/**
 * Positions of tokens in a flow, as numbers of edges from the source or to the target. A flow is a list of edges (pools
 * in one direction) with their inputs, in topological order.
 */
import type { Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'

/** Maximum number of edges from the source to each token of a flow. */
export function maxHopsFromSource({ graph, source }: Problem, { edges }: Flow): ReadonlyMap<number, number> {
  const { from, to } = graph.topology
  const hopsFromSource = new Map([[source, 0]])
  for (const edge of edges)
    hopsFromSource.set(
      to[edge]!,
      Math.max(hopsFromSource.get(to[edge]!) ?? 0, (hopsFromSource.get(from[edge]!) ?? 0) + 1),
    )
  return hopsFromSource
}

/** Maximum number of edges from each token of a flow to the target. */
export function maxHopsToTarget({ graph, target }: Problem, { edges }: Flow): ReadonlyMap<number, number> {
  const { from, to } = graph.topology
  const hopsToTarget = new Map([[target, 0]])
  for (const edge of edges.toReversed())
    hopsToTarget.set(from[edge]!, Math.max(hopsToTarget.get(from[edge]!) ?? 0, (hopsToTarget.get(to[edge]!) ?? 0) + 1))
  return hopsToTarget
}
