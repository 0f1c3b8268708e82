import type { Problem } from '../problem/problem.ts'

/**
 * The most that an edge earns where what it sells costs `price` and what it buys for the first unit is worth `value`: that of
 * a pool of x·y = k that is everywhere as deep as this one is at its deepest.
 */
export function mostEarned({ taxed, graph }: Problem, edge: number, price: number, value: number): number {
  if (taxed.size > 0 && taxed.has(edge)) return Number.POSITIVE_INFINITY
  const fall = Math.sqrt(value / price) - 1
  return 2 * graph.mostConductance[edge]! * price * fall * fall
}
