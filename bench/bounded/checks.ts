/**
 * Properties that any best route has, checked without looking at how it was found. Each check compares the route of a trade with another
 * way to make it, and reports by how many basis points that pays more.
 */
import { familyOf, orRefused, type Pool } from '@sluice/liquidity'
import { buildGraph, findRoute, type Graph, type Leg, MAX_SWAPS, type Route, type RouteRequest } from '@sluice/routing'
import { divide } from './division.ts'
import { type Market, type MarketTrade, quoteOrNull, snapshotOf } from './markets.ts'

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

/** Gain of another way over the route: in output, or in input that it saves. */
export type Finding = { readonly check: Check; readonly lossBps: number; readonly detail: string }

/** Trades whose price moves by more are outside what the service serves by default limits. */
const MAX_IMPACT = 0.2
/** Base units below which rounding alone takes a tenth of a basis point. */
const MIN_UNITS = 100_000
const BPS = 10_000
/** Two pools are divided by a golden-section search of so many steps. */
const SECTION_STEPS = 40
const PARTS = [0.2, 0.5, 0.8]
/** Gas of a usual route, and the parts of a trade's value that it is to cost. */
const USUAL_GAS = 300_000
const GAS_SHARES = [0.0001, 0.003]
const DIVISION = { maxHops: 4, chunks: 24, maxPaths: 24 }
/** Part by which a certificate may be exceeded: floats. */
const CERTIFICATE_ROUNDING = 1e-9
/** Base units of a coarse token that the rounding of pools may gain, by which a certificate may be exceeded. */
const ROUNDED_UNITS = 2

export type Checked = {
  readonly findings: readonly Finding[]
  /** Checks that had something to compare with. */
  readonly made: readonly Check[]
  readonly hasCertificate: boolean
  readonly falseCertificates: readonly string[]
}

/** Null when the trade is not one of those that are checked: it does not route, moves prices too far, or is a matter of single units. */
export function checkTrade(market: Market, graph: Graph, trade: MarketTrade): Checked | null {
  const route = routeOf(graph, trade)
  if (!route || fewestUnits(route) < MIN_UNITS || impactOf(route) > MAX_IMPACT) return null
  return new TradeChecks(market, graph, trade, route).run()
}

const termsOf = ({ tokenIn, tokenOut }: MarketTrade) => ({ tokenIn, tokenOut, wrappedNative: null, gasPriceWei: 0n })

function routeOf(graph: Graph, trade: MarketTrade, over: Partial<RouteRequest> = {}): Route | null {
  const result = findRoute(graph, { ...termsOf(trade), amountIn: trade.amountIn, ...over })
  return result.ok ? result.route : null
}

function impactOf({ amountOut, midAmountOut }: Route): number {
  return midAmountOut ? 1 - Number(amountOut) / Number(midAmountOut) : 1
}

/** Base units of the token of which the fewest pass through the route. */
function fewestUnits({ amountIn, amountOut, legs }: Route): number {
  const bought = new Map<string, number>()
  for (const { tokenOut, amountOut: paid } of legs) bought.set(tokenOut, (bought.get(tokenOut) ?? 0) + Number(paid))
  return Math.min(Number(amountIn), Number(amountOut), ...bought.values())
}

class TradeChecks {
  private readonly market: Market
  private readonly graph: Graph
  private readonly trade: MarketTrade
  private readonly route: Route
  private readonly findings: Finding[] = []
  private readonly made = new Set<Check>()
  private readonly falseCertificates: string[] = []

  constructor(market: Market, graph: Graph, trade: MarketTrade, route: Route) {
    this.market = market
    this.graph = graph
    this.trade = trade
    this.route = route
  }

  run(): Checked {
    this.narrower()
    this.afterGas()
    this.twoPools()
    this.division()
    this.aThenB()
    this.rate()
    this.union()
    this.exactOutput()
    const { findings, made, falseCertificates, route } = this
    return { findings, made: [...made], hasCertificate: route.optimalityGapBps !== null, falseCertificates }
  }

  /** Notes another way to make the trade, which pays an amount and is allowed by the request. */
  private compare(check: Check, amountOut: bigint, detail: string): void {
    const { route } = this
    this.made.add(check)
    const lossBps = (Number(amountOut) / Number(route.amountOut) - 1) * BPS
    if (lossBps > 0) this.findings.push({ check, lossBps, detail })
    const gap = route.optimalityGapBps
    if (gap === null) return
    const bound = Number(route.amountOut) / (1 - gap / BPS)
    if (Number(amountOut) > bound * (1 + this.rounding()))
      this.falseCertificates.push(`${check}: ${detail} pays ${amountOut}, above ${bound}`)
  }

  /** Part of the trade that a pool may gain by rounding in the coarsest token that matters. */
  private rounding(): number {
    const { trade, market } = this
    const value = Number(trade.amountIn) * market.values[market.tokens.indexOf(trade.tokenIn)]!
    return CERTIFICATE_ROUNDING + ROUNDED_UNITS / Math.max(MIN_UNITS, value / Math.max(...market.values))
  }

  private narrower(): void {
    for (const [name, over] of this.narrowerRequests(this.route)) {
      const other = routeOf(this.graph, this.trade, over)
      if (other) this.compare('narrower', other.amountOut, name)
    }
  }

  private narrowerRequests({ legs }: Route): readonly (readonly [string, Partial<RouteRequest>])[] {
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

  /** The same with gas to pay, by what is left after it. */
  private afterGas(): void {
    const { graph, trade, market } = this
    const native = market.tokens[0]!
    const value = Number(trade.amountIn) * market.values[market.tokens.indexOf(trade.tokenIn)]!
    for (const share of GAS_SHARES) {
      const gasPriceWei = BigInt(Math.floor((share * value) / (USUAL_GAS * market.values[0]!)))
      if (gasPriceWei === 0n) continue
      const terms = { wrappedNative: native, gasPriceWei }
      const own = routeOf(graph, trade, terms)
      if (!own || own.gasCostOut === null) continue
      const net = (route: Route) => Number(route.amountOut) - Number(route.gasCostOut)
      const gap = own.optimalityGapNetBps
      const bound = gap === null ? null : net(own) / (1 - gap / BPS)
      for (const [name, over] of this.narrowerRequests(own)) {
        const other = routeOf(graph, trade, { ...terms, ...over })
        if (!other) continue
        this.made.add('narrower after gas')
        const detail = `${name}, gas ${share}`
        const lossBps = ((net(other) - net(own)) / Number(own.amountOut)) * BPS
        if (lossBps > 0) this.findings.push({ check: 'narrower after gas', lossBps, detail })
        if (bound !== null && net(own) > 0 && net(other) > bound * (1 + this.rounding()))
          this.falseCertificates.push(`after gas: ${detail} leaves ${net(other)}, above ${bound}`)
      }
    }
  }

  private twoPools(): void {
    const { trade } = this
    const direct = this.market.pools.filter(
      ({ tokens }) => tokens.includes(trade.tokenIn) && tokens.includes(trade.tokenOut),
    )
    for (const [k, a] of direct.entries())
      for (const b of direct.slice(k + 1)) {
        const best = bestDivision(a, b, trade)
        if (best !== null) this.compare('two pools', best, `${a.id.slice(-2)} and ${b.id.slice(-2)}`)
      }
  }

  private division(): void {
    const best = divide(this.market.pools, this.trade, DIVISION)
    if (best !== null) this.compare('division', best, 'chunks')
  }

  /**
   * Two trades one after the other, the second on the pools as the first leaves them. Where pools disagree, the second may use one of
   * them the other way round, as no single route does. Two trades may also swap more often through a pool that limits each swap.
   */
  private aThenB(): void {
    const { graph, trade, market } = this
    if (market.disagrees) return
    for (const part of PARTS) {
      const first = { ...trade, amountIn: partOf(trade.amountIn, part) }
      const a = first.amountIn > 0n && first.amountIn < trade.amountIn ? routeOf(graph, first) : null
      const after = a && poolsAfter(market.pools, a.legs)
      if (!after) continue
      const b = routeOf(buildGraph(snapshotOf(after)), { ...trade, amountIn: trade.amountIn - first.amountIn })
      if (b && mostSwapsOfPool([...a.legs, ...b.legs]) <= MAX_SWAPS)
        this.compareSum('a then b', a.amountOut + b.amountOut, `${part} first`)
    }
  }

  /** The same of what may use a pool twice, which no single route can: it is no fault of a certificate. */
  private compareSum(check: Check, amountOut: bigint, detail: string): void {
    this.made.add(check)
    const lossBps = (Number(amountOut) / Number(this.route.amountOut) - 1) * BPS
    if (lossBps > 0) this.findings.push({ check, lossBps, detail })
  }

  /** A smaller trade pays no less for a unit, unless its own pools do: some round or charge small amounts by more than large ones. */
  private rate(): void {
    const { graph, trade, route } = this
    for (const part of PARTS) {
      const amountIn = partOf(trade.amountIn, part)
      const smaller = routeOf(graph, { ...trade, amountIn })
      if (!smaller || fewestUnits(smaller) < MIN_UNITS || !route.legs.every((leg) => isConcave(leg, part))) continue
      this.made.add('rate')
      // A unit more or less of the token of which the fewest pass is rounding.
      const rounding = 2 / fewestUnits(smaller)
      const rate = (Number(smaller.amountOut) / Number(amountIn)) * (1 + rounding)
      const lossBps = (Number(route.amountOut) / Number(trade.amountIn) / rate - 1) * BPS
      // The smaller trade is the one that was routed badly.
      if (lossBps > 0) this.findings.push({ check: 'rate', lossBps, detail: `a part of ${part}` })
    }
  }

  /** Amounts that two disjoint sets of pools take apart are taken by all of them together. */
  private union(): void {
    const { graph, trade, market } = this
    const half = Math.ceil(market.pools.length / 2)
    const ids = market.pools.map(({ id }) => id)
    const [own, other] = [ids.slice(0, half), ids.slice(half)].map((some) => new Set(some))
    const a = routeOf(graph, trade, { excludePools: other! })
    const b = routeOf(graph, trade, { excludePools: own! })
    if (!a || !b) return
    const together = routeOf(graph, { ...trade, amountIn: trade.amountIn * 2n })
    this.made.add('union')
    const sum = a.amountOut + b.amountOut
    const lossBps = together ? (Number(sum) / Number(together.amountOut) - 1) * BPS : BPS
    if (lossBps > 0) this.findings.push({ check: 'union', lossBps, detail: together ? 'twice the amount' : 'refused' })
  }

  private exactOutput(): void {
    const { graph, trade, route } = this
    this.made.add('exact output')
    const back = findRoute(graph, { ...termsOf(trade), amountOut: route.amountOut })
    if (!back.ok) {
      this.findings.push({ check: 'exact output', lossBps: BPS, detail: back.message })
      return
    }
    const more = Number(back.route.amountIn - trade.amountIn)
    // A unit more is rounding.
    const lossBps = more > 1 ? (more / Number(trade.amountIn)) * BPS : 0
    if (lossBps > 0) this.findings.push({ check: 'exact output', lossBps, detail: `takes ${back.route.amountIn}` })
    const forward = routeOf(graph, { ...trade, amountIn: back.route.amountIn })
    this.made.add('found backwards')
    const saved = forward ? (Number(back.route.amountOut) / Number(forward.amountOut) - 1) * BPS : BPS
    if (saved > 0) this.findings.push({ check: 'found backwards', lossBps: saved, detail: `of ${back.route.amountIn}` })
  }
}

function mostSwapsOfPool(legs: readonly Leg[]): number {
  const swaps = new Map<string, number>()
  for (const { pool } of legs) swaps.set(pool.id, (swaps.get(pool.id) ?? 0) + 1)
  return Math.max(...swaps.values())
}

/** True when the pool of a leg pays no less for a unit of a part of its input. */
function isConcave({ pool, tokenIn, tokenOut, amountIn, amountOut }: Leg, part: number): boolean {
  const less = partOf(amountIn, part)
  const paid = quoteOrNull(pool, tokenIn, tokenOut, less)
  return paid !== null && Number(paid + 1n) / Number(less) >= Number(amountOut) / Number(amountIn)
}

const partOf = (amount: bigint, part: number): bigint => (amount * BigInt(Math.round(part * 1e6))) / 1_000_000n

/** Best output of two pools that divide a trade, by their own quotes; null when no division is accepted. */
function bestDivision(a: Pool, b: Pool, { tokenIn, tokenOut, amountIn }: MarketTrade): bigint | null {
  const outputOf = (part: number): bigint | null => {
    const first = partOf(amountIn, part)
    const [x, y] = [first, amountIn - first]
    const paid = x === 0n ? 0n : quoteOrNull(a, tokenIn, tokenOut, x)
    const rest = y === 0n ? 0n : quoteOrNull(b, tokenIn, tokenOut, y)
    return paid === null || rest === null ? null : paid + rest
  }
  let best: bigint | null = null
  const note = (output: bigint | null): bigint => {
    if (output !== null && (best === null || output > best)) best = output
    return output ?? -1n
  }
  // A grid finds the part in which both take their amounts; the search within it is then of a concave function.
  const grid = Array.from({ length: 33 }, (_, k) => k / 32)
  const values = grid.map((part) => note(outputOf(part)))
  const top = values.reduce((place, value, k) => (value > values[place]! ? k : place), 0)
  let [low, high] = [grid[Math.max(0, top - 1)]!, grid[Math.min(32, top + 1)]!]
  for (let step = 0; step < SECTION_STEPS; step++) {
    const [left, right] = [low + (high - low) * 0.382, low + (high - low) * 0.618]
    if (note(outputOf(left)) < note(outputOf(right))) low = left
    else high = right
  }
  return best
}

/** Pools as legs leave them; null when one cannot be followed through its swap. */
function poolsAfter(pools: readonly Pool[], legs: readonly Leg[]): readonly Pool[] | null {
  const after = new Map(pools.map((pool) => [pool.id, pool]))
  for (const { pool, tokenIn, tokenOut, amountIn } of legs) {
    const now = after.get(pool.id)!
    const quote = orRefused(() => familyOf(pool.family)!.quoteExactInput(now, tokenIn, tokenOut, amountIn))
    if (!quote) return null
    after.set(pool.id, { ...now, state: quote.state })
  }
  return [...after.values()]
}
