/**
 * Builds the proof of an upper bound on the output of a trade. By weak duality, the bound is the input valued at its
 * price, plus the maximum earnings of each pool at the prices. The proof contains all terms of this sum: prices, pools,
 * and earnings. Hidden earnings are those that a pool may have above its price curve, which may be an approximation. An
 * edge is a pool in one direction. The hop of a token in a path is the number of pools that the path has passed.
 */
import { familyOf, type Pool } from '@sluice/liquidity'
import type { Graph } from '../graph/graph.ts'
import { capacityOf, hiddenEarnings, pointAt } from '../graph/price-curve.ts'
import { curveOf, type Problem } from '../problem/problem.ts'
import { roundingOfPool, roundingOfTaxes } from '../problem/rounding.ts'
import { boundingFunctionOf, SharedPool } from '../solver/shared-pools.ts'
import { FLOAT_ERROR, NEAR_FLAT, TRADE_TOLERANCE } from '../tolerances.ts'
import type { BoundProof, ProvedPool } from '../types.ts'
import type { DualPrices } from './dual-prices.ts'
import { decimalsFor, fromFixedPoint, toFixedPoint } from './fixed-point.ts'
import { alignWrapped, edgesInScope, flatPrices, pricesByHop } from './scope.ts'
import { stableEarnings } from './stable-dual.ts'

/** Maximum pools listed in a proof. For the remaining pools, the proof states their number and total earnings. */
const MAX_PROVED_POOLS = 2_000
/**
 * Relative float error of the input value and the output value of a trade, whose difference is its earnings: a few
 * units in the last place.
 */
const FLOAT_ROUNDING = 1e-15
/** Work units charged to the search budget for solving the dual of one stable pool. */
const STABLE_DUAL_WORK = 100_000
/**
 * Maximum relative error by which a solved trade may miss the pool's trading function. A trade with a larger error is
 * not used.
 */
const MAX_TRADE_ERROR = 1e-10
/** Number of times that the bound is recomputed with the hidden earnings of pools, which grow with the bound itself. */
const HIDDEN_EARNINGS_ROUNDS = 3

/** Earnings of a pool at given prices, in output base units. */
type Earnings = {
  /** Maximum earnings, with hidden earnings. */
  readonly earned: number
  /**
   * Possible additional earnings from two effects. A pool may round in favor of the trader. The fee of one trade stays
   * in the pool and may improve a trade of another pair.
   */
  readonly extraEarned: number
  /** Value of the amounts, traded or held by the pool, to which the relative float error applies. */
  readonly roundedValue: number
  /** True if the pool may pay more than its price curve. */
  readonly hasHiddenEarnings: boolean
  /** True if the optimal trade reaches the end of the known curve. */
  readonly reachesCurveEnd: boolean
}

/**
 * Builds a proof whose bound is at least `maxPaid`. Null if even equal prices at all hops give a lower bound.
 *
 * @param searchPrices - dual prices from the search
 * @param maxPaid - highest output of the routes that the search found
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

/**
 * Builds the proof at given prices.
 *
 * @param floatPrices - prices by hop, then by token. Changed in place: rounded to the fixed-point prices that the proof
 *   states.
 */
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
  const scale = 10n ** BigInt(decimals)
  const scaledPrices = new Map<number, bigint[]>()
  for (const token of usedTokens)
    scaledPrices.set(
      token,
      floatPrices.map((prices) => (token === target ? scale : toFixedPoint(prices[token]!, decimals))),
    )
  alignWrapped(problem, edges, scaledPrices)
  // From here on, uses the rounded prices.
  for (const [token, hopPrices] of scaledPrices)
    for (const [hop, price] of hopPrices.entries()) floatPrices[hop]![token] = fromFixedPoint(price, decimals)
  const poolTerms = [...groupByPool(graph, edges)].map(([pool, poolEdges]) => {
    const maxMarginalReturn = poolEdges.reduce((max, edge) => {
      return Math.max(max, (rate[edge]! * floatPrices[maxHops]![to[edge]!]!) / floatPrices[0]![from[edge]!]!)
    }, 0)
    return {
      pool,
      poolEdges,
      maxMarginalReturn,
      visibleEarnings: earningsOf(problem, poolEdges, floatPrices, 0),
    }
  })
  problem.budget.spend(8 * maxHops * edges.length)
  const inputValue = fromFixedPoint(amountIn * scaledPrices.get(source)![0]!, decimals)
  // The value that a route sends to a pool is at most the bound. The bound includes hidden earnings, which depend on
  // that value, so both are computed in turns.
  let maxInputValue = poolTerms.reduce((total, { visibleEarnings }) => total + visibleEarnings.earned, inputValue)
  let poolEarnings = poolTerms.map((terms) => ({ ...terms, ...terms.visibleEarnings }))
  for (
    let round = 0;
    round < HIDDEN_EARNINGS_ROUNDS && poolTerms.some(({ visibleEarnings }) => visibleEarnings.hasHiddenEarnings);
    round++
  ) {
    poolEarnings = poolTerms.map((terms) => {
      return {
        ...terms,
        ...(terms.visibleEarnings.hasHiddenEarnings
          ? earningsOf(problem, terms.poolEdges, floatPrices, maxInputValue)
          : terms.visibleEarnings),
      }
    })
    maxInputValue = poolEarnings.reduce((total, { earned }) => total + earned, inputValue)
  }
  poolEarnings.sort(
    (a, b) => b.earned - a.earned || b.maxMarginalReturn - a.maxMarginalReturn || (a.pool.id < b.pool.id ? -1 : 1),
  )
  const provedPools: ProvedPool[] = poolEarnings
    .slice(0, MAX_PROVED_POOLS)
    .map(({ pool, poolEdges, earned, reachesCurveEnd }) => ({
      pool,
      pairs: poolEdges.map((edge) => [graph.edges[edge]!.tokenIn, graph.edges[edge]!.tokenOut]),
      earned: toFixedPoint(earned, decimals),
      isCut: reachesCurveEnd,
    }))
  const unlistedPools = poolEarnings.slice(MAX_PROVED_POOLS)
  const unlistedEarned = unlistedPools.reduce((sum, { earned }) => sum + earned, 0)
  const unlisted = { pools: unlistedPools.length, earned: toFixedPoint(unlistedEarned, decimals) }
  const earned = provedPools.reduce((total, pool) => total + pool.earned, 0n)
  const scaledSum = amountIn * scaledPrices.get(source)![0]! + earned + unlisted.earned
  const maxError = poolEarnings.reduce(
    (total, { extraEarned, roundedValue }) => total + extraEarned + roundedValue * FLOAT_ROUNDING,
    fromFixedPoint(scaledSum, decimals) * FLOAT_ERROR +
      roundingOfTaxes(problem, edges, edges.length, fromFixedPoint(scaledPrices.get(source)![0]!, decimals)),
  )
  const allowance = toFixedPoint(maxError, decimals)
  const bound = (scaledSum + allowance + scale - 1n) / scale
  const prices = Array.from(usedTokens, (token) => [tokens[token]!, scaledPrices.get(token)!] as const)
  return { decimals, prices, pools: provedPools, beyond: unlisted, allowance, bound, maxHops }
}

function groupByPool({ edges }: Graph, edgeIds: readonly number[]): ReadonlyMap<Pool, readonly number[]> {
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
 * @param floatPrices - prices by hop, then by token
 * @param maxInputValue - maximum value of the pool's input in any route, in output base units
 */
function earningsOf(
  problem: Problem,
  edges: readonly number[],
  floatPrices: readonly Float64Array[],
  maxInputValue: number,
): Earnings {
  const noEarnings = { earned: 0, extraEarned: 0, roundedValue: 0, reachesCurveEnd: false, hasHiddenEarnings: false }
  // `alignWrapped` set the prices so that wrapping earns nothing.
  if (familyOf(problem.graph.edges[edges[0]!]!.pool.family)?.wrapsNative) return noEarnings
  const hopEarnings = floatPrices
    .slice(1)
    .map((pricesOut, hop) => earningsAt(problem, edges, { pricesIn: floatPrices[hop]!, pricesOut }, maxInputValue))
  return hopEarnings.reduce((max, earnings) => {
    const hasHiddenEarnings = max.hasHiddenEarnings || earnings.hasHiddenEarnings
    return {
      ...(earnings.earned > max.earned ? earnings : max),
      extraEarned: Math.max(max.extraEarned, earnings.extraEarned),
      hasHiddenEarnings,
      reachesCurveEnd: max.reachesCurveEnd || earnings.reachesCurveEnd,
    }
  }, noEarnings)
}

/**
 * Prices by token: of the tokens sold to a pool at one hop, and of the tokens bought from it, which are held one hop
 * later.
 */
type HopPrices = { readonly pricesIn: Float64Array; readonly pricesOut: Float64Array }

/** Maximum earnings of a pool from trades along its edges at one hop. */
function earningsAt(problem: Problem, edges: readonly number[], prices: HopPrices, maxInputValue: number): Earnings {
  const { graph } = problem
  const { from, to } = graph.topology
  const total = { earned: 0, extraEarned: 0, roundedValue: 0, reachesCurveEnd: false, hasHiddenEarnings: false }
  let maxEarned = 0
  let maxVisibleEarned = 0
  for (const edge of edges) {
    const curve = curveOf(problem, edge)
    const [priceIn, priceOut] = [prices.pricesIn[from[edge]!]!, prices.pricesOut[to[edge]!]!]
    if (priceOut === 0) continue
    const { input, output } = pointAt(curve, priceIn / priceOut)
    const visibleEarned = Math.max(0, output * priceOut - input * priceIn)
    total.hasHiddenEarnings ||= hiddenEarnings(curve, priceIn, priceOut, Number.POSITIVE_INFINITY) > 0
    const earned = visibleEarned + hiddenEarnings(curve, priceIn, priceOut, maxInputValue)
    total.extraEarned += roundingOfPool(problem, edge, priceIn, priceOut)
    if (!(earned > 0)) continue
    total.earned += earned
    maxEarned = Math.max(maxEarned, earned)
    total.roundedValue += 4 * input * priceIn
    maxVisibleEarned = Math.max(maxVisibleEarned, visibleEarned)
    total.reachesCurveEnd ||= input >= capacityOf(curve) * (1 - NEAR_FLAT)
  }
  const isShared = edges.length > 1 && graph.topology.isWide[edges[0]!] === 1
  const functionEarnings =
    total.hasHiddenEarnings || (isShared && total.earned > 0)
      ? earningsOnTradingFunction(problem, edges, prices, maxEarned)
      : null
  // Pairs that share balances earn together at most the sum of what each earns alone, and at least the maximum of
  // these. Other results show that the optimal trade was not found. If the pool limits each swap, the pairs may earn
  // more together, because the swaps of one pair raise the limits of the others.
  const { pool } = graph.edges[edges[0]!]!
  const isPlausible =
    functionEarnings &&
    (functionEarnings.earned <= total.earned || familyOf(pool.family)!.limitsEachSwap?.(pool)) &&
    functionEarnings.earned >= maxVisibleEarned * (1 - FLOAT_ERROR)
  if (!functionEarnings || !(functionEarnings.isUpperBound || isPlausible)) return total
  return { ...total, ...functionEarnings, extraEarned: total.extraEarned + functionEarnings.extraEarned }
}

/**
 * Earnings on the pool's trading function, over all of its pairs at once. Null if the pool has no trading function, or
 * if the solved trade is too inexact. Also null if several pairs trade at a fee that depends on the balances.
 *
 * @param maxEarned - maximum earnings of a single pair on its own price curve, in output base units
 */
function earningsOnTradingFunction(
  problem: Problem,
  edges: readonly number[],
  prices: HopPrices,
  maxEarned: number,
): (Pick<Earnings, 'earned' | 'extraEarned' | 'roundedValue'> & { readonly isUpperBound: boolean }) | null {
  const { pool } = problem.graph.edges[edges[0]!]!
  const tradingFunction = boundingFunctionOf(pool)
  if (!tradingFunction) return null
  const sharedPool = new SharedPool(tradingFunction)
  for (const [index, edge] of edges.entries()) sharedPool.add(problem, edge, index)
  const amounts = [new Float64Array(edges.length), new Float64Array(edges.length)] as const
  const tradeEarnings = sharedPool.tradeTo(prices.pricesIn, ...amounts, prices.pricesOut)
  problem.budget.spend(sharedPool.work)
  const { hasFixedFee } = tradingFunction
  const isStable = familyOf(pool.family)?.readableState?.(pool)?.kind === 'stable'
  if (isStable) problem.budget.spend(STABLE_DUAL_WORK)
  const earned = isStable ? stableEarnings(tradingFunction, sharedPool.tradePrices) : tradeEarnings
  if (
    (!hasFixedFee && sharedPool.tradesSeveralPairs) ||
    (!isStable && tradeEarnings !== 0 && !(sharedPool.relativeError < MAX_TRADE_ERROR))
  )
    return null
  const { balances, units } = tradingFunction
  const heldValue = sharedPool.tokens.reduce(
    (sum, token, index) => sum + (token < 0 ? 0 : (balances[index]! / units[index]!) * prices.pricesIn[token]!),
    0,
  )
  return {
    earned: hasFixedFee ? earned : Math.max(earned, maxEarned),
    isUpperBound: isStable,
    extraEarned: sharedPool.maxReusedFees,
    // The error of the solver is relative to the pool's balances, so it applies to the value held.
    roundedValue: (TRADE_TOLERANCE / FLOAT_ROUNDING) * heldValue,
  }
}
