/**
 * Checks properties of optimal routes. Each check compares a route with another way to make the same trade, and reports
 * the basis points by which the other way pays more.
 */
import { familyOf, nullIfRefused, type Pool } from '@sluice/liquidity'
import {
  buildGraph,
  findRoute,
  type Graph,
  type Leg,
  MAX_SWAPS,
  type RoutePlan,
  type RouteRequest,
} from '@sluice/routing'
import { snapshotOf } from '../lib/snapshot.ts'
import { divide } from './division.ts'
import { type Market, type MarketTrade, quoteOrNull } from './markets.ts'

/**
 * Names of the checks, each with the property that it checks:
 * - `rate`: a smaller trade pays no less per unit.
 * - `union`: all pools together pay for twice the amount what two halves of the pools pay separately.
 * - `narrower`: a request with more restrictions pays no more.
 * - `narrower after gas`: like `narrower`, but compares outputs after gas.
 * - `two pools`: no division of the trade between two pools of the pair pays more.
 * - `a then b`: two consecutive trades of parts of the input pay no more.
 * - `exact output`: a request for exactly the output of the route takes no more input.
 * - `found backwards`: a request with the input that `exact output` found pays no less than that route.
 * - `division`: the chunked division of division.ts pays no more.
 */
export const CHECKS = [
  'rate',
  'union',
  'narrower',
  'narrower after gas',
  'two pools',
  'a then b',
  'exact output',
  'found backwards',
  'division',
] as const
export type Check = (typeof CHECKS)[number]

/** Another way to make the trade that pays more than the route, or takes less input. */
export type Finding = { readonly check: Check; readonly lossBps: number; readonly detail: string }

/** Maximum price impact of the checked routes, as a fraction. By default, the service rejects a larger impact. */
const MAX_IMPACT = 0.2
/** Minimum base units of each token in a trade. With fewer, rounding alone can exceed a tenth of a basis point. */
const MIN_UNITS = 100_000
const BPS = 10_000
/** Steps of the golden-section search that divides a trade between two pools. */
const SECTION_STEPS = 40
/** Parts of a trade that are compared with the whole trade. */
const TRADE_PARTS = [0.2, 0.5, 0.8]
/** Gas of a typical route. */
const TYPICAL_ROUTE_GAS = 300_000
/** Gas prices of the checks, as the cost of a typical route relative to the trade's value. */
const GAS_SHARES = [0.0001, 0.003]
const DIVISION_LIMITS = { maxHops: 4, chunks: 24, maxPaths: 24 }
/** Relative amount by which a route may exceed its certificate, due to floats. */
const CERTIFICATE_ROUNDING = 1e-9
/**
 * Base units by which an output may exceed a certificate, due to rounding in pools. This matters for coarse tokens:
 * tokens of which a trade has few base units.
 */
const ROUNDED_UNITS = 2

export type CheckedTrade = {
  readonly findings: readonly Finding[]
  /** Checks that made at least one comparison. */
  readonly performed: readonly Check[]
  readonly hasCertificate: boolean
  readonly falseCertificates: readonly string[]
}

/** Checks a trade. Returns null if it has no route, too much price impact, or too few base units. */
export function checkTrade(market: Market, graph: Graph, trade: MarketTrade): CheckedTrade | null {
  const route = routeOf(graph, trade)
  if (!route || minUnitsOf(route) < MIN_UNITS || impactOf(route) > MAX_IMPACT) return null
  return new TradeChecks(market, graph, trade, route).run()
}

const requestOf = ({ tokenIn, tokenOut }: MarketTrade) => ({ tokenIn, tokenOut, wrappedNative: null, gasPriceWei: 0n })

function routeOf(graph: Graph, trade: MarketTrade, overrides: Partial<RouteRequest> = {}): RoutePlan | null {
  const result = findRoute(graph, { ...requestOf(trade), amountIn: trade.amountIn, ...overrides })
  return result.ok ? result.route : null
}

function impactOf({ amountOut, midAmountOut }: RoutePlan): number {
  return midAmountOut ? 1 - Number(amountOut) / Number(midAmountOut) : 1
}

/** Returns the smallest amount in base units of any token in the route. */
function minUnitsOf({ amountIn, amountOut, legs }: RoutePlan): number {
  const amountByToken = new Map<string, number>()
  for (const { tokenOut, amountOut: paid } of legs)
    amountByToken.set(tokenOut, (amountByToken.get(tokenOut) ?? 0) + Number(paid))
  return Math.min(Number(amountIn), Number(amountOut), ...amountByToken.values())
}

class TradeChecks {
  private readonly market: Market
  private readonly graph: Graph
  private readonly trade: MarketTrade
  private readonly route: RoutePlan
  private readonly findings: Finding[] = []
  private readonly performedChecks = new Set<Check>()
  private readonly falseCertificates: string[] = []

  constructor(market: Market, graph: Graph, trade: MarketTrade, route: RoutePlan) {
    this.market = market
    this.graph = graph
    this.trade = trade
    this.route = route
  }

  run(): CheckedTrade {
    this.checkRestricted()
    this.checkAfterGas()
    this.checkTwoPools()
    this.checkDivision()
    this.checkTwoTrades()
    this.checkRate()
    this.checkUnion()
    this.checkExactOutput()
    const { findings, performedChecks: performed, falseCertificates, route } = this
    return { findings, performed: [...performed], hasCertificate: route.optimalityGapBps !== null, falseCertificates }
  }

  /** Compares the route with the output of another way to make the trade. The route's request must allow this way. */
  private compare(check: Check, amountOut: bigint, detail: string): void {
    const { route } = this
    this.performedChecks.add(check)
    const lossBps = (Number(amountOut) / Number(route.amountOut) - 1) * BPS
    if (lossBps > 0) this.findings.push({ check, lossBps, detail })
    const gap = route.optimalityGapBps
    if (gap === null) return
    const bound = Number(route.amountOut) / (1 - gap / BPS)
    if (Number(amountOut) > bound * (1 + this.maxRounding()))
      this.falseCertificates.push(`${check}: ${detail} pays ${amountOut}, above ${bound}`)
  }

  /** Returns the fraction of the trade that may be gained by rounding amounts of the coarsest token. */
  private maxRounding(): number {
    const { trade, market } = this
    const value = Number(trade.amountIn) * market.values[market.tokens.indexOf(trade.tokenIn)]!
    return CERTIFICATE_ROUNDING + ROUNDED_UNITS / Math.max(MIN_UNITS, value / Math.max(...market.values))
  }

  private checkRestricted(): void {
    for (const [name, overrides] of this.restrictedRequests(this.route)) {
      const other = routeOf(this.graph, this.trade, overrides)
      if (other) this.compare('narrower', other.amountOut, name)
    }
  }

  private restrictedRequests({ legs }: RoutePlan): readonly (readonly [string, Partial<RouteRequest>])[] {
    const families = new Set(legs.map(({ pool }) => pool.family))
    return [
      ...[1, 2, 3].map((maxHops) => [`maxHops ${maxHops}`, { maxHops }] as const),
      ...[1, 2, 4].map((maxSplits) => [`maxSplits ${maxSplits}`, { maxSplits }] as const),
      ...[...families].map((family) => [`without ${family}`, { sources: { exclude: new Set([family]) } }] as const),
      ...legs
        .slice(0, 4)
        .map(({ pool: { id } }) => [`without ${id.slice(-2)}`, { excludePools: new Set([id]) }] as const),
    ]
  }

  /** Compares routes by their output after gas. */
  private checkAfterGas(): void {
    const { graph, trade, market } = this
    const native = market.tokens[0]!
    const value = Number(trade.amountIn) * market.values[market.tokens.indexOf(trade.tokenIn)]!
    for (const share of GAS_SHARES) {
      const gasPriceWei = BigInt(Math.floor((share * value) / (TYPICAL_ROUTE_GAS * market.values[0]!)))
      if (gasPriceWei === 0n) continue
      const gasTerms = { wrappedNative: native, gasPriceWei }
      const ownRoute = routeOf(graph, trade, gasTerms)
      if (!ownRoute || ownRoute.gasCostOut === null) continue
      const netOutput = (route: RoutePlan) => Number(route.amountOut) - Number(route.gasCostOut)
      const gap = ownRoute.optimalityGapNetBps
      const bound = gap === null ? null : netOutput(ownRoute) / (1 - gap / BPS)
      for (const [name, overrides] of this.restrictedRequests(ownRoute)) {
        const other = routeOf(graph, trade, { ...gasTerms, ...overrides })
        if (!other) continue
        this.performedChecks.add('narrower after gas')
        const detail = `${name}, gas ${share}`
        const lossBps = ((netOutput(other) - netOutput(ownRoute)) / Number(ownRoute.amountOut)) * BPS
        if (lossBps > 0) this.findings.push({ check: 'narrower after gas', lossBps, detail })
        if (bound !== null && netOutput(ownRoute) > 0 && netOutput(other) > bound * (1 + this.maxRounding()))
          this.falseCertificates.push(`after gas: ${detail} leaves ${netOutput(other)}, above ${bound}`)
      }
    }
  }

  private checkTwoPools(): void {
    const { trade } = this
    const directPools = this.market.pools.filter(
      ({ tokens }) => tokens.includes(trade.tokenIn) && tokens.includes(trade.tokenOut),
    )
    for (const [i, a] of directPools.entries())
      for (const b of directPools.slice(i + 1)) {
        const best = bestDivision(a, b, trade)
        if (best !== null) this.compare('two pools', best, `${a.id.slice(-2)} and ${b.id.slice(-2)}`)
      }
  }

  private checkDivision(): void {
    const best = divide(this.market.pools, this.trade, DIVISION_LIMITS)
    if (best !== null) this.compare('division', best, 'chunks')
  }

  /**
   * Compares the whole trade with two consecutive trades of its parts. The second trade uses the pools in their state
   * after the first. Skips markets whose prices disagree: the second trade may then use a pool in the reverse
   * direction, and no single route can. Skips pairs of trades that together use a pool more often, or have more hops in
   * series, than a route may.
   */
  private checkTwoTrades(): void {
    const { graph, trade, market } = this
    if (market.pricesDisagree) return
    for (const part of TRADE_PARTS) {
      const firstInput = partOf(trade.amountIn, part)
      const isPart = firstInput > 0n && firstInput < trade.amountIn
      const firstRoute = isPart ? routeOf(graph, { ...trade, amountIn: firstInput }) : null
      const poolsAfterFirst = firstRoute && poolsAfter(market.pools, firstRoute.legs)
      if (!poolsAfterFirst) continue
      const secondRoute = routeOf(buildGraph(snapshotOf(poolsAfterFirst)), {
        ...trade,
        amountIn: trade.amountIn - firstInput,
      })
      // With few base units of a token, rounding of each part can gain or lose a noticeable fraction.
      if (!secondRoute || Math.min(minUnitsOf(firstRoute), minUnitsOf(secondRoute)) < MIN_UNITS) continue
      const legs = [...firstRoute.legs, ...secondRoute.legs]
      if (maxSwapsOfPool(legs) <= MAX_SWAPS && hopsInSeries(legs, trade) <= DIVISION_LIMITS.maxHops)
        this.compareSum(
          'a then b',
          firstRoute.amountOut + secondRoute.amountOut,
          `${part} first`,
          gainOfTwoSwaps(firstRoute.legs, secondRoute.legs),
        )
    }
  }

  /**
   * Compares the route with two trades that may both use the same pool. No single route can do so, so the output of the
   * two trades cannot contradict a certificate.
   *
   * @param gain - fraction of the output by which two swaps in a pool may pay more than one
   */
  private compareSum(check: Check, amountOut: bigint, detail: string, gain: number): void {
    this.performedChecks.add(check)
    const lossBps = (Number(amountOut) / Number(this.route.amountOut) - 1 - gain) * BPS
    if (lossBps > 0) this.findings.push({ check, lossBps, detail })
  }

  /**
   * Checks that a smaller trade pays no less per unit. Skips parts for which a pool itself pays less per unit.
   */
  private checkRate(): void {
    const { graph, trade, route } = this
    for (const part of TRADE_PARTS) {
      const amountIn = partOf(trade.amountIn, part)
      const smaller = routeOf(graph, { ...trade, amountIn })
      if (!smaller || minUnitsOf(smaller) < MIN_UNITS || !route.legs.every((leg) => isConcave(leg, part))) continue
      this.performedChecks.add('rate')
      // Rounding may change each of the two outputs by one unit.
      const rounding = 2 / minUnitsOf(smaller)
      const rate = (Number(smaller.amountOut) / Number(amountIn)) * (1 + rounding)
      const lossBps = (Number(route.amountOut) / Number(trade.amountIn) / rate - 1) * BPS
      // A positive loss means that the smaller trade found a worse route.
      if (lossBps > 0) this.findings.push({ check: 'rate', lossBps, detail: `a part of ${part}` })
    }
  }

  /** Checks that all pools together pay no less for twice the input than two disjoint halves of them pay separately. */
  private checkUnion(): void {
    const { graph, trade, market } = this
    const half = Math.ceil(market.pools.length / 2)
    const ids = market.pools.map(({ id }) => id)
    const [firstHalf, secondHalf] = [ids.slice(0, half), ids.slice(half)].map((poolHalf) => new Set(poolHalf))
    const firstRoute = routeOf(graph, trade, { excludePools: secondHalf! })
    const secondRoute = routeOf(graph, trade, { excludePools: firstHalf! })
    if (!firstRoute || !secondRoute) return
    const doubleTrade = routeOf(graph, { ...trade, amountIn: trade.amountIn * 2n })
    this.performedChecks.add('union')
    const sum = firstRoute.amountOut + secondRoute.amountOut
    const lossBps = doubleTrade ? (Number(sum) / Number(doubleTrade.amountOut) - 1) * BPS : BPS
    if (lossBps > 0)
      this.findings.push({ check: 'union', lossBps, detail: doubleTrade ? 'twice the amount' : 'refused' })
  }

  private checkExactOutput(): void {
    const { graph, trade, route } = this
    this.performedChecks.add('exact output')
    const inverse = findRoute(graph, { ...requestOf(trade), amountOut: route.amountOut })
    if (!inverse.ok) {
      this.findings.push({ check: 'exact output', lossBps: BPS, detail: inverse.message })
      return
    }
    const addedInput = Number(inverse.route.amountIn - trade.amountIn)
    // Rounding may add one unit.
    const lossBps = addedInput > 1 ? (addedInput / Number(trade.amountIn)) * BPS : 0
    if (lossBps > 0) this.findings.push({ check: 'exact output', lossBps, detail: `takes ${inverse.route.amountIn}` })
    const forward = routeOf(graph, { ...trade, amountIn: inverse.route.amountIn })
    this.performedChecks.add('found backwards')
    const savingBps = forward ? (Number(inverse.route.amountOut) / Number(forward.amountOut) - 1) * BPS : BPS
    if (savingBps > 0)
      this.findings.push({ check: 'found backwards', lossBps: savingBps, detail: `of ${inverse.route.amountIn}` })
  }
}

/**
 * Returns the maximum fraction by which two consecutive swaps in each pool pay more than one swap of both amounts. A
 * pool pays more if it lowers its fee between the swaps. Sums the fractions of all pools, so the result is an upper
 * bound.
 */
function gainOfTwoSwaps(firstLegs: readonly Leg[], secondLegs: readonly Leg[]): number {
  let gain = 0
  for (const { pool, tokenIn, tokenOut, amountIn, amountOut } of firstLegs) {
    const secondLeg = secondLegs.find(
      (leg) => leg.pool.id === pool.id && leg.tokenIn === tokenIn && leg.tokenOut === tokenOut,
    )
    const singleOutput = secondLeg && quoteOrNull(pool, tokenIn, tokenOut, amountIn + secondLeg.amountIn)
    if (singleOutput) gain += Math.max(0, Number(amountOut + secondLeg.amountOut) / Number(singleOutput) - 1)
  }
  return gain
}

function maxSwapsOfPool(legs: readonly Leg[]): number {
  const swaps = new Map<string, number>()
  for (const { pool } of legs) swaps.set(pool.id, (swaps.get(pool.id) ?? 0) + 1)
  return Math.max(...swaps.values())
}

/** Returns the maximum number of legs in series from the input token; Infinity if the legs form a cycle. */
function hopsInSeries(legs: readonly Leg[], { tokenIn }: MarketTrade): number {
  const depth = new Map<string, number>([[tokenIn, 0]])
  for (let hasChanged = true, round = 0; hasChanged; round++) {
    if (round > legs.length) return Number.POSITIVE_INFINITY
    hasChanged = false
    for (const leg of legs) {
      const hopCount = (depth.get(leg.tokenIn) ?? Number.NaN) + 1
      if (!(hopCount > (depth.get(leg.tokenOut) ?? 0))) continue
      depth.set(leg.tokenOut, hopCount)
      hasChanged = true
    }
  }
  return Math.max(...depth.values())
}

/** Returns true if the leg's pool pays no less per unit for a part of its input. */
function isConcave({ pool, tokenIn, tokenOut, amountIn, amountOut }: Leg, part: number): boolean {
  const lowerInput = partOf(amountIn, part)
  const paid = quoteOrNull(pool, tokenIn, tokenOut, lowerInput)
  return paid !== null && Number(paid + 1n) / Number(lowerInput) >= Number(amountOut) / Number(amountIn)
}

const partOf = (amount: bigint, part: number): bigint => (amount * BigInt(Math.round(part * 1e6))) / 1_000_000n

/** Returns the best output of a trade that is divided between two pools; null if they accept no division. */
function bestDivision(a: Pool, b: Pool, { tokenIn, tokenOut, amountIn }: MarketTrade): bigint | null {
  const outputOf = (part: number): bigint | null => {
    const inputOfA = partOf(amountIn, part)
    const inputOfB = amountIn - inputOfA
    const outputOfA = inputOfA === 0n ? 0n : quoteOrNull(a, tokenIn, tokenOut, inputOfA)
    const outputOfB = inputOfB === 0n ? 0n : quoteOrNull(b, tokenIn, tokenOut, inputOfB)
    return outputOfA === null || outputOfB === null ? null : outputOfA + outputOfB
  }
  let best: bigint | null = null
  const keepBest = (output: bigint | null): bigint => {
    if (output !== null && (best === null || output > best)) best = output
    return output ?? -1n
  }
  // The grid finds an interval in which both pools accept their amounts. The output is concave there, so a
  // golden-section search finds the maximum.
  const grid = Array.from({ length: 33 }, (_, k) => k / 32)
  const values = grid.map((part) => keepBest(outputOf(part)))
  const bestPoint = values.reduce((bestIndex, value, k) => (value > values[bestIndex]! ? k : bestIndex), 0)
  let [low, high] = [grid[Math.max(0, bestPoint - 1)]!, grid[Math.min(32, bestPoint + 1)]!]
  for (let step = 0; step < SECTION_STEPS; step++) {
    const [left, right] = [low + (high - low) * 0.382, low + (high - low) * 0.618]
    if (keepBest(outputOf(left)) < keepBest(outputOf(right))) low = left
    else high = right
  }
  return best
}

/** Returns the pools after the legs' swaps; null if a pool's state after its swap is unknown. */
function poolsAfter(pools: readonly Pool[], legs: readonly Leg[]): readonly Pool[] | null {
  const poolById = new Map(pools.map((pool) => [pool.id, pool]))
  for (const { pool, tokenIn, tokenOut, amountIn } of legs) {
    const currentPool = poolById.get(pool.id)!
    const quote = nullIfRefused(() => familyOf(pool.family)!.quoteExactInput(currentPool, tokenIn, tokenOut, amountIn))
    if (!quote) return null
    poolById.set(pool.id, { ...currentPool, state: quote.state })
  }
  return [...poolById.values()]
}
