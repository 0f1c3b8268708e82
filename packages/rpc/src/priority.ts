/** Who goes first at an endpoint, and how much of it the others get. */
import { TokenBucket } from './bucket.ts'

/**
 * quote: an answer waits for it. lookup: somebody waits for a token that is not known yet. background: audits, scans of past
 * logs, saving, measurements.
 */
export type Priority = 'quote' | 'lookup' | 'background'

/** First comes first. */
export const PRIORITIES: readonly Priority[] = ['quote', 'lookup', 'background']

/** Share of the HTTP requests that may be under way: what is left over is kept for those that go first. */
const SHARE: Readonly<Record<Priority, number>> = { quote: 1, lookup: 3 / 4, background: 1 / 4 }

/** Milliseconds after which a request goes ahead once, so that a flood of others does not hold it up for ever. */
export const PATIENCE_MS: Readonly<Record<Priority, number>> = { quote: 0, lookup: 500, background: 3_000 }

/** HTTP requests of a priority that may be under way at one endpoint. */
export function places(priority: Priority, capacity: number): number {
  return Math.max(1, Math.floor(capacity * SHARE[priority]))
}

export type BackgroundBudget = {
  /** JSON-RPC calls a second. */
  readonly calls: number
  /** Bytes a second, sent and received. */
  readonly bytes: number
}

export const defaultBackground: BackgroundBudget = { calls: 20, bytes: 2_000_000 }
/** Seconds whose unused allowance may be used at once. */
const BURST_SECONDS = 5

/** Allowance of background work at a chain's endpoints together. */
export class Budget {
  private readonly calls: TokenBucket
  private readonly bytes: TokenBucket

  constructor({ calls, bytes }: BackgroundBudget, now: () => number = Date.now) {
    this.calls = new TokenBucket(calls, calls * BURST_SECONDS, now)
    this.bytes = new TokenBucket(bytes, bytes * BURST_SECONDS, now)
  }

  get waitMs(): number {
    return Math.max(this.calls.waitMs, this.bytes.waitMs)
  }

  spend(calls: number, bytes: number): void {
    this.calls.take(calls)
    this.bytes.take(bytes)
  }
}
