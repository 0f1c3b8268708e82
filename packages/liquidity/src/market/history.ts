/** The last blocks of a chain with their pools. */
import type { Hex } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'
import type { PoolMap } from '../pool-map.ts'

/** Maximum reorg depth in blocks that is undone exactly; after a deeper reorg all pools are read again. */
export const HISTORY_BLOCKS = 64

/** State at the end of one block. */
export type HistoryEntry = {
  readonly block: BlockHeader
  readonly pools: PoolMap
  /** Ids of the pools that differ from the previous entry. */
  readonly changedIds: ReadonlySet<string>
}

/** Consecutive blocks, oldest first. Immutable. */
export class History {
  private readonly entries: readonly HistoryEntry[]

  constructor(entries: readonly HistoryEntry[]) {
    this.entries = entries.slice(-HISTORY_BLOCKS - 1)
  }

  /** The newest entry. */
  get top(): HistoryEntry {
    return this.entries.at(-1)!
  }

  get oldest(): HistoryEntry {
    return this.entries[0]!
  }

  find(hash: Hex): HistoryEntry | undefined {
    return this.entries.findLast(({ block }) => block.hash === hash)
  }

  /** Returns the entries above `entry`, which a fork at `entry` undoes. */
  entriesAbove(entry: HistoryEntry): readonly HistoryEntry[] {
    return this.entries.slice(this.entries.indexOf(entry) + 1)
  }

  /** Returns the history up to `entry`, followed by `newEntries`. */
  continueFrom(entry: HistoryEntry, newEntries: readonly HistoryEntry[]): History {
    return new History([...this.entries.slice(0, this.entries.indexOf(entry) + 1), ...newEntries])
  }

  /** Returns the history with its newest entry replaced. */
  replaceTop(entry: HistoryEntry): History {
    return new History([...this.entries.slice(0, -1), entry])
  }
}
