/**
 * Upper bound before gas on the output of any route within the hop limit. By weak duality, any token prices give a
 * bound: the input valued at its price, plus the maximum earnings of each edge at the prices. Tokens that carry flow
 * have the prices of the allocation. Each other token gets a price between its minimum cost and its maximum value, so
 * that outside the allocation only the edges of the frontier (see `frontier.ts`) earn. If these edges earn more than
 * rounding, they join the allocation, which makes the bound tighter.
 */

import { hiddenEarnings, maxEarningsAt, tradeTo } from '../graph/price-curve.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import type { Allocation } from '../solver/allocation.ts'
import { solveDual } from '../solver/dual-solver.ts'
import {
  FLOAT_ERROR,
  MAX_BALANCE_STEPS,
  MAX_BOUND_EDGES_PER_ROUND,
  MAX_BOUND_ROUNDS,
  MAX_RESIDUAL,
  MIN_BALANCE_BRACKET,
  MIN_BALANCE_MOVE,
  TIGHT_BOUND_GAP,
} from '../tolerances.ts'
import { earningsBound } from './earnings-bound.ts'
import type { Frontier } from './frontier.ts'

/** Two parts of an upper bound, in output base units. Their sum is the bound on the output of any route. */
export type OutputBound = {
  /** Maximum output if pools pay exactly what their price curves show. */
  readonly curveBound: number
  /** Maximum that pools may pay above their price curves. */
  readonly hiddenBound: number
}

/**
 * Bounds the output of all routes. Null if no finite bound was found because of profitable cycles (arbitrage).
 *
 * @param allocation - a solved allocation; the edges that loosen the bound are added to it
 * @param frontier - the explored frontier of the allocation
 */
export function upperBound(problem: Problem, allocation: Allocation, frontier: Frontier): OutputBound | null {
  const { tokens, scratch } = problem.graph.topology
  /** By token: price, for the tokens that the frontier's edges sell or buy. */
  const priceByToken = scratch.floats(tokens.length)
  let bound = Number.POSITIVE_INFINITY
  for (let round = 0; round < MAX_BOUND_ROUNDS; round++) {
    if (!frontier.hasConverged) return null
    const sharedPools = allocation.sharedPools.filter(({ tradesSeveralPairs }) => tradesSeveralPairs)
    if (sharedPools.some(({ tradingFunction }) => !tradingFunction.hasFixedFee)) return null
    const boundWithoutFrontier = sharedPools.reduce(
      (sum, { maxReusedFees }) => sum + maxReusedFees,
      allocation.value + frontier.dustEarnings,
    )
    if (frontier.payingEdges.length === 0) {
      bound = Math.min(bound, boundWithoutFrontier)
      break
    }
    balancePrices(problem, frontier, priceByToken)
    problem.budget.spend(8 * frontier.payingEdges.length)
    const earningEdges = frontier.payingEdges
      .map((edge) => ({ edge, earnings: maxEarningsOf(problem, frontier, priceByToken, edge) }))
      .filter(({ earnings }) => earnings > 0)
    bound = Math.min(
      bound,
      earningEdges.reduce((sum, { earnings }) => sum + earnings, boundWithoutFrontier),
    )
    if (bound <= allocation.value * (1 + TIGHT_BOUND_GAP)) break
    const joiningEdges = earningEdges.sort((a, b) => b.earnings - a.earnings).slice(0, MAX_BOUND_EDGES_PER_ROUND)
    if (
      !addEdges(
        problem,
        allocation,
        priceByToken,
        joiningEdges.map(({ edge }) => edge),
      )
    )
      break
    solveDual(allocation, MAX_RESIDUAL)
    frontier.explore(allocation)
  }
  const hiddenBound = maxPayoutBeyondCurves(problem, bound, allocation, frontier, priceByToken)
  return Number.isFinite(bound + hiddenBound) && bound > 0
    ? { curveBound: bound * (1 + FLOAT_ERROR), hiddenBound }
    : null
}

/**
 * Returns the maximum total that pools may pay above their price curves, in output base units. Some curves interpolate
 * samples of their pools, and the trading function of a pool with a variable fee assumes its highest fee.
 *
 * @param bound - bound without this total
 * @param frontierPrices - by token: prices at which the edges of the frontier are valued
 */
function maxPayoutBeyondCurves(
  problem: Problem,
  bound: number,
  allocation: Allocation,
  frontier: Frontier,
  frontierPrices: Float64Array,
): number {
  const { from, to } = problem.graph.topology
  const { prices, sharedPools } = allocation
  const hiddenEarningsOf = (edge: number, tokenPrices: Float64Array) =>
    hiddenEarnings(curveOf(problem, edge), tokenPrices[from[edge]!]!, tokenPrices[to[edge]!]!, bound)
  const earningsAlone = (edge: number) =>
    maxEarningsAt(curveOf(problem, edge), prices[from[edge]!]!, prices[to[edge]!]!)
  let sum = 0
  for (const edge of allocation.edges) sum += hiddenEarningsOf(edge, prices)
  for (const edge of frontier.payingEdges) sum += hiddenEarningsOf(edge, frontierPrices)
  for (const { edges, earnings, tradingFunction } of sharedPools)
    if (!tradingFunction.hasFixedFee) sum += Math.max(0, Math.max(...edges.map(earningsAlone)) - earnings)
  return sum
}

/** Adds edges to an allocation. Returns false if it contains all of them already. */
function addEdges({ graph }: Problem, allocation: Allocation, prices: Float64Array, edges: readonly number[]): boolean {
  const { from, to } = graph.topology
  let hasAdded = false
  for (const edge of edges) {
    for (const token of [from[edge]!, to[edge]!]) allocation.addToken(token, Math.log(prices[token]!))
    hasAdded = allocation.addEdge(edge) || hasAdded
  }
  return hasAdded
}

/** Maximum earnings of an edge outside the allocation at given prices, in output base units. */
function maxEarningsOf(problem: Problem, frontier: Frontier, prices: Float64Array, edge: number): number {
  const { from, to } = problem.graph.topology
  const priceIn = prices[from[edge]!]!
  const priceOut = prices[to[edge]!]!
  const earningsAlone = maxEarningsAt(curveOf(problem, edge), priceIn, priceOut)
  const rate = frontier.rate[edge]!
  if (rate === problem.rate[edge]) return earningsAlone
  // Other pairs of the pool trade, too. The edge then earns at most as much as alone, and at most as much as if it
  // started at its rate after the other trades.
  return rate * priceOut > priceIn ? Math.min(earningsAlone, earningsBound(problem, edge, priceIn, rate * priceOut)) : 0
}

/** Sets prices of the tokens that the frontier's edges sell or buy, so that these edges earn little. */
export function balancePrices(
  problem: Problem,
  { payingEdges, payingTokens, isLive, costLabel, valueLabel }: Frontier,
  prices: Float64Array,
): void {
  const { from, to } = problem.graph.topology
  for (const edge of payingEdges)
    for (const token of [from[edge]!, to[edge]!])
      prices[token] = isLive[token] === 1 ? costLabel[token]! : Math.sqrt(costLabel[token]! * valueLabel[token]!)
  const edgesAround = new Map<number, number[]>(payingTokens.map((token) => [token, []]))
  for (const edge of payingEdges) {
    edgesAround.get(from[edge]!)?.push(edge)
    edgesAround.get(to[edge]!)?.push(edge)
  }
  for (const [token, edgesOfToken] of edgesAround)
    balancePrice(problem, prices, edgesOfToken, token, costLabel[token]!, valueLabel[token]!)
}

/**
 * Moves the price of one token until the edges buy as much of the token as they sell. Uses Newton's method within a
 * bracket.
 */
function balancePrice(
  problem: Problem,
  prices: Float64Array,
  edges: readonly number[],
  token: number,
  min: number,
  max: number,
): void {
  const { from, to } = problem.graph.topology
  const point = { input: 0, output: 0, conductance: 0 }
  let low = min
  let high = max
  for (let step = 0; step < MAX_BALANCE_STEPS && high > low * (1 + MIN_BALANCE_BRACKET); step++) {
    problem.budget.spend(4 * edges.length + 1)
    const currentPrice = prices[token]!
    let surplus = 0
    let slope = 0
    for (const edge of edges) {
      const ratio = prices[from[edge]!]! / prices[to[edge]!]!
      tradeTo(curveOf(problem, edge), ratio, point)
      const isBought = to[edge] === token
      surplus += isBought ? point.output : -point.input
      slope += point.conductance * (isBought ? ratio : 1)
    }
    if (surplus > 0) high = currentPrice
    else low = currentPrice
    const nextPrice = currentPrice * Math.exp(-surplus / slope)
    prices[token] = nextPrice > low && nextPrice < high ? nextPrice : Math.sqrt(low * high)
    if (Math.abs(nextPrice / currentPrice - 1) < MIN_BALANCE_MOVE) return
  }
}
