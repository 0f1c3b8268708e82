import type { Steps } from '@sluice/rpc'
import type { Pool } from './family.ts'
import { BUCKETS, bucketOf, startOf } from './pool-id.ts'

/** Pools, and buckets of them, put into a map in a row. */
const ROW = 500
const BUCKET_ROW = 32

/**
 * Pools in the order of their ids: copied in a moment, where a map would be built anew. Beside each the number that its id begins
 * with: a pool is found by those, without a look into all that the search passes by.
 */
type Bucket = { readonly starts: readonly number[]; readonly pools: readonly Pool[] }
type OwnBucket = { readonly starts: number[]; readonly pools: Pool[] }

/** Ids, and maps, back to which a map can tell what was put into it. */
const MOST_TOLD = 4096
const MOST_STEPS = 16
/** Ids looked at in a row. */
const ID_ROW = 32

const NO_POOLS: Bucket = { starts: [], pools: [] }

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
  if (before === after) return
  if (!(before instanceof PoolMap && after instanceof PoolMap)) {
    yield {
      changed: [...after.values()].filter((pool) => before.get(pool.id) !== pool),
      gone: [...before.keys()].filter((id) => !after.has(id)),
    }
    return
  }
  // Buckets that both maps share are not looked into.
  for (const [old, bucket] of after.bucketsUnlike(before)) yield bucketChanges(old, bucket)
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

/** Both in step, by their order: most pools stay what they were, and are told so by reference, without a look at their ids. */
function bucketChanges({ pools: before }: Bucket, { pools: after }: Bucket): PoolChanges {
  const changed: Pool[] = []
  const gone: string[] = []
  let at = 0
  for (const pool of after) {
    while (at < before.length && before[at] !== pool && inOrder(before[at]!.id, pool.id) < 0)
      gone.push(before[at++]!.id)
    const old = before[at]
    if (old === pool || old?.id === pool.id) at++
    if (old !== pool) changed.push(pool)
  }
  while (at < before.length) gone.push(before[at++]!.id)
  return { changed, gone }
}

/** Order of ids within a bucket. */
function inOrder(a: string, b: string): number {
  const difference = startOf(a) - startOf(b)
  if (difference !== 0 || a === b) return difference
  return a < b ? -1 : 1
}

/** Index of the first pool whose id is not below `id`. */
function placeOf({ starts, pools }: Bucket, id: string): number {
  const start = startOf(id)
  let low = 0
  let high = starts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (starts[middle]! < start) low = middle + 1
    else high = middle
  }
  while (starts[low] === start && pools[low]!.id < id) low++
  return low
}

/** Pools in their order: of those with the same id, the last. */
function bucketOfPools(all: readonly Pool[]): Bucket {
  if (all.length === 0) return NO_POOLS
  // Those with the same id stay in their order.
  const sorted = [...all].sort((a, b) => inOrder(a.id, b.id))
  const pools = sorted.filter(({ id }, i) => id !== sorted[i + 1]?.id)
  return { starts: pools.map(({ id }) => startOf(id)), pools }
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
    const fresh = new Set<number>()
    const ids: string[] = []
    const copyOf = (index: number): OwnBucket => {
      if (!fresh.has(index)) {
        const { starts, pools } = buckets[index]!
        buckets[index] = { starts: starts.slice(), pools: pools.slice() }
        fresh.add(index)
      }
      return buckets[index] as OwnBucket
    }
    let size = this.size
    for (const pool of pools) {
      const bucket = copyOf(bucketOf(pool.id))
      const at = placeOf(bucket, pool.id)
      ids.push(pool.id)
      if (bucket.pools[at]?.id === pool.id) {
        bucket.pools[at] = pool
        continue
      }
      bucket.starts.splice(at, 0, startOf(pool.id))
      bucket.pools.splice(at, 0, pool)
      size++
    }
    for (const id of gone) {
      const bucket = copyOf(bucketOf(id))
      const at = placeOf(bucket, id)
      ids.push(id)
      if (bucket.pools[at]?.id !== id) continue
      bucket.starts.splice(at, 1)
      bucket.pools.splice(at, 1)
      size--
    }
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
    return inBuckets.sort((a, b) => a.bucket - b.bucket || inOrder(a.id, b.id)).map(({ id }) => id)
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
      const bucket = bucketOfPools(row)
      buckets.push(bucket)
      size += bucket.pools.length
      if (index % BUCKET_ROW === 0) yield
    }
    return new PoolMap(buckets, size)
  }

  /** Ids of a part of the pools, of `parts` that are about as large. */
  idsOfPart(part: number, parts: number): string[] {
    const from = Math.floor((part * BUCKETS) / parts)
    const to = Math.floor(((part + 1) * BUCKETS) / parts)
    return this.buckets.slice(from, to).flatMap((bucket) => bucket.pools.map(({ id }) => id))
  }

  get(id: string): Pool | undefined {
    const bucket = this.buckets[bucketOf(id)]!
    const pool = bucket.pools[placeOf(bucket, id)]
    return pool?.id === id ? pool : undefined
  }

  has(id: string): boolean {
    return this.get(id) !== undefined
  }

  *entries(): MapIterator<[string, Pool]> {
    for (const bucket of this.buckets) for (const pool of bucket.pools) yield [pool.id, pool]
    return undefined
  }

  *keys(): MapIterator<string> {
    for (const bucket of this.buckets) for (const { id } of bucket.pools) yield id
    return undefined
  }

  *values(): MapIterator<Pool> {
    for (const bucket of this.buckets) yield* bucket.pools
    return undefined
  }

  [Symbol.iterator](): MapIterator<[string, Pool]> {
    return this.entries()
  }

  forEach(callback: (pool: Pool, id: string, map: ReadonlyMap<string, Pool>) => void): void {
    for (const [id, pool] of this) callback(pool, id, this)
  }
}
