/**
 * Upper bound before gas on the output of any route within the hop limit. By weak duality, any token prices give a
 * bound: the input valued at its price, plus the maximum earnings of each edge (a pool in one direction) at the prices.
 * Tokens that carry flow have the prices of the allocation, which is the solved flow over some edges. Each other token
 * gets a price between its minimum cost and its maximum value. Then, outside the allocation, only the edges of the
 * frontier (see `frontier.ts`) earn. If these edges earn more than rounding errors, they join the allocation, which
 * makes the bound tighter. A multi-token pool has more than two tokens, and its pairs share one trading function (the
 * equation that its balances must satisfy).
 */

import { familyOf } from '@sluice/liquidity'
import { hiddenEarnings, maxEarningsAt, tradeTo } from '../graph/price-curve.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { roundingOfPool } from '../problem/rounding.ts'
import type { Allocation } from '../solver/allocation.ts'
import { solveDual } from '../solver/dual-solver.ts'
import { groupBy } from '../solver/flow.ts'
import { boundingFunctionOf, reusableFee, SharedPool, tradingFunctionOf } from '../solver/shared-pools.ts'
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

/**
 * By token of the allocation: price at which a bound was computed, in output base units per base unit. If the input
 * grows by one base unit, the bound grows by the price of the source token.
 */
export type TokenPrices = ReadonlyMap<number, number>
export const NO_PRICES: TokenPrices = new Map()

/** Two parts of an upper bound, in output base units. Their sum is the bound on the output of any route. */
export type OutputBound = {
  /** Maximum output if pools pay exactly what their price curves show. */
  readonly curveBound: number
  /** Maximum that pools may pay above their price curves. */
  readonly hiddenBound: number
  readonly tokenPrices: TokenPrices
}

/**
 * Bounds the output of all routes. Null if no finite bound was found because of profitable cycles (arbitrage). Returns
 * the lowest bound of all rounds. On a subgraph of a large graph, returns the bound of the last round instead. Callers
 * then value the edges outside the subgraph at the final prices of the allocation.
 *
 * @param allocation - a solved allocation; the edges that loosen the bound are added to it
 * @param frontier - the explored frontier of the allocation
 */
export function upperBound(problem: Problem, allocation: Allocation, frontier: Frontier): OutputBound | null {
  const { tokens, scratch } = problem.graph.topology
  /** By token: price, for the tokens that the frontier's edges sell or buy. */
  const priceByToken = scratch.floats(tokens.length)
  let best: OutputBound | null = null
  let minCurveBound = Number.POSITIVE_INFINITY
  for (let round = 0; ; round++) {
    if (!frontier.hasConverged) return null
    const sharedPools = allocation.sharedPools.filter(({ tradesSeveralPairs }) => tradesSeveralPairs)
    if (sharedPools.some(({ tradingFunction }) => !tradingFunction.hasFixedFee)) return null
    balancePrices(problem, frontier, priceByToken)
    problem.budget.spend(8 * frontier.payingEdges.length)
    const earningEdges = frontier.payingEdges
      .map((edge) => ({ edge, earnings: maxEarningsOf(problem, frontier, priceByToken, edge) }))
      .filter(({ earnings }) => earnings > 0)
    const curveBound = [
      ...sharedPools.map(({ maxReusedFees }) => maxReusedFees),
      ...earningEdges.map(({ earnings }) => earnings),
    ].reduce((sum, part) => sum + part, allocation.value + frontier.dustEarnings)
    // Payments above price curves are valued at the prices of this bound: at other prices, the sum would be no bound.
    const bound = {
      curveBound: curveBound * (1 + FLOAT_ERROR),
      hiddenBound: maxPayoutBeyondCurves(problem, curveBound, allocation, frontier, priceByToken),
      tokenPrices: new Map(frontier.liveTokens.map((token) => [token, allocation.price(token)])),
    }
    if (!best || problem.subgraph || totalOf(bound) < totalOf(best)) best = bound
    minCurveBound = Math.min(minCurveBound, curveBound)
    if (round === MAX_BOUND_ROUNDS || earningEdges.length === 0) break
    if (minCurveBound <= allocation.value * (1 + TIGHT_BOUND_GAP)) break
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
  return Number.isFinite(totalOf(best)) && best.curveBound > 0 ? best : null
}

const totalOf = ({ curveBound, hiddenBound }: OutputBound): number => curveBound + hiddenBound

/**
 * Returns the maximum total that pools may pay above their price curves, in output base units. There are three reasons.
 * Some curves interpolate samples of their pools. The trading function of a pool with a variable fee assumes its
 * highest fee. Some pools round in favor of the trader.
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
  const roundingOf = (edge: number, tokenPrices: Float64Array) =>
    roundingOfPool(problem, edge, tokenPrices[from[edge]!]!, tokenPrices[to[edge]!]!)
  const earningsAlone = (edge: number) =>
    maxEarningsAt(curveOf(problem, edge), prices[from[edge]!]!, prices[to[edge]!]!)
  let sum = 0
  for (const edge of allocation.edges) sum += hiddenEarningsOf(edge, prices) + roundingOf(edge, prices)
  for (const edge of frontier.payingEdges)
    sum += hiddenEarningsOf(edge, frontierPrices) + roundingOf(edge, frontierPrices)
  for (const { edges, earnings, tradingFunction } of sharedPools)
    if (!tradingFunction.hasFixedFee) sum += Math.max(0, Math.max(...edges.map(earningsAlone)) - earnings)
  return (
    sum + earningsOfMoreSwaps(problem, allocation, frontier, frontierPrices) + feesOfSinglePairs(problem, allocation)
  )
}

/**
 * Maximum that other pairs of multi-token pools may earn on the fees of a pair that trades alone in the allocation.
 * These earnings matter if the pair nearly drains the pool: the fee is then most of the remaining balance.
 */
function feesOfSinglePairs(problem: Problem, allocation: Allocation): number {
  const { graph, mayReusePools } = problem
  if (!mayReusePools) return 0
  const { edges, input, output, conductance, sharedPools } = allocation
  let sum = 0
  for (const pool of sharedPools) if (!pool.tradesSeveralPairs) sum += pool.maxReusedFees
  const sharedEdges = new Set(sharedPools.flatMap((pool) => pool.edges))
  for (const [k, edge] of edges.entries()) {
    if (!(input[k]! > 0) || graph.topology.isWide[edge] === 0 || sharedEdges.has(edge)) continue
    const tradingFunction = tradingFunctionOf(graph, graph.edges[edge]!.pool)
    if (!tradingFunction) continue
    const boughtValue = output[k]! * allocation.price(graph.topology.to[edge]!)
    const valueConductance = conductance[k]! * allocation.price(graph.topology.from[edge]!)
    sum += boughtValue * reusableFee(tradingFunction) * Math.min(1, boughtValue / valueConductance)
  }
  return sum
}

/**
 * Maximum additional earnings of multi-token pools that limit each swap. If several pairs sell the same token, the
 * swaps of one pair raise the limits of the others. So together they may sell more than an allocation assumes.
 */
function earningsOfMoreSwaps(
  problem: Problem,
  allocation: Allocation,
  { payingEdges }: Frontier,
  frontierPrices: Float64Array,
): number {
  const { edges, topology } = problem.graph
  if (!topology.hasWidePools) return 0
  const usedEdges = allocation.edges.filter((_, k) => allocation.input[k]! > 0)
  const edgesByPool = groupBy(
    [...usedEdges, ...payingEdges].filter((edge) => topology.isWide[edge] === 1),
    (edge) => edges[edge]!.pool,
  )
  let sum = 0
  for (const [pool, poolEdges] of edgesByPool) {
    const soldTokens = new Set(poolEdges.map((edge) => topology.from[edge]!))
    if (soldTokens.size === poolEdges.length || !familyOf(pool.family)!.limitsEachSwap?.(pool)) continue
    const tradingFunction = boundingFunctionOf(pool)
    if (!tradingFunction) continue
    const sharedPool = new SharedPool(tradingFunction)
    const prices = topology.scratch.copy(allocation.prices)
    for (const edge of payingEdges)
      for (const token of [topology.from[edge]!, topology.to[edge]!]) prices[token] = frontierPrices[token]!
    for (const [index, edge] of poolEdges.entries()) sharedPool.add(problem, edge, index)
    const earnings = sharedPool.tradeTo(prices, new Float64Array(poolEdges.length), new Float64Array(poolEdges.length))
    problem.budget.spend(sharedPool.work)
    const knownEarnings = allocation.edges.reduce((total, edge, k) => {
      if (!poolEdges.includes(edge)) return total
      const [priceIn, priceOut] = [allocation.price(topology.from[edge]!), allocation.price(topology.to[edge]!)]
      return total + allocation.output[k]! * priceOut - allocation.input[k]! * priceIn
    }, 0)
    sum += Math.max(0, earnings + sharedPool.maxReusedFees - knownEarnings)
  }
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
  // Other pairs of the pool trade, too. Two limits then apply to the earnings of the edge: its earnings if it trades
  // alone, and its earnings if it starts at its rate after the other trades.
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
 * Changes the price of one token until the edges buy as much of the token as they sell. Uses Newton's method within the
 * bracket from `min` to `max`.
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
