/**
 * Decides when a slow request is hedged, and limits the number of hedges. A hedge is a second attempt of a request that
 * starts while the first attempt is in flight. Each hedge that does not answer first costs one token.
 */
import { performance } from 'node:perf_hooks'
import { monotonicMs } from './monotonic-clock.ts'

/**
 * Tokens that each request earns. So at most this share of the requests can have a hedge that does not answer first.
 */
const TOKENS_PER_REQUEST = 0.03
/** Maximum saved tokens. */
const MAX_TOKENS = 20
/** Minimum delay before a hedge. */
const MIN_DELAY_MS = 30
/** Minimum delay before a hedge while requests get lost. */
const MIN_DELAY_WHEN_LOSING_MS = 15
/** Delay before a hedge while latencies are unknown. */
const DEFAULT_DELAY_MS = 500
/**
 * Minimum delay before a hedge at the same endpoint. Such a hedge adds load to a slow endpoint, so it helps only if the
 * first attempt was lost.
 */
const MIN_SAME_ENDPOINT_DELAY_MS = 250
/** Maximum delay before a hedge, however slow requests of this kind have been. */
const MAX_DELAY_MS = 1_000
/**
 * A timer that is late by more than this shows that the event loop was blocked, so answers may be waiting to be read.
 */
const STALL_MS = 5
/** Maximum postponements of a hedge, so that a busy event loop delays hedges but does not prevent them. */
const MAX_STALLS = 3
/** Weight of the newest hedged request in the win rate, the share of hedged requests that a hedge answered first. */
const NEWEST_WEIGHT = 0.15
/** Half-life of the win rate while there are no hedges. */
const HALF_LIFE_MS = 20_000
/** Win rate from which slow requests count as lost. */
const LOSING_WIN_RATE = 0.5

/** Limits hedges by tokens, and tracks how often hedges answer first. */
export class HedgeBudget {
  private readonly now: () => number
  private tokens = MAX_TOKENS / 2
  private lastWinRate = 0
  private recordedAt: number

  constructor(now: () => number = monotonicMs) {
    this.now = now
    this.recordedAt = now()
  }

  /**
   * True if the majority of the recent hedges answered first: then requests get lost, or are slow at random. Hedges need
   * no tokens in this state, because most of them replace a request that would have been answered late or never.
   */
  get losesRequests(): boolean {
    return this.winRate >= LOSING_WIN_RATE
  }

  /**
   * Records the outcome of a hedged request.
   *
   * @param hasHedgeWon - true if a hedge answered before the slow attempt
   */
  recordOutcome(hasHedgeWon: boolean): void {
    this.lastWinRate = this.winRate + NEWEST_WEIGHT * (Number(hasHedgeWon) - this.winRate)
    this.recordedAt = this.now()
  }

  private get winRate(): number {
    return this.lastWinRate * 0.5 ** ((this.now() - this.recordedAt) / HALF_LIFE_MS)
  }

  earnTokens(): void {
    this.tokens = Math.min(MAX_TOKENS, this.tokens + TOKENS_PER_REQUEST)
  }

  takeToken(): boolean {
    if (this.tokens < 1) return false
    this.tokens--
    return true
  }

  /** Gives back the tokens that the hedges of a request took, because a hedge answered first. */
  refund(hedges: number): void {
    this.tokens = Math.min(MAX_TOKENS, this.tokens + hedges)
  }
}

/**
 * Percentiles of the recent latencies of a kind of request, in milliseconds. An abandoned request counts with the time
 * until it was abandoned.
 */
export type Latency = {
  readonly p50: number
  readonly p95: number
  readonly longest: number
  /** 90th percentile of answered requests only. */
  readonly answeredP90: number
}

/**
 * Returns the milliseconds after which a request counts as slow. For each endpoint, this is the lower of 1.5 times the
 * 95th percentile and 8 times the median. The endpoint with the lowest value counts. The median is needed because the 95th percentile is of no use if
 * more than 5 % of the requests hang.
 *
 * @param latencies - one entry per endpoint
 * @param losesRequests - true if requests get lost: the delay is then bounded by the latency of answered requests
 */
export function slowAfterMs(latencies: readonly (Latency | undefined)[], losesRequests = false): number {
  const measuredLatencies = latencies.filter((latency) => latency !== undefined)
  if (measuredLatencies.length === 0) return DEFAULT_DELAY_MS
  const lateAfterMs = ({ p50, p95, answeredP90 }: Latency) =>
    Math.min(1.5 * p95, 8 * p50, losesRequests ? answeredP90 : MAX_DELAY_MS)
  return Math.max(
    losesRequests ? MIN_DELAY_WHEN_LOSING_MS : MIN_DELAY_MS,
    Math.min(MAX_DELAY_MS, ...measuredLatencies.map(lateAfterMs)),
  )
}

/**
 * Returns the milliseconds after which a request at the only endpoint counts as lost: twice the longest recent latency,
 * at most 30 times the median, between `MIN_SAME_ENDPOINT_DELAY_MS` and `MAX_DELAY_MS`.
 */
export function lostAfterMs(latency: Latency | undefined): number {
  if (!latency) return DEFAULT_DELAY_MS
  return Math.max(MIN_SAME_ENDPOINT_DELAY_MS, Math.min(MAX_DELAY_MS, 2 * latency.longest, 30 * latency.p50))
}

/**
 * Calls `onResponsive` after a delay in which the event loop was responsive, and after pending answers were read.
 *
 * @returns function that cancels the wait
 */
export function whenResponsive(ms: number, onResponsive: () => void): () => void {
  let timer: NodeJS.Timeout
  let immediate: NodeJS.Immediate | undefined
  let stalls = 0
  const wait = (ms: number) => {
    const dueAt = performance.now() + ms
    timer = setTimeout(() => {
      const stallMs = performance.now() - dueAt
      if (stallMs > STALL_MS && stalls++ < MAX_STALLS) wait(stallMs)
      // One more turn of the event loop, in which answers that have already arrived are processed.
      else immediate = setImmediate(onResponsive)
    }, ms)
  }
  wait(ms)
  return () => {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}
