/** Ends the following of pools that nobody asks for any more. */
import type { PoolBook } from './book.ts'
import type { Ledger } from './ledger.ts'

export class Evictor {
  private readonly book: PoolBook
  private readonly ledger: Ledger
  private waiting = false

  constructor(book: PoolBook, ledger: Ledger) {
    this.book = book
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

  /** What was dropped is found again when somebody asks for it, and no reorg brings it back. */
  private drop(): void {
    const { book, ledger } = this
    book.tokens.dropIdle()
    const ids = [...book.dropUnwanted(book.tokens.takeDropped())]
    while (book.isOverfull && book.tokens.dropOldest()) ids.push(...book.dropUnwanted(book.tokens.takeDropped()))
    const { history } = ledger
    if (!history || ids.length === 0) return
    const { top } = history
    const entry = { ...top, pools: top.pools.with([], ids), changed: new Set([...top.changed, ...ids]) }
    // Not before the first block was shown: what is restored is not shown as it is.
    if (ledger.newest) ledger.commit(history.replaceTop(entry), ids)
    else ledger.restore(history.replaceTop(entry))
  }
}
