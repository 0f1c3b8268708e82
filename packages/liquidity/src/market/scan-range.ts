/**
 * Finds the block range that one eth_getLogs request may span. Providers limit it by blocks or by logs. The limit is
 * found by bisection and remembered, and wider ranges are tried again at growing intervals.
 */

/** Initial range; providers allow between ten blocks and all. */
const FIRST_RANGE = 10_000
const MAX_RANGE = 1_000_000
/** The bisection ends when the bounds differ by less than this fraction. */
const PRECISION = 1 / 8
/** Accepted requests before a wider range is tried again, initially and at most. */
const FIRST_RETRY = 16
const MAX_RETRY = 4_096

/** Range search for one provider. */
export class ScanRange {
  private next: number
  /** The widest range that was recently accepted, and the narrowest that was refused. */
  private acceptedBlocks: number
  private refusedAt = MAX_RANGE + 1
  private acceptedCount = 0
  private retryAfter = FIRST_RETRY
  private hint: number | undefined
  /** True if the last refusal named the requested range, or a wider one. */
  private wasEcho = false
  /** True while a wider range than the accepted one is being tried. */
  private isRetry = false

  /** @param acceptedBlocks - range that was accepted before a restart */
  constructor(acceptedBlocks?: number) {
    const isKnown = acceptedBlocks !== undefined && acceptedBlocks >= 1 && acceptedBlocks <= MAX_RANGE
    this.next = isKnown ? acceptedBlocks : FIRST_RANGE
    this.acceptedBlocks = isKnown ? acceptedBlocks : 0
    // Skip the bisection after a restart; wider ranges are tried at intervals.
    if (isKnown) this.refusedAt = acceptedBlocks + 1
  }

  /** Range to request. */
  get blocks(): number {
    return this.next
  }

  /** The accepted range; undefined before the first response. */
  get acceptedRange(): number | undefined {
    return this.acceptedBlocks > 0 ? this.acceptedBlocks : undefined
  }

  /**
   * Records an accepted request.
   *
   * @param blocks - range of the request; one shorter than `blocks`, at the end of a scan, carries no information
   */
  recordAccepted(blocks: number): void {
    this.wasEcho = false
    if (blocks < this.next) return
    this.acceptedBlocks = blocks
    if (this.isRetry) {
      this.isRetry = false
      this.retryAfter = FIRST_RETRY
      this.refusedAt = MAX_RANGE + 1
    }
    if (this.refusedAt > MAX_RANGE) this.next = Math.min(MAX_RANGE, blocks * 2)
    else if (this.refusedAt - blocks > Math.max(1, blocks * PRECISION))
      this.next = Math.floor((blocks + this.refusedAt) / 2)
    else if (++this.acceptedCount >= this.retryAfter) {
      this.acceptedCount = 0
      this.retryAfter = Math.min(MAX_RETRY, this.retryAfter * 2)
      this.isRetry = true
      this.next = Math.min(MAX_RANGE, blocks * 2)
    }
  }

  /**
   * Records a refused request.
   *
   * @param hint - range that the error message names as the limit
   * @returns false if not even one block is accepted
   */
  recordRefused(blocks: number, hint: number | undefined): boolean {
    if (blocks <= 1) return false
    if (this.isRetry && this.acceptedBlocks > 0 && this.acceptedBlocks < blocks) {
      this.isRetry = false
      this.next = this.acceptedBlocks
      return true
    }
    const isEcho = hint !== undefined && hint >= blocks
    // Providers count a range with or without its ends, so try one block less. If the message then names the requested
    // range again, it is not a limit: Reth's message always names the refused range.
    const statedLimit = isEcho ? (this.wasEcho ? undefined : blocks - 1) : hint
    this.wasEcho = isEcho
    if (statedLimit !== undefined) {
      // A hint that was named twice is a limit of the plan, and does not depend on the logs in that range.
      this.refusedAt = statedLimit === this.hint ? statedLimit + 1 : blocks
      this.hint = statedLimit
      this.acceptedBlocks = 0
      this.next = statedLimit
      return true
    }
    this.refusedAt = blocks
    // Return to the accepted range, unless that very range was refused.
    this.next =
      this.acceptedBlocks > 0 && this.acceptedBlocks < blocks
        ? this.acceptedBlocks
        : Math.max(1, Math.floor(blocks / 4))
    if (this.next !== this.acceptedBlocks) this.acceptedBlocks = 0
    return true
  }
}
