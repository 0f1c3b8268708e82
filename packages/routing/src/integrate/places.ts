/** Positions of tokens in a flow. */
import type { Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'

/** Maximum number of edges from the source to each token of a flow. */
export function depthsOf({ graph, source }: Problem, { edges }: Flow): ReadonlyMap<number, number> {
  const { from, to } = graph.topology
  const depth = new Map([[source, 0]])
  for (const edge of edges) depth.set(to[edge]!, Math.max(depth.get(to[edge]!) ?? 0, (depth.get(from[edge]!) ?? 0) + 1))
  return depth
}

/** Maximum number of edges from each token of a flow to the target. */
export function heightsOf({ graph, target }: Problem, { edges }: Flow): ReadonlyMap<number, number> {
  const { from, to } = graph.topology
  const height = new Map([[target, 0]])
  for (const edge of edges.toReversed())
    height.set(from[edge]!, Math.max(height.get(from[edge]!) ?? 0, (height.get(to[edge]!) ?? 0) + 1))
  return height
}
