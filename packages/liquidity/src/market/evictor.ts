/** Ends the following of pools that nobody asks for any more. */

import type { Ledger } from './ledger.ts'
import type { PoolDirectory } from './pool-directory.ts'

export class Evictor {
  private readonly directory: PoolDirectory
  private readonly ledger: Ledger
  private waiting = false

  constructor(directory: PoolDirectory, ledger: Ledger) {
    this.directory = directory
    this.ledger = ledger
  }

  /** As soon as the newest block stands still. */
  run(): void {
    if (this.waiting) return
    this.waiting = true
    void this.ledger.mutex.run(async () => {
      this.waiting = false
      this.drop()
    })
  }

  /** Drops pools and tokens: what was dropped is found again when somebody asks for it, and no reorg brings it back. */
  private drop(): void {
    const { directory, ledger } = this
    directory.tokens.dropIdle()
    const ids = [...directory.dropUnwanted(directory.tokens.takeDropped())]
    while (directory.isOverfull && directory.tokens.dropOldest())
      ids.push(...directory.dropUnwanted(directory.tokens.takeDropped()))
    const { history } = ledger
    if (!history || ids.length === 0) return
    const { top } = history
    const entry = { ...top, pools: top.pools.with([], ids), changed: new Set([...top.changed, ...ids]) }
    // Not before the first block was shown: what is restored is not shown as it is.
    if (ledger.newest) ledger.commit(history.replaceTop(entry), ids)
    else ledger.restore(history.replaceTop(entry))
  }
}
