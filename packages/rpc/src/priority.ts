/** Who goes first at an endpoint, and how much of it the others get. */
import { TokenBucket } from './bucket.ts'

/**
 * quote: an answer waits for it. lookup: somebody waits for a token that is not known yet. background: audits, measurements.
 * scan: searches of past logs, which may take hours.
 */
export type Priority = 'quote' | 'lookup' | 'background' | 'scan'

/** First comes first. */
export const PRIORITIES: readonly Priority[] = ['quote', 'lookup', 'background', 'scan']

/** Share of the HTTP requests that may be under way: what is left over is kept for those that go first. */
const SHARE: Readonly<Record<Priority, number>> = {
  quote: 1,
  lookup: 3 / 4,
  background: 1 / 4,
  scan: 1 / 8,
}

/** Milliseconds after which a request goes ahead once, so that a flood of others does not hold it up for ever. */
export const PATIENCE_MS: Readonly<Record<Priority, number>> = {
  quote: 0,
  lookup: 500,
  background: 3_000,
  scan: 10_000,
}

/** True for what nobody waits for. */
export function isBehind(priority: Priority): boolean {
  return priority === 'background' || priority === 'scan'
}

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

const defaultBackground: BackgroundBudget = { calls: 20, bytes: 2_000_000 }
const defaultScan: BackgroundBudget = { calls: 10, bytes: 2_000_000 }
/** Seconds whose unused allowance may be used at once. */
const BURST_SECONDS = 5

/** Allowances of the work that nobody waits for, at a chain's endpoints together. */
export class Budgets {
  private readonly budgets: Partial<Record<Priority, Budget>>

  constructor(
    {
      background = defaultBackground,
      scan = defaultScan,
    }: Partial<Record<'background' | 'scan', BackgroundBudget>> = {},
    now: () => number = Date.now,
  ) {
    this.budgets = { background: new Budget(background, now), scan: new Budget(scan, now) }
  }

  /** Milliseconds until work of a priority may go on. */
  waitMs(priority: Priority): number {
    return this.budgets[priority]?.waitMs ?? 0
  }

  spend(priority: Priority, calls: number, bytes: number): void {
    this.budgets[priority]?.spend(calls, bytes)
  }
}

class Budget {
  private readonly calls: TokenBucket
  private readonly bytes: TokenBucket

  constructor({ calls, bytes }: BackgroundBudget, now: () => number) {
    this.calls = new TokenBucket(calls, calls * BURST_SECONDS, now)
    this.bytes = new TokenBucket(bytes, bytes * BURST_SECONDS, now)
  }

  get waitMs(): number {
    return Math.max(this.calls.waitMs(), this.bytes.waitMs())
  }

  spend(calls: number, bytes: number): void {
    this.calls.take(calls)
    this.bytes.take(bytes)
  }
}
