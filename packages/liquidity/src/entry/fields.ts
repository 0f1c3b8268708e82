/** Decodes entries, and assembles pools from the fields of a hash. */
import type { Steps } from '@sluice/rpc'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { fromText } from '../store/text.ts'
import { fieldCount, type Main, type PoolState, type StateOnly } from './codec.ts'
import { defineLongs, Long, sourceOf } from './long.ts'

/** A decoded entry of the stream. */
export type DecodedEntry = {
  readonly pools: readonly (readonly [id: string, pool: unknown])[]
  /** Fields of the long arrays that changed. */
  readonly longs: readonly (readonly [field: string, long: Long])[]
  readonly gone: readonly string[]
  readonly pairs: { readonly added: readonly string[]; readonly removed: readonly string[] }
}

const LINE = '\n'.charCodeAt(0)

/** Decodes an entry. Returns null if the bytes are malformed: the reader then loads the full state again. */
export function readEntry(bytes: Uint8Array): DecodedEntry | null {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  let end = lineEnd(text, 0)
  const head = headOf(text.toString('utf8', 0, end))
  if (!head) return null
  const longs: [string, Long][] = []
  for (const field of head.longs) {
    const start = end + 1
    end = lineEnd(text, start)
    // Encode each array as its own string: a substring would retain the whole text of the entry.
    const long = Long.of(text.toString('utf8', start, end))
    if (!long) return null
    longs.push([field, long])
  }
  return end === text.length ? { ...head, longs } : null
}

function lineEnd(text: Buffer, start: number): number {
  const end = text.indexOf(LINE, start)
  return end < 0 ? text.length : end
}

type EntryHead = Omit<DecodedEntry, 'longs'> & { readonly longs: readonly string[] }

function headOf(text: string): EntryHead | null {
  try {
    const head = fromText<EntryHead>(text)
    const { pools, longs, gone, pairs } = head
    if (![pools, longs, gone, pairs.added, pairs.removed].every(Array.isArray)) return null
    return pools.every((pool) => typeof pool?.[0] === 'string') && longs.every(isLongField) ? head : null
  } catch {
    return null
  }
}

const isLongField = (field: unknown) => typeof field === 'string' && field.includes(' ')

type PoolFields = { main?: Main | StateOnly; long?: Map<string, Long> }

/** Pools between two yields to the event loop. */
const STEP = 200

/** Collects fields by pool, from a scan of the hash and from entries that arrive meanwhile. */
export class FieldCollector {
  private readonly pools = new Map<string, PoolFields>()

  static of(entry: DecodedEntry): FieldCollector {
    const fields = new FieldCollector()
    for (const [id, pool] of entry.pools) fields.setPool(id, pool)
    for (const [field, long] of entry.longs) fields.setLong(field, long)
    return fields
  }

  /** Adds a field of the hash. @throws SyntaxError */
  set(field: string, text: string): void {
    if (!field.includes(' ')) {
      this.setPool(field, fromText(text))
      return
    }
    const long = Long.of(text)
    if (!long) throw new SyntaxError('expected the text of a JSON array')
    this.setLong(field, long)
  }

  /** Adds a whole pool, or merges the state of a pool whose identity is present. */
  private setPool(id: string, content: unknown): void {
    const pool = this.of(id)
    if (!pool.main) {
      pool.main = content as StateOnly
      return
    }
    const { apart: _, ...previousContent } = pool.main as Main
    pool.main = { ...previousContent, ...(content as StateOnly) }
  }

  private setLong(field: string, long: Long): void {
    const separatorAt = field.indexOf(' ')
    const pool = this.of(field.slice(0, separatorAt))
    pool.long ??= new Map()
    pool.long.set(field.slice(separatorAt + 1), long)
  }

  private of(id: string): PoolFields {
    const existing = this.pools.get(id)
    if (existing) return existing
    const pool: PoolFields = {}
    this.pools.set(id, pool)
    return pool
  }

  /** Applies an entry. Applying it twice is harmless, because its values are absolute. */
  follow({ pools, longs, gone }: DecodedEntry): void {
    for (const [id, pool] of pools) {
      this.setPool(id, pool)
      this.dropLong(id)
    }
    for (const [field, long] of longs) this.setLong(field, long)
    for (const id of gone) this.pools.delete(id)
  }

  /** Drops long arrays that have become short and are now stored in the state itself. */
  private dropLong(id: string): void {
    const { main, long } = this.pools.get(id)!
    for (const name of long?.keys() ?? []) if (!main?.apart?.includes(name)) long!.delete(name)
  }

  get count(): number {
    let count = 0
    for (const { main, long } of this.pools.values()) count += (main ? 1 : 0) + (long?.size ?? 0)
    return count
  }

  /** Builds a map of the pools; null if a part of a pool is missing. */
  *toMap(): Steps<PoolMap | null> {
    const pools: Pool[] = []
    const texts = new Map<string, string>()
    for (const [id, fields] of this.pools) {
      const pool = assemblePool(fields, undefined)
      if (!pool || pool.id !== id) return null
      pools.push(internStrings(pool, texts))
      if (pools.length % STEP === 0) yield
    }
    return yield* PoolMap.of(pools)
  }

  /**
   * Applies the collected pools to a state; null if they do not fit it. `fieldCountChange` may be negative.
   */
  applyTo(
    before: PoolMap,
    goneIds: readonly string[],
  ): { readonly pools: PoolMap; readonly fieldCountChange: number } | null {
    const changedPools: Pool[] = []
    let fieldCountChange = 0
    for (const [id, fields] of this.pools) {
      const previousPool = before.get(id)
      const pool = assemblePool(fields, previousPool)
      if (!pool) return null
      fieldCountChange += fieldCount(pool) - (previousPool ? fieldCount(previousPool) : 0)
      changedPools.push(pool)
    }
    for (const id of goneIds) {
      const previousPool = before.get(id)
      if (previousPool) fieldCountChange -= fieldCount(previousPool)
    }
    return { pools: before.with(changedPools, goneIds), fieldCountChange }
  }

  get ids(): readonly string[] {
    return [...this.pools.keys()]
  }
}

function assemblePool({ main, long }: PoolFields, previousPool: Pool | undefined): Pool | null {
  if (!main || !('tokens' in main || previousPool)) return null
  const isWhole = 'tokens' in main
  // Most pools have no long array. Then `main` is a whole pool, or only its state.
  if (!main.apart) return isWhole ? (main as Pool) : ({ ...previousPool, state: main.state } as Pool)
  const { apart, ...rest } = main
  const state: Record<string, unknown> = { ...rest.state }
  const longs: Record<string, Long> = {}
  for (const name of apart) {
    const source = long?.get(name) ?? (previousPool && sourceOf(previousPool.state as PoolState, name))
    if (source instanceof Long) longs[name] = source
    else if (Array.isArray(source)) state[name] = source
    else return null
  }
  if (Object.keys(longs).length > 0) defineLongs(state, longs)
  return { ...(isWhole ? undefined : previousPool), ...rest, state } as Pool
}

/**
 * Interns strings, so that an address that many pools share is stored once. Mutates `pool`, which no other code has a
 * reference to yet.
 */
function internStrings(pool: { -readonly [K in keyof Pool]: Pool[K] }, texts: Map<string, string>): Pool {
  const intern = <T extends string>(text: T): T => {
    const internedText = texts.get(text)
    if (internedText === undefined) texts.set(text, text)
    return (internedText ?? text) as T
  }
  pool.tokens = pool.tokens.map(intern)
  pool.dex = intern(pool.dex)
  pool.family = intern(pool.family)
  return pool
}
