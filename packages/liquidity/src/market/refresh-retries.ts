/**
 * Retries pools that lost their state because a read failed, such as a pool of a rate provider that reverts for a few
 * blocks, or a pool whose read an overloaded node refused. No log shows that they can be read again.
 */
import { Backoff } from './backoff.ts'

/** Maximum blocks between two attempts. */
const MAX_RETRY_BLOCKS = 1_024
/** Maximum pools that wait. Others wait for their next log, because anyone can create pools that revert. */
const MAX_WAITING = 1_000
/** Maximum pools per block. */
const MAX_PER_BLOCK = 8

export class RefreshRetries {
  private readonly backoff = new Backoff(MAX_RETRY_BLOCKS)
  private readonly waitingIds = new Set<string>()

  /** Records that pools could not be read at a block. */
  recordFailures(ids: readonly string[], block: number): void {
    for (const id of ids) {
      if (!this.waitingIds.has(id) && this.waitingIds.size >= MAX_WAITING) continue
      this.waitingIds.add(id)
      this.backoff.recordFailure(id, block)
    }
  }

  /**
   * Returns the pools to read at a block, and forgets those that no longer wait.
   *
   * @param isWaiting - true for a followed pool without state
   */
  takeDue(block: number, isWaiting: (id: string) => boolean): readonly string[] {
    const dueIds: string[] = []
    for (const id of this.waitingIds)
      if (!isWaiting(id)) {
        this.waitingIds.delete(id)
        this.backoff.recordSuccess(id)
      } else if (dueIds.length < MAX_PER_BLOCK && this.backoff.isDue(id, block)) dueIds.push(id)
    return dueIds
  }
}
