/**
 * Cache of encoded entries by the state that they lead to, so that an entry is encoded once and forwarded to every
 * consumer.
 */
import type { Pool } from '../family.ts'

type Pools = ReadonlyMap<string, Pool>

/** Maximum entries kept per state, and maximum bytes of the entries before the last one. */
const MAX_STEPS = 32
const MAX_BYTES = 2 ** 20

/**
 * Identifies a state without retaining it. A WeakRef does not suffice: V8 treats it as strong in young-generation
 * collections. A chain of states would be promoted to the old generation.
 */
export type Mark = object
const marks = new WeakMap<Pools, Mark>()

/** Returns the mark of a state. */
export function markOf(pools: Pools): Mark {
  const existing = marks.get(pools)
  if (existing) return existing
  const mark = {}
  marks.set(pools, mark)
  return mark
}

type Step = { readonly before: Mark; readonly after: Mark; readonly bytes: Uint8Array }

/** Chains of entries by resulting state; the newest entry first. */
const steps = new WeakMap<Pools, readonly Step[]>()

/** Caches the entry between two successive states. */
export function rememberEntry(before: Pools, after: Pools, bytes: Uint8Array): void {
  const chain: Step[] = [{ before: markOf(before), after: markOf(after), bytes }]
  let size = 0
  for (const step of steps.get(before) ?? []) {
    size += step.bytes.length
    if (size > MAX_BYTES || chain.length === MAX_STEPS) break
    chain.push(step)
  }
  steps.set(after, chain)
}

/**
 * Returns the entries that lead from one state to another, each with the resulting state. Null if some are not cached
 * or there are more than `maxEntries`.
 */
export function entriesBetween(
  before: Pools,
  after: Pools,
  maxEntries: number,
): readonly { readonly after: Mark; readonly bytes: Uint8Array }[] | null {
  if (before === after) return []
  const chain = steps.get(after) ?? []
  const first = markOf(before)
  const last = chain.findIndex((step) => step.before === first)
  return last < 0 || last >= maxEntries ? null : chain.slice(0, last + 1).reverse()
}
