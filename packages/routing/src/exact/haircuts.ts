import type { Problem } from '../problem/problem.ts'
import type { Settlement } from './settle.ts'

/** The output of a settled route as it is ranked: less what its pools are not believed, output base units. */
export function believedOutput(
  { believed, graph, source, target }: Pick<Problem, 'believed' | 'graph' | 'source' | 'target'>,
  { legs, edges, amountOut }: Settlement,
): number {
  const settled = Number(amountOut)
  if (believed.size === 0 || !edges.some((edge) => believed.has(edge))) return settled
  const { from, to } = graph.topology
  // Of each token, what legs brought and how much of that is believed: what is sold on is believed in the same part.
  const brought = new Map([[source, { all: 1, sure: 1 }]])
  for (const [k, { amountOut: bought }] of legs.entries()) {
    const edge = edges[k]!
    const { all: total, sure: part } = brought.get(from[edge]!)!
    if (bought === 0n) continue
    const { all, sure } = brought.get(to[edge]!) ?? { all: 0, sure: 0 }
    const more = Number(bought)
    brought.set(to[edge]!, { all: all + more, sure: sure + more * (part / total) * (believed.get(edge) ?? 1) })
  }
  const { all, sure } = brought.get(target) ?? { all: 1, sure: 1 }
  return settled * (sure / all)
}
