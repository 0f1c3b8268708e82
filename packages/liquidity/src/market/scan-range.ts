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
  private granted: number
  private refusedAt = MAX_RANGE + 1
  private grants = 0
  private retryAfter = FIRST_RETRY
  private hint: number | undefined
  /** True if the last refusal named the requested range, or a wider one. */
  private wasEcho = false
  /** True while a wider range than the accepted one is being tried. */
  private isRetry = false

  /** @param accepted - range that was accepted before a restart */
  constructor(accepted?: number) {
    const isKnown = accepted !== undefined && accepted >= 1 && accepted <= MAX_RANGE
    this.next = isKnown ? accepted : FIRST_RANGE
    this.granted = isKnown ? accepted : 0
    // Skip the bisection after a restart; wider ranges are tried at intervals.
    if (isKnown) this.refusedAt = accepted + 1
  }

  /** Range to request. */
  get blocks(): number {
    return this.next
  }

  /** The accepted range; undefined before the first response. */
  get accepted(): number | undefined {
    return this.granted > 0 ? this.granted : undefined
  }

  /**
   * Records an accepted request.
   *
   * @param blocks - range of the request; one shorter than `blocks`, at the end of a scan, carries no information
   */
  wasGranted(blocks: number): void {
    this.wasEcho = false
    if (blocks < this.next) return
    this.granted = blocks
    if (this.isRetry) {
      this.isRetry = false
      this.retryAfter = FIRST_RETRY
      this.refusedAt = MAX_RANGE + 1
    }
    if (this.refusedAt > MAX_RANGE) this.next = Math.min(MAX_RANGE, blocks * 2)
    else if (this.refusedAt - blocks > Math.max(1, blocks * PRECISION))
      this.next = Math.floor((blocks + this.refusedAt) / 2)
    else if (++this.grants >= this.retryAfter) {
      this.grants = 0
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
  wasRefused(blocks: number, hint: number | undefined): boolean {
    if (blocks <= 1) return false
    if (this.isRetry && this.granted > 0 && this.granted < blocks) {
      this.isRetry = false
      this.next = this.granted
      return true
    }
    const isEcho = hint !== undefined && hint >= blocks
    // Providers count a range with or without its ends, so try one block less. Named a second time it is not a limit:
    // Reth's message names the refused range.
    const named = isEcho ? (this.wasEcho ? undefined : blocks - 1) : hint
    this.wasEcho = isEcho
    if (named !== undefined) {
      // Named twice, the hint is a limit of the plan, not of the logs in that range.
      this.refusedAt = named === this.hint ? named + 1 : blocks
      this.hint = named
      this.granted = 0
      this.next = named
      return true
    }
    this.refusedAt = blocks
    // Return to the accepted range, unless that very range was refused.
    this.next = this.granted > 0 && this.granted < blocks ? this.granted : Math.max(1, Math.floor(blocks / 4))
    if (this.next !== this.granted) this.granted = 0
    return true
  }
}
