/** When a second request is sent beside one that takes longer than it usually does, and how many of them at most. */
import { performance } from 'node:perf_hooks'

/** Earned by each request: second requests that did not help add no more than that. */
const SHARE = 0.03
const MOST = 20
/** Milliseconds: less than that is not worth a second request. */
const LEAST_MS = 30
/** The same where requests get lost. */
const LEAST_LOST_MS = 15
/** Before it is known how long a request takes. */
const UNKNOWN_MS = 500
/** At the endpoint that is late itself, a second request is one more that it is late with: only a lost one is worth it. */
const ALONE_LEAST_MS = 250
/** A request that takes longer is late or lost however slow its kind has been. */
const LONGEST_MS = 1_000
/** Milliseconds by which a timer is late when other work held the event loop: answers wait then that are not late. */
const STALL_MS = 5
/** Postponements of one look, so that a loop that is always held delays hedges but does not end them. */
const MAX_STALLS = 3
/** Weight of the newest second request among those that tell whether requests get lost, and how long they tell it. */
const WEIGHT = 0.15
const HALF_LIFE_MS = 20_000
/** Share of second requests that are first from which on requests count as lost rather than slow. */
const LOSING = 0.5

export class HedgeBudget {
  private readonly now: () => number
  private tokens = MOST / 2
  private winning = 0
  private recordedAt: number

  constructor(now: () => number = Date.now) {
    this.now = now
    this.recordedAt = now()
  }

  /**
   * Requests get lost, or are late by chance: of the second requests of late most were first. Then they need no budget, since
   * each stands for one that would not have been answered; once they do not help any more, they do.
   */
  get isLosing(): boolean {
    return this.share >= LOSING
  }

  /** @param first - a second request was answered before the one that was late */
  record(first: boolean): void {
    this.winning = this.share + WEIGHT * (Number(first) - this.share)
    this.recordedAt = this.now()
  }

  private get share(): number {
    return this.winning * 0.5 ** ((this.now() - this.recordedAt) / HALF_LIFE_MS)
  }

  earn(): void {
    this.tokens = Math.min(MOST, this.tokens + SHARE)
  }

  take(): boolean {
    if (this.tokens < 1) return false
    this.tokens--
    return true
  }

  /** Hedges that were needed, since one of them was first, cost nothing: they did not come of impatience. */
  give(hedges: number): void {
    this.tokens = Math.min(MOST, this.tokens + hedges)
  }
}

/** Milliseconds that requests of a kind took lately, or had taken when they were given up. */
export type Latency = {
  readonly p50: number
  readonly p95: number
  readonly longest: number
  /** 90th percentile of those that were answered. */
  readonly answered: number
}

/**
 * Milliseconds after which a request is late. Where a good part of the requests hangs, the 95th percentile is of those that
 * hang, so it is held against the median.
 *
 * @param isLosing - what takes longer than answers do is lost
 */
export function lateMs(latencies: readonly (Latency | undefined)[], isLosing = false): number {
  const known = latencies.filter((each) => each !== undefined)
  if (known.length === 0) return UNKNOWN_MS
  const late = ({ p50, p95, answered }: Latency) => Math.min(1.5 * p95, 8 * p50, isLosing ? answered : LONGEST_MS)
  return Math.max(isLosing ? LEAST_LOST_MS : LEAST_MS, Math.min(LONGEST_MS, ...known.map(late)))
}

/** Milliseconds after which a request is taken to be lost by the one endpoint that there is: far more than was ever seen. */
export function lostMs(latency: Latency | undefined): number {
  if (!latency) return UNKNOWN_MS
  return Math.max(ALONE_LEAST_MS, Math.min(LONGEST_MS, 2 * latency.longest, 30 * latency.p50))
}

/**
 * Looks after a while, once what arrived meanwhile was read: the time in which other work held the event loop is not counted.
 *
 * @returns what ends the wait
 */
export function whenQuiet(ms: number, look: () => void): () => void {
  let timer: NodeJS.Timeout
  let read: NodeJS.Immediate | undefined
  let stalls = 0
  const wait = (ms: number) => {
    const due = performance.now() + ms
    timer = setTimeout(() => {
      const stalled = performance.now() - due
      if (stalled > STALL_MS && stalls++ < MAX_STALLS) wait(stalled)
      // Answers that are there already are read before it.
      else read = setImmediate(look)
    }, ms)
  }
  wait(ms)
  return () => {
    clearTimeout(timer)
    clearImmediate(read)
  }
}
