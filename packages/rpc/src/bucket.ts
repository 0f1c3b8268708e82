import { monotonicMs } from './monotonic-clock.ts'

/** Token bucket: gains `rate` tokens per second, and holds at most `burst` tokens. */
export class TokenBucket {
  private readonly burst: number
  private readonly now: () => number
  private tokens: number
  private filledAt: number
  /** Tokens per second. */
  rate: number

  constructor(rate: number, burst: number, now: () => number = monotonicMs) {
    this.rate = rate
    this.burst = burst
    this.now = now
    this.tokens = burst
    this.filledAt = now()
  }

  /** Returns the milliseconds until the bucket holds more than `reserve` tokens; 0 if it does now. */
  waitMs(reserve = 0): number {
    this.fill()
    // Rounded up, because a timer may fire slightly early.
    return this.tokens > reserve ? 0 : Math.ceil((1_000 * (reserve - this.tokens)) / this.rate) + 1
  }

  /** Takes tokens at once, even if the bucket holds fewer. A negative balance then delays later requests. */
  take(amount: number): void {
    this.fill()
    this.tokens -= amount
  }

  private fill(): void {
    const now = this.now()
    this.tokens = Math.min(this.burst, this.tokens + (this.rate * Math.max(0, now - this.filledAt)) / 1_000)
    this.filledAt = now
  }
}
