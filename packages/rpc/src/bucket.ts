/** A token bucket: so much a second, and what was not used of the last seconds at once. */
export class TokenBucket {
  private readonly burst: number
  private readonly now: () => number
  private level: number
  private filledAt: number
  /** A second. */
  rate: number

  constructor(rate: number, burst: number, now: () => number = Date.now) {
    this.rate = rate
    this.burst = burst
    this.now = now
    this.level = burst
    this.filledAt = now()
  }

  /** Milliseconds until something may be taken with more than a reserve left; 0 when that is now. */
  waitMs(reserve = 0): number {
    this.fill()
    // Rounded up: a timer that fires a moment early would find nothing.
    return this.level > reserve ? 0 : Math.ceil((1_000 * (reserve - this.level)) / this.rate) + 1
  }

  /** Takes an amount; what is taken above what is there is owed: a large piece passes, and those after it wait for longer. */
  take(amount: number): void {
    this.fill()
    this.level -= amount
  }

  private fill(): void {
    const now = this.now()
    // A clock that is set back gives nothing.
    this.level = Math.min(this.burst, this.level + (this.rate * Math.max(0, now - this.filledAt)) / 1_000)
    this.filledAt = now
  }
}
