/** Changes from state to state of a chain, as bytes in memory that all threads read: put into words once, copied never. */
import { entriesBetween, entryBetween, type Mark, markOf, type Snapshot } from '@sluice/liquidity'

type Pools = Snapshot['pools']

/** Entries kept: a thread that is further behind is told pool by pool. */
const MOST_ENTRIES = 32
/** Pools in an entry: putting more into words would hold up the process; they are told some at a time. */
const MOST_CHANGED = 1_000

export class EntryLog {
  /** States in the order in which they were told; the entry at the same index leads to it from the one before. */
  private states: Mark[] = []
  private entries: Uint8Array[] = []
  private last: WeakRef<Pools> | null = null

  /** Those that lead from one state to another; null where they do not, and the pools themselves must be told. */
  between(before: Pools, after: Pools): readonly Uint8Array[] | null {
    if (this.indexOf(after) < 0) this.append(after)
    const [from, to] = [this.indexOf(before), this.indexOf(after)]
    return from < 0 || to < from ? null : this.entries.slice(from + 1, to + 1)
  }

  private append(pools: Pools): void {
    const last = this.last?.deref()
    this.last = new WeakRef(pools)
    const told = last && this.since(last, pools)
    if (!told) {
      this.states = [markOf(pools)]
      this.entries = [new Uint8Array()]
      return
    }
    for (const { after, bytes } of told) {
      this.states.push(after)
      this.entries.push(shared(bytes))
    }
    this.states = this.states.slice(-MOST_ENTRIES)
    this.entries = this.entries.slice(-MOST_ENTRIES)
  }

  /** As another process told them, else in words of our own. */
  private since(before: Pools, after: Pools): readonly { readonly after: Mark; readonly bytes: Uint8Array }[] | null {
    const told = entriesBetween(before, after, MOST_ENTRIES)
    if (told) return told
    const bytes = entryBetween(before, after, MOST_CHANGED)
    return bytes && [{ after: markOf(after), bytes }]
  }

  private indexOf(pools: Pools): number {
    return this.states.lastIndexOf(markOf(pools))
  }
}

function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}
