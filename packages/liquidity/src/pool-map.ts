/** `PoolMap`, an immutable map of pools with cheap updates, and the differences between two maps. */
import type { Steps } from '@sluice/rpc'
import type { Pool } from './family.ts'
import { BUCKETS, bucketOf, startOf } from './pool-id.ts'

/** Pools (buckets) processed between two yields when a map is built. */
const POOLS_PER_SLICE = 500
const BUCKETS_PER_SLICE = 32

/**
 * Pools sorted by id: copying two arrays is faster than rebuilding a map. `idStarts` holds the numeric prefix of each id,
 * so that a binary search reads no pool objects.
 */
type Bucket = { readonly idStarts: readonly number[]; readonly pools: readonly Pool[] }
type MutableBucket = { readonly idStarts: number[]; readonly pools: Pool[] }

/** Maximum ids and maps in the change log of a map. */
const MAX_LOGGED_IDS = 4096
const MAX_LOGGED_MAPS = 16
/** Ids compared between two yields. */
const IDS_PER_SLICE = 32

const NO_POOLS: Bucket = { idStarts: [], pools: [] }

/** One step of the change log: ids that were set or deleted when the map with this mark was made. */
type LoggedIds = { readonly mark: object; readonly ids: readonly string[] }

/** Differences between two maps. */
export type PoolChanges = {
  /** Pools that are new or changed, in their current state. */
  readonly changedPools: readonly Pool[]
  readonly goneIds: readonly string[]
}

/**
 * Returns the differences between two states of a chain, regardless of the number of blocks between them. Cheap for
 * maps of the same market.
 */
export function poolChanges(before: ReadonlyMap<string, Pool>, after: ReadonlyMap<string, Pool>): PoolChanges {
  const changedPools: Pool[] = []
  const goneIds: string[] = []
  for (const step of poolChangeSteps(before, after)) {
    changedPools.push(...step.changedPools)
    goneIds.push(...step.goneIds)
  }
  return { changedPools, goneIds }
}

/** Incremental `poolChanges`: yields batches of a few dozen pools so callers can yield to the event loop. */
export function* poolChangeSteps(
  before: ReadonlyMap<string, Pool>,
  after: ReadonlyMap<string, Pool>,
): Generator<PoolChanges> {
  const ids = before instanceof PoolMap && after instanceof PoolMap ? after.idsChangedSince(before) : undefined
  if (ids) return yield* compareById(before, after, ids)
  if (before === after) return
  if (!(before instanceof PoolMap && after instanceof PoolMap)) {
    yield {
      changedPools: [...after.values()].filter((pool) => before.get(pool.id) !== pool),
      goneIds: [...before.keys()].filter((id) => !after.has(id)),
    }
    return
  }
  // Buckets shared by both maps are equal and are skipped.
  for (const [oldBucket, bucket] of after.bucketsUnlike(before)) yield bucketChanges(oldBucket, bucket)
}

/** Compares the pools with these ids. No other pool may differ. */
function* compareById(
  before: ReadonlyMap<string, Pool>,
  after: ReadonlyMap<string, Pool>,
  ids: readonly string[],
): Generator<PoolChanges> {
  for (let from = 0; from < ids.length; from += IDS_PER_SLICE) {
    const changedPools: Pool[] = []
    const goneIds: string[] = []
    for (const id of ids.slice(from, from + IDS_PER_SLICE)) {
      const [oldPool, pool] = [before.get(id), after.get(id)]
      if (oldPool === pool) continue
      if (pool) changedPools.push(pool)
      else goneIds.push(id)
    }
    yield { changedPools, goneIds }
  }
}

/** Merges two sorted buckets. Most pools are unchanged and recognized by reference, without comparing ids. */
function bucketChanges({ pools: before }: Bucket, { pools: after }: Bucket): PoolChanges {
  const changedPools: Pool[] = []
  const goneIds: string[] = []
  let index = 0
  for (const pool of after) {
    while (index < before.length && before[index] !== pool && compareIds(before[index]!.id, pool.id) < 0)
      goneIds.push(before[index++]!.id)
    const oldPool = before[index]
    if (oldPool === pool || oldPool?.id === pool.id) index++
    if (oldPool !== pool) changedPools.push(pool)
  }
  while (index < before.length) goneIds.push(before[index++]!.id)
  return { changedPools, goneIds }
}

/** Compares two ids of the same bucket. */
function compareIds(a: string, b: string): number {
  const difference = startOf(a) - startOf(b)
  if (difference !== 0 || a === b) return difference
  return a < b ? -1 : 1
}

/** Returns the index of the first pool whose id is not less than `id`. */
function indexIn({ idStarts, pools }: Bucket, id: string): number {
  const start = startOf(id)
  let low = 0
  let high = idStarts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (idStarts[middle]! < start) low = middle + 1
    else high = middle
  }
  while (idStarts[low] === start && pools[low]!.id < id) low++
  return low
}

/** Builds a bucket; of several pools with the same id the last one remains. */
function bucketOfPools(all: readonly Pool[]): Bucket {
  if (all.length === 0) return NO_POOLS
  // The sort is stable: pools with the same id keep their order.
  const sorted = [...all].sort((a, b) => compareIds(a.id, b.id))
  const pools = sorted.filter(({ id }, i) => id !== sorted[i + 1]?.id)
  return { idStarts: pools.map(({ id }) => startOf(id)), pools }
}

/**
 * Map of pools by id. The iteration order depends only on the ids, so results do not depend on the map's history.
 * Immutable: `with` returns a new map that shares all unchanged buckets. So one snapshot per block, and the last 64 for
 * reorgs, cost little more than the changes.
 */
export class PoolMap implements ReadonlyMap<string, Pool> {
  static readonly empty = new PoolMap(
    Array.from({ length: BUCKETS }, () => NO_POOLS),
    0,
  )

  readonly size: number
  private readonly buckets: readonly Bucket[]
  /** Identifies this map without retaining it. */
  private readonly mark = {}
  /** Change log, newest step first. */
  private readonly changeLog: readonly LoggedIds[]

  private constructor(buckets: readonly Bucket[], size: number, changeLog: readonly LoggedIds[] = []) {
    this.buckets = buckets
    this.size = size
    this.changeLog = changeLog
  }

  /** Returns a map with `pools` added or replaced, and the pools with the ids `goneIds` removed. */
  with(pools: Iterable<Pool>, goneIds: Iterable<string> = []): PoolMap {
    const buckets = this.buckets.slice()
    const ownBuckets = new Set<number>()
    const ids: string[] = []
    const copyOf = (index: number): MutableBucket => {
      if (!ownBuckets.has(index)) {
        const { idStarts, pools } = buckets[index]!
        buckets[index] = { idStarts: idStarts.slice(), pools: pools.slice() }
        ownBuckets.add(index)
      }
      return buckets[index] as MutableBucket
    }
    let size = this.size
    for (const pool of pools) {
      const bucket = copyOf(bucketOf(pool.id))
      const index = indexIn(bucket, pool.id)
      ids.push(pool.id)
      if (bucket.pools[index]?.id === pool.id) {
        bucket.pools[index] = pool
        continue
      }
      bucket.idStarts.splice(index, 0, startOf(pool.id))
      bucket.pools.splice(index, 0, pool)
      size++
    }
    for (const id of goneIds) {
      const bucket = copyOf(bucketOf(id))
      const index = indexIn(bucket, id)
      ids.push(id)
      if (bucket.pools[index]?.id !== id) continue
      bucket.idStarts.splice(index, 1)
      bucket.pools.splice(index, 1)
      size--
    }
    return ownBuckets.size === 0 ? this : new PoolMap(buckets, size, this.extendedLog(ids))
  }

  private extendedLog(ids: readonly string[]): readonly LoggedIds[] {
    const changeLog: LoggedIds[] = []
    let count = 0
    for (const step of [{ mark: this.mark, ids }, ...this.changeLog]) {
      count += step.ids.length
      if (count > MAX_LOGGED_IDS || changeLog.length === MAX_LOGGED_MAPS) break
      changeLog.push(step)
    }
    return changeLog
  }

  /**
   * Returns the ids of all pools that may differ from an earlier map, in iteration order. Undefined if the change log
   * does not reach back to that map.
   */
  idsChangedSince(before: PoolMap): readonly string[] | undefined {
    const last = this.changeLog.findIndex(({ mark }) => mark === before.mark)
    if (last === -1) return undefined
    const ids = new Set(this.changeLog.slice(0, last + 1).flatMap((step) => step.ids))
    const locatedIds = [...ids].map((id) => ({ id, bucket: bucketOf(id) }))
    return locatedIds.sort((a, b) => a.bucket - b.bucket || compareIds(a.id, b.id)).map(({ id }) => id)
  }

  /** Returns the pairs of buckets that differ from another map: the old one, then the new one. */
  bucketsUnlike(before: PoolMap): [Bucket, Bucket][] {
    const differing: [Bucket, Bucket][] = []
    for (let index = 0; index < BUCKETS; index++) {
      const bucket = this.buckets[index]!
      const oldBucket = before.buckets[index]!
      if (bucket !== oldBucket) differing.push([oldBucket, bucket])
    }
    return differing
  }

  /** Builds a map of many pools in steps, each bucket once. Of several pools with the same id the last one remains. */
  static *of(pools: readonly Pool[]): Steps<PoolMap> {
    const rows: Pool[][] = Array.from({ length: BUCKETS }, () => [])
    for (const [index, pool] of pools.entries()) {
      rows[bucketOf(pool.id)]!.push(pool)
      if (index % POOLS_PER_SLICE === 0) yield
    }
    const buckets: Bucket[] = []
    let size = 0
    for (const [index, row] of rows.entries()) {
      const bucket = bucketOfPools(row)
      buckets.push(bucket)
      size += bucket.pools.length
      if (index % BUCKETS_PER_SLICE === 0) yield
    }
    return new PoolMap(buckets, size)
  }

  /** Returns the ids of one of `parts` parts of about equal size. */
  idsOfPart(part: number, parts: number): string[] {
    const from = Math.floor((part * BUCKETS) / parts)
    const to = Math.floor(((part + 1) * BUCKETS) / parts)
    return this.buckets.slice(from, to).flatMap((bucket) => bucket.pools.map(({ id }) => id))
  }

  get(id: string): Pool | undefined {
    const bucket = this.buckets[bucketOf(id)]!
    const pool = bucket.pools[indexIn(bucket, id)]
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
