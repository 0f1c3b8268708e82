/**
 * Encodes pools as fields of a hash, and the changes of a block as an entry, for other processes and threads. Long
 * arrays of a state that seldom change, such as ticks, are separate fields and are sent only when they change. A pool's
 * identity is sent once.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Pool } from '../family.ts'
import { poolChanges } from '../pool-map.ts'
import { toText } from '../store/text.ts'
import { isSource, Long, sourceOf } from './long.ts'

/** Arrays of a state with more items than this become a field of their own. */
const LONG = 8

type Pools = ReadonlyMap<string, Pool>
/** A pool state, as its properties. */
export type PoolState = Readonly<Record<string, unknown>>
/** Content of the hash field whose name is the pool's id. */
export type Main = Omit<Pool, 'state'> & {
  readonly state: PoolState
  /** Names of the state's arrays that are stored in fields of their own. */
  readonly apart?: readonly string[]
}
/** Content of a pool whose identity the consumer already has. */
export type StateOnly = Pick<Main, 'state' | 'apart'>

/** Changes between a published state and the next. */
export type Difference = {
  /** Field names and texts alternately, to be set in the hash. */
  readonly set: readonly string[]
  readonly removedFields: readonly string[]
  readonly encodedPools: EncodedPools
}
/** Encoded pools of an entry. */
export type EncodedPools = {
  /** JSON texts of `[id, pool]`. */
  readonly pools: readonly string[]
  /** Names of the fields of long arrays, with their JSON texts. */
  readonly longs: readonly (readonly [field: string, text: string])[]
}

const fieldOf = (id: string, name: string) => `${id} ${name}`

function longArrayNames(state: PoolState): readonly string[] {
  return Object.keys(state).filter((name) => isLongArray(sourceOf(state, name)))
}

function isLongArray(source: unknown): boolean {
  return source instanceof Long || (Array.isArray(source) && source.length > LONG)
}

/** Returns the number of hash fields of a pool. */
export function fieldCount({ state }: Pool): number {
  let count = 1
  for (const name in state as PoolState) if (isLongArray(sourceOf(state as PoolState, name))) count++
  return count
}

/** Encodes a pool; long arrays that are unchanged since `before` are left out. */
function fieldsOfPool(
  pool: Pool,
  before?: Pool,
): { readonly main: StateOnly; readonly texts: readonly [string, string][] } {
  const state = pool.state as PoolState
  const previousState = before?.state as PoolState | undefined
  const shortFields: Record<string, unknown> = {}
  const separateTexts: string[] = []
  const texts: [string, string][] = []
  for (const name in state) {
    const source = sourceOf(state, name)
    if (!isLongArray(source)) {
      shortFields[name] = source
      continue
    }
    separateTexts.push(name)
    // Compare by reference: a swap keeps the array of ticks.
    if (previousState && isSource(sourceOf(previousState, name), source)) continue
    texts.push([fieldOf(pool.id, name), source instanceof Long ? source.text : toText(source)])
  }
  return {
    main: separateTexts.length > 0 ? { state: shortFields, apart: separateTexts } : { state: shortFields },
    texts,
  }
}

/** Returns field names and texts alternately, for a pool that the consumer does not have. */
export function wholePool(pool: Pool): readonly string[] {
  const { main, texts } = fieldsOfPool(pool)
  return [...texts.flat(), pool.id, mergeTexts(identityText(pool, false), toText(main))]
}

/** Encodes the changes since the published state, both for the hash and for the entry. */
export function differenceOf(before: Pools, changedPools: readonly Pool[], goneIds: readonly string[]): Difference {
  const set: string[] = []
  const poolTexts: string[] = []
  const longs: [string, string][] = []
  const removedFields: string[] = []
  for (const pool of changedPools) {
    const old = before.get(pool.id)
    const { main, texts } = fieldsOfPool(pool, old)
    for (const text of texts) {
      set.push(...text)
      longs.push(text)
    }
    const hasIdentity = old !== undefined && hasSameIdentity(old, pool)
    const mainText = toText(main)
    const fullText = mergeTexts(identityText(pool, hasIdentity), mainText)
    set.push(pool.id, fullText)
    poolTexts.push(`[${JSON.stringify(pool.id)},${hasIdentity ? mainText : fullText}]`)
    if (old) {
      for (const name in old.state as PoolState) {
        if (
          !isLongArray(sourceOf(old.state as PoolState, name)) ||
          isLongArray(sourceOf(pool.state as PoolState, name))
        )
          continue
        removedFields.push(fieldOf(pool.id, name))
      }
    }
  }
  for (const id of goneIds) removedFields.push(...fieldNames(before.get(id)!))
  return { set, removedFields, encodedPools: { pools: poolTexts, longs } }
}

/**
 * Encodes the entry that leads from one state to another. Null if more than `maxChanged` pools differ, since encoding
 * would block the event loop for too long.
 */
export function entryBetween(before: Pools, after: Pools, maxChanged: number): Uint8Array | null {
  const { changedPools, goneIds } = poolChanges(before, after)
  if (changedPools.length + goneIds.length > maxChanged) return null
  const longs: (readonly [string, string])[] = []
  const pools = changedPools.map((pool) => {
    const old = before.get(pool.id)
    const { main, texts } = fieldsOfPool(pool, old)
    longs.push(...texts)
    const mainText = toText(main)
    const text = old && hasSameIdentity(old, pool) ? mainText : mergeTexts(identityText(pool, false), mainText)
    return `[${JSON.stringify(pool.id)},${text}]`
  })
  return entryBytes({ pools, longs }, goneIds, [], [])
}

type Identity = Omit<Pool, 'state'>

/**
 * Cached identity texts, by the array of tokens, which is the same object in all states of a pool. If the keys were
 * pools, each changed pool would be inserted again. Garbage collection of the map would then take as long as the rest
 * of a block.
 */
const identities = new WeakMap<readonly string[], { readonly identity: Identity; readonly text: string }>()

/**
 * Returns a pool's identity as JSON.
 *
 * @param isCached - false for a new pool: most pools never change, so caching their text would waste memory
 */
function identityText(pool: Pool, isCached: boolean): string {
  const cached = identities.get(pool.tokens)
  if (cached && hasSameIdentity(cached.identity, pool)) return cached.text
  const { state: _, ...identity } = pool
  const text = toText(identity)
  if (isCached) identities.set(pool.tokens, { identity, text })
  return text
}

/** Merges the JSON texts of two objects into one. */
const mergeTexts = (identity: string, main: string): string => `${identity.slice(0, -1)},${main.slice(1)}`

/** True if both pools have the same identity. */
function hasSameIdentity(old: Identity, pool: Identity): boolean {
  let remaining = 0
  for (const name in old) if (name !== 'state') remaining++
  for (const name in pool) {
    if (name === 'state') continue
    remaining--
    const [oldValue, newValue] = [old[name as keyof Identity], pool[name as keyof Identity]]
    if (oldValue === newValue) continue
    if ((name !== 'tokens' && name !== 'fixed') || !isDeepStrictEqual(oldValue, newValue)) return false
  }
  return remaining === 0
}

function fieldNames({ id, state }: Pool): readonly string[] {
  return [...longArrayNames(state as PoolState).map((name) => fieldOf(id, name)), id]
}

/** Encodes an entry: one line of JSON, then one line per long array, so that a reader can leave arrays unparsed. */
export function entryBytes(
  { pools, longs }: EncodedPools,
  goneIds: readonly string[],
  addedIds: readonly string[],
  removedIds: readonly string[],
): Buffer {
  const fields = longs.map(([field]) => field)
  const fieldsText = `"longs":${JSON.stringify(fields)},"gone":${JSON.stringify(goneIds)},"pairs":${JSON.stringify({ added: addedIds, removed: removedIds })}`
  return Buffer.from([`{"pools":[${pools.join()}],${fieldsText}}`, ...longs.map(([, text]) => text)].join('\n'))
}
