import type { Hex } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'
import type { PoolMap } from '../pool-map.ts'

/** Blocks that a reorg may undo exactly; a deeper one reads everything again. */
export const HISTORY_BLOCKS = 64

export type Entry = {
  readonly block: BlockHeader
  readonly pools: PoolMap
  /** Ids that differ from the entry before. */
  readonly changed: ReadonlySet<string>
}

/** The last blocks, each the child of the one before. Immutable. */
export class History {
  private readonly entries: readonly Entry[]

  constructor(entries: readonly Entry[]) {
    this.entries = entries.slice(-HISTORY_BLOCKS - 1)
  }

  get top(): Entry {
    return this.entries.at(-1)!
  }

  get oldest(): Entry {
    return this.entries[0]!
  }

  find(hash: Hex): Entry | undefined {
    return this.entries.findLast(({ block }) => block.hash === hash)
  }

  /** The entries above an entry: undone when the chain goes on from there. */
  above(entry: Entry): readonly Entry[] {
    return this.entries.slice(this.entries.indexOf(entry) + 1)
  }

  /** The history that goes on from `entry` with `next`. */
  goOn(entry: Entry, next: readonly Entry[]): History {
    return new History([...this.entries.slice(0, this.entries.indexOf(entry) + 1), ...next])
  }

  /** The history with other pools at its newest block. */
  replaceTop(entry: Entry): History {
    return new History([...this.entries.slice(0, -1), entry])
  }
}
