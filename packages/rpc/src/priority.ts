/** Priorities of requests at an endpoint, their shares of its concurrent requests, and budgets of background work. */
import { TokenBucket } from './bucket.ts'
import { monotonicMs } from './monotonic-clock.ts'

/**
 * Priority of a request.
 * - `quote`: a quote waits for it.
 * - `lookup`: a caller waits for data of an unknown token.
 * - `background`: audits and measurements.
 * - `scan`: searches of past logs, which may take hours.
 */
export type Priority = 'quote' | 'lookup' | 'background' | 'scan'

/** Priorities from highest to lowest. */
export const PRIORITIES: readonly Priority[] = ['quote', 'lookup', 'background', 'scan']

/** Maximum share of the concurrent HTTP requests of an endpoint; the rest is reserved for higher priorities. */
const MAX_SHARE: Readonly<Record<Priority, number>> = {
  quote: 1,
  lookup: 3 / 4,
  background: 1 / 4,
  scan: 1 / 8,
}

/** Milliseconds in the queue after which a request is served before higher priorities, so that no priority starves. */
export const MAX_WAIT_MS: Readonly<Record<Priority, number>> = {
  quote: 0,
  lookup: 500,
  background: 3_000,
  scan: 10_000,
}

/** Returns true for priorities for which no caller waits. */
export function isBackground(priority: Priority): boolean {
  return priority === 'background' || priority === 'scan'
}

/** Returns the maximum concurrent HTTP requests of a priority at one endpoint. */
export function maxSlots(priority: Priority, capacity: number): number {
  return Math.max(1, Math.floor(capacity * MAX_SHARE[priority]))
}

/** Rate limit of background work. */
export type BackgroundBudget = {
  /** Maximum JSON-RPC calls per second. */
  readonly calls: number
  /** Maximum bytes per second, sent and received together. */
  readonly bytes: number
}

const defaultBackground: BackgroundBudget = { calls: 20, bytes: 2_000_000 }
const defaultScan: BackgroundBudget = { calls: 10, bytes: 2_000_000 }
/** Seconds of unused budget that may be spent at once. */
const BURST_SECONDS = 5

/** Budgets of background work, shared by all endpoints of a chain. */
export class Budgets {
  private readonly budgets: Partial<Record<Priority, Budget>>

  constructor(
    {
      background = defaultBackground,
      scan = defaultScan,
    }: Partial<Record<'background' | 'scan', BackgroundBudget>> = {},
    now: () => number = monotonicMs,
  ) {
    this.budgets = { background: new Budget(background, now), scan: new Budget(scan, now) }
  }

  /** Returns the milliseconds until the budget admits more work of a priority; 0 if it has no budget. */
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
