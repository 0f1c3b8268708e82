/** Likelihood and time of an endpoint's answers, by which endpoints are chosen. */
import type { Latency } from './hedges.ts'

/** Weight of the newest outcome. */
const WEIGHT = 0.1
/** Half-life of what was seen, without anything new. */
const HALF_LIFE_MS = 30_000
/** Failures in a row after which an endpoint is passed over. */
const STREAK = 3
/** Milliseconds: failures closer to one another are of one HTTP request, and count once. */
const SAME_MS = 3
/** Share of requests answered below which an endpoint that refuses them, or is late with them, is of no use. */
const ANSWERING = 0.2
const MAX_EJECT_MS = 120_000
/** An endpoint is dead when it gave no answer at all to so many requests in a row, over so long. */
const DEAD_STREAK = 2
const DEAD_MS = 3_000
const SAMPLES = 64
/** Latencies are sorted anew after so many more of them. */
const REFRESH = 16
const MAX_KINDS = 32

export class Standing {
  private readonly now: () => number
  private readonly ejectMs: number
  private failing = 0
  private failingAt: number
  private workedAt: number
  private failedAt = Number.NEGATIVE_INFINITY
  private streak = 0
  private unanswered = 0
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

  get ejected(): boolean {
    return this.ejectedUntil > this.now()
  }

  /** Failed so often in a row that it is taken to be down. */
  get down(): boolean {
    return this.streak >= STREAK
  }

  /** Nothing came back for a while, not even a refusal. */
  get dead(): boolean {
    return this.unanswered >= DEAD_STREAK && this.now() - this.unansweredSince >= DEAD_MS
  }

  /** Share of requests that are answered, from 0 to 1. */
  get successRate(): number {
    return 1 - this.failing * 0.5 ** ((this.now() - this.failingAt) / HALF_LIFE_MS)
  }

  worked(): void {
    this.streak = 0
    this.unanswered = 0
    this.ejections = 0
    this.ejectedUntil = Number.NEGATIVE_INFINITY
    this.workedAt = this.now()
    this.note(0)
  }

  /** One request got lost on the way; the endpoint answers others. */
  missed(): void {
    this.note(1)
  }

  /** It is there, whatever it says. */
  answered(): void {
    this.unanswered = 0
  }

  /** @param how - one that refused, or was late, may answer the next request: it is passed over only where it hardly ever does */
  failed(how: 'silent' | 'late' | 'refused' = 'silent'): void {
    const now = this.now()
    if (now - this.failedAt < SAME_MS) return
    this.failedAt = now
    if (how === 'refused') this.unanswered = 0
    else if (how === 'silent' && this.unanswered++ === 0) this.unansweredSince = now
    this.streak++
    this.note(1)
    if (this.streak < STREAK || this.ejected || (how !== 'silent' && this.successRate > ANSWERING)) return
    this.eject()
  }

  /** Passed over for a while, and for twice as long when it fails again right after. */
  eject(ms = Math.min(MAX_EJECT_MS, this.ejectMs * 2 ** this.ejections)): void {
    this.ejections = Math.min(10, this.ejections + 1)
    this.ejectedUntil = this.now() + ms
  }

  /** Milliseconds since it last answered; since the start where it never did. */
  get silentMs(): number {
    return this.now() - this.workedAt
  }

  /** @param answered - false for one that was given up after so long */
  took(kind: string, ms: number, answered = true): void {
    this.latencies(kind)?.add(ms, answered)
  }

  /** Milliseconds; undefined before enough was seen. */
  latency(kind: string): Latency | undefined {
    return this.kinds.get(kind)?.latency
  }

  private note(failure: 0 | 1): void {
    const before = 1 - this.successRate
    this.failing = before + WEIGHT * (failure - before)
    this.failingAt = this.now()
  }

  private latencies(kind: string): Latencies | undefined {
    let known = this.kinds.get(kind)
    if (!known && this.kinds.size < MAX_KINDS) {
      known = new Latencies()
      this.kinds.set(kind, known)
    }
    return known
  }
}

class Latencies {
  private readonly all = new Ring()
  private readonly answered = new Ring()
  private count = 0
  private known: Latency | undefined

  add(ms: number, answered: boolean): void {
    this.all.add(ms)
    if (answered) this.answered.add(ms)
    if (++this.count === 4 || this.count % REFRESH === 0) this.known = undefined
  }

  get latency(): Latency | undefined {
    if (this.count < 4) return undefined
    if (!this.known) {
      const [p50, p95, longest] = this.all.percentiles(0.5, 0.95, 1)
      const [answered] = this.answered.percentiles(0.9)
      this.known = { p50: p50!, p95: p95!, longest: longest!, answered: answered ?? longest! }
    }
    return this.known
  }
}

/** The latest samples. */
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
