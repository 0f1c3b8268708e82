/**
 * Pools as fields of a hash, and what of them is told at a block: to other processes and to threads. What of a state is long and
 * seldom changes, such as ticks, is a field of its own and told only when it has changed; who a pool is, is told once.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Pool } from '../family.ts'
import { poolChanges } from '../pool-map.ts'
import { toText } from '../store/text.ts'
import { isSource, Long, sourceOf } from './long.ts'

/** Items of a top-level array of a state above which it is a field of its own. */
const LONG = 8

type Pools = ReadonlyMap<string, Pool>
export type State = Readonly<Record<string, unknown>>
/** Content of the field of a pool's id. */
export type Main = Omit<Pool, 'state'> & {
  readonly state: State
  /** Names of the state's arrays that are fields of their own. */
  readonly apart?: readonly string[]
}
/** The same of a pool that was told before: its identity is known. */
export type Told = Pick<Main, 'state' | 'apart'>

export type Difference = {
  /** Fields with their values as text: what the hash is told. */
  readonly set: readonly string[]
  readonly gone: readonly string[]
  readonly told: ToldPools
}
/** Pools as followers are told of them. */
export type ToldPools = {
  /** Texts of `[id, pool]`. */
  readonly pools: readonly string[]
  /** Fields of long arrays, with their texts. */
  readonly longs: readonly (readonly [field: string, text: string])[]
}

const fieldOf = (id: string, name: string) => `${id} ${name}`

function longNames(state: State): readonly string[] {
  return Object.keys(state).filter((name) => isLong(sourceOf(state, name)))
}

function isLong(source: unknown): boolean {
  return source instanceof Long || (Array.isArray(source) && source.length > LONG)
}

/** Number of a pool's fields. */
export function fieldCount({ state }: Pool): number {
  let count = 1
  for (const name in state as State) if (isLong(sourceOf(state as State, name))) count++
  return count
}

/** All fields of a pool with their texts, those left out that a pool before it has the same of. */
function fieldsOfPool(pool: Pool, before?: Pool): { readonly main: Told; readonly texts: readonly [string, string][] } {
  const state = pool.state as State
  const was = before?.state as State | undefined
  const hot: Record<string, unknown> = {}
  const apart: string[] = []
  const texts: [string, string][] = []
  for (const name in state) {
    const source = sourceOf(state, name)
    if (!isLong(source)) {
      hot[name] = source
      continue
    }
    apart.push(name)
    // By reference: a swap keeps the array of ticks.
    if (was && isSource(sourceOf(was, name), source)) continue
    texts.push([fieldOf(pool.id, name), source instanceof Long ? source.text : toText(source)])
  }
  return { main: apart.length > 0 ? { state: hot, apart } : { state: hot }, texts }
}

/** Fields and texts in turn, of a pool told for the first time. */
export function wholePool(pool: Pool): readonly string[] {
  const { main, texts } = fieldsOfPool(pool)
  return [...texts.flat(), pool.id, whole(identityText(pool, false), toText(main))]
}

/** The difference between what was published and what is to be. */
export function differenceOf(before: Pools, changed: readonly Pool[], goneIds: readonly string[]): Difference {
  const set: string[] = []
  const told: string[] = []
  const longs: [string, string][] = []
  const gone: string[] = []
  for (const pool of changed) {
    const old = before.get(pool.id)
    const { main, texts } = fieldsOfPool(pool, old)
    for (const text of texts) {
      set.push(...text)
      longs.push(text)
    }
    const known = old !== undefined && isSame(old, pool)
    const rest = toText(main)
    const full = whole(identityText(pool, known), rest)
    set.push(pool.id, full)
    told.push(`[${JSON.stringify(pool.id)},${known ? rest : full}]`)
    if (old) {
      for (const name in old.state as State) {
        if (!isLong(sourceOf(old.state as State, name)) || isLong(sourceOf(pool.state as State, name))) continue
        gone.push(fieldOf(pool.id, name))
      }
    }
  }
  for (const id of goneIds) gone.push(...fieldNames(before.get(id)!))
  return { set, gone, told: { pools: told, longs } }
}

/** Entry that tells the way from one state to another; null where so many pools changed that it would hold up whoever tells it. */
export function entryBetween(before: Pools, after: Pools, mostChanged: number): Uint8Array | null {
  const { changed, gone } = poolChanges(before, after)
  if (changed.length + gone.length > mostChanged) return null
  const longs: (readonly [string, string])[] = []
  const pools = changed.map((pool) => {
    const old = before.get(pool.id)
    const { main, texts } = fieldsOfPool(pool, old)
    longs.push(...texts)
    const rest = toText(main)
    const text = old && isSame(old, pool) ? rest : whole(identityText(pool, false), rest)
    return `[${JSON.stringify(pool.id)},${text}]`
  })
  return entryBytes({ pools, longs }, gone, [], [])
}

type Identity = Omit<Pool, 'state'>

/**
 * Who pools are, as text, by their arrays of tokens: a pool's are the same object in all its states. By the pools themselves each
 * changed one would be put in anew, and the collector of garbage would do as much for them as all the rest of a block takes.
 */
const identities = new WeakMap<readonly string[], { readonly of: Identity; readonly text: string }>()

/** Who a pool is, as text. @param isKept - for the next block: of pools that never change it would be waste */
function identityText(pool: Pool, isKept: boolean): string {
  const known = identities.get(pool.tokens)
  if (known && isSame(known.of, pool)) return known.text
  const { state: _, ...identity } = pool
  const text = toText(identity)
  if (isKept) identities.set(pool.tokens, { of: identity, text })
  return text
}

/** One object of two texts of objects. */
const whole = (identity: string, main: string): string => `${identity.slice(0, -1)},${main.slice(1)}`

/** Its identity, too, is what was told. */
function isSame(old: Identity, pool: Identity): boolean {
  let left = 0
  for (const name in old) if (name !== 'state') left++
  for (const name in pool) {
    if (name === 'state') continue
    left--
    const [was, is] = [old[name as keyof Identity], pool[name as keyof Identity]]
    if (was === is) continue
    if ((name !== 'tokens' && name !== 'fixed') || !isDeepStrictEqual(was, is)) return false
  }
  return left === 0
}

function fieldNames({ id, state }: Pool): readonly string[] {
  return [...longNames(state as State).map((name) => fieldOf(id, name)), id]
}

/** One line, and one for each long array, so that those can be left unread. */
export function entryBytes(
  { pools, longs }: ToldPools,
  gone: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): Buffer {
  const fields = longs.map(([field]) => field)
  const rest = `"longs":${JSON.stringify(fields)},"gone":${JSON.stringify(gone)},"pairs":${JSON.stringify({ added, removed })}`
  return Buffer.from([`{"pools":[${pools.join()}],${rest}}`, ...longs.map(([, text]) => text)].join('\n'))
}
