/** The last blocks with their pools, and what of them is shown to the outside. Whoever changes it holds `mutex`. */
import { Semaphore } from '@sluice/rpc'
import { MarketError } from '../errors.ts'
import type { Snapshot } from '../snapshot.ts'
import type { History } from './history.ts'

export class Ledger {
  readonly chainId: number
  /** The newest block stands still for whoever holds it. */
  readonly mutex = new Semaphore(1)
  private current: History | null = null
  private published: Snapshot | null = null
  private readonly listeners = new Set<(snapshot: Snapshot) => void>()

  constructor(chainId: number) {
    this.chainId = chainId
  }

  get history(): History | null {
    return this.current
  }

  /** The newest whole block; null before there is one. */
  get newest(): Snapshot | null {
    return this.published
  }

  /** @throws MarketError `NOT_READY` */
  snapshot(): Snapshot {
    if (!this.published) throw new MarketError('NOT_READY', `chain ${this.chainId} has not been read yet`)
    return this.published
  }

  /** The history as saved: followed from there, and shown when that has been done once. */
  restore(history: History): void {
    this.current = history
  }

  commit(history: History, changed: readonly string[] | null): void {
    this.current = history
    const { block, pools } = history.top
    // Nothing was shown before the first one that it could be told apart from.
    const snapshot = { chainId: this.chainId, block, pools, changed: this.published && changed }
    this.published = snapshot
    for (const listener of this.listeners) listener(snapshot)
  }

  onSnapshot(listener: (snapshot: Snapshot) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}
