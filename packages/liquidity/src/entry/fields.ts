/** Pools put together again from fields, as they are scanned and as entries tell of them. */
import type { Steps } from '@sluice/rpc'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { fromText } from '../store/text.ts'
import { fieldCount, type Main, type State, type Told } from './codec.ts'

/** Entry of the stream. */
export type Entry = {
  readonly pools: readonly (readonly [field: string, value: unknown])[]
  readonly gone: readonly string[]
  readonly pairs: { readonly added: readonly string[]; readonly removed: readonly string[] }
}

export const readEntry = (text: string): Entry => fromText<Entry>(text)

type PoolFields = { main?: Main | Told; long?: Map<string, unknown> }

/** Pools between two steps of the work. */
const STEP = 200

/** Fields by the pool that they are of. */
export class Fields {
  private readonly pools = new Map<string, PoolFields>()

  static of(entry: Entry): Fields {
    const fields = new Fields()
    for (const [field, value] of entry.pools) fields.set(field, value)
    return fields
  }

  /** Takes in a field as the hash holds it, or as an entry tells it: in full, or the state of a pool whose identity is known. */
  set(field: string, value: unknown): void {
    const cut = field.indexOf(' ')
    const id = cut < 0 ? field : field.slice(0, cut)
    const pool: PoolFields = this.pools.get(id) ?? {}
    if (!pool.main && !pool.long) this.pools.set(id, pool)
    if (cut >= 0) {
      pool.long ??= new Map()
      pool.long.set(field.slice(cut + 1), value)
      return
    }
    if (!pool.main) {
      pool.main = value as Told
      return
    }
    const { apart: _, ...was } = pool.main as Main
    pool.main = { ...was, ...(value as Told) }
  }

  /** Brings them to the end of an entry, which may have been seen already: all in it is absolute. */
  follow({ pools, gone }: Entry): void {
    for (const [field, value] of pools) {
      this.set(field, value)
      if (!field.includes(' ')) this.dropLong(field)
    }
    for (const id of gone) this.pools.delete(id)
  }

  /** Arrays that are so short by now that they stand in the state itself. */
  private dropLong(id: string): void {
    const { main, long } = this.pools.get(id)!
    for (const name of long?.keys() ?? []) if (!main?.apart?.includes(name)) long!.delete(name)
  }

  get count(): number {
    let count = 0
    for (const { main, long } of this.pools.values()) count += (main ? 1 : 0) + (long?.size ?? 0)
    return count
  }

  /** Null where a part of a pool is missing. */
  *toMap(): Steps<PoolMap | null> {
    const pools: Pool[] = []
    const texts = new Map<string, string>()
    for (const [id, fields] of this.pools) {
      const pool = together(fields, undefined)
      if (!pool || pool.id !== id) return null
      pools.push(shared(pool, texts))
      if (pools.length % STEP === 0) yield
    }
    return yield* PoolMap.of(pools)
  }

  /** The pools of an entry on top of those before it; null where it does not fit them. */
  over(before: PoolMap, gone: readonly string[]): { readonly pools: PoolMap; readonly more: number } | null {
    const changed: Pool[] = []
    let more = 0
    for (const [id, fields] of this.pools) {
      const was = before.get(id)
      const pool = together(fields, was)
      if (!pool) return null
      more += fieldCount(pool) - (was ? fieldCount(was) : 0)
      changed.push(pool)
    }
    for (const id of gone) {
      const was = before.get(id)
      if (was) more -= fieldCount(was)
    }
    return { pools: before.with(changed, gone), more }
  }

  get ids(): readonly string[] {
    return [...this.pools.keys()]
  }
}

function together({ main, long }: PoolFields, was: Pool | undefined): Pool | null {
  if (!main || !('tokens' in main || was)) return null
  // What was read is a pool by itself where nothing of it stands elsewhere, as that of most is.
  if (!main.apart && 'tokens' in main && !was) return main as Pool
  const { apart = [], ...told } = main
  const state: Record<string, unknown> = { ...told.state }
  for (const name of apart) {
    state[name] = long?.get(name) ?? (was?.state as State | undefined)?.[name]
    if (!Array.isArray(state[name])) return null
  }
  return { ...was, ...told, state } as Pool
}

/** One text for an address however many pools name it; the pool is nobody else's yet. */
function shared(pool: { -readonly [K in keyof Pool]: Pool[K] }, texts: Map<string, string>): Pool {
  const one = <T extends string>(text: T): T => {
    const known = texts.get(text)
    if (known === undefined) texts.set(text, text)
    return (known ?? text) as T
  }
  pool.tokens = pool.tokens.map(one)
  pool.dex = one(pool.dex)
  pool.family = one(pool.family)
  return pool
}
