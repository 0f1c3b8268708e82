/** Tracks success rate, latency, and ejection of one endpoint, by which endpoints are ranked. */
import type { Latency } from './hedges.ts'

/** Weight of the newest outcome in the moving average of failures. */
const WEIGHT = 0.1
/** Half-life of the failure average while there are no new outcomes. */
const HALF_LIFE_MS = 30_000
/** Consecutive failures after which an endpoint is ejected. */
const STREAK = 3
/** Failures within this time belong to one HTTP request and count once. */
const SAME_MS = 3
/** An endpoint that refuses requests or is late is ejected only if its success rate is at most this. */
const MIN_SUCCESS_RATE = 0.2
const MAX_EJECT_MS = 120_000
/** An endpoint is dead after this many consecutive requests without any response, over at least this time. */
const DEAD_STREAK = 2
const DEAD_MS = 3_000
const SAMPLES = 64
/** Percentiles are recomputed after this many new samples. */
const REFRESH = 16
const MAX_KINDS = 32

/** Health of one endpoint. */
export class HealthTracker {
  private readonly now: () => number
  private readonly ejectMs: number
  private failing = 0
  private failingAt: number
  private workedAt: number
  private failedAt = Number.NEGATIVE_INFINITY
  private streak = 0
  private unansweredCount = 0
  private unansweredSince = 0
  private ejections = 0
  private ejectedUntil = Number.NEGATIVE_INFINITY
  private readonly kinds = new Map<string, Latencies>()

  constructor(ejectMs: number, now: () => number = Date.now) {
    this.ejectMs = ejectMs
    this.now = now
    this.failingAt = now()
    this.workedAt = now()
  }

  get isEjected(): boolean {
    return this.ejectedUntil > this.now()
  }

  /** True after `STREAK` consecutive failures. */
  get isDown(): boolean {
    return this.streak >= STREAK
  }

  /** True if nothing came back for a while, not even an error. */
  get isDead(): boolean {
    return this.unansweredCount >= DEAD_STREAK && this.now() - this.unansweredSince >= DEAD_MS
  }

  /** Recent share of requests that were answered, from 0 to 1. */
  get successRate(): number {
    return 1 - this.failing * 0.5 ** ((this.now() - this.failingAt) / HALF_LIFE_MS)
  }

  recordSuccess(): void {
    this.streak = 0
    this.unansweredCount = 0
    this.ejections = 0
    this.ejectedUntil = Number.NEGATIVE_INFINITY
    this.workedAt = this.now()
    this.recordOutcome(0)
  }

  /** Records a lost request at an endpoint that answers others. Does not count toward ejection. */
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
   * @param kind - `refused` and `late` endpoints may answer the next request, so they are ejected only if they rarely
   *   answer
   */
  recordFailure(kind: 'silent' | 'late' | 'refused' = 'silent'): void {
    const now = this.now()
    if (now - this.failedAt < SAME_MS) return
    this.failedAt = now
    if (kind === 'refused') this.unansweredCount = 0
    else if (kind === 'silent' && this.unansweredCount++ === 0) this.unansweredSince = now
    this.streak++
    this.recordOutcome(1)
    if (this.streak < STREAK || this.isEjected || (kind !== 'silent' && this.successRate > MIN_SUCCESS_RATE)) return
    this.eject()
  }

  /** Ejects the endpoint: it is skipped while others work. Each repeated ejection lasts twice as long. */
  eject(ms = Math.min(MAX_EJECT_MS, this.ejectMs * 2 ** this.ejections)): void {
    this.ejections = Math.min(10, this.ejections + 1)
    this.ejectedUntil = this.now() + ms
  }

  /** Milliseconds since the last success, or since creation if there was none. */
  get silentMs(): number {
    return this.now() - this.workedAt
  }

  /**
   * Records the latency of a request.
   *
   * @param latencyRing - false if the request was given up after `ms`
   */
  recordLatency(kind: string, ms: number, latencyRing = true): void {
    this.latencies(kind)?.add(ms, latencyRing)
  }

  /** Returns latency percentiles in milliseconds; undefined before four samples. */
  latency(kind: string): Latency | undefined {
    return this.kinds.get(kind)?.latency
  }

  private recordOutcome(failure: 0 | 1): void {
    const before = 1 - this.successRate
    this.failing = before + WEIGHT * (failure - before)
    this.failingAt = this.now()
  }

  private latencies(kind: string): Latencies | undefined {
    let latencies = this.kinds.get(kind)
    if (!latencies && this.kinds.size < MAX_KINDS) {
      latencies = new Latencies()
      this.kinds.set(kind, latencies)
    }
    return latencies
  }
}

class Latencies {
  private readonly allLatencies = new Ring()
  private readonly latencyRing = new Ring()
  private count = 0
  private cached: Latency | undefined

  add(ms: number, latencyRing: boolean): void {
    this.allLatencies.add(ms)
    if (latencyRing) this.latencyRing.add(ms)
    if (++this.count === 4 || this.count % REFRESH === 0) this.cached = undefined
  }

  get latency(): Latency | undefined {
    if (this.count < 4) return undefined
    if (!this.cached) {
      const [p50, p95, longest] = this.allLatencies.percentiles(0.5, 0.95, 1)
      const [latencyRing] = this.latencyRing.percentiles(0.9)
      this.cached = { p50: p50!, p95: p95!, longest: longest!, answered: latencyRing ?? longest! }
    }
    return this.cached
  }
}

/** Ring buffer of the latest samples. */
class Ring {
  private readonly samples: number[] = []
  private count = 0

  add(sample: number): void {
    this.samples[this.count++ % SAMPLES] = sample
  }

  percentiles(...shares: readonly number[]): readonly (number | undefined)[] {
    const sorted = [...this.samples].sort((a, b) => a - b)
    return shares.map((share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))])
  }
}
