/**
 * Builds the weak-duality bound of a trade with everything needed to verify its sum: prices, pools, and the earnings of
 * each pool.
 */
import { familyOf, type Pool } from '@sluice/liquidity'
import type { Graph } from '../graph/graph.ts'
import { capacityOf, hiddenEarnings, pointAt } from '../graph/price-curve.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { SharedPool, wholeFunctionOf } from '../solver/shared-pools.ts'
import { FLOAT_ERROR, NEAR_FLAT, TRADE_TOLERANCE } from '../tolerances.ts'
import type { BoundProof, ProvedPool } from '../types.ts'
import type { DualPrices } from './dual-prices.ts'
import { decimalsFor, fromFixedPoint, toFixedPoint } from './fixed-point.ts'
import { alignWrapped, edgesInScope, flatPrices, pricesByHop } from './scope.ts'
import { stableEarnings } from './stable-dual.ts'

/** Maximum pools listed in a proof. For the remaining pools, the proof states their number and total earnings. */
const MAX_PROVED_POOLS = 2_000
/** Relative float error of the values whose difference gives the earnings: a few units in the last place. */
const FLOAT_ROUNDING = 1e-15
/** Work units for the dual of a stable pool. */
const STABLE_WORK = 100_000
/** Maximum relative error of an optimal trade on its trading function. */
const MAX_MISS = 1e-10
/** Rounds of adding the payout beyond sampled curves to the value of inputs. */
const HIDDEN_ROUNDS = 3

/** Earnings of a pool at given prices, in output base units. */
type Earnings = {
  readonly earned: number
  /** Additional earnings possible by rounding, and by fees if a route trades several pairs of the pool. */
  readonly extraEarned: number
  /** Value of the amounts traded or held, to which the relative float error applies. */
  readonly tradedValue: number
  /** True if the curve interpolates samples, so that the pool may pay more. */
  readonly isSampled: boolean
  /** True if the optimal trade reaches the end of the known curve. */
  readonly reachesCurveEnd: boolean
}

/**
 * Builds a proof whose bound is not below the search's routes. Null if none is found because a route swaps in the same
 * pool several times.
 *
 * @param searchPrices - prices of the search
 * @param maxPaid - highest output of the search's routes
 */
export function proveBound(
  problem: Problem,
  amountIn: bigint,
  searchPrices: DualPrices,
  maxPaid: bigint,
): BoundProof | null {
  const edges = edgesInScope(problem)
  const hopPrices = pricesByHop(problem, edges, searchPrices)
  const proof = proofAt(problem, amountIn, edges, hopPrices)
  if (proof.bound >= maxPaid) return proof
  // A route may swap in one pool at several hops with different prices. Equal prices at all hops cover such routes.
  const flatProof = proofAt(problem, amountIn, edges, flatPrices(pricesByHop(problem, edges, searchPrices)))
  return flatProof.bound >= maxPaid ? flatProof : null
}

/** @param floatPrices - prices by hop; replaced by their published values */
function proofAt(
  problem: Problem,
  amountIn: bigint,
  edges: readonly number[],
  floatPrices: readonly Float64Array[],
): BoundProof {
  const { graph, source, target, rate, maxHops } = problem
  const { tokens, from, to } = graph.topology
  const usedTokens = new Set([source, target, ...edges.flatMap((edge) => [from[edge]!, to[edge]!])])
  const decimals = decimalsFor(Array.from(usedTokens, (token) => floatPrices.map((prices) => prices[token]!)).flat())
  const unit = 10n ** BigInt(decimals)
  const scaledPrices = new Map<number, bigint[]>()
  for (const token of usedTokens)
    scaledPrices.set(
      token,
      floatPrices.map((prices) => (token === target ? unit : toFixedPoint(prices[token]!, decimals))),
    )
  alignWrapped(problem, edges, scaledPrices)
  // From here on, use the prices as published.
  for (const [token, hopPrices] of scaledPrices)
    for (const [hop, price] of hopPrices.entries()) floatPrices[hop]![token] = fromFixedPoint(price, decimals)
  const ratedPools = [...byPool(graph, edges)].map(([pool, poolEdges]) => {
    const rateRatio = poolEdges.reduce((max, edge) => {
      return Math.max(max, (rate[edge]! * floatPrices[maxHops]![to[edge]!]!) / floatPrices[0]![from[edge]!]!)
    }, 0)
    return { pool, poolEdges, rateRatio, shown: earningsOf(problem, poolEdges, floatPrices, 0) }
  })
  problem.budget.spend(8 * maxHops * edges.length)
  const input = fromFixedPoint(amountIn * scaledPrices.get(source)![0]!, decimals)
  // No route sends more to a pool than the bound is worth, including the payout of pools beyond sampled curves.
  let value = ratedPools.reduce((total, { shown }) => total + shown.earned, input)
  let poolEarnings = ratedPools.map((ratedPool) => ({ ...ratedPool, ...ratedPool.shown }))
  for (let round = 0; round < HIDDEN_ROUNDS && ratedPools.some(({ shown }) => shown.isSampled); round++) {
    poolEarnings = ratedPools.map((ratedPool) => {
      return {
        ...ratedPool,
        ...(ratedPool.shown.isSampled ? earningsOf(problem, ratedPool.poolEdges, floatPrices, value) : ratedPool.shown),
      }
    })
    value = poolEarnings.reduce((total, { earned }) => total + earned, input)
  }
  poolEarnings.sort((a, b) => b.earned - a.earned || b.rateRatio - a.rateRatio || (a.pool.id < b.pool.id ? -1 : 1))
  const proved: ProvedPool[] = poolEarnings
    .slice(0, MAX_PROVED_POOLS)
    .map(({ pool, poolEdges, earned, reachesCurveEnd }) => ({
      pool,
      pairs: poolEdges.map((edge) => [graph.edges[edge]!.tokenIn, graph.edges[edge]!.tokenOut]),
      earned: toFixedPoint(earned, decimals),
      isCut: reachesCurveEnd,
    }))
  const otherPools = poolEarnings.slice(MAX_PROVED_POOLS)
  const beyondEarned = otherPools.reduce((sum, { earned }) => sum + earned, 0)
  const beyond = { pools: otherPools.length, earned: toFixedPoint(beyondEarned, decimals) }
  const earned = proved.reduce((total, pool) => total + pool.earned, 0n)
  const sum = amountIn * scaledPrices.get(source)![0]! + earned + beyond.earned
  const error = poolEarnings.reduce(
    (total, { extraEarned, tradedValue }) => total + extraEarned + tradedValue * FLOAT_ROUNDING,
    fromFixedPoint(sum, decimals) * FLOAT_ERROR,
  )
  const allowance = toFixedPoint(error, decimals)
  const bound = (sum + allowance + unit - 1n) / unit
  const prices = Array.from(usedTokens, (token) => [tokens[token]!, scaledPrices.get(token)!] as const)
  return { decimals, prices, pools: proved, beyond, allowance, bound, maxHops }
}

function byPool({ edges }: Graph, edgeIds: readonly number[]): ReadonlyMap<Pool, readonly number[]> {
  const groups = new Map<Pool, number[]>()
  for (const edge of edgeIds) {
    const { pool } = edges[edge]!
    const group = groups.get(pool)
    if (group) group.push(edge)
    else groups.set(pool, [edge])
  }
  return groups
}

/**
 * Maximum earnings of a pool from trades along its edges, at any hop.
 *
 * @param floatPrices - prices by hop
 * @param value - maximum value of a pool's input in any route
 */
function earningsOf(
  problem: Problem,
  edges: readonly number[],
  floatPrices: readonly Float64Array[],
  value: number,
): Earnings {
  const noEarnings = { earned: 0, extraEarned: 0, tradedValue: 0, reachesCurveEnd: false, isSampled: false }
  // `alignWrapped` set the prices so that wrapping earns nothing.
  if (familyOf(problem.graph.edges[edges[0]!]!.pool.family)?.wrapsNative) return noEarnings
  const hopEarnings = floatPrices
    .slice(1)
    .map((bought, hop) => earningsAt(problem, edges, { sold: floatPrices[hop]!, bought }, value))
  return hopEarnings.reduce((max, hop) => {
    const isSampled = max.isSampled || hop.isSampled
    return {
      ...(hop.earned > max.earned ? hop : max),
      isSampled,
      reachesCurveEnd: max.reachesCurveEnd || hop.reachesCurveEnd,
    }
  }, noEarnings)
}

/** Prices of tokens when sold to pools, and when bought one hop later. */
type EndPrices = { readonly sold: Float64Array; readonly bought: Float64Array }

function earningsAt(problem: Problem, edges: readonly number[], prices: EndPrices, value: number): Earnings {
  const { graph } = problem
  const { from, to } = graph.topology
  const roundsDown = !familyOf(graph.edges[edges[0]!]!.pool.family)?.readableState
  const total = { earned: 0, extraEarned: 0, tradedValue: 0, reachesCurveEnd: false, isSampled: false }
  let maxEarned = 0
  let maxShown = 0
  for (const edge of edges) {
    const curve = curveOf(problem, edge)
    const [sold, bought] = [prices.sold[from[edge]!]!, prices.bought[to[edge]!]!]
    if (bought === 0) continue
    const { input, output } = pointAt(curve, sold / bought)
    const shown = Math.max(0, output * bought - input * sold)
    total.isSampled ||= hiddenEarnings(curve, sold, bought, Number.POSITIVE_INFINITY) > 0
    const earned = shown + hiddenEarnings(curve, sold, bought, value)
    if (!(earned > 0)) continue
    total.earned += earned
    maxEarned = Math.max(maxEarned, earned)
    total.tradedValue += 4 * input * sold
    // Some pools round their fee down, and may pay as if for one more unit of input, or one more unit of output.
    if (roundsDown && shown > 0) total.extraEarned += sold + bought
    maxShown = Math.max(maxShown, shown)
    total.reachesCurveEnd ||= input >= capacityOf(curve) * (1 - NEAR_FLAT)
  }
  const isShared = edges.length > 1 && graph.topology.isWide[edges[0]!] === 1
  const exact =
    total.isSampled || (isShared && total.earned > 0) ? onTradingFunction(problem, edges, prices, maxEarned) : null
  // Competing pairs together earn at most their sum, and at least as much as one of them. Otherwise the optimal trade
  // was not found.
  const isLikely = exact && exact.earned <= total.earned && exact.earned >= maxShown * (1 - FLOAT_ERROR)
  if (!exact || !(exact.isBound || isLikely)) return total
  return { ...total, ...exact, extraEarned: total.extraEarned + exact.extraEarned }
}

/**
 * Earnings on the pool's trading function, over all of its pairs at once. Null if it has none, or if several pairs
 * trade at a fee that depends on the balances.
 *
 * @param maxEarned - maximum earnings of one of its pairs by its own curve
 */
function onTradingFunction(
  problem: Problem,
  edges: readonly number[],
  prices: EndPrices,
  maxEarned: number,
): (Pick<Earnings, 'earned' | 'extraEarned' | 'tradedValue'> & { readonly isBound: boolean }) | null {
  const { pool } = problem.graph.edges[edges[0]!]!
  const tradingFunction = wholeFunctionOf(pool)
  if (!tradingFunction) return null
  const pairs = new SharedPool(tradingFunction)
  for (const [place, edge] of edges.entries()) pairs.add(problem, edge, place)
  const amounts = [new Float64Array(edges.length), new Float64Array(edges.length)] as const
  const tradeEarnings = pairs.tradeTo(prices.sold, ...amounts, prices.bought)
  problem.budget.spend(pairs.work)
  const { hasFixedFee } = tradingFunction
  const isStable = familyOf(pool.family)?.readableState?.(pool)?.kind === 'stable'
  if (isStable) problem.budget.spend(STABLE_WORK)
  const earned = isStable ? stableEarnings(tradingFunction, pairs.endPrices) : tradeEarnings
  if ((!hasFixedFee && pairs.tradesSeveral) || (!isStable && tradeEarnings !== 0 && !(pairs.relativeError < MAX_MISS)))
    return null
  const { balances, units } = tradingFunction
  const heldValue = pairs.tokens.reduce(
    (sum, token, place) => sum + (token < 0 ? 0 : (balances[place]! / units[place]!) * prices.sold[token]!),
    0,
  )
  const extra = pairs.tradesSeveral ? pairs.feesReused : 0
  // The trade is solved to a fraction of the pool's balances.
  return {
    earned: hasFixedFee ? earned : Math.max(earned, maxEarned),
    isBound: isStable,
    extraEarned: extra,
    tradedValue: (TRADE_TOLERANCE / FLOAT_ROUNDING) * heldValue,
  }
}
