import type { Steps } from '@sluice/rpc'
import type { Pool } from './family.ts'

/** Pools, and buckets of them, put into a map in a row. */
const ROW = 500
const BUCKET_ROW = 32

type Bucket = ReadonlyMap<string, Pool>

/** Ids, and maps, back to which a map can tell what was put into it. */
const MOST_TOLD = 4096
const MOST_STEPS = 16
/** Ids looked at in a row. */
const ID_ROW = 32

/** Bits of an id's hash that choose its bucket: with 100,000 pools a bucket holds about 25. */
const BUCKETS = 4096
const NO_POOLS: Bucket = new Map()

/** Ids that were put into the map of a mark, or taken out of it, to make the next one. */
type Put = { readonly into: object; readonly ids: readonly string[] }

export type PoolChanges = {
  /** As they are now: new ones, and others than before under the same id. */
  readonly changed: readonly Pool[]
  readonly gone: readonly string[]
}

/** The differences between two states of a chain, however many blocks lie between; cheap between maps of one market. */
export function poolChanges(before: ReadonlyMap<string, Pool>, after: ReadonlyMap<string, Pool>): PoolChanges {
  const changed: Pool[] = []
  const gone: string[] = []
  for (const step of poolChangeSteps(before, after)) {
    changed.push(...step.changed)
    gone.push(...step.gone)
  }
  return { changed, gone }
}

/** The same a few dozen pools at a time, for who gives the event loop turns in between. */
export function* poolChangeSteps(
  before: ReadonlyMap<string, Pool>,
  after: ReadonlyMap<string, Pool>,
): Generator<PoolChanges> {
  const told = before instanceof PoolMap && after instanceof PoolMap ? after.putSince(before) : undefined
  if (told) return yield* compareById(before, after, told)
  for (const [old, bucket] of differingBuckets(before, after)) {
    const changed: Pool[] = []
    const gone: string[] = []
    collectChanges(old, bucket, changed, gone)
    yield { changed, gone }
  }
}

/** @param ids - of all pools that may differ */
function* compareById(
  before: ReadonlyMap<string, Pool>,
  after: ReadonlyMap<string, Pool>,
  ids: readonly string[],
): Generator<PoolChanges> {
  for (let from = 0; from < ids.length; from += ID_ROW) {
    const changed: Pool[] = []
    const gone: string[] = []
    for (const id of ids.slice(from, from + ID_ROW)) {
      const [old, pool] = [before.get(id), after.get(id)]
      if (old === pool) continue
      if (pool) changed.push(pool)
      else gone.push(id)
    }
    yield { changed, gone }
  }
}

/** Pairs of buckets, before and after; those that both maps share are not looked into. */
function differingBuckets(before: ReadonlyMap<string, Pool>, after: ReadonlyMap<string, Pool>): [Bucket, Bucket][] {
  if (before === after) return []
  return before instanceof PoolMap && after instanceof PoolMap ? after.bucketsUnlike(before) : [[before, after]]
}

/** Both in step while their ids are: most pools stay what they were, and are told so by reference, without a look at their ids. */
function collectChanges(before: Bucket, after: Bucket, changed: Pool[], gone: string[]): void {
  const olds = before.values()
  let stayed = 0
  let inStep = true
  for (const pool of after.values()) {
    let old = inStep ? olds.next().value : undefined
    if (old === pool) {
      stayed++
      continue
    }
    if (old?.id !== pool.id) {
      inStep = false
      old = before.get(pool.id)
    }
    if (old) stayed++
    if (old !== pool) changed.push(pool)
  }
  if (stayed < before.size) for (const id of before.keys()) if (!after.has(id)) gone.push(id)
}

function inOrder(bucket: Bucket): Bucket {
  return bucket.size < 2 ? bucket : new Map([...bucket].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Ids are hex, of contracts or hashes: their last three digits spread evenly. */
function bucketOf(id: string): number {
  return Number.parseInt(id.slice(-3), 16) || 0
}

/**
 * Pools by id, in an order that depends on their ids alone: what is worked out of a map does not depend on its history. Immutable: `with` makes a new map that shares all buckets but those it changes, so that a snapshot a block,
 * and the last 64 of them for reorgs, cost little more than what changed.
 */
export class PoolMap implements ReadonlyMap<string, Pool> {
  static readonly empty = new PoolMap(
    Array.from({ length: BUCKETS }, () => NO_POOLS),
    0,
  )

  readonly size: number
  private readonly buckets: readonly Bucket[]
  /** This map by a name that keeps nothing of it in memory. */
  private readonly mark = {}
  /** The newest first. */
  private readonly puts: readonly Put[]

  private constructor(buckets: readonly Bucket[], size: number, puts: readonly Put[] = []) {
    this.buckets = buckets
    this.size = size
    this.puts = puts
  }

  /** This map with `pools` added or put in the place of those with the same id, and without those of the ids `gone`. */
  with(pools: Iterable<Pool>, gone: Iterable<string> = []): PoolMap {
    const buckets = this.buckets.slice()
    const fresh = new Map<number, Map<string, Pool>>()
    const ids: string[] = []
    const grown = new Set<number>()
    const bucketFor = (id: string) => {
      const index = bucketOf(id)
      let bucket = fresh.get(index)
      if (!bucket) {
        bucket = new Map(buckets[index])
        fresh.set(index, bucket)
        buckets[index] = bucket
      }
      return bucket
    }
    let size = this.size
    for (const pool of pools) {
      const bucket = bucketFor(pool.id)
      ids.push(pool.id)
      if (!bucket.has(pool.id)) {
        size++
        grown.add(bucketOf(pool.id))
      }
      bucket.set(pool.id, pool)
    }
    for (const id of gone) {
      if (bucketFor(id).delete(id)) size--
      ids.push(id)
    }
    for (const index of grown) buckets[index] = inOrder(buckets[index]!)
    return fresh.size === 0 ? this : new PoolMap(buckets, size, this.putsWith(ids))
  }

  private putsWith(ids: readonly string[]): readonly Put[] {
    const puts: Put[] = []
    let told = 0
    for (const put of [{ into: this.mark, ids }, ...this.puts]) {
      told += put.ids.length
      if (told > MOST_TOLD || puts.length === MOST_STEPS) break
      puts.push(put)
    }
    return puts
  }

  /** Ids of all pools that may differ from a map that this one was made of, in the order of maps; undefined where they are not known. */
  putSince(before: PoolMap): readonly string[] | undefined {
    const last = this.puts.findIndex(({ into }) => into === before.mark)
    if (last === -1) return undefined
    const ids = new Set(this.puts.slice(0, last + 1).flatMap((put) => put.ids))
    const inBuckets = [...ids].map((id) => ({ id, bucket: bucketOf(id) }))
    return inBuckets.sort((a, b) => a.bucket - b.bucket || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
  }

  /** The buckets that differ from those of another map, each behind the other's. */
  bucketsUnlike(before: PoolMap): [Bucket, Bucket][] {
    const differing: [Bucket, Bucket][] = []
    for (let index = 0; index < BUCKETS; index++) {
      const bucket = this.buckets[index]!
      const old = before.buckets[index]!
      if (bucket !== old) differing.push([old, bucket])
    }
    return differing
  }

  /** A map of many pools, in steps: each bucket is made once, whatever the number of pools. Of those with the same id, the last stays. */
  static *of(pools: readonly Pool[]): Steps<PoolMap> {
    const rows: Pool[][] = Array.from({ length: BUCKETS }, () => [])
    for (const [at, pool] of pools.entries()) {
      rows[bucketOf(pool.id)]!.push(pool)
      if (at % ROW === 0) yield
    }
    const buckets: Bucket[] = []
    let size = 0
    for (const [index, row] of rows.entries()) {
      const bucket = row.length === 0 ? NO_POOLS : inOrder(new Map(row.map((pool) => [pool.id, pool])))
      buckets.push(bucket)
      size += bucket.size
      if (index % BUCKET_ROW === 0) yield
    }
    return new PoolMap(buckets, size)
  }

  /** Ids of a part of the pools, of `parts` that are about as large. */
  idsOfPart(part: number, parts: number): string[] {
    const from = Math.floor((part * BUCKETS) / parts)
    const to = Math.floor(((part + 1) * BUCKETS) / parts)
    return this.buckets.slice(from, to).flatMap((bucket) => [...bucket.keys()])
  }

  get(id: string): Pool | undefined {
    return this.buckets[bucketOf(id)]!.get(id)
  }

  has(id: string): boolean {
    return this.buckets[bucketOf(id)]!.has(id)
  }

  *entries(): MapIterator<[string, Pool]> {
    for (const bucket of this.buckets) yield* bucket.entries()
    return undefined
  }

  *keys(): MapIterator<string> {
    for (const bucket of this.buckets) yield* bucket.keys()
    return undefined
  }

  *values(): MapIterator<Pool> {
    for (const bucket of this.buckets) yield* bucket.values()
    return undefined
  }

  [Symbol.iterator](): MapIterator<[string, Pool]> {
    return this.entries()
  }

  forEach(callback: (pool: Pool, id: string, map: ReadonlyMap<string, Pool>) => void): void {
    for (const [id, pool] of this) callback(pool, id, this)
  }
}
