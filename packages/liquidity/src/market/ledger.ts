/** Holds the block history of a market and its published snapshot. A writer must hold `mutex`. */
import { Semaphore } from '@sluice/rpc'
import { MarketError } from '../errors.ts'
import type { Snapshot } from '../snapshot.ts'
import type { History } from './history.ts'

export class Ledger {
  readonly chainId: number
  /** While a caller holds the mutex, no other code changes the history. */
  readonly mutex = new Semaphore(1)
  private current: History | null = null
  private publishedSnapshot: Snapshot | null = null
  private readonly listeners = new Set<(snapshot: Snapshot) => void>()

  constructor(chainId: number) {
    this.chainId = chainId
  }

  get history(): History | null {
    return this.current
  }

  /** The newest snapshot; null before the first one. */
  get newest(): Snapshot | null {
    return this.publishedSnapshot
  }

  /** @throws MarketError `NOT_READY` */
  snapshot(): Snapshot {
    if (!this.publishedSnapshot) throw new MarketError('NOT_READY', `chain ${this.chainId} has not been read yet`)
    return this.publishedSnapshot
  }

  /** Sets the saved history without publishing it. The first `commit` publishes it, at the node's head. */
  restore(history: History): void {
    this.current = history
  }

  /**
   * Sets the history and publishes its newest block. `changedIds` lists the differences from the previous snapshot;
   * null if all pools may differ.
   */
  commit(history: History, changedIds: readonly string[] | null): void {
    this.current = history
    const { block, pools } = history.top
    // The first snapshot has no predecessor to differ from.
    const snapshot = { chainId: this.chainId, block, pools, changedIds: this.publishedSnapshot && changedIds }
    this.publishedSnapshot = snapshot
    for (const listener of this.listeners) listener(snapshot)
  }

  onSnapshot(listener: (snapshot: Snapshot) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}
