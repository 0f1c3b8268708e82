/**
 * Log of the state changes of a chain's pools, as bytes in shared memory. Each change (an entry) is encoded once and
 * read by all routing threads. Written by `router-thread.ts` on the main thread.
 */
import { encodeEntryBetween, entriesBetween, type Mark, markOf, type Snapshot } from '@sluice/liquidity'

type Pools = Snapshot['pools']

/** Maximum number of entries in the log. A thread that is further behind receives the pools themselves. */
const MAX_ENTRIES = 32
/**
 * Maximum number of changed pools in an entry. Encoding more pools would block the event loop, so the pools themselves
 * are sent, in batches.
 */
const MAX_CHANGED_POOLS = 1_000

/** The log of one chain. */
export class EntryLog {
  /** States in order. The entry at an index leads from the previous state to the state at this index. */
  private states: Mark[] = []
  private entries: Uint8Array[] = []
  private lastPools: WeakRef<Pools> | null = null

  /**
   * Returns the entries from one state to another; null if the log does not cover them, and the pools themselves must
   * be sent.
   */
  between(before: Pools, after: Pools): readonly Uint8Array[] | null {
    if (this.indexOf(after) < 0) this.append(after)
    const [fromIndex, toIndex] = [this.indexOf(before), this.indexOf(after)]
    return fromIndex < 0 || toIndex < fromIndex ? null : this.entries.slice(fromIndex + 1, toIndex + 1)
  }

  private append(pools: Pools): void {
    const previousPools = this.lastPools?.deref()
    this.lastPools = new WeakRef(pools)
    const entries = previousPools && this.entriesSince(previousPools, pools)
    if (!entries) {
      this.states = [markOf(pools)]
      this.entries = [new Uint8Array()]
      return
    }
    for (const { after, bytes } of entries) {
      this.states.push(after)
      this.entries.push(toSharedMemory(bytes))
    }
    this.states = this.states.slice(-MAX_ENTRIES)
    this.entries = this.entries.slice(-MAX_ENTRIES)
  }

  /** Returns entries that another process sent, or encodes one; null if there are too many changes. */
  private entriesSince(
    before: Pools,
    after: Pools,
  ): readonly { readonly after: Mark; readonly bytes: Uint8Array }[] | null {
    const entries = entriesBetween(before, after, MAX_ENTRIES)
    if (entries) return entries
    const bytes = encodeEntryBetween(before, after, MAX_CHANGED_POOLS)
    return bytes && [{ after: markOf(after), bytes }]
  }

  private indexOf(pools: Pools): number {
    return this.states.lastIndexOf(markOf(pools))
  }
}

function toSharedMemory(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length))
  copy.set(bytes)
  return copy
}
