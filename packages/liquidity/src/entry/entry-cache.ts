/**
 * Cache of encoded entries, keyed by the pools after the entry. An entry is encoded once and forwarded to every
 * consumer.
 */
import type { Pool } from '../family.ts'

type PoolById = ReadonlyMap<string, Pool>

/** Maximum entries of a sequence, and maximum bytes of a sequence without its newest entry. */
const MAX_ENTRIES = 32
const MAX_BYTES = 2 ** 20

/**
 * Identifies a pool map without retaining it. A WeakRef does not suffice: V8 treats it as a strong reference in
 * collections of the young generation. Successive maps would then retain one another and reach the old generation.
 */
export type Mark = object
const markByPools = new WeakMap<PoolById, Mark>()

/** Returns the mark of a pool map. */
export function markOf(pools: PoolById): Mark {
  const existingMark = markByPools.get(pools)
  if (existingMark) return existingMark
  const mark = {}
  markByPools.set(pools, mark)
  return mark
}

type CachedEntry = { readonly before: Mark; readonly after: Mark; readonly bytes: Uint8Array }

/** Sequences of successive entries, newest first, by the pools after the newest entry. */
const entrySequences = new WeakMap<PoolById, readonly CachedEntry[]>()

/** Caches the entry between two successive pool maps. */
export function rememberEntry(oldPools: PoolById, newPools: PoolById, bytes: Uint8Array): void {
  const sequence: CachedEntry[] = [{ before: markOf(oldPools), after: markOf(newPools), bytes }]
  let totalBytes = 0
  for (const entry of entrySequences.get(oldPools) ?? []) {
    totalBytes += entry.bytes.length
    if (totalBytes > MAX_BYTES || sequence.length === MAX_ENTRIES) break
    sequence.push(entry)
  }
  entrySequences.set(newPools, sequence)
}

/**
 * Returns the entries that lead from `oldPools` to `newPools`, oldest first. `after` is the mark of the pools after an
 * entry. Returns null if an entry is not cached or if there are more than `maxEntries`.
 */
export function entriesBetween(
  oldPools: PoolById,
  newPools: PoolById,
  maxEntries: number,
): readonly { readonly after: Mark; readonly bytes: Uint8Array }[] | null {
  if (oldPools === newPools) return []
  const sequence = entrySequences.get(newPools) ?? []
  const oldMark = markOf(oldPools)
  const oldestIndex = sequence.findIndex((entry) => entry.before === oldMark)
  return oldestIndex < 0 || oldestIndex >= maxEntries ? null : sequence.slice(0, oldestIndex + 1).reverse()
}
