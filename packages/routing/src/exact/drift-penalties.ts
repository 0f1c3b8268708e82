/**
 * Applies output discounts (drift penalties) to a settled route, whose amounts are exact integers. A pool has such a
 * discount if it paid less in transactions than it quoted. An edge is a pool in one direction.
 */
import type { Problem } from '../problem/problem.ts'
import type { Settlement } from './settle.ts'

/**
 * Returns the output of a settled route after the discounts of its pools, in output base units. It ranks routes; the
 * quoted output has no discount.
 */
export function discountedOutput(
  { outputFactors, graph, source, target }: Pick<Problem, 'outputFactors' | 'graph' | 'source' | 'target'>,
  { legs, edges, amountOut }: Settlement,
): number {
  const output = Number(amountOut)
  if (outputFactors.size === 0 || !edges.some((edge) => outputFactors.has(edge))) return output
  const { from, to } = graph.topology
  // By token: amount that the legs buy, before (`gross`) and after discounts (`discounted`). A leg passes on the ratio
  // discounted / gross of its sold token, times the leg's own factor.
  const totals = new Map([[source, { gross: 1, discounted: 1 }]])
  for (const [k, { amountOut: amountBought }] of legs.entries()) {
    const edge = edges[k]!
    const { gross: soldGross, discounted: soldDiscounted } = totals.get(from[edge]!)!
    if (amountBought === 0n) continue
    const { gross, discounted } = totals.get(to[edge]!) ?? { gross: 0, discounted: 0 }
    const legOutput = Number(amountBought)
    totals.set(to[edge]!, {
      gross: gross + legOutput,
      discounted: discounted + legOutput * (soldDiscounted / soldGross) * (outputFactors.get(edge) ?? 1),
    })
  }
  const { gross, discounted } = totals.get(target) ?? { gross: 1, discounted: 1 }
  return output * (discounted / gross)
}
