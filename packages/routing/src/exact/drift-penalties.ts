/** Applies the output discounts of pools whose quotes fade to a settled route. */
import type { Problem } from '../problem/problem.ts'
import type { Settlement } from './settle.ts'

/** Output of a settled route as used for ranking, after the discounts of its pools, in output base units. */
export function discountedOutput(
  { outputFactors, graph, source, target }: Pick<Problem, 'outputFactors' | 'graph' | 'source' | 'target'>,
  { legs, edges, amountOut }: Settlement,
): number {
  const output = Number(amountOut)
  if (outputFactors.size === 0 || !edges.some((edge) => outputFactors.has(edge))) return output
  const { from, to } = graph.topology
  // By token: total amount bought, and the amount that remains after discounts. A leg carries the ratio of its sold
  // token on.
  const totals = new Map([[source, { gross: 1, discounted: 1 }]])
  for (const [k, { amountOut: bought }] of legs.entries()) {
    const edge = edges[k]!
    const { gross: soldGross, discounted: soldDiscounted } = totals.get(from[edge]!)!
    if (bought === 0n) continue
    const { gross, discounted } = totals.get(to[edge]!) ?? { gross: 0, discounted: 0 }
    const boughtOut = Number(bought)
    totals.set(to[edge]!, {
      gross: gross + boughtOut,
      discounted: discounted + boughtOut * (soldDiscounted / soldGross) * (outputFactors.get(edge) ?? 1),
    })
  }
  const { gross, discounted } = totals.get(target) ?? { gross: 1, discounted: 1 }
  return output * (discounted / gross)
}
