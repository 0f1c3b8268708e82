/** Bounds the earnings of an edge (a pool in one direction) without evaluating its price curve. */
import type { Problem } from '../problem/problem.ts'

/**
 * Upper bound on the earnings of an edge: the earnings of a pool of x·y = k that has the edge's maximum liquidity at
 * all prices. ∞ if the request changes the edge's price curve.
 *
 * @param priceIn - cost of a unit of input
 * @param firstUnitValue - value of the output that the first unit of input buys
 */
export function earningsBound(
  { adjustedCurves, graph }: Problem,
  edge: number,
  priceIn: number,
  firstUnitValue: number,
): number {
  if (adjustedCurves.size > 0 && adjustedCurves.has(edge)) return Number.POSITIVE_INFINITY
  return constantProductEarnings(graph.maxConductance[edge]! * priceIn, Math.sqrt(firstUnitValue / priceIn) - 1)
}

/**
 * Earnings of a pool of x·y = k that trades until its rate equals the ratio of the prices of its tokens.
 *
 * @param valueConductance - conductance of the pool before the trade, times the price of the input token; the earnings
 *   have the same unit. Conductance is the increase of the input per decrease of the natural logarithm of the rate
 * @param sqrtGain - √(value of the first unit's output / cost of its input) − 1
 */
export function constantProductEarnings(valueConductance: number, sqrtGain: number): number {
  return 2 * valueConductance * sqrtGain * sqrtGain
}
