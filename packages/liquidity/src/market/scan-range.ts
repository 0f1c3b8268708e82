/**
 * Finds the number of blocks that one eth_getLogs request may span. Providers limit the blocks or the logs of a
 * request. A bisection finds the limit, and wider ranges are tried again at growing intervals. `LogScan` is the caller.
 */

/** Initial and maximum range in blocks. Some providers allow ten blocks, others all blocks of the chain. */
const FIRST_RANGE = 10_000
const MAX_RANGE = 1_000_000
/** The bisection ends when the accepted and the refused range differ by less than this fraction. */
const PRECISION = 1 / 8
/** Accepted requests before a wider range is tried again, initially and at most. */
const FIRST_RETRY_COUNT = 16
const MAX_RETRY_COUNT = 4_096

/** Search for the block range of one provider. */
export class ScanRange {
  private nextRange: number
  /** The widest range that was recently accepted, in blocks; 0 if unknown. */
  private acceptedBlocks: number
  /** The narrowest range that was recently refused, in blocks; `MAX_RANGE + 1` if none was. */
  private refusedBlocks = MAX_RANGE + 1
  private acceptedCount = 0
  private acceptedNeededForRetry = FIRST_RETRY_COUNT
  /** Limit that the last error message with a usable number stated, in blocks. */
  private statedLimit: number | undefined
  /** True if the last error message stated the requested range, or a wider range, as the limit. */
  private didLastRefusalRepeat = false
  /** True while the next request tries a range wider than the accepted range. */
  private isTryingWider = false

  /** @param acceptedBlocks - range that was accepted before a restart */
  constructor(acceptedBlocks?: number) {
    const isValid = acceptedBlocks !== undefined && acceptedBlocks >= 1 && acceptedBlocks <= MAX_RANGE
    this.nextRange = isValid ? acceptedBlocks : FIRST_RANGE
    this.acceptedBlocks = isValid ? acceptedBlocks : 0
    // Skip the bisection after a restart; wider ranges are tried at intervals.
    if (isValid) this.refusedBlocks = acceptedBlocks + 1
  }

  /** Number of blocks to request next. */
  get blocks(): number {
    return this.nextRange
  }

  /** The accepted range; undefined before the first response. */
  get acceptedRange(): number | undefined {
    return this.acceptedBlocks > 0 ? this.acceptedBlocks : undefined
  }

  /**
   * Records an accepted request.
   *
   * @param blocks - range of the request; a range shorter than the planned one, at the end of a scan, is ignored
   */
  recordAccepted(blocks: number): void {
    this.didLastRefusalRepeat = false
    if (blocks < this.nextRange) return
    this.acceptedBlocks = blocks
    if (this.isTryingWider) {
      this.isTryingWider = false
      this.acceptedNeededForRetry = FIRST_RETRY_COUNT
      this.refusedBlocks = MAX_RANGE + 1
    }
    if (this.refusedBlocks > MAX_RANGE) this.nextRange = Math.min(MAX_RANGE, blocks * 2)
    else if (this.refusedBlocks - blocks > Math.max(1, blocks * PRECISION))
      this.nextRange = Math.floor((blocks + this.refusedBlocks) / 2)
    else if (++this.acceptedCount >= this.acceptedNeededForRetry) {
      this.acceptedCount = 0
      this.acceptedNeededForRetry = Math.min(MAX_RETRY_COUNT, this.acceptedNeededForRetry * 2)
      this.isTryingWider = true
      this.nextRange = Math.min(MAX_RANGE, blocks * 2)
    }
  }

  /**
   * Records a refused request.
   *
   * @param hintBlocks - range that the error message states as the limit; undefined if it states none
   * @returns false if not even one block is accepted
   */
  recordRefused(blocks: number, hintBlocks: number | undefined): boolean {
    if (blocks <= 1) return false
    if (this.isTryingWider && this.acceptedBlocks > 0 && this.acceptedBlocks < blocks) {
      this.isTryingWider = false
      this.nextRange = this.acceptedBlocks
      return true
    }
    const repeatsRange = hintBlocks !== undefined && hintBlocks >= blocks
    // Some providers count both ends of a range, so try one block less than a range that the message repeats. If the
    // next message repeats its range too, the number is not a limit: Reth always repeats the refused range.
    const limit = repeatsRange ? (this.didLastRefusalRepeat ? undefined : blocks - 1) : hintBlocks
    this.didLastRefusalRepeat = repeatsRange
    if (limit !== undefined) {
      // A limit that was stated twice belongs to the provider's plan, and does not depend on the logs in the range.
      this.refusedBlocks = limit === this.statedLimit ? limit + 1 : blocks
      this.statedLimit = limit
      this.acceptedBlocks = 0
      this.nextRange = limit
      return true
    }
    this.refusedBlocks = blocks
    // Return to the accepted range, unless it is the range that was just refused.
    this.nextRange =
      this.acceptedBlocks > 0 && this.acceptedBlocks < blocks
        ? this.acceptedBlocks
        : Math.max(1, Math.floor(blocks / 4))
    if (this.nextRange !== this.acceptedBlocks) this.acceptedBlocks = 0
    return true
  }
}
