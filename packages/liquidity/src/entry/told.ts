/** Entries that a state was made by, for whoever passes them on: what has been told once need not be put into words again. */
import type { Pool } from '../family.ts'

type Pools = ReadonlyMap<string, Pool>

/** States back to which one can tell what led to it, and the bytes of their entries beyond the last one. */
const MOST_STEPS = 32
const MOST_BYTES = 2 ** 20

/**
 * A state by a name that keeps nothing of it in memory. A weak reference would: the collector takes those for strong ones as long as
 * it looks at young objects alone, and of a chain of them all states would grow old.
 */
export type Mark = object
const marks = new WeakMap<Pools, Mark>()

export function markOf(pools: Pools): Mark {
  const known = marks.get(pools)
  if (known) return known
  const mark = {}
  marks.set(pools, mark)
  return mark
}

type Step = { readonly before: Mark; readonly after: Mark; readonly bytes: Uint8Array }

/** By the state after it, the last step first. */
const steps = new WeakMap<Pools, readonly Step[]>()

export function rememberEntry(before: Pools, after: Pools, bytes: Uint8Array): void {
  const kept: Step[] = [{ before: markOf(before), after: markOf(after), bytes }]
  let size = 0
  for (const step of steps.get(before) ?? []) {
    size += step.bytes.length
    if (size > MOST_BYTES || kept.length === MOST_STEPS) break
    kept.push(step)
  }
  steps.set(after, kept)
}

/** Those that lead from one state to another, each with the state after it; null where some are not known, or are too many. */
export function entriesBetween(
  before: Pools,
  after: Pools,
  most: number,
): readonly { readonly after: Mark; readonly bytes: Uint8Array }[] | null {
  if (before === after) return []
  const known = steps.get(after) ?? []
  const first = markOf(before)
  const last = known.findIndex((step) => step.before === first)
  return last < 0 || last >= most ? null : known.slice(0, last + 1).reverse()
}
