/**
 * Tracks success rate and latency of one endpoint, by which endpoints are ranked. After several failures an endpoint is
 * ejected: it is used only if no other endpoint works, until the ejection ends.
 */
import type { Latency } from './hedges.ts'
import { monotonicMs } from './monotonic-clock.ts'

/** Weight of the newest outcome in the moving average of failures. */
const NEWEST_WEIGHT = 0.1
/** Half-life in milliseconds of the failure average while there are no new outcomes. */
const HALF_LIFE_MS = 30_000
/** Consecutive failures after which an endpoint is ejected. */
const EJECT_STREAK = 3
/** Failures within this many milliseconds belong to one HTTP request and count once. */
const SAME_REQUEST_MS = 3
/** Success rate above which an endpoint is not ejected for refused requests or late answers. */
const MIN_SUCCESS_RATE = 0.2
/** Maximum duration of an ejection. */
const MAX_EJECT_MS = 120_000
/** Minimum consecutive requests without any response for an endpoint to count as dead. */
const MIN_DEAD_STREAK = 2
/** Minimum milliseconds since the first of these requests for the endpoint to count as dead. */
const MIN_DEAD_MS = 3_000
/** Number of latencies per kind of request that are remembered. */
const MAX_SAMPLES = 64
/** Percentiles are recomputed after this many new latencies. */
const SAMPLES_PER_REFRESH = 16
/** Maximum kinds of requests with latencies. */
const MAX_KINDS = 32

export class HealthTracker {
  private readonly now: () => number
  private readonly ejectMs: number
  private failureAverage = 0
  private failureAverageAt: number
  private lastSuccessAt: number
  private failedAt = Number.NEGATIVE_INFINITY
  private failureStreak = 0
  private unansweredCount = 0
  private unansweredSince = 0
  private ejectionCount = 0
  private ejectedUntil = Number.NEGATIVE_INFINITY
  private readonly latenciesByKind = new Map<string, Latencies>()

  constructor(ejectMs: number, now: () => number = monotonicMs) {
    this.ejectMs = ejectMs
    this.now = now
    this.failureAverageAt = now()
    this.lastSuccessAt = now()
  }

  get isEjected(): boolean {
    return this.ejectedUntil > this.now()
  }

  /** True if at least the last `EJECT_STREAK` requests failed. */
  get isDown(): boolean {
    return this.failureStreak >= EJECT_STREAK
  }

  /** True if the endpoint has not responded for a while, not even with an error. */
  get isDead(): boolean {
    return this.unansweredCount >= MIN_DEAD_STREAK && this.now() - this.unansweredSince >= MIN_DEAD_MS
  }

  /** Share of recent requests that were answered, from 0 to 1. */
  get successRate(): number {
    return 1 - this.failureAverage * 0.5 ** ((this.now() - this.failureAverageAt) / HALF_LIFE_MS)
  }

  recordSuccess(): void {
    this.failureStreak = 0
    this.unansweredCount = 0
    this.ejectionCount = 0
    this.ejectedUntil = Number.NEGATIVE_INFINITY
    this.lastSuccessAt = this.now()
    this.recordOutcome(0)
  }

  /** Records a lost request at an endpoint that answers other requests. Does not count toward ejection. */
  recordLoss(): void {
    this.recordOutcome(1)
  }

  /** Records that the endpoint responded, even with an error. */
  recordReply(): void {
    this.unansweredCount = 0
  }

  /**
   * Records a failure.
   *
   * @param kind - `silent`: no usable response; `late`: another attempt answered first; `refused`: rate limited. After
   *   `late` and `refused` the endpoint may answer the next request, so it is ejected only if it rarely answers
   */
  recordFailure(kind: 'silent' | 'late' | 'refused' = 'silent'): void {
    const now = this.now()
    if (now - this.failedAt < SAME_REQUEST_MS) return
    this.failedAt = now
    if (kind === 'refused') this.unansweredCount = 0
    else if (kind === 'silent' && this.unansweredCount++ === 0) this.unansweredSince = now
    this.failureStreak++
    this.recordOutcome(1)
    if (
      this.failureStreak < EJECT_STREAK ||
      this.isEjected ||
      (kind !== 'silent' && this.successRate > MIN_SUCCESS_RATE)
    )
      return
    this.eject()
  }

  /** Ejects the endpoint. Each further ejection without a success in between lasts twice as long. */
  eject(ms = Math.min(MAX_EJECT_MS, this.ejectMs * 2 ** this.ejectionCount)): void {
    this.ejectionCount = Math.min(10, this.ejectionCount + 1)
    this.ejectedUntil = this.now() + ms
  }

  /** Milliseconds since the last success, or since creation if there was none. */
  get msSinceSuccess(): number {
    return this.now() - this.lastSuccessAt
  }

  /**
   * Records the latency of a request.
   *
   * @param isAnswered - false if the request was given up after `ms`
   */
  recordLatency(kind: string, ms: number, isAnswered = true): void {
    this.latenciesOf(kind)?.add(ms, isAnswered)
  }

  /** Returns latency percentiles in milliseconds; undefined before four samples. */
  latency(kind: string): Latency | undefined {
    return this.latenciesByKind.get(kind)?.latency
  }

  private recordOutcome(failure: 0 | 1): void {
    const failureBefore = 1 - this.successRate
    this.failureAverage = failureBefore + NEWEST_WEIGHT * (failure - failureBefore)
    this.failureAverageAt = this.now()
  }

  private latenciesOf(kind: string): Latencies | undefined {
    let latencies = this.latenciesByKind.get(kind)
    if (!latencies && this.latenciesByKind.size < MAX_KINDS) {
      latencies = new Latencies()
      this.latenciesByKind.set(kind, latencies)
    }
    return latencies
  }
}

/** Latencies of one kind of request in milliseconds. */
class Latencies {
  private readonly allLatencies = new Ring()
  private readonly answeredLatencies = new Ring()
  private count = 0
  private cachedPercentiles: Latency | undefined

  add(ms: number, isAnswered: boolean): void {
    this.allLatencies.add(ms)
    if (isAnswered) this.answeredLatencies.add(ms)
    if (++this.count === 4 || this.count % SAMPLES_PER_REFRESH === 0) this.cachedPercentiles = undefined
  }

  get latency(): Latency | undefined {
    if (this.count < 4) return undefined
    if (!this.cachedPercentiles) {
      const [p50, p95, longest] = this.allLatencies.percentiles(0.5, 0.95, 1)
      const [answeredP90] = this.answeredLatencies.percentiles(0.9)
      this.cachedPercentiles = { p50: p50!, p95: p95!, longest: longest!, answeredP90: answeredP90 ?? longest! }
    }
    return this.cachedPercentiles
  }
}

/** Ring buffer of the latest samples. */
class Ring {
  private readonly samples: number[] = []
  private count = 0

  add(sample: number): void {
    this.samples[this.count++ % MAX_SAMPLES] = sample
  }

  percentiles(...shares: readonly number[]): readonly (number | undefined)[] {
    const sorted = [...this.samples].sort((a, b) => a - b)
    return shares.map((share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))])
  }
}
