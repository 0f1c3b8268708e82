/** `PoolMap`, an immutable map of pools with cheap updates, and the differences between two maps. */
import type { Steps } from '@sluice/rpc'
import type { Pool } from './family.ts'
import { BUCKET_COUNT, bucketOf, idPrefixOf } from './pool-id.ts'

/** Pools, and buckets, processed between two yields when a map is built. */
const POOLS_PER_SLICE = 500
const BUCKETS_PER_SLICE = 32

/**
 * Pools sorted by id: copying two arrays is faster than rebuilding a map. `idPrefixes` holds the numeric prefix of each
 * id, so that a binary search reads no pool objects.
 */
type Bucket = { readonly idPrefixes: readonly number[]; readonly pools: readonly Pool[] }
type MutableBucket = { readonly idPrefixes: number[]; readonly pools: Pool[] }

/** Maximum ids and maps in the change log of a map. */
const MAX_LOGGED_IDS = 4096
const MAX_LOGGED_MAPS = 16
/** Ids compared between two yields. */
const IDS_PER_SLICE = 32

const NO_POOLS: Bucket = { idPrefixes: [], pools: [] }

/**
 * One step of the change log: the ids that `with` set or deleted when it derived a newer map from the map `identity`.
 */
type LoggedIds = { readonly identity: object; readonly ids: readonly string[] }

/** Differences between two maps. */
export type PoolChanges = {
  /** Pools that are new or changed, in their current state. */
  readonly changedPools: readonly Pool[]
  readonly goneIds: readonly string[]
}

/**
 * Returns the differences between two states of a chain, however many blocks apart. Cheap if both maps come from the
 * same market, because such maps share unchanged buckets.
 */
export function poolChanges(oldPools: ReadonlyMap<string, Pool>, newPools: ReadonlyMap<string, Pool>): PoolChanges {
  const changedPools: Pool[] = []
  const goneIds: string[] = []
  for (const step of poolChangeSteps(oldPools, newPools)) {
    changedPools.push(...step.changedPools)
    goneIds.push(...step.goneIds)
  }
  return { changedPools, goneIds }
}

/** Incremental `poolChanges`: yields batches of a few dozen pools so callers can yield to the event loop. */
export function* poolChangeSteps(
  oldPools: ReadonlyMap<string, Pool>,
  newPools: ReadonlyMap<string, Pool>,
): Generator<PoolChanges> {
  const ids =
    oldPools instanceof PoolMap && newPools instanceof PoolMap ? newPools.idsChangedSince(oldPools) : undefined
  if (ids) return yield* compareById(oldPools, newPools, ids)
  if (oldPools === newPools) return
  if (!(oldPools instanceof PoolMap && newPools instanceof PoolMap)) {
    yield {
      changedPools: [...newPools.values()].filter((pool) => oldPools.get(pool.id) !== pool),
      goneIds: [...oldPools.keys()].filter((id) => !newPools.has(id)),
    }
    return
  }
  // Buckets shared by both maps are equal and are skipped.
  for (const [oldBucket, bucket] of newPools.bucketPairsThatDiffer(oldPools)) yield bucketChanges(oldBucket, bucket)
}

/** Compares the pools with these ids. No other pool may differ. */
function* compareById(
  oldPools: ReadonlyMap<string, Pool>,
  newPools: ReadonlyMap<string, Pool>,
  ids: readonly string[],
): Generator<PoolChanges> {
  for (let from = 0; from < ids.length; from += IDS_PER_SLICE) {
    const changedPools: Pool[] = []
    const goneIds: string[] = []
    for (const id of ids.slice(from, from + IDS_PER_SLICE)) {
      const [oldPool, pool] = [oldPools.get(id), newPools.get(id)]
      if (oldPool === pool) continue
      if (pool) changedPools.push(pool)
      else goneIds.push(id)
    }
    yield { changedPools, goneIds }
  }
}

/** Merges two sorted buckets. Most pools are unchanged and recognized by reference, without comparing ids. */
function bucketChanges({ pools: oldPools }: Bucket, { pools: newPools }: Bucket): PoolChanges {
  const changedPools: Pool[] = []
  const goneIds: string[] = []
  let oldIndex = 0
  for (const pool of newPools) {
    while (oldIndex < oldPools.length && oldPools[oldIndex] !== pool && compareIds(oldPools[oldIndex]!.id, pool.id) < 0)
      goneIds.push(oldPools[oldIndex++]!.id)
    const oldPool = oldPools[oldIndex]
    if (oldPool === pool || oldPool?.id === pool.id) oldIndex++
    if (oldPool !== pool) changedPools.push(pool)
  }
  while (oldIndex < oldPools.length) goneIds.push(oldPools[oldIndex++]!.id)
  return { changedPools, goneIds }
}

/** Compares two ids of the same bucket. */
function compareIds(a: string, b: string): number {
  const difference = idPrefixOf(a) - idPrefixOf(b)
  if (difference !== 0 || a === b) return difference
  return a < b ? -1 : 1
}

/** Returns the index of the first pool whose id is not less than `id`. */
function findIndexInBucket({ idPrefixes, pools }: Bucket, id: string): number {
  const prefix = idPrefixOf(id)
  let low = 0
  let high = idPrefixes.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (idPrefixes[middle]! < prefix) low = middle + 1
    else high = middle
  }
  while (idPrefixes[low] === prefix && pools[low]!.id < id) low++
  return low
}

/** Builds a bucket; of several pools with the same id the last one remains. */
function bucketOfPools(unsortedPools: readonly Pool[]): Bucket {
  if (unsortedPools.length === 0) return NO_POOLS
  // The sort is stable: pools with the same id keep their order.
  const sortedPools = [...unsortedPools].sort((a, b) => compareIds(a.id, b.id))
  const pools = sortedPools.filter(({ id }, i) => id !== sortedPools[i + 1]?.id)
  return { idPrefixes: pools.map(({ id }) => idPrefixOf(id)), pools }
}

/**
 * Map of pools by id. The iteration order depends only on the ids, so results do not depend on the map's history.
 * Immutable: `with` returns a new map that shares all unchanged buckets. So the snapshots of the last 64 blocks cost
 * little more than the changes.
 */
export class PoolMap implements ReadonlyMap<string, Pool> {
  static readonly empty = new PoolMap(
    Array.from({ length: BUCKET_COUNT }, () => NO_POOLS),
    0,
  )

  readonly size: number
  private readonly buckets: readonly Bucket[]
  /** Identifies this map in change logs, which must not retain the map itself. */
  private readonly identity = {}
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
    const copiedIndexes = new Set<number>()
    const changedIds: string[] = []
    const writableBucket = (index: number): MutableBucket => {
      if (!copiedIndexes.has(index)) {
        const { idPrefixes, pools } = buckets[index]!
        buckets[index] = { idPrefixes: idPrefixes.slice(), pools: pools.slice() }
        copiedIndexes.add(index)
      }
      return buckets[index] as MutableBucket
    }
    let size = this.size
    for (const pool of pools) {
      const bucket = writableBucket(bucketOf(pool.id))
      const index = findIndexInBucket(bucket, pool.id)
      changedIds.push(pool.id)
      if (bucket.pools[index]?.id === pool.id) {
        bucket.pools[index] = pool
        continue
      }
      bucket.idPrefixes.splice(index, 0, idPrefixOf(pool.id))
      bucket.pools.splice(index, 0, pool)
      size++
    }
    for (const id of goneIds) {
      const bucket = writableBucket(bucketOf(id))
      const index = findIndexInBucket(bucket, id)
      changedIds.push(id)
      if (bucket.pools[index]?.id !== id) continue
      bucket.idPrefixes.splice(index, 1)
      bucket.pools.splice(index, 1)
      size--
    }
    return copiedIndexes.size === 0 ? this : new PoolMap(buckets, size, this.extendChangeLog(changedIds))
  }

  private extendChangeLog(ids: readonly string[]): readonly LoggedIds[] {
    const changeLog: LoggedIds[] = []
    let count = 0
    for (const step of [{ identity: this.identity, ids }, ...this.changeLog]) {
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
  idsChangedSince(oldMap: PoolMap): readonly string[] | undefined {
    const stepIndex = this.changeLog.findIndex(({ identity }) => identity === oldMap.identity)
    if (stepIndex === -1) return undefined
    const ids = new Set(this.changeLog.slice(0, stepIndex + 1).flatMap((step) => step.ids))
    const locatedIds = [...ids].map((id) => ({ id, bucket: bucketOf(id) }))
    return locatedIds.sort((a, b) => a.bucket - b.bucket || compareIds(a.id, b.id)).map(({ id }) => id)
  }

  /** Returns each bucket that differs from the same bucket of an older map, as a pair: old bucket, new bucket. */
  bucketPairsThatDiffer(oldMap: PoolMap): [Bucket, Bucket][] {
    const bucketPairs: [Bucket, Bucket][] = []
    for (let index = 0; index < BUCKET_COUNT; index++) {
      const bucket = this.buckets[index]!
      const oldBucket = oldMap.buckets[index]!
      if (bucket !== oldBucket) bucketPairs.push([oldBucket, bucket])
    }
    return bucketPairs
  }

  /** Builds a map of many pools in steps, each bucket once. Of several pools with the same id the last one remains. */
  static *of(pools: readonly Pool[]): Steps<PoolMap> {
    const poolsByBucket: Pool[][] = Array.from({ length: BUCKET_COUNT }, () => [])
    for (const [index, pool] of pools.entries()) {
      poolsByBucket[bucketOf(pool.id)]!.push(pool)
      if (index % POOLS_PER_SLICE === 0) yield
    }
    const buckets: Bucket[] = []
    let size = 0
    for (const [index, bucketPools] of poolsByBucket.entries()) {
      const bucket = bucketOfPools(bucketPools)
      buckets.push(bucket)
      size += bucket.pools.length
      if (index % BUCKETS_PER_SLICE === 0) yield
    }
    return new PoolMap(buckets, size)
  }

  /**
   * Divides the map into `partCount` parts of about equal size. Returns the ids of part `partIndex`, counted from 0.
   */
  idsOfPart(partIndex: number, partCount: number): string[] {
    const from = Math.floor((partIndex * BUCKET_COUNT) / partCount)
    const to = Math.floor(((partIndex + 1) * BUCKET_COUNT) / partCount)
    return this.buckets.slice(from, to).flatMap((bucket) => bucket.pools.map(({ id }) => id))
  }

  get(id: string): Pool | undefined {
    const bucket = this.buckets[bucketOf(id)]!
    const pool = bucket.pools[findIndexInBucket(bucket, id)]
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
