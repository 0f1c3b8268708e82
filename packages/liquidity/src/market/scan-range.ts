/**
 * Number of blocks that one request for logs may span. Providers refuse wider ranges, for the blocks or for the logs in them; what
 * they grant is found by bisection and kept, and more is tried at ever longer intervals.
 */

/** The range that is tried first; providers allow between ten blocks and everything. */
const FIRST_RANGE = 10_000
const MAX_RANGE = 1_000_000
/** The bisection ends at ranges that differ by less. */
const PRECISION = 1 / 8
/** Ranges granted before a wider one is tried again, at first and at most. */
const FIRST_RETRY = 16
const MAX_RETRY = 4_096

export class ScanRange {
  private next: number
  /** The widest range that was granted lately, and the narrowest that was refused. */
  private granted: number
  private refusedAt = MAX_RANGE + 1
  private grants = 0
  private retryAfter = FIRST_RETRY
  private hint: number | undefined
  /** The last refusal named the range that was asked for, or a wider one. */
  private wasEcho = false
  /** A wider range than the granted one is being tried again. */
  private isRetry = false

  /** @param known - blocks that were granted before a restart */
  constructor(known?: number) {
    const isKnown = known !== undefined && known >= 1 && known <= MAX_RANGE
    this.next = isKnown ? known : FIRST_RANGE
    this.granted = isKnown ? known : 0
    // Not bisected again after a restart: wider ranges are tried like any others.
    if (isKnown) this.refusedAt = known + 1
  }

  /** Blocks to ask for. */
  get blocks(): number {
    return this.next
  }

  /** Blocks that are granted, as far as is known; undefined before the first answer. */
  get known(): number | undefined {
    return this.granted > 0 ? this.granted : undefined
  }

  /** @param blocks - that were asked for: fewer than `blocks` at the end of a search tell nothing */
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
   * @param hint - blocks that the refusal names as granted
   * @returns false where not even one block is granted
   */
  wasRefused(blocks: number, hint: number | undefined): boolean {
    if (blocks <= 1) return false
    if (this.isRetry && this.granted > 0 && this.granted < blocks) {
      this.isRetry = false
      this.next = this.granted
      return true
    }
    const isEcho = hint !== undefined && hint >= blocks
    // Some count both ends of a range, others neither. Named again it is no limit: Reth names the very range that it refuses.
    const named = isEcho ? (this.wasEcho ? undefined : blocks - 1) : hint
    this.wasEcho = isEcho
    if (named !== undefined) {
      // Named twice, it is a limit of the plan and not of the logs in that range.
      this.refusedAt = named === this.hint ? named + 1 : blocks
      this.hint = named
      this.granted = 0
      this.next = named
      return true
    }
    this.refusedAt = blocks
    // What was granted before is returned to at once, unless it is that range which holds too much now.
    this.next = this.granted > 0 && this.granted < blocks ? this.granted : Math.max(1, Math.floor(blocks / 4))
    if (this.next !== this.granted) this.granted = 0
    return true
  }
}
