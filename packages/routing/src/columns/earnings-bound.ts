/** Bounds the earnings of an edge without evaluating its price curve. */
import type { Problem } from '../problem/problem.ts'

/**
 * Upper bound on the earnings of an edge, given the cost of its input (`price`) and the value of its first unit of
 * output (`value`): the earnings of a pool of x·y = k with the edge's maximum depth everywhere. ∞ for adjusted curves.
 */
export function earningsBound(
  { adjustedCurves, graph }: Problem,
  edge: number,
  priceIn: number,
  value: number,
): number {
  if (adjustedCurves.size > 0 && adjustedCurves.has(edge)) return Number.POSITIVE_INFINITY
  const sqrtPriceFall = Math.sqrt(value / priceIn) - 1
  return 2 * graph.maxConductance[edge]! * priceIn * sqrtPriceFall * sqrtPriceFall
}
