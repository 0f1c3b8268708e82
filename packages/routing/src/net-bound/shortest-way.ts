/** A path from the source to the target of minimum length. Every route contains at least one path. */
import type { SpotRates } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'

export type Way = { readonly edges: readonly number[]; readonly length: number }

/**
 * Finds the shortest path within the hop limit; null if there is none.
 *
 * @param lengthOf - length of an edge, at least 0; ∞ if it must not be used
 */
export function shortestPath(problem: Problem, { hops }: SpotRates, lengthOf: (edge: number) => number): Way | null {
  const { graph, rate, source, target, maxHops, budget } = problem
  const { offset, to, tokens, scratch } = graph.topology
  return scratch.within(() => {
    // Labels of round n belong to paths of n edges. Each label keeps its edge and predecessor for backtracking.
    const shortest = scratch.floats(tokens.length, Number.POSITIVE_INFINITY)
    let layer = new Map<number, Label>([[source, { length: 0, edge: -1, before: null }]])
    let best: Label | null = null
    shortest[source] = 0
    for (let round = 1; round <= maxHops && layer.size > 0; round++) {
      const next = new Map<number, Label>()
      for (const [token, label] of layer) {
        budget.spend(1 + (offset[token + 1]! - offset[token]!) / 2)
        for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
          const other = to[edge]!
          const limit = Math.min(shortest[other]!, shortest[target]!)
          if (label.length >= limit || rate[edge] === 0 || hops[other]! > maxHops - round) continue
          const length = label.length + lengthOf(edge)
          if (length >= limit) continue
          const reached = { length, edge, before: label }
          shortest[other] = length
          if (other === target) best = reached
          else next.set(other, reached)
        }
      }
      layer = next
    }
    return best && pathOf(best)
  })
}

type Label = { readonly length: number; readonly edge: number; readonly before: Label | null }

function pathOf(end: Label): Way {
  const edges: number[] = []
  for (let at: Label | null = end; at && at.edge >= 0; at = at.before) edges.unshift(at.edge)
  return { edges, length: end.length }
}
