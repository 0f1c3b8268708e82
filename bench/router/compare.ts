/** Summarizes the results of the trades of one scenario size. Compares each peer with the service's router by trade. */
import { median, quantile } from '../lib/statistics.ts'
import { rounded } from '../record.ts'
import type { RoutedTrade } from './route.ts'

/** Difference in basis points of the output below which a comparison is a tie. */
const TIE_BPS = 0.1
/** Maximum number of trades with a better route of a peer that are listed. */
const MAX_LISTED_LOSSES = 10

/** Output after gas in base units, and the search time in milliseconds. */
export type Outcome = { readonly net: number; readonly ms: number }
export type TradeResult = {
  readonly seed: number
  readonly ownRoute: RoutedTrade
  /** Distance of the output after gas from its upper bound, in basis points; null without a bound. */
  readonly netGapBps: number | null
  /** Output after gas in base units. */
  readonly net: number
  /** Result within the service's default limits. */
  readonly limited: Outcome
  /** Results by name of the peer; null if it found no route. */
  readonly peers: ReadonlyMap<string, Outcome | null>
}

export function summary(rows: readonly TradeResult[], gasPrice: bigint) {
  const gaps = rows.map(({ ownRoute }) => ownRoute.gapBps).filter((gap) => gap !== null)
  const ms = rows.map(({ ownRoute }) => ownRoute.ms)
  return {
    trades: rows.length,
    unrouted: rows.filter(({ ownRoute }) => ownRoute.legs.length === 0).length,
    withoutBound: rows.length - gaps.length,
    // The bound excludes gas, so a route cannot reach it if gas has a price.
    ...(gasPrice === 0n
      ? { bpsBelowBound: { median: rounded(median(gaps), 4), p99: rounded(quantile(gaps, 0.99), 3) } }
      : { bpsBelowNetBound: summarizeNetGaps(rows) }),
    ms: { median: rounded(median(ms), 3), p95: rounded(quantile(ms, 0.95), 3) },
    serviceLimits: measureCostOfLimits(rows),
    peers: comparePeers(rows),
  }
}

/** Returns the distances between the output after gas and its upper bound. */
function summarizeNetGaps(rows: readonly TradeResult[]) {
  const gaps = rows.map(({ netGapBps }) => netGapBps).filter((gap) => gap !== null)
  return {
    trades: gaps.length,
    within1Bps: rounded(gaps.filter((gap) => gap <= 1).length / gaps.length, 3),
    median: rounded(median(gaps), 3),
    p90: rounded(quantile(gaps, 0.9), 2),
  }
}

/**
 * Returns the cost of the service's limits of 24 pools and 4 hops: the loss compared with unlimited routes, in basis
 * points of the output, and the search time with the limits.
 */
function measureCostOfLimits(rows: readonly TradeResult[]) {
  const routedRows = rows.filter(({ ownRoute, limited }) => ownRoute.legs.length > 0 && limited.net > 0)
  const costsBps = routedRows.map(
    ({ ownRoute, net, limited }) => ((net - limited.net) / Number(ownRoute.amountOut)) * 10_000,
  )
  const ms = rows.map(({ limited }) => limited.ms)
  return {
    bpsLost: {
      median: rounded(median(costsBps), 4),
      p95: rounded(quantile(costsBps, 0.95), 3),
      most: rounded(Math.max(...costsBps), 1),
    },
    ms: { median: rounded(median(ms), 3), p95: rounded(quantile(ms, 0.95), 3) },
  }
}

export function comparePeers(rows: readonly TradeResult[]) {
  const names = new Set(rows.flatMap(({ peers }) => [...peers.keys()]))
  return [...names].map((name) => comparePeer(rows, name))
}

function comparePeer(rows: readonly TradeResult[], name: string) {
  const peerRows = rows.filter(({ peers }) => peers.has(name))
  const pairedRows = peerRows.flatMap(({ seed, ownRoute, net, peers }) => {
    const peer = peers.get(name)
    if (!peer) return []
    const bps = ((net - peer.net) / Math.abs(Number(ownRoute.amountOut) || 1)) * 10_000
    return [{ seed, trade: ownRoute.id, bps, ratio: ownRoute.ms / peer.ms, ms: peer.ms }]
  })
  const lostRows = pairedRows.filter(({ bps }) => bps < -TIE_BPS).sort((a, b) => a.bps - b.bps)
  const differences = pairedRows.map(({ bps }) => bps)
  const times = pairedRows.map(({ ms }) => ms)
  return {
    name,
    trades: peerRows.length,
    withoutRoute: peerRows.length - pairedRows.length,
    better: differences.filter((bps) => bps > TIE_BPS).length,
    tie: differences.filter((bps) => Math.abs(bps) <= TIE_BPS).length,
    worse: lostRows.length,
    bpsBetter: {
      least: rounded(Math.min(...differences), 3),
      median: rounded(median(differences), 3),
      p95: rounded(quantile(differences, 0.95), 1),
    },
    worst: lostRows.slice(0, MAX_LISTED_LOSSES).map(({ seed, trade, bps }) => ({ seed, trade, bps: rounded(bps, 3) })),
    ms: { median: rounded(median(times), 3), p95: rounded(quantile(times, 0.95), 3) },
    ourTimeToTheirs: rounded(median(pairedRows.map(({ ratio }) => ratio)), 2),
  }
}
