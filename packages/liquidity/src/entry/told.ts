/** Entries that a state was made by, for whoever passes them on: what has been told once need not be put into words again. */
import type { Pool } from '../family.ts'

type Pools = ReadonlyMap<string, Pool>

/** By the state after it. The state before is not kept by it, else none would ever be let go. */
const entries = new WeakMap<Pools, { readonly before: WeakRef<Pools>; readonly bytes: Uint8Array }>()

export function rememberEntry(before: Pools, after: Pools, bytes: Uint8Array): void {
  entries.set(after, { before: new WeakRef(before), bytes })
}

/** Those that lead from one state to another, each with the state after it; null where some are not known, or are too many. */
export function entriesBetween(
  before: Pools,
  after: Pools,
  most: number,
): readonly { readonly after: Pools; readonly bytes: Uint8Array }[] | null {
  const found: { after: Pools; bytes: Uint8Array }[] = []
  for (let at: Pools | undefined = after; at !== before; at = entries.get(at)!.before.deref()) {
    const entry = at && entries.get(at)
    if (!at || !entry || found.length === most) return null
    found.unshift({ after: at, bytes: entry.bytes })
  }
  return found
}
