/**
 * Pools as fields of a hash, and what of them is told at a block: to other processes and to threads. What of a state is long and
 * seldom changes, such as ticks, is a field of its own and told only when it has changed; who a pool is, is told once.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Pool } from '../family.ts'
import { poolChanges } from '../pool-map.ts'
import { toText } from '../store/text.ts'

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
  /** Text that followers are told of pools. */
  readonly pools: string
}

const fieldOf = (id: string, name: string) => `${id} ${name}`

function longNames(state: State): readonly string[] {
  return Object.keys(state).filter((name) => isLong(state[name]))
}

function isLong(value: unknown): boolean {
  return Array.isArray(value) && value.length > LONG
}

/** Number of a pool's fields. */
export function fieldCount({ state }: Pool): number {
  return 1 + longNames(state as State).length
}

/** All fields of a pool with their texts, those left out that a pool before it has the same of. */
function fieldsOfPool(pool: Pool, before?: Pool): { readonly main: Told; readonly texts: readonly [string, string][] } {
  const state = pool.state as State
  const was = before?.state as State | undefined
  const hot: Record<string, unknown> = {}
  const apart: string[] = []
  const texts: [string, string][] = []
  for (const name of Object.keys(state)) {
    const value = state[name]
    if (!isLong(value)) {
      hot[name] = value
      continue
    }
    apart.push(name)
    // By reference: a swap keeps the array of ticks.
    if (was?.[name] !== value) texts.push([fieldOf(pool.id, name), toText(value)])
  }
  return { main: apart.length > 0 ? { state: hot, apart } : { state: hot }, texts }
}

/** Fields and texts in turn, of a pool told for the first time. */
export function wholePool(pool: Pool): readonly string[] {
  const { main, texts } = fieldsOfPool(pool)
  return [...texts.flat(), pool.id, whole(identityText(pool), toText(main))]
}

/** The difference between what was published and what is to be. */
export function differenceOf(before: Pools, changed: readonly Pool[], goneIds: readonly string[]): Difference {
  const set: string[] = []
  const told: string[] = []
  const gone: string[] = []
  for (const pool of changed) {
    const old = before.get(pool.id)
    const { main, texts } = fieldsOfPool(pool, old)
    for (const [field, text] of texts) {
      set.push(field, text)
      told.push(`[${JSON.stringify(field)},${text}]`)
    }
    const known = old && isSame(old, pool)
    const [identity, rest] = [identityText(pool, known ? old : undefined), toText(main)]
    const full = whole(identity, rest)
    set.push(pool.id, full)
    told.push(`[${JSON.stringify(pool.id)},${known ? rest : full}]`)
    if (old)
      for (const name of longNames(old.state as State))
        if (!isLong((pool.state as State)[name])) gone.push(fieldOf(pool.id, name))
  }
  for (const id of goneIds) gone.push(...fieldNames(before.get(id)!))
  return { set, gone, pools: `[${told.join()}]` }
}

/** Entry that tells the way from one state to another; null where so many pools changed that it would hold up whoever tells it. */
export function entryBetween(before: Pools, after: Pools, mostChanged: number): string | null {
  const { changed, gone } = poolChanges(before, after)
  if (changed.length + gone.length > mostChanged) return null
  const told = changed.flatMap((pool) => {
    const old = before.get(pool.id)
    const { main, texts } = fieldsOfPool(pool, old)
    const rest = toText(main)
    const text = old && isSame(old, pool) ? rest : whole(identityText(pool), rest)
    return [
      ...texts.map(([field, long]) => `[${JSON.stringify(field)},${long}]`),
      `[${JSON.stringify(pool.id)},${text}]`,
    ]
  })
  return entryText(`[${told.join()}]`, gone, [], [])
}

const identities = new WeakMap<Pool, string>()

/** Who a pool is, as text. @param old - the same pool as it was before, where its identity is the same: its text is, too */
function identityText(pool: Pool, old?: Pool): string {
  const known = old && identities.get(old)
  if (known !== undefined) {
    identities.set(pool, known)
    return known
  }
  const { state: _, ...identity } = pool
  const text = toText(identity)
  if (old) identities.set(pool, text)
  return text
}

/** One object of two texts of objects. */
const whole = (identity: string, main: string): string => `${identity.slice(0, -1)},${main.slice(1)}`

/** Its identity, too, is what was told. */
function isSame(old: Pool, pool: Pool): boolean {
  for (const name of Object.keys(pool) as (keyof Pool)[]) {
    if (name === 'state' || old[name] === pool[name]) continue
    if ((name !== 'tokens' && name !== 'fixed') || !isDeepStrictEqual(old[name], pool[name])) return false
  }
  return true
}

function fieldNames({ id, state }: Pool): readonly string[] {
  return [...longNames(state as State).map((name) => fieldOf(id, name)), id]
}

export function entryText(
  pools: string,
  gone: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): string {
  return `{"pools":${pools},"gone":${JSON.stringify(gone)},"pairs":${JSON.stringify({ added, removed })}}`
}
