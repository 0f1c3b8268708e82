/** The weak-duality bound of a trade with all that others need to add it up again: prices, pools, and what each pool earns. */
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

/** Pools that a proof lists; of further ones it states how many there are and what they earn. */
const MAX_PROVED_POOLS = 2_000
/** Part of such values that their differences may be off by: a few units in the last place of a float. */
const FLOAT_ROUNDING = 1e-15
/** Units of work of the dual of a stable pool. */
const STABLE_WORK = 100_000
/** Part by which the trade on a trading function may miss it. */
const MAX_MISS = 1e-10
/** Rounds in which what pools pay beyond samples is added to what their inputs may be worth. */
const HIDDEN_ROUNDS = 3

/** Earnings of a pool at prices, in output base units. */
type Earnings = {
  readonly earned: number
  /** More that roundings may add, and fees when several of its pairs trade in one route. */
  readonly extra: number
  /** Value of what the trade moves, or of what the pool holds, of which the rounding of floats is a part. */
  readonly held: number
  /** True where the pool's curve goes through samples, which it may pay more than. */
  readonly isSampled: boolean
  /** True where the optimal trade goes as far as the pool's curve is known. */
  readonly isCut: boolean
}

/**
 * A bound that routes of the search keep. Null where they swap in some pool so often that none is found.
 *
 * @param given - prices that the search found
 * @param paid - the most that a route of the search pays
 */
export function proveBound(problem: Problem, amountIn: bigint, given: DualPrices, paid: bigint): BoundProof | null {
  const edges = edgesInScope(problem)
  const byHop = pricesByHop(problem, edges, given)
  const proof = proofAt(problem, amountIn, edges, byHop)
  if (proof.bound >= paid) return proof
  // A route may swap in one pool at several hops, whose prices differ.
  const flat = proofAt(problem, amountIn, edges, flatPrices(pricesByHop(problem, edges, given)))
  return flat.bound >= paid ? flat : null
}

/** @param floats - prices by hop, which are rounded in place */
function proofAt(
  problem: Problem,
  amountIn: bigint,
  edges: readonly number[],
  floats: readonly Float64Array[],
): BoundProof {
  const { graph, source, target, rate, maxHops } = problem
  const { tokens, from, to } = graph.topology
  const used = new Set([source, target, ...edges.flatMap((edge) => [from[edge]!, to[edge]!])])
  const decimals = decimalsFor(Array.from(used, (token) => floats.map((prices) => prices[token]!)).flat())
  const unit = 10n ** BigInt(decimals)
  const scaled = new Map<number, bigint[]>()
  for (const token of used)
    scaled.set(
      token,
      floats.map((prices) => (token === target ? unit : toFixedPoint(prices[token]!, decimals))),
    )
  alignWrapped(problem, edges, scaled)
  // From here on only prices as they are published count.
  for (const [token, byHop] of scaled)
    for (const [hop, price] of byHop.entries()) floats[hop]![token] = fromFixedPoint(price, decimals)
  const rated = [...byPool(graph, edges)].map(([pool, own]) => {
    const slack = own.reduce((most, edge) => {
      return Math.max(most, (rate[edge]! * floats[maxHops]![to[edge]!]!) / floats[0]![from[edge]!]!)
    }, 0)
    return { pool, own, slack, shown: earningsOf(problem, own, floats, 0) }
  })
  problem.budget.spend(8 * maxHops * edges.length)
  const input = fromFixedPoint(amountIn * scaled.get(source)![0]!, decimals)
  // No route sends more to a pool than the bound is worth, which what pools pay beyond samples of their curves belongs to.
  let value = rated.reduce((total, { shown }) => total + shown.earned, input)
  let counted = rated.map((one) => ({ ...one, ...one.shown }))
  for (let round = 0; round < HIDDEN_ROUNDS && rated.some(({ shown }) => shown.isSampled); round++) {
    counted = rated.map((one) => {
      return { ...one, ...(one.shown.isSampled ? earningsOf(problem, one.own, floats, value) : one.shown) }
    })
    value = counted.reduce((total, { earned }) => total + earned, input)
  }
  counted.sort((a, b) => b.earned - a.earned || b.slack - a.slack || (a.pool.id < b.pool.id ? -1 : 1))
  const proved: ProvedPool[] = counted.slice(0, MAX_PROVED_POOLS).map(({ pool, own, earned, isCut }) => ({
    pool,
    pairs: own.map((edge) => [graph.edges[edge]!.tokenIn, graph.edges[edge]!.tokenOut]),
    earned: toFixedPoint(earned, decimals),
    isCut,
  }))
  const others = counted.slice(MAX_PROVED_POOLS)
  const beyondEarned = others.reduce((sum, { earned }) => sum + earned, 0)
  const beyond = { pools: others.length, earned: toFixedPoint(beyondEarned, decimals) }
  const earned = proved.reduce((total, pool) => total + pool.earned, 0n)
  const sum = amountIn * scaled.get(source)![0]! + earned + beyond.earned
  const error = counted.reduce(
    (total, { extra, held }) => total + extra + held * FLOAT_ROUNDING,
    fromFixedPoint(sum, decimals) * FLOAT_ERROR,
  )
  const allowance = toFixedPoint(error, decimals)
  const bound = (sum + allowance + unit - 1n) / unit
  const prices = Array.from(used, (token) => [tokens[token]!, scaled.get(token)!] as const)
  return { decimals, prices, pools: proved, beyond, allowance, bound, maxHops }
}

function byPool({ edges }: Graph, some: readonly number[]): ReadonlyMap<Pool, readonly number[]> {
  const groups = new Map<Pool, number[]>()
  for (const edge of some) {
    const { pool } = edges[edge]!
    const group = groups.get(pool)
    if (group) group.push(edge)
    else groups.set(pool, [edge])
  }
  return groups
}

/**
 * The most that a pool earns by trades along its edges after any number of hops.
 *
 * @param floats - prices by hop
 * @param value - the most that the input of a pool is worth in any route
 */
function earningsOf(
  problem: Problem,
  edges: readonly number[],
  floats: readonly Float64Array[],
  value: number,
): Earnings {
  const none = { earned: 0, extra: 0, held: 0, isCut: false, isSampled: false }
  // Wrapping was made to earn nothing.
  if (familyOf(problem.graph.edges[edges[0]!]!.pool.family)?.wrapsNative) return none
  const byHop = floats.slice(1).map((bought, hop) => earningsAt(problem, edges, { sold: floats[hop]!, bought }, value))
  return byHop.reduce((most, one) => {
    const isSampled = most.isSampled || one.isSampled
    return { ...(one.earned > most.earned ? one : most), isSampled, isCut: most.isCut || one.isCut }
  }, none)
}

/** Prices of tokens as they are sold to pools, and as they are bought one hop later. */
type Ends = { readonly sold: Float64Array; readonly bought: Float64Array }

function earningsAt(problem: Problem, edges: readonly number[], prices: Ends, value: number): Earnings {
  const { graph } = problem
  const { from, to } = graph.topology
  const roundsDown = !familyOf(graph.edges[edges[0]!]!.pool.family)?.readableState
  const all = { earned: 0, extra: 0, held: 0, isCut: false, isSampled: false }
  let best = 0
  let shownMost = 0
  for (const edge of edges) {
    const curve = curveOf(problem, edge)
    const [sold, bought] = [prices.sold[from[edge]!]!, prices.bought[to[edge]!]!]
    if (bought === 0) continue
    const { input, output } = pointAt(curve, sold / bought)
    const shown = Math.max(0, output * bought - input * sold)
    all.isSampled ||= hiddenEarnings(curve, sold, bought, Number.POSITIVE_INFINITY) > 0
    const earned = shown + hiddenEarnings(curve, sold, bought, value)
    if (!(earned > 0)) continue
    all.earned += earned
    best = Math.max(best, earned)
    all.held += 4 * input * sold
    // Some pools round their fee down, and may pay for a unit of input more, or a unit of output.
    if (roundsDown && shown > 0) all.extra += sold + bought
    shownMost = Math.max(shownMost, shown)
    all.isCut ||= input >= capacityOf(curve) * (1 - NEAR_FLAT)
  }
  const isShared = edges.length > 1 && graph.topology.isWide[edges[0]!] === 1
  const exact = all.isSampled || (isShared && all.earned > 0) ? onTradingFunction(problem, edges, prices, best) : null
  // Pairs that compete earn less together than apart, and no less than one of them: otherwise the trade was not found.
  const isLikely = exact && exact.earned <= all.earned && exact.earned >= shownMost * (1 - FLOAT_ERROR)
  if (!exact || !(exact.isBound || isLikely)) return all
  return { ...all, ...exact, extra: all.extra + exact.extra }
}

/**
 * The same on the pool's trading function, over all of its pairs at once. Null where it has none, and where several pairs trade at a fee
 * that moves with the balances.
 *
 * @param best - the most that one of its pairs earns by its own curve
 */
function onTradingFunction(
  problem: Problem,
  edges: readonly number[],
  prices: Ends,
  best: number,
): (Pick<Earnings, 'earned' | 'extra' | 'held'> & { readonly isBound: boolean }) | null {
  const { pool } = problem.graph.edges[edges[0]!]!
  const tradingFunction = wholeFunctionOf(pool)
  if (!tradingFunction) return null
  const pairs = new SharedPool(tradingFunction)
  for (const [place, edge] of edges.entries()) pairs.add(problem, edge, place)
  const amounts = [new Float64Array(edges.length), new Float64Array(edges.length)] as const
  const traded = pairs.tradeTo(prices.sold, ...amounts, prices.bought)
  problem.budget.spend(pairs.work)
  const { fixedFee } = tradingFunction
  const isStable = familyOf(pool.family)?.readableState?.(pool)?.kind === 'stable'
  if (isStable) problem.budget.spend(STABLE_WORK)
  const earned = isStable ? stableEarnings(tradingFunction, pairs.ends) : traded
  if ((!fixedFee && pairs.tradesSeveral) || (!isStable && traded !== 0 && !(pairs.miss < MAX_MISS))) return null
  const { balances, units } = tradingFunction
  const held = pairs.tokens.reduce(
    (sum, token, place) => sum + (token < 0 ? 0 : (balances[place]! / units[place]!) * prices.sold[token]!),
    0,
  )
  const extra = pairs.tradesSeveral ? pairs.feesReused : 0
  // The trade is sought to a part of what the pool holds.
  return {
    earned: fixedFee ? earned : Math.max(earned, best),
    isBound: isStable,
    extra,
    held: (TRADE_TOLERANCE / FLOAT_ROUNDING) * held,
  }
}
