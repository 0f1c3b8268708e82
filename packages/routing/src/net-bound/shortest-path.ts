/** Short paths from the source to the target, for edge lengths that the caller chooses. */
import type { Problem } from '../problem/problem.ts'
import type { TokenRates } from './reduction.ts'

/** The length is the sum of the lengths of the edges, not their number. */
export type ShortestPath = { readonly edges: readonly number[]; readonly length: number }

/**
 * Finds the shortest path within the hop limit; null if there is none.
 *
 * @param lengthOf - length of an edge, at least 0; ∞ if it must not be used
 */
export function shortestPath(
  problem: Problem,
  { hops }: TokenRates,
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

/**
 * Finds the edges that lie on a path from the source to the target, within the hop limit, whose length is at most
 * `maxLength`.
 *
 * @param lengthOf - length of an edge, at least 0
 */
export function edgesOnShortPaths(problem: Problem, lengthOf: (edge: number) => number, maxLength: number): number[] {
  const { graph, rate, source, target, budget } = problem
  const { offset, to, scratch } = graph.topology
  return scratch.within(() => {
    const fromSource = shortestLengths(problem, source, (edge) => edge, lengthOf, maxLength)
    const toTarget = shortestLengths(problem, target, (edge) => graph.topology.reverse[edge]!, lengthOf, maxLength)
    const edges: number[] = []
    for (let token = 0; token < fromSource.length; token++) {
      if (fromSource[token] === Number.POSITIVE_INFINITY) continue
      budget.spend(1 + (offset[token + 1]! - offset[token]!) / 2)
      for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
        if (!(rate[edge]! > 0)) continue
        const restLength = toTarget[to[edge]!]!
        if (
          fromSource[token]! + restLength <= maxLength &&
          fromSource[token]! + lengthOf(edge) + restLength <= maxLength
        )
          edges.push(edge)
      }
    }
    return edges
  })
}

/**
 * Returns the length of the shortest path, within the hop limit, between the root and each token; ∞ for tokens without
 * a path of at most `maxLength`.
 *
 * @param pathEdgeOf - maps an edge out of a token to the edge of the path. For paths from the root, this is the same
 *   edge; for paths to the root, its reverse
 */
function shortestLengths(
  { graph, rate, maxHops, budget }: Problem,
  root: number,
  pathEdgeOf: (edge: number) => number,
  lengthOf: (edge: number) => number,
  maxLength: number,
): Float64Array {
  const { offset, to, tokens, scratch } = graph.topology
  const lengths = scratch.floats(tokens.length, Number.POSITIVE_INFINITY)
  lengths[root] = 0
  let layer = new Set([root])
  for (let round = 0; round < maxHops && layer.size > 0; round++) {
    const nextLayer = new Set<number>()
    for (const token of layer) {
      budget.spend(1 + (offset[token + 1]! - offset[token]!) / 2)
      for (let edge = offset[token]!; edge < offset[token + 1]!; edge++) {
        const neighbor = to[edge]!
        const pathEdge = pathEdgeOf(edge)
        const limit = Math.min(lengths[neighbor]!, maxLength)
        if (lengths[token]! > limit || !(rate[pathEdge]! > 0)) continue
        const length = lengths[token]! + lengthOf(pathEdge)
        if (length > maxLength || length >= lengths[neighbor]!) continue
        lengths[neighbor] = length
        nextLayer.add(neighbor)
      }
    }
    layer = nextLayer
  }
  return lengths
}
