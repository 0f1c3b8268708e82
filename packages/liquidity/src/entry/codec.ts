/**
 * Encodes pools for other processes and threads: whole pools as fields of a Redis hash, and the changes of a block as
 * an entry of a stream. Long arrays of a state, such as ticks, seldom change. They are separate fields and are sent
 * only when they change. A pool's identity (its properties other than the state) is sent once.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Pool } from '../family.ts'
import { poolChanges } from '../pool-map.ts'
import { toText } from '../store/text.ts'
import { isSameStoredValue, LazyArray, storedValueOf } from './lazy-array.ts'

/** Arrays of a state with more items than this become a field of their own. */
const MAX_INLINE_ITEMS = 8

type PoolById = ReadonlyMap<string, Pool>
/** A pool state of any family, by property name. */
export type PoolState = Readonly<Record<string, unknown>>
/** Content of the hash field whose name is the pool's id. */
export type PoolContent = Omit<Pool, 'state'> & {
  readonly state: PoolState
  /** Names of the arrays of the state that are stored as separate fields. */
  readonly apart?: readonly string[]
}
/** Content that is sent for a pool whose identity the consumer already has. */
export type StateContent = Pick<PoolContent, 'state' | 'apart'>

/** Changes between the published pools and the next pools. */
export type EncodedDifference = {
  /** Field names and texts alternately, to be set in the hash. */
  readonly fieldsToSet: readonly string[]
  readonly removedFields: readonly string[]
  readonly encodedPools: EncodedPools
}
/** Encoded pools of an entry. */
export type EncodedPools = {
  /** JSON texts of `[id, pool]`. */
  readonly pools: readonly string[]
  /** Names of the fields of long arrays, with their JSON texts. */
  readonly longArrays: readonly (readonly [field: string, text: string])[]
}

/** Returns the name of the hash field for a long array. */
const fieldName = (id: string, name: string) => `${id} ${name}`

function longArrayNames(state: PoolState): readonly string[] {
  return Object.keys(state).filter((name) => isLongArray(storedValueOf(state, name)))
}

function isLongArray(storedValue: unknown): boolean {
  return storedValue instanceof LazyArray || (Array.isArray(storedValue) && storedValue.length > MAX_INLINE_ITEMS)
}

/** Returns the number of hash fields of a pool. */
export function fieldCount({ state }: Pool): number {
  let count = 1
  for (const name in state as PoolState) if (isLongArray(storedValueOf(state as PoolState, name))) count++
  return count
}

/** Encodes the state of a pool; long arrays that are unchanged since `oldPool` are left out. */
function encodeState(
  pool: Pool,
  oldPool?: Pool,
): { readonly content: StateContent; readonly separateFields: readonly [string, string][] } {
  const state = pool.state as PoolState
  const previousState = oldPool?.state as PoolState | undefined
  const inlineProperties: Record<string, unknown> = {}
  const separateNames: string[] = []
  const separateFields: [string, string][] = []
  for (const name in state) {
    const storedValue = storedValueOf(state, name)
    if (!isLongArray(storedValue)) {
      inlineProperties[name] = storedValue
      continue
    }
    separateNames.push(name)
    // Compare by reference: the state after a swap contains the same array object of ticks.
    if (previousState && isSameStoredValue(storedValueOf(previousState, name), storedValue)) continue
    separateFields.push([
      fieldName(pool.id, name),
      storedValue instanceof LazyArray ? storedValue.text : toText(storedValue),
    ])
  }
  return {
    content: separateNames.length > 0 ? { state: inlineProperties, apart: separateNames } : { state: inlineProperties },
    separateFields,
  }
}

/** Returns field names and texts alternately, for a pool that the consumer does not have. */
export function fieldsOfWholePool(pool: Pool): readonly string[] {
  const { content, separateFields } = encodeState(pool)
  return [...separateFields.flat(), pool.id, mergeTexts(identityText(pool, false), toText(content))]
}

/** Encodes the changes since the published pools, both for the hash and for the entry. */
export function encodeDifference(
  oldPools: PoolById,
  changedPools: readonly Pool[],
  goneIds: readonly string[],
): EncodedDifference {
  const fieldsToSet: string[] = []
  const poolTexts: string[] = []
  const longArrays: [string, string][] = []
  const removedFields: string[] = []
  for (const pool of changedPools) {
    const oldPool = oldPools.get(pool.id)
    const { content, separateFields } = encodeState(pool, oldPool)
    for (const field of separateFields) {
      fieldsToSet.push(...field)
      longArrays.push(field)
    }
    const isIdentityUnchanged = oldPool !== undefined && hasSameIdentity(oldPool, pool)
    const stateText = toText(content)
    const fullText = mergeTexts(identityText(pool, isIdentityUnchanged), stateText)
    fieldsToSet.push(pool.id, fullText)
    poolTexts.push(`[${JSON.stringify(pool.id)},${isIdentityUnchanged ? stateText : fullText}]`)
    if (oldPool) {
      for (const name in oldPool.state as PoolState) {
        if (
          !isLongArray(storedValueOf(oldPool.state as PoolState, name)) ||
          isLongArray(storedValueOf(pool.state as PoolState, name))
        )
          continue
        removedFields.push(fieldName(pool.id, name))
      }
    }
  }
  for (const id of goneIds) removedFields.push(...fieldNames(oldPools.get(id)!))
  return { fieldsToSet, removedFields, encodedPools: { pools: poolTexts, longArrays } }
}

/**
 * Encodes the entry that changes `oldPools` to `newPools`. Returns null if more than `maxChanged` pools differ, since
 * encoding would block the event loop for too long.
 */
export function encodeEntryBetween(oldPools: PoolById, newPools: PoolById, maxChanged: number): Uint8Array | null {
  const { changedPools, goneIds } = poolChanges(oldPools, newPools)
  if (changedPools.length + goneIds.length > maxChanged) return null
  const longArrays: (readonly [string, string])[] = []
  const pools = changedPools.map((pool) => {
    const oldPool = oldPools.get(pool.id)
    const { content, separateFields } = encodeState(pool, oldPool)
    longArrays.push(...separateFields)
    const stateText = toText(content)
    const text =
      oldPool && hasSameIdentity(oldPool, pool) ? stateText : mergeTexts(identityText(pool, false), stateText)
    return `[${JSON.stringify(pool.id)},${text}]`
  })
  return encodeEntry({ pools, longArrays }, goneIds, [], [])
}

type Identity = Omit<Pool, 'state'>

/**
 * Cached identity texts, by the array of tokens, which is the same object in all states of a pool. If the keys were
 * pools, each changed pool would be inserted again. Garbage collection of the map would then take as long as all
 * other work for a block.
 */
const identityByTokens = new WeakMap<readonly string[], { readonly identity: Identity; readonly text: string }>()

/**
 * Returns a pool's identity as JSON.
 *
 * @param shouldCache - false for a new pool: most pools never change, so caching their text would waste memory
 */
function identityText(pool: Pool, shouldCache: boolean): string {
  const cachedIdentity = identityByTokens.get(pool.tokens)
  if (cachedIdentity && hasSameIdentity(cachedIdentity.identity, pool)) return cachedIdentity.text
  const { state: _, ...identity } = pool
  const text = toText(identity)
  if (shouldCache) identityByTokens.set(pool.tokens, { identity, text })
  return text
}

/** Merges the JSON texts of two objects into one. */
const mergeTexts = (identity: string, content: string): string => `${identity.slice(0, -1)},${content.slice(1)}`

/** True if both pools have the same identity. */
function hasSameIdentity(oldIdentity: Identity, pool: Identity): boolean {
  let unmatchedCount = 0
  for (const name in oldIdentity) if (name !== 'state') unmatchedCount++
  for (const name in pool) {
    if (name === 'state') continue
    unmatchedCount--
    const [oldValue, newValue] = [oldIdentity[name as keyof Identity], pool[name as keyof Identity]]
    if (oldValue === newValue) continue
    if ((name !== 'tokens' && name !== 'fixed') || !isDeepStrictEqual(oldValue, newValue)) return false
  }
  return unmatchedCount === 0
}

function fieldNames({ id, state }: Pool): readonly string[] {
  return [...longArrayNames(state as PoolState).map((name) => fieldName(id, name)), id]
}

/**
 * Encodes an entry: one line of JSON, then one line per long array, so that a reader need not parse the arrays.
 *
 * @param addedPairKeys - keys of the token pairs whose pools the published state contains from this entry on
 * @param removedPairKeys - keys of the token pairs whose pools it no longer contains
 */
export function encodeEntry(
  { pools, longArrays }: EncodedPools,
  goneIds: readonly string[],
  addedPairKeys: readonly string[],
  removedPairKeys: readonly string[],
): Buffer {
  const fields = longArrays.map(([field]) => field)
  const fieldsText = `"longs":${JSON.stringify(fields)},"gone":${JSON.stringify(goneIds)},"pairs":${JSON.stringify({ added: addedPairKeys, removed: removedPairKeys })}`
  return Buffer.from([`{"pools":[${pools.join()}],${fieldsText}}`, ...longArrays.map(([, text]) => text)].join('\n'))
}
