/** Number of calls that one HTTP body may hold at an endpoint, learned from what it refuses. */
const RETRY_MS = 60_000
const MAX_RETRY_MS = 600_000
/** Failures in a row from which one that may be chance, such as a page of HTML, counts. */
const STRIKES = 2

export class BatchSize {
  private readonly most: number
  private readonly now: () => number
  private allowed: number
  private reducedAt = 0
  private retryMs = RETRY_MS
  private strikes = 0

  constructor(most: number, now: () => number = Date.now) {
    this.most = most
    this.now = now
    this.allowed = most
  }

  /** 1 where batches are refused. What was refused is tried again after a while, with twice as many calls each time. */
  get size(): number {
    if (this.allowed < this.most && this.now() - this.reducedAt >= this.retryMs) {
      this.allowed = Math.min(this.most, this.allowed * 2)
      this.reducedAt = this.now()
    }
    return this.allowed
  }

  /** Batches as such are refused. @param certain - whether the endpoint said so */
  refused(certain: boolean): void {
    if (!certain && ++this.strikes < STRIKES) return
    this.reduce(1)
  }

  /** So many calls were too many. */
  tooLarge(calls: number): void {
    this.reduce(Math.max(1, Math.floor(calls / 2)))
  }

  worked(): void {
    this.strikes = 0
    if (this.allowed === this.most) this.retryMs = RETRY_MS
  }

  private reduce(size: number): void {
    const now = this.now()
    // Refused again right after it was tried again: the next trial comes later.
    const again = this.reducedAt > 0 && this.allowed > 1 && size === 1
    this.retryMs = again ? Math.min(MAX_RETRY_MS, this.retryMs * 2) : this.retryMs
    this.allowed = Math.min(this.allowed, size)
    this.reducedAt = now
    this.strikes = 0
  }
}
