/** Best simple paths over at most `maxHops` edges, by marginal rate or by the output for a whole amount. */
import type { Address } from '@sluice/chains'
import type { Edge } from '../graph.ts'
import type { Problem } from './problem.ts'
import { outputOf } from './response.ts'

type Label = { readonly value: number; readonly edge: Edge | null; readonly before: Label | null }

/**
 * The best path of each length, from one edge up.
 *
 * @param start - value at the source
 * @param extend - value behind an edge; larger is better, 0 for a dead end
 */
export function bestPaths(
  problem: Pick<Problem, 'source' | 'target' | 'maxHops' | 'edgesFrom'>,
  start: number,
  extend: (edge: Edge, value: number) => number,
): readonly { readonly edges: readonly Edge[]; readonly value: number }[] {
  const { source, target, maxHops, edgesFrom } = problem
  const found: { edges: Edge[]; value: number }[] = []
  let frontier = new Map<Address, Label>([[source, { value: start, edge: null, before: null }]])
  for (let hop = 1; hop <= maxHops && frontier.size > 0; hop++) {
    const next = new Map<Address, Label>()
    for (const [token, label] of frontier) {
      for (const edge of edgesFrom.call(problem, token)) {
        if (hop === maxHops && edge.tokenOut !== target) continue
        const value = extend(edge, label.value)
        const best = next.get(edge.tokenOut)
        if (!(value > 0) || (best && best.value >= value) || visits(label, edge)) continue
        next.set(edge.tokenOut, { value, edge, before: label })
      }
    }
    const end = next.get(target)
    if (end) {
      found.push({ edges: unroll(end), value: end.value })
      next.delete(target)
    }
    frontier = next
  }
  return found
}

/** The best path of each length for pushing a whole amount through, best net of gas first. */
export function bestSinglePaths(problem: Problem, amountIn: number): readonly (readonly Edge[])[] {
  const net = ({ edges, value }: { edges: readonly Edge[]; value: number }) =>
    value - edges.reduce((cost, edge) => cost + problem.cost(edge), 0)
  return [...bestPaths(problem, amountIn, ({ response }, value) => outputOf(response, value))]
    .sort((a, b) => net(b) - net(a))
    .map(({ edges }) => edges)
}

function visits(label: Label, { tokenOut, pool }: Edge): boolean {
  for (let at: Label | null = label; at?.edge; at = at.before) {
    if (at.edge.tokenIn === tokenOut || at.edge.pool.id === pool.id) return true
  }
  return false
}

function unroll(end: Label): Edge[] {
  const edges: Edge[] = []
  for (let at: Label | null = end; at?.edge; at = at.before) edges.unshift(at.edge)
  return edges
}
