/**
 * Decodes what `codec.ts` encodes: the entries of the stream, each with the changes of one block (`readEntry`), and the
 * fields of the Redis hash with all pools (`FieldCollector`). A field is named after the id of its pool. A field with
 * one long array of the state is named after the id, a space, and the name of the array.
 */
import type { Steps } from '@sluice/rpc'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { fromText } from '../store/text.ts'
import { fieldCount, type PoolContent, type PoolState, type StateContent } from './codec.ts'
import { defineLazyArrays, LazyArray, storedValueOf } from './lazy-array.ts'

/** A decoded entry of the stream. */
export type DecodedEntry = {
  readonly pools: readonly (readonly [id: string, pool: unknown])[]
  /** The long arrays that changed, each with the name of its field. */
  readonly longs: readonly (readonly [field: string, long: LazyArray])[]
  readonly gone: readonly string[]
  readonly pairs: { readonly added: readonly string[]; readonly removed: readonly string[] }
}

const NEWLINE = '\n'.charCodeAt(0)

/** Decodes an entry. Returns null if the bytes are malformed: the reader then loads the full state again. */
export function readEntry(bytes: Uint8Array): DecodedEntry | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  let end = lineEnd(buffer, 0)
  const head = parseHead(buffer.toString('utf8', 0, end))
  if (!head) return null
  const longs: [string, LazyArray][] = []
  for (const field of head.longs) {
    const start = end + 1
    end = lineEnd(buffer, start)
    // Encode each array as its own string: a substring would retain the whole text of the entry.
    const lazyArray = LazyArray.of(buffer.toString('utf8', start, end))
    if (!lazyArray) return null
    longs.push([field, lazyArray])
  }
  return end === buffer.length ? { ...head, longs } : null
}

function lineEnd(buffer: Buffer, start: number): number {
  const end = buffer.indexOf(NEWLINE, start)
  return end < 0 ? buffer.length : end
}

/** First line of an entry. `longs` are the names of the fields whose texts follow, one per line. */
type EntryHead = Omit<DecodedEntry, 'longs'> & { readonly longs: readonly string[] }

function parseHead(text: string): EntryHead | null {
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

type PoolFields = { content?: PoolContent | StateContent; longByName?: Map<string, LazyArray> }

/** Pools assembled between two yields to the event loop. */
const POOLS_PER_SLICE = 200

/** Collects fields by pool, from a scan of the hash and from the entries that arrive during the scan. */
export class FieldCollector {
  private readonly fieldsByPoolId = new Map<string, PoolFields>()

  static of(entry: DecodedEntry): FieldCollector {
    const collector = new FieldCollector()
    for (const [id, pool] of entry.pools) collector.setPool(id, pool)
    for (const [field, lazyArray] of entry.longs) collector.setLazyArray(field, lazyArray)
    return collector
  }

  /** Adds a field of the hash. @throws SyntaxError */
  set(field: string, text: string): void {
    if (!field.includes(' ')) {
      this.setPool(field, fromText(text))
      return
    }
    const lazyArray = LazyArray.of(text)
    if (!lazyArray) throw new SyntaxError('expected the text of a JSON array')
    this.setLazyArray(field, lazyArray)
  }

  /** Adds a whole pool, or merges the state of a pool whose identity is present. */
  private setPool(id: string, content: unknown): void {
    const fields = this.fieldsOf(id)
    if (!fields.content) {
      fields.content = content as StateContent
      return
    }
    const { apart: _, ...previousContent } = fields.content as PoolContent
    fields.content = { ...previousContent, ...(content as StateContent) }
  }

  private setLazyArray(field: string, lazyArray: LazyArray): void {
    const separatorIndex = field.indexOf(' ')
    const fields = this.fieldsOf(field.slice(0, separatorIndex))
    fields.longByName ??= new Map()
    fields.longByName.set(field.slice(separatorIndex + 1), lazyArray)
  }

  private fieldsOf(id: string): PoolFields {
    const existingFields = this.fieldsByPoolId.get(id)
    if (existingFields) return existingFields
    const fields: PoolFields = {}
    this.fieldsByPoolId.set(id, fields)
    return fields
  }

  /** Applies an entry. Applying it twice is harmless, because it contains new values instead of differences. */
  applyEntry({ pools, longs, gone }: DecodedEntry): void {
    for (const [id, pool] of pools) {
      this.setPool(id, pool)
      this.dropShortenedArrays(id)
    }
    for (const [field, lazyArray] of longs) this.setLazyArray(field, lazyArray)
    for (const id of gone) this.fieldsByPoolId.delete(id)
  }

  /** Drops arrays that are no longer long: the state itself now contains them. */
  private dropShortenedArrays(id: string): void {
    const { content, longByName } = this.fieldsByPoolId.get(id)!
    for (const name of longByName?.keys() ?? []) if (!content?.apart?.includes(name)) longByName!.delete(name)
  }

  /** Number of collected fields. */
  get count(): number {
    let count = 0
    for (const { content, longByName } of this.fieldsByPoolId.values())
      count += (content ? 1 : 0) + (longByName?.size ?? 0)
    return count
  }

  /** Builds a map of the pools; null if a field of a pool is missing. */
  *toMap(): Steps<PoolMap | null> {
    const pools: Pool[] = []
    const internedTexts = new Map<string, string>()
    for (const [id, fields] of this.fieldsByPoolId) {
      const pool = assemblePool(fields, undefined)
      if (!pool || pool.id !== id) return null
      pools.push(internStrings(pool, internedTexts))
      if (pools.length % POOLS_PER_SLICE === 0) yield
    }
    return yield* PoolMap.of(pools)
  }

  /**
   * Applies the collected pools to `oldPools`. Returns null if a field of a collected pool is missing both here and in
   * `oldPools`. `fieldCountChange` is the change in the number of hash fields, and may be negative.
   */
  applyTo(
    oldPools: PoolMap,
    goneIds: readonly string[],
  ): { readonly pools: PoolMap; readonly fieldCountChange: number } | null {
    const changedPools: Pool[] = []
    let fieldCountChange = 0
    for (const [id, fields] of this.fieldsByPoolId) {
      const previousPool = oldPools.get(id)
      const pool = assemblePool(fields, previousPool)
      if (!pool) return null
      fieldCountChange += fieldCount(pool) - (previousPool ? fieldCount(previousPool) : 0)
      changedPools.push(pool)
    }
    for (const id of goneIds) {
      const previousPool = oldPools.get(id)
      if (previousPool) fieldCountChange -= fieldCount(previousPool)
    }
    return { pools: oldPools.with(changedPools, goneIds), fieldCountChange }
  }

  get ids(): readonly string[] {
    return [...this.fieldsByPoolId.keys()]
  }
}

function assemblePool({ content, longByName }: PoolFields, previousPool: Pool | undefined): Pool | null {
  if (!content || !('tokens' in content || previousPool)) return null
  const isWhole = 'tokens' in content
  // Most pools have no long array. Then `content` is a whole pool, or only its state.
  if (!content.apart) return isWhole ? (content as Pool) : ({ ...previousPool, state: content.state } as Pool)
  const { apart, ...inlineContent } = content
  const state: Record<string, unknown> = { ...inlineContent.state }
  const lazyArrays: Record<string, LazyArray> = {}
  for (const name of apart) {
    const storedValue = longByName?.get(name) ?? (previousPool && storedValueOf(previousPool.state as PoolState, name))
    if (storedValue instanceof LazyArray) lazyArrays[name] = storedValue
    else if (Array.isArray(storedValue)) state[name] = storedValue
    else return null
  }
  if (Object.keys(lazyArrays).length > 0) defineLazyArrays(state, lazyArrays)
  return { ...(isWhole ? undefined : previousPool), ...inlineContent, state } as Pool
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
