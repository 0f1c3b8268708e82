/**
 * Stops following pools of tokens that are no longer requested. The ledger holds the last blocks, each with the
 * followed pools.
 */

import type { Ledger } from './ledger.ts'
import type { PoolDirectory } from './pool-directory.ts'

export class Evictor {
  private readonly directory: PoolDirectory
  private readonly ledger: Ledger
  private isScheduled = false

  constructor(directory: PoolDirectory, ledger: Ledger) {
    this.directory = directory
    this.ledger = ledger
  }

  /** Schedules an eviction for when no block is being processed. */
  run(): void {
    if (this.isScheduled) return
    this.isScheduled = true
    void this.ledger.mutex.run(async () => {
      this.isScheduled = false
      this.drop()
    })
  }

  /** Drops tokens and their pools. They are discovered again on request, and a reorg does not restore them. */
  private drop(): void {
    const { directory, ledger } = this
    directory.tokens.dropIdle()
    const ids = [...directory.dropUnfollowed(directory.tokens.takeDropped())]
    while (directory.isOverfull && directory.tokens.dropOldest())
      ids.push(...directory.dropUnfollowed(directory.tokens.takeDropped()))
    const { history } = ledger
    if (!history || ids.length === 0) return
    const { top } = history
    const newTop = { ...top, pools: top.pools.with([], ids), changedIds: new Set([...top.changedIds, ...ids]) }
    // Before the first sync, the state restored from the file must stay unpublished.
    if (ledger.newest) ledger.commit(history.replaceTop(newTop), ids)
    else ledger.restore(history.replaceTop(newTop))
  }
}
