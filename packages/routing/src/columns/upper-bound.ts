/**
 * Upper bound on the output of any route within the hop limit over all pools, before gas. By weak duality, any token
 * prices give a bound. It is the input valued at its price, plus the maximum earnings of each edge at the prices.
 * Tokens that carry flow have the prices of the search. All others get prices between their cost and their value, so
 * that only the edges of the frontier earn. If these earn more than rounding, they join the allocation.
 */

import { hiddenEarnings, maxEarningsAt, tradeTo } from '../graph/price-curve.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import {
  BALANCE_BRACKET,
  BALANCE_MOVED,
  BALANCE_STEPS,
  BOUND_JOINING,
  BOUND_ROUNDS,
  BOUND_TIGHT,
  FLOAT_ERROR,
  MAX_RESIDUAL,
} from '../tolerances.ts'
import type { Frontier } from './frontier.ts'
import { earningsBound } from './most-earned.ts'

/** Upper bound in output base units, as floats; the sum of both parts bounds any route. */
export type OutputBound = {
  /** Maximum output by the pools' price curves. */
  readonly onCurves: number
  /** Maximum payout of pools beyond their curves. */
  readonly beyondCurves: number
}

/**
 * Bounds the output of all routes. Null if no finite bound was found because of profitable cycles (arbitrage).
 *
 * @param allocation - solved; extended if edges loosen the bound
 * @param frontier - as explored around the allocation
 */
export function upperBound(problem: Problem, allocation: Allocation, frontier: Frontier): OutputBound | null {
  const { tokens, scratch } = problem.graph.topology
  /** By token, for the ends of the frontier's edges. */
  const price = scratch.floats(tokens.length)
  let bound = Number.POSITIVE_INFINITY
  for (let round = 0; round < BOUND_ROUNDS; round++) {
    if (!frontier.converged) return null
    const sharedPools = allocation.shared.filter(({ tradesSeveral }) => tradesSeveral)
    if (sharedPools.some(({ tradingFunction }) => !tradingFunction.hasFixedFee)) return null
    const base = sharedPools.reduce((sum, { feesReused }) => sum + feesReused, allocation.value + frontier.dust)
    if (frontier.edges.length === 0) {
      bound = Math.min(bound, base)
      break
    }
    balancePrices(problem, frontier, price)
    problem.budget.spend(8 * frontier.edges.length)
    const earning = frontier.edges
      .map((edge) => ({ edge, profit: profitOf(problem, frontier, price, edge) }))
      .filter(({ profit }) => profit > 0)
    bound = Math.min(
      bound,
      earning.reduce((sum, { profit }) => sum + profit, base),
    )
    if (bound <= allocation.value * (1 + BOUND_TIGHT)) break
    const joining = earning.sort((a, b) => b.profit - a.profit).slice(0, BOUND_JOINING)
    if (
      !join(
        problem,
        allocation,
        price,
        joining.map(({ edge }) => edge),
      )
    )
      break
    solve(allocation, MAX_RESIDUAL)
    frontier.explore(allocation)
  }
  const beyondCurves = errorOf(problem, bound, allocation, frontier, price)
  return Number.isFinite(bound + beyondCurves) && bound > 0
    ? { onCurves: bound * (1 + FLOAT_ERROR), beyondCurves }
    : null
}

/**
 * Amount by which the bound may be too low, in output base units. Some curves interpolate samples of their pools, and
 * the trading function of a pool with a variable fee assumes its highest fee.
 */
function errorOf(
  problem: Problem,
  bound: number,
  allocation: Allocation,
  frontier: Frontier,
  price: Float64Array,
): number {
  const { from, to } = problem.graph.topology
  const { prices, shared } = allocation
  const hidden = (edge: number, priceOf: Float64Array) =>
    hiddenEarnings(curveOf(problem, edge), priceOf[from[edge]!]!, priceOf[to[edge]!]!, bound)
  const alone = (edge: number) => maxEarningsAt(curveOf(problem, edge), prices[from[edge]!]!, prices[to[edge]!]!)
  let sum = 0
  for (const edge of allocation.edges) sum += hidden(edge, prices)
  for (const edge of frontier.edges) sum += hidden(edge, price)
  for (const { edges, earned, tradingFunction } of shared)
    if (!tradingFunction.hasFixedFee) sum += Math.max(0, Math.max(...edges.map(alone)) - earned)
  return sum
}

function join({ graph }: Problem, allocation: Allocation, price: Float64Array, edges: readonly number[]): boolean {
  const { from, to } = graph.topology
  let isAdded = false
  for (const edge of edges) {
    for (const token of [from[edge]!, to[edge]!]) allocation.addToken(token, Math.log(price[token]!))
    isAdded = allocation.addEdge(edge) || isAdded
  }
  return isAdded
}

function profitOf(problem: Problem, frontier: Frontier, price: Float64Array, edge: number): number {
  const { from, to } = problem.graph.topology
  const sold = price[from[edge]!]!
  const bought = price[to[edge]!]!
  const alone = maxEarningsAt(curveOf(problem, edge), sold, bought)
  const rate = frontier.rate[edge]!
  if (rate === problem.rate[edge]) return alone
  // Together with other pairs of its pool, the edge earns no more than alone, and no more than from its rate after their trades.
  return rate * bought > sold ? Math.min(alone, earningsBound(problem, edge, sold, rate * bought)) : 0
}

/** Sets prices at the ends of the frontier's edges that minimize the edges' earnings. */
export function balancePrices(
  problem: Problem,
  { edges, tokens, live, costLabel, valueLabel }: Frontier,
  price: Float64Array,
): void {
  const { from, to } = problem.graph.topology
  for (const edge of edges)
    for (const token of [from[edge]!, to[edge]!])
      price[token] = live[token] === 1 ? costLabel[token]! : Math.sqrt(costLabel[token]! * valueLabel[token]!)
  const around = new Map<number, number[]>(tokens.map((token) => [token, []]))
  for (const edge of edges) {
    around.get(from[edge]!)?.push(edge)
    around.get(to[edge]!)?.push(edge)
  }
  for (const [token, near] of around) balance(problem, price, near, token, costLabel[token]!, valueLabel[token]!)
}

/** Moves one price until the edges buy as much of the token as they sell: Newton's method within a bracket. */
function balance(
  problem: Problem,
  price: Float64Array,
  edges: readonly number[],
  token: number,
  min: number,
  max: number,
): void {
  const { from, to } = problem.graph.topology
  const point = { input: 0, output: 0, conductance: 0 }
  let low = min
  let high = max
  for (let step = 0; step < BALANCE_STEPS && high > low * (1 + BALANCE_BRACKET); step++) {
    problem.budget.spend(4 * edges.length + 1)
    const at = price[token]!
    let surplus = 0
    let slope = 0
    for (const edge of edges) {
      const ratio = price[from[edge]!]! / price[to[edge]!]!
      tradeTo(curveOf(problem, edge), ratio, point)
      const bought = to[edge] === token
      surplus += bought ? point.output : -point.input
      slope += point.conductance * (bought ? ratio : 1)
    }
    if (surplus > 0) high = at
    else low = at
    const next = at * Math.exp(-surplus / slope)
    price[token] = next > low && next < high ? next : Math.sqrt(low * high)
    if (Math.abs(next / at - 1) < BALANCE_MOVED) return
  }
}
