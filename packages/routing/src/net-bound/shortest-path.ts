/** Finds the shortest path from the source to the target, for edge lengths that the caller chooses. */
import type { SpotRates } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'

/** The length is the sum of the lengths of the edges, not their number. */
export type ShortestPath = { readonly edges: readonly number[]; readonly length: number }

/**
 * Finds the shortest path within the hop limit; null if there is none.
 *
 * @param lengthOf - length of an edge, at least 0; ∞ if it must not be used
 */
export function shortestPath(
  problem: Problem,
  { hops }: SpotRates,
  lengthOf: (edge: number) => number,
): ShortestPath | null {
  const { graph, rate, source, target, maxHops, budget } = problem
  const { offset, to, tokens, scratch } = graph.topology
  return scratch.within(() => {
    // Labels of round n belong to paths of n edges. Each label keeps its last edge and the label before it, so that the
    // path can be read backward.
    const shortest = scratch.floats(tokens.length, Number.POSITIVE_INFINITY)
    let layer = new Map<number, Label>([[source, { length: 0, edge: -1, previousLabel: null }]])
    let best: Label | null = null
    shortest[source] = 0
    for (let round = 1; round <= maxHops && layer.size > 0; round++) {
      const nextLayer = new Map<number, Label>()
      for (const [token, label] of layer) {
        budget.spend(1 + (offset[token + 1]! - offset[token]!) / 2)
        for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
          const neighbor = to[edge]!
          const maxLength = Math.min(shortest[neighbor]!, shortest[target]!)
          if (label.length >= maxLength || rate[edge] === 0 || hops[neighbor]! > maxHops - round) continue
          const length = label.length + lengthOf(edge)
          if (length >= maxLength) continue
          const newLabel = { length, edge, previousLabel: label }
          shortest[neighbor] = length
          if (neighbor === target) best = newLabel
          else nextLayer.set(neighbor, newLabel)
        }
      }
      layer = nextLayer
    }
    return best && pathOf(best)
  })
}

type Label = { readonly length: number; readonly edge: number; readonly previousLabel: Label | null }

function pathOf(end: Label): ShortestPath {
  const edges: number[] = []
  for (let label: Label | null = end; label && label.edge >= 0; label = label.previousLabel) edges.unshift(label.edge)
  return { edges, length: end.length }
}
