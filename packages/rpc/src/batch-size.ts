/**
 * Learns the maximum number of calls per HTTP body from the refusals of an endpoint. Larger batches are tried again
 * after a while.
 */
import { monotonicMs } from './monotonic-clock.ts'

/**
 * Initial time until larger batches are tried again. The time doubles each time the maximum falls to 1 again, as after
 * a failed retry.
 */
const RETRY_MS = 60_000
/** Maximum time until the next retry. */
const MAX_RETRY_MS = 600_000
/** Number of consecutive ambiguous failures, such as an HTML page, after which batches count as refused. */
const MAX_STRIKES = 2
/**
 * Number of consecutive lost batches (the connection was closed, or a gateway failed) after which batches count as too
 * large. Applies only if the endpoint answers single calls meanwhile.
 */
const MAX_LOST = 3

/** Maximum number of calls per HTTP body of one endpoint. */
export class BatchSize {
  private readonly max: number
  private readonly now: () => number
  private allowedSize: number
  private sizeChangedAt = 0
  private retryMs = RETRY_MS
  private strikes = 0
  private lostCount = 0
  /** True if a single call was answered since a batch was lost. */
  private hasSingleAnswer = false

  constructor(max: number, now: () => number = monotonicMs) {
    this.max = max
    this.now = now
    this.allowedSize = max
  }

  /**
   * Maximum calls per HTTP body; 1 if batches are refused. Doubles after each retry interval, up to the configured
   * maximum.
   */
  get size(): number {
    if (this.allowedSize < this.max && this.now() - this.sizeChangedAt >= this.retryMs) {
      this.allowedSize = Math.min(this.max, this.allowedSize * 2)
      this.sizeChangedAt = this.now()
    }
    return this.allowedSize
  }

  /**
   * Records that the endpoint refused a batch, and would refuse it at any size.
   *
   * @param isCertain - true if the error names batches as the cause
   */
  recordRefusal(isCertain: boolean): void {
    if (!isCertain && ++this.strikes < MAX_STRIKES) return
    this.reduce(1)
  }

  /** Records that a batch of this many calls was too large. Later batches have at most half as many. */
  recordTooLarge(calls: number): void {
    this.reduce(Math.max(1, Math.floor(calls / 2)))
  }

  /** Records that a batch of this many calls was lost. Some nodes close the connection of a batch that is too large. */
  recordLost(calls: number): void {
    if (++this.lostCount >= MAX_LOST && this.hasSingleAnswer) this.recordTooLarge(calls)
  }

  /** Records the answer to a call that was not in a batch. */
  recordSingleAnswer(): void {
    if (this.lostCount > 0) this.hasSingleAnswer = true
  }

  recordSuccess(): void {
    this.strikes = 0
    this.forgetLost()
    if (this.allowedSize === this.max) this.retryMs = RETRY_MS
  }

  private reduce(size: number): void {
    const now = this.now()
    // After a failed retry, the next retry is later.
    const isRepeatedFailure = this.sizeChangedAt > 0 && this.allowedSize > 1 && size === 1
    this.retryMs = isRepeatedFailure ? Math.min(MAX_RETRY_MS, this.retryMs * 2) : this.retryMs
    this.allowedSize = Math.min(this.allowedSize, size)
    this.sizeChangedAt = now
    this.strikes = 0
    this.forgetLost()
  }

  private forgetLost(): void {
    this.lostCount = 0
    this.hasSingleAnswer = false
  }
}
