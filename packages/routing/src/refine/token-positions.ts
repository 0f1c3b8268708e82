/** Positions of tokens in a flow. */
import type { Problem } from '../problem/problem.ts'
import type { Flow } from '../solver/flow.ts'

/** Maximum number of edges from the source to each token of a flow. */
export function depthsOf({ graph, source }: Problem, { edges }: Flow): ReadonlyMap<number, number> {
  const { from, to } = graph.topology
  const depthByToken = new Map([[source, 0]])
  for (const edge of edges)
    depthByToken.set(to[edge]!, Math.max(depthByToken.get(to[edge]!) ?? 0, (depthByToken.get(from[edge]!) ?? 0) + 1))
  return depthByToken
}

/** Maximum number of edges from each token of a flow to the target. */
export function heightsOf({ graph, target }: Problem, { edges }: Flow): ReadonlyMap<number, number> {
  const { from, to } = graph.topology
  const heightByToken = new Map([[target, 0]])
  for (const edge of edges.toReversed())
    heightByToken.set(
      from[edge]!,
      Math.max(heightByToken.get(from[edge]!) ?? 0, (heightByToken.get(to[edge]!) ?? 0) + 1),
    )
  return heightByToken
}
