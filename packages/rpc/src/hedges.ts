/** Decides when a slow request is hedged with a second attempt, and limits the number of hedges. */
import { performance } from 'node:perf_hooks'

/** Hedge tokens that each request earns: bounds the extra load of hedges that did not help. */
const TOKENS_PER_REQUEST = 0.03
const MAX_TOKENS = 20
/** Minimum delay before a hedge. */
const MIN_DELAY_MS = 30
/** Minimum delay before a hedge while requests get lost. */
const MIN_DELAY_WHEN_LOSING_MS = 15
/** Delay before a hedge while latencies are unknown. */
const DEFAULT_DELAY_MS = 500
/**
 * Minimum delay before a hedge at the same endpoint. It adds load to a slow endpoint, so only a lost request is worth
 * it.
 */
const MIN_SAME_ENDPOINT_MS = 250
/** Maximum delay before a hedge, however slow requests of this kind have been. */
const MAX_DELAY_MS = 1_000
/** Timer delay that shows that the event loop was blocked, so answers may be waiting to be read. */
const STALL_MS = 5
/** Maximum postponements of a check, so that a busy event loop delays hedges but does not prevent them. */
const MAX_STALLS = 3
/** Weight of the newest hedge in the win rate, and the half-life of the win rate. */
const WEIGHT = 0.15
const HALF_LIFE_MS = 20_000
/** Win rate of hedges from which requests count as lost rather than slow. */
const LOSING_WIN_RATE = 0.5

/** Token bucket for hedges, and the recent rate at which hedges answered first. */
export class HedgeBudget {
  private readonly now: () => number
  private tokens = MAX_TOKENS / 2
  private lastWinRate = 0
  private recordedAt: number

  constructor(now: () => number = Date.now) {
    this.now = now
    this.recordedAt = now()
  }

  /**
   * True if most recent hedges answered first: requests get lost or are slow at random. Hedges then need no budget,
   * because each replaces a request that would not have been answered.
   */
  get isLosing(): boolean {
    return this.winRate >= LOSING_WIN_RATE
  }

  /**
   * Records the outcome of a hedged request.
   *
   * @param hasHedgeWon - true if a hedge answered before the slow attempt
   */
  record(hasHedgeWon: boolean): void {
    this.lastWinRate = this.winRate + WEIGHT * (Number(hasHedgeWon) - this.winRate)
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

  /** Returns the tokens of hedges that answered first. */
  refund(hedges: number): void {
    this.tokens = Math.min(MAX_TOKENS, this.tokens + hedges)
  }
}

/**
 * Recent latencies of a kind of request, in milliseconds. Abandoned requests count with the time until they were
 * abandoned.
 */
export type Latency = {
  readonly p50: number
  readonly p95: number
  readonly longest: number
  /** 90th percentile of answered requests only. */
  readonly answeredP90: number
}

/**
 * Returns the milliseconds after which a request is slow. If many requests hang, their time becomes the 95th
 * percentile, so a multiple of the median bounds it too.
 *
 * @param isLosing - true if requests get lost: the delay is then bounded by the latency of answered requests
 */
export function slowAfterMs(latencies: readonly (Latency | undefined)[], isLosing = false): number {
  const measuredLatencies = latencies.filter((latency) => latency !== undefined)
  if (measuredLatencies.length === 0) return DEFAULT_DELAY_MS
  const lateAfterMs = ({ p50, p95, answeredP90 }: Latency) =>
    Math.min(1.5 * p95, 8 * p50, isLosing ? answeredP90 : MAX_DELAY_MS)
  return Math.max(
    isLosing ? MIN_DELAY_WHEN_LOSING_MS : MIN_DELAY_MS,
    Math.min(MAX_DELAY_MS, ...measuredLatencies.map(lateAfterMs)),
  )
}

/**
 * Returns the milliseconds after which a request at the only endpoint counts as lost: well above every recent latency.
 */
export function lostAfterMs(latency: Latency | undefined): number {
  if (!latency) return DEFAULT_DELAY_MS
  return Math.max(MIN_SAME_ENDPOINT_MS, Math.min(MAX_DELAY_MS, 2 * latency.longest, 30 * latency.p50))
}

/**
 * Calls `onQuiet` after a delay in which the event loop was responsive, and after pending answers were read.
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
      // Process answers that have already arrived before looking.
      else immediate = setImmediate(onResponsive)
    }, ms)
  }
  wait(ms)
  return () => {
    clearTimeout(timer)
    clearImmediate(immediate)
  }
}
