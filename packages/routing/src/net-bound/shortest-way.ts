/** The way from the source to the target whose edges have the least length: every route has one such way at least. */
import type { Potential } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'

export type Way = { readonly edges: readonly number[]; readonly length: number }

/**
 * The shortest way within the limit on hops; null where none is left.
 *
 * @param lengthOf - of an edge, no less than 0; ∞ of one that may not be used
 */
export function shortestWay(problem: Problem, { hops }: Potential, lengthOf: (edge: number) => number): Way | null {
  const { graph, rate, source, target, maxHops, budget } = problem
  const { offset, to, tokens, scratch } = graph.topology
  return scratch.within(() => {
    // Labels of one round are those of ways of as many edges; each keeps the edge that it came by, to be followed back.
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
          const most = Math.min(shortest[other]!, shortest[target]!)
          if (label.length >= most || rate[edge] === 0 || hops[other]! > maxHops - round) continue
          const length = label.length + lengthOf(edge)
          if (length >= most) continue
          const reaching = { length, edge, before: label }
          shortest[other] = length
          if (other === target) best = reaching
          else next.set(other, reaching)
        }
      }
      layer = next
    }
    return best && unrolled(best)
  })
}

type Label = { readonly length: number; readonly edge: number; readonly before: Label | null }

function unrolled(end: Label): Way {
  const edges: number[] = []
  for (let at: Label | null = end; at && at.edge >= 0; at = at.before) edges.unshift(at.edge)
  return { edges, length: end.length }
}
