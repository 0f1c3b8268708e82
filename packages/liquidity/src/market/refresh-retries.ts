/**
 * Retries pools that have no state because a read failed. For example, the pool's rate provider reverted for a few
 * blocks, or an overloaded node refused the read. No log shows that such a pool can be read again.
 */
import { Backoff } from './backoff.ts'

/** Maximum blocks between two attempts. */
const MAX_RETRY_BLOCKS = 1_024
/** Maximum pools that are retried at one block. */
const MAX_PER_BLOCK = 8

type Options = {
  /** Maximum pools that wait. Others wait for their next log, because anyone can create pools that revert. */
  readonly maxWaiting: number
  /** Maximum failures of a pool, after which it waits for its next log. */
  readonly maxFailures: number
}

/** Limits of pools that lost their state. */
export const LOST_POOLS: Options = { maxWaiting: 1_000, maxFailures: Number.POSITIVE_INFINITY }
/**
 * Limits of pools that never had a state. Most of them are not initialized yet or are worthless, so they are tried for
 * only a few hundred blocks.
 */
export const NEW_POOLS: Options = { maxWaiting: 500, maxFailures: 8 }

export class RefreshRetries {
  private readonly backoff = new Backoff(MAX_RETRY_BLOCKS)
  private readonly options: Options
  /** Number of failures by the id of a waiting pool. */
  private readonly failuresById = new Map<string, number>()

  constructor(options: Options) {
    this.options = options
  }

  isWaiting(id: string): boolean {
    return this.failuresById.has(id)
  }

  /** Records that pools could not be read at a block. */
  recordFailures(ids: readonly string[], block: number): void {
    const { maxWaiting, maxFailures } = this.options
    for (const id of ids) {
      const failures = (this.failuresById.get(id) ?? 0) + 1
      if (failures === 1 && this.failuresById.size >= maxWaiting) continue
      if (failures > maxFailures) {
        this.forget(id)
        continue
      }
      this.failuresById.set(id, failures)
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
    for (const id of this.failuresById.keys())
      if (!isWaiting(id)) this.forget(id)
      else if (dueIds.length < MAX_PER_BLOCK && this.backoff.isDue(id, block)) dueIds.push(id)
    return dueIds
  }

  private forget(id: string): void {
    this.failuresById.delete(id)
    this.backoff.recordSuccess(id)
  }
}
