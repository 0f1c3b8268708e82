/** How likely an endpoint is to answer, and how soon: what the choice between endpoints is made by. */
import type { Latency } from './hedges.ts'

/** Weight of the newest outcome. */
const WEIGHT = 0.1
/** What was seen counts half after that long without anything new. */
const HALF_LIFE_MS = 30_000
/** Failures in a row after which an endpoint is passed over. */
const STREAK = 3
const MAX_EJECT_MS = 120_000
const SAMPLES = 64
/** Latencies are sorted anew after so many more of them. */
const REFRESH = 16
const MAX_KINDS = 32

export class Standing {
  private readonly now: () => number
  private readonly ejectMs: number
  private failing = 0
  private failingAt: number
  private streak = 0
  private ejections = 0
  private ejectedUntil = Number.NEGATIVE_INFINITY
  private readonly kinds = new Map<string, Latencies>()

  constructor(ejectMs: number, now: () => number = Date.now) {
    this.ejectMs = ejectMs
    this.now = now
    this.failingAt = now()
  }

  get ejected(): boolean {
    return this.ejectedUntil > this.now()
  }

  /** Failed so often in a row that it is taken to be down. */
  get down(): boolean {
    return this.streak >= STREAK
  }

  /** Share of requests that are answered, from 0 to 1. */
  get successRate(): number {
    return 1 - this.failing * 0.5 ** ((this.now() - this.failingAt) / HALF_LIFE_MS)
  }

  worked(): void {
    this.streak = 0
    this.ejections = 0
    this.ejectedUntil = Number.NEGATIVE_INFINITY
    this.note(0)
  }

  /** @returns whether it is passed over from now on */
  failed(): boolean {
    this.streak++
    this.note(1)
    if (this.streak < STREAK || this.ejected) return false
    this.eject()
    return true
  }

  /** Passed over for a while, and for twice as long when it fails again right after. */
  eject(ms = Math.min(MAX_EJECT_MS, this.ejectMs * 2 ** this.ejections)): void {
    this.ejections = Math.min(10, this.ejections + 1)
    this.ejectedUntil = this.now() + ms
  }

  took(kind: string, ms: number): void {
    this.latencies(kind)?.add(ms)
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
  private readonly ring: number[] = []
  private count = 0
  private known: Latency | undefined

  add(ms: number): void {
    this.ring[this.count++ % SAMPLES] = ms
    if (this.count === 4 || this.count % REFRESH === 0) this.known = undefined
  }

  get latency(): Latency | undefined {
    if (this.count < 4) return undefined
    if (!this.known) {
      const sorted = [...this.ring].sort((a, b) => a - b)
      const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
      this.known = { p50: at(0.5), p95: at(0.95), longest: at(1) }
    }
    return this.known
  }
}
