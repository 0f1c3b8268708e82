/** Bounds the earnings of an edge without evaluating its price curve. */
import type { Problem } from '../problem/problem.ts'

/**
 * Upper bound on the earnings of an edge: the earnings of a pool of x·y = k that has the edge's maximum liquidity at
 * all prices. ∞ if the request changes the edge's price curve.
 *
 * @param priceIn - cost of a unit of input
 * @param value - value of the output that the first unit of input buys
 */
export function earningsBound(
  { adjustedCurves, graph }: Problem,
  edge: number,
  priceIn: number,
  value: number,
): number {
  if (adjustedCurves.size > 0 && adjustedCurves.has(edge)) return Number.POSITIVE_INFINITY
  const sqrtGain = Math.sqrt(value / priceIn) - 1
  // Conductance is the response of an edge's input to its rate, as a measure of its liquidity.
  return 2 * graph.maxConductance[edge]! * priceIn * sqrtGain * sqrtGain
}
