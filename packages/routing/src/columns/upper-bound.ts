/**
 * An upper bound of what any route within the limit on hops can pay over all pools, gas left aside. By weak duality every
 * set of token prices gives one: the input at its price, plus what each edge would earn by trading at those prices. Tokens
 * that the trade flows through have the prices that the search found. All others are priced between what they are worth and
 * what they costLabel, so that only the edges of the frontier earn; should they earn more than rounding, they join the
 * allocation.
 */

import { hiddenEarnings, mostEarnedAt, tradeTo } from '../graph/price-curve.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { solve } from '../solver/dual-solver.ts'
import {
  BALANCE_BRACKET,
  BALANCE_MOVED,
  BALANCE_STEPS,
  BOUND_JOINING,
  BOUND_ROUNDS,
  BOUND_SWEEPS,
  BOUND_TIGHT,
  FLOAT_ERROR,
  TIGHT,
} from '../tolerances.ts'
import type { Frontier } from './frontier.ts'
import { mostEarned } from './most-earned.ts'

/** Output base units, as floats, that no route exceeds together. */
export type OutputBound = {
  /** Most that routes pay by the curves of their pools. */
  readonly onCurves: number
  /** Most that pools pay beyond their curves. */
  readonly beyondCurves: number
}

/**
 * Bounds the output of all routes; null where prices go in cycles (an arbitrage), for which no finite bound was found.
 *
 * @param allocation - solved, and improved where the bound shows that it can be
 * @param frontier - as explored around it
 */
export function upperBound(problem: Problem, allocation: Allocation, frontier: Frontier): OutputBound | null {
  const { tokens, scratch } = problem.graph.topology
  /** By token, where an edge of the frontier ends. */
  const price = scratch.floats(tokens.length)
  let bound = Number.POSITIVE_INFINITY
  for (let round = 0; round < BOUND_ROUNDS; round++) {
    if (!frontier.converged) return null
    const shared = allocation.shared.filter(({ tradesSeveral }) => tradesSeveral)
    if (shared.some(({ tradingFunction }) => !tradingFunction.fixedFee)) return null
    const found = shared.reduce((sum, { feesReused }) => sum + feesReused, allocation.value + frontier.dust)
    if (frontier.edges.length === 0) {
      bound = Math.min(bound, found)
      break
    }
    balancePrices(problem, frontier, price)
    problem.budget.spend(8 * frontier.edges.length)
    const earning = frontier.edges
      .map((edge) => ({ edge, profit: profitOf(problem, frontier, price, edge) }))
      .filter(({ profit }) => profit > 0)
    bound = Math.min(
      bound,
      earning.reduce((sum, { profit }) => sum + profit, found),
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
    solve(allocation, TIGHT)
    frontier.explore(allocation)
  }
  const beyondCurves = errorOf(problem, bound, allocation, frontier, price)
  return Number.isFinite(bound + beyondCurves) && bound > 0
    ? { onCurves: bound * (1 + FLOAT_ERROR), beyondCurves }
    : null
}

/**
 * Output base units by which a bound may be too low, since some curves go through samples of their pools, and the trading function of a
 * pool with a variable fee is one at its highest fee.
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
  const alone = (edge: number) => mostEarnedAt(curveOf(problem, edge), prices[from[edge]!]!, prices[to[edge]!]!)
  let sum = 0
  for (const edge of allocation.edges) sum += hidden(edge, prices)
  for (const edge of frontier.edges) sum += hidden(edge, price)
  for (const { edges, earned, tradingFunction } of shared)
    if (!tradingFunction.fixedFee) sum += Math.max(0, Math.max(...edges.map(alone)) - earned)
  return sum
}

function join({ graph }: Problem, allocation: Allocation, price: Float64Array, edges: readonly number[]): boolean {
  const { from, to } = graph.topology
  let joined = false
  for (const edge of edges) {
    for (const token of [from[edge]!, to[edge]!]) allocation.addToken(token, Math.log(price[token]!))
    joined = allocation.addEdge(edge) || joined
  }
  return joined
}

function profitOf(problem: Problem, frontier: Frontier, price: Float64Array, edge: number): number {
  const { from, to } = problem.graph.topology
  const sold = price[from[edge]!]!
  const bought = price[to[edge]!]!
  const alone = mostEarnedAt(curveOf(problem, edge), sold, bought)
  const rate = frontier.rate[edge]!
  if (rate === problem.rate[edge]) return alone
  // Beside other pairs of its pool it earns no more than by itself, nor than from the rate to which they have moved it.
  return rate * bought > sold ? Math.min(alone, mostEarned(problem, edge, sold, rate * bought)) : 0
}

/** Finds prices at the ends of the frontier's edges at which as little as possible is earned there. */
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
  const sweeps = tokens.length === 1 ? 1 : BOUND_SWEEPS
  for (let sweep = 0; sweep < sweeps; sweep++)
    for (const [token, near] of around) balance(problem, price, near, token, costLabel[token]!, valueLabel[token]!)
}

/**
 * Moves one price to where what its edges buy of the token is what they sell of it: Newton's method within a bracket.
 */
function balance(
  problem: Problem,
  price: Float64Array,
  edges: readonly number[],
  token: number,
  least: number,
  most: number,
): void {
  const { from, to } = problem.graph.topology
  const point = { input: 0, output: 0, conductance: 0 }
  let low = least
  let high = most
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
