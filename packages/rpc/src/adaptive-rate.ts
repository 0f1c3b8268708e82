/**
 * Rate at which an endpoint may be asked: unlimited until it refuses, then by a token bucket. A refusal cuts its rate to just below
 * what the endpoint answered at its best of late, and answers raise it again (additive increase, multiplicative decrease).
 */
import { TokenBucket } from './bucket.ts'

/** Calls a second: an endpoint is never asked less often than that. Free plans grant as few as five. */
const MIN_RATE = 3
/** Refusals of one burst count once. */
const CUT_MS = 250
/** A cut leaves at least so many times what the endpoint answered at its best of late: just below its limit, where it has one. */
const BELOW_BEST = 0.9
/** Calls a second that each answer adds. */
const GROWTH = 0.1
/**
 * An endpoint that refuses at random is not slowed below so many times its best, and regains its rate sooner. It is known by
 * refusing such a share although it answers less than it did: one with a limit answers as much as ever while it refuses. That is
 * forgotten after a while.
 */
const RANDOM_HEADROOM = 2.2
const RANDOM_GROWTH = 0.5
const RANDOM_SHARE = 0.07
const RANDOM_ANSWERED = 0.88
const RANDOM_MS = 20_000
/** Without a refusal for that long the limit is forgotten. */
const FORGET_MS = 30_000
/** Calls that may go at once after a rest. */
const BURST = 10
/** Calls that work which nobody waits for leaves to the rest. */
const RESERVE = BURST / 2
/** An endpoint that asked to be left alone is tried by one request that a quote waits for, after so long, then twice that. */
const PROBE_MS = 40
const MAX_PROBE_MS = 2_000

export class AdaptiveRate {
  private readonly now: () => number
  private readonly sent: Meter
  private readonly answeredLately: Meter
  private readonly refusedLately: Meter
  /** Calls a second that were answered at its best of late. */
  private readonly best: Peak
  private bucket: TokenBucket | undefined
  private refusedAt = Number.NEGATIVE_INFINITY
  private cutAt = Number.NEGATIVE_INFINITY
  private randomAt = Number.NEGATIVE_INFINITY
  private pausedUntil = Number.NEGATIVE_INFINITY
  private probeAt = 0
  private probeMs = PROBE_MS
  private probing = false

  constructor(now: () => number = Date.now) {
    this.now = now
    this.sent = new Meter(now)
    this.answeredLately = new Meter(now)
    this.refusedLately = new Meter(now)
    this.best = new Peak(now)
  }

  /** Calls a second; undefined while it is not limited. */
  get rate(): number | undefined {
    return this.bucket?.rate
  }

  /**
   * Milliseconds until the next request may go.
   *
   * @param urgent - a quote waits for it
   * @param behind - nobody waits for it
   */
  waitMs(urgent: boolean, behind = false): number {
    const now = this.now()
    if (now < this.pausedUntil) {
      if (!urgent || this.probing) return this.pausedUntil - now
      return Math.min(this.pausedUntil - now, Math.max(0, this.probeAt - now))
    }
    if (this.bucket && now - this.refusedAt > FORGET_MS) this.bucket = undefined
    return this.bucket?.waitMs(behind ? RESERVE : 0) ?? 0
  }

  took(calls: number): void {
    this.sent.count(calls)
    this.bucket?.take(calls)
    if (this.now() < this.pausedUntil) this.probing = true
  }

  answered(calls: number): void {
    this.answeredLately.count(calls)
    this.best.see(this.answeredLately.perSecond)
    if (this.bucket) this.bucket.rate += (this.isRandom ? RANDOM_GROWTH : GROWTH) * calls
    // It serves again before it said that it would.
    this.pausedUntil = Number.NEGATIVE_INFINITY
    this.probing = false
    this.probeMs = PROBE_MS
  }

  /** Neither answered nor refused. */
  ended(): void {
    this.probing = false
  }

  /** @param retryAfterMs - for which the endpoint asks to be left alone: believed unless it goes on answering most calls */
  refused(calls: number, retryAfterMs = 0): void {
    const now = this.now()
    this.refusedAt = now
    this.probing = false
    this.refusedLately.count(calls)
    const mostly = this.refusedLately.perSecond > this.answeredLately.perSecond
    if (retryAfterMs > 0 && mostly) {
      if (now < this.pausedUntil) this.probeMs = Math.min(MAX_PROBE_MS, this.probeMs * 2)
      this.pausedUntil = Math.max(this.pausedUntil, now + retryAfterMs)
      this.probeAt = now + this.probeMs
    }
    if (now - this.cutAt >= CUT_MS) this.cut(mostly)
  }

  private cut(mostly: boolean): void {
    this.cutAt = this.now()
    const best = this.best.value
    const answered = this.answeredLately.perSecond
    const refused = this.refusedLately.perSecond
    if (!mostly && refused >= RANDOM_SHARE * (answered + refused) && answered < RANDOM_ANSWERED * best)
      this.randomAt = this.now()
    const floor = mostly ? 0 : best * (this.isRandom ? RANDOM_HEADROOM : BELOW_BEST)
    const rate = this.bucket?.rate ?? this.sent.perSecond
    const cut = Math.max(MIN_RATE, rate / 2, floor)
    if (this.bucket) this.bucket.rate = Math.min(this.bucket.rate, cut)
    else this.bucket = new TokenBucket(cut, BURST, this.now)
  }

  private get isRandom(): boolean {
    return this.now() - this.randomAt < RANDOM_MS
  }
}

/** The highest value of late. */
class Peak {
  private static readonly FADE_MS = 15_000
  private readonly now: () => number
  private highest = 0
  private at: number

  constructor(now: () => number) {
    this.now = now
    this.at = now()
  }

  get value(): number {
    return this.highest * Math.exp(-Math.max(0, this.now() - this.at) / Peak.FADE_MS)
  }

  see(value: number): void {
    if (value < this.value) return
    this.highest = value
    this.at = this.now()
  }
}

/** Events a second, of the last seconds, those further back counting less. */
class Meter {
  private static readonly SECONDS = 2
  private readonly now: () => number
  private weight = 0
  private at: number

  constructor(now: () => number) {
    this.now = now
    this.at = now()
  }

  get perSecond(): number {
    this.fade()
    return this.weight / Meter.SECONDS
  }

  count(events: number): void {
    this.fade()
    this.weight += events
  }

  private fade(): void {
    const now = this.now()
    this.weight *= Math.exp(-Math.max(0, now - this.at) / (1_000 * Meter.SECONDS))
    this.at = now
  }
}
