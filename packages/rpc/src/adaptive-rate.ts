/**
 * Adaptive rate limit of one endpoint: unlimited until the endpoint refuses requests, then a token bucket. A refusal
 * lowers (cuts) the rate to just below the recent peak of answered calls per second; answers raise it again (additive
 * increase, multiplicative decrease).
 */
import { TokenBucket } from './bucket.ts'
import { monotonicMs } from './monotonic-clock.ts'

/** Minimum calls per second. Free plans allow as few as five. */
const MIN_RATE = 3
/** Minimum milliseconds between two cuts: refusals within this time count as one. */
const MIN_CUT_INTERVAL_MS = 250
/**
 * A cut does not lower the rate below this share of the recent peak of answered calls per second, because the peak is
 * about the limit of the endpoint.
 */
const MIN_PEAK_SHARE = 0.9
/** Calls per second that each answer adds to the rate. */
const RATE_PER_ANSWER = 0.1
// The next five constants are for endpoints that refuse calls at random, instead of only the calls above a rate. The
// rate of such an endpoint is kept higher and grows faster.
/**
 * Like `MIN_PEAK_SHARE`, for endpoints that refuse at random. A multiple of the peak, because a lower rate would not
 * lower the share of refused calls.
 */
const RANDOM_MIN_PEAK_MULTIPLE = 2.2
/** Like `RATE_PER_ANSWER`, for endpoints that refuse at random. */
const RANDOM_RATE_PER_ANSWER = 0.5
/**
 * Minimum share of refused calls of an endpoint that refuses at random. The condition of `MAX_RANDOM_ANSWER_SHARE` must
 * hold too.
 */
const MIN_RANDOM_REFUSAL_SHARE = 0.07
/**
 * An endpoint that refuses at random answers less than this share of its recent peak of calls per second. An endpoint
 * with a rate limit would answer as many calls as before.
 */
const MAX_RANDOM_ANSWER_SHARE = 0.88
/** Milliseconds for which an endpoint counts as refusing at random after the last detection. */
const RANDOM_TTL_MS = 20_000
/** Milliseconds without a refusal after which the rate is unlimited again. */
const LIMIT_TTL_MS = 30_000
/** Capacity of the token bucket: calls that may be sent at once after a pause. */
const BURST = 10
/** Tokens that background work leaves to other priorities. */
const RESERVED_TOKENS = BURST / 2
/**
 * Milliseconds after which one request of priority `quote` is sent as a probe to an endpoint that demanded a pause
 * (`Retry-After`). If the probe is refused, the delay of the next probe is twice as long.
 */
const PROBE_MS = 40
/** Maximum milliseconds between two probes. */
const MAX_PROBE_MS = 2_000

/** Rate limit of one endpoint, learned from its refusals. */
export class AdaptiveRate {
  private readonly now: () => number
  private readonly sentMeter: RateMeter
  private readonly answerMeter: RateMeter
  private readonly refusalMeter: RateMeter
  /** Recent peak of answered calls per second. */
  private readonly answerPeak: Peak
  private bucket: TokenBucket | undefined
  private refusedAt = Number.NEGATIVE_INFINITY
  private cutAt = Number.NEGATIVE_INFINITY
  private randomDetectedAt = Number.NEGATIVE_INFINITY
  private pausedUntil = Number.NEGATIVE_INFINITY
  private probeAt = 0
  private probeMs = PROBE_MS
  private isProbing = false

  constructor(now: () => number = monotonicMs) {
    this.now = now
    this.sentMeter = new RateMeter(now)
    this.answerMeter = new RateMeter(now)
    this.refusalMeter = new RateMeter(now)
    this.answerPeak = new Peak(now)
  }

  /** Limit in calls per second; undefined if unlimited. */
  get rate(): number | undefined {
    return this.bucket?.rate
  }

  /**
   * Returns the milliseconds until the next request may be sent.
   *
   * @param isUrgent - true for priority `quote`
   * @param isBackgroundWork - true for priorities `background` and `scan`
   */
  waitMs(isUrgent: boolean, isBackgroundWork = false): number {
    const now = this.now()
    if (now < this.pausedUntil) {
      if (!isUrgent || this.isProbing) return this.pausedUntil - now
      return Math.min(this.pausedUntil - now, Math.max(0, this.probeAt - now))
    }
    if (this.bucket && now - this.refusedAt > LIMIT_TTL_MS) this.bucket = undefined
    return this.bucket?.waitMs(isBackgroundWork ? RESERVED_TOKENS : 0) ?? 0
  }

  /** Records sent calls and takes their tokens. */
  recordSent(calls: number): void {
    this.sentMeter.count(calls)
    this.bucket?.take(calls)
    if (this.now() < this.pausedUntil) this.isProbing = true
  }

  recordAnswered(calls: number): void {
    this.answerMeter.count(calls)
    this.answerPeak.record(this.answerMeter.perSecond)
    if (this.bucket) this.bucket.rate += (this.refusesRandomly ? RANDOM_RATE_PER_ANSWER : RATE_PER_ANSWER) * calls
    // The endpoint answers again, so a pause that it demanded is over.
    this.pausedUntil = Number.NEGATIVE_INFINITY
    this.isProbing = false
    this.probeMs = PROBE_MS
  }

  /** Records the end of an HTTP request with any outcome, after which another probe may be sent. */
  recordEnded(): void {
    this.isProbing = false
  }

  /**
   * Records refused calls.
   *
   * @param retryAfterMs - pause that the endpoint demands; ignored while the endpoint still answers most calls
   */
  recordRefused(calls: number, retryAfterMs = 0): void {
    const now = this.now()
    this.refusedAt = now
    this.isProbing = false
    this.refusalMeter.count(calls)
    const isMostlyRefusing = this.refusalMeter.perSecond > this.answerMeter.perSecond
    if (retryAfterMs > 0 && isMostlyRefusing) {
      if (now < this.pausedUntil) this.probeMs = Math.min(MAX_PROBE_MS, this.probeMs * 2)
      this.pausedUntil = Math.max(this.pausedUntil, now + retryAfterMs)
      this.probeAt = now + this.probeMs
    }
    if (now - this.cutAt >= MIN_CUT_INTERVAL_MS) this.cut(isMostlyRefusing)
  }

  private cut(isMostlyRefusing: boolean): void {
    this.cutAt = this.now()
    const peakRate = this.answerPeak.value
    const answerRate = this.answerMeter.perSecond
    const refusalRate = this.refusalMeter.perSecond
    if (
      !isMostlyRefusing &&
      refusalRate >= MIN_RANDOM_REFUSAL_SHARE * (answerRate + refusalRate) &&
      answerRate < MAX_RANDOM_ANSWER_SHARE * peakRate
    )
      this.randomDetectedAt = this.now()
    const minRate = isMostlyRefusing ? 0 : peakRate * (this.refusesRandomly ? RANDOM_MIN_PEAK_MULTIPLE : MIN_PEAK_SHARE)
    const rate = this.bucket?.rate ?? this.sentMeter.perSecond
    const cutRate = Math.max(MIN_RATE, rate / 2, minRate)
    if (this.bucket) this.bucket.rate = Math.min(this.bucket.rate, cutRate)
    else this.bucket = new TokenBucket(cutRate, BURST, this.now)
  }

  private get refusesRandomly(): boolean {
    return this.now() - this.randomDetectedAt < RANDOM_TTL_MS
  }
}

/** Recent maximum that decays exponentially. */
class Peak {
  private static readonly DECAY_MS = 15_000
  private readonly now: () => number
  private highest = 0
  private updatedAt: number

  constructor(now: () => number) {
    this.now = now
    this.updatedAt = now()
  }

  get value(): number {
    return this.highest * Math.exp(-Math.max(0, this.now() - this.updatedAt) / Peak.DECAY_MS)
  }

  record(value: number): void {
    if (value < this.value) return
    this.highest = value
    this.updatedAt = this.now()
  }
}

/** Exponentially weighted event rate over the last seconds. */
class RateMeter {
  private static readonly SECONDS = 2
  private readonly now: () => number
  private decayedCount = 0
  private updatedAt: number

  constructor(now: () => number) {
    this.now = now
    this.updatedAt = now()
  }

  get perSecond(): number {
    this.decay()
    return this.decayedCount / RateMeter.SECONDS
  }

  count(events: number): void {
    this.decay()
    this.decayedCount += events
  }

  private decay(): void {
    const now = this.now()
    this.decayedCount *= Math.exp(-Math.max(0, now - this.updatedAt) / (1_000 * RateMeter.SECONDS))
    this.updatedAt = now
  }
}
