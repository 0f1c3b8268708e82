/**
 * Chooses among the pools of a DEX with the same tokens, if logs announced more of them than a market may follow.
 * Anyone can create many worthless pools for the price of gas, before and after a good pool is created. So the market
 * follows the deepest pools, not the first.
 */
import type { MarketComponents, MarketFollower } from './follow.ts'
import { type PoolEntry, readPools } from './pool-reader.ts'
import { BACKGROUND_TIMEOUT_MS } from './timing.ts'

/**
 * Maximum pools read per call of `choose`. The next request of their tokens reads the remaining pools. Each pool is
 * read once, until a log concerns it again.
 */
export const MAX_COMPARED = 400

/** Ids of followed pools that are dropped, and the pools that are followed instead. */
export type PoolReplacement = { readonly droppedIds: readonly string[]; readonly chosenEntries: readonly PoolEntry[] }

export class CrowdedPools {
  private readonly components: MarketComponents
  private readonly follower: MarketFollower

  constructor(components: MarketComponents, follower: MarketFollower) {
    this.components = components
    this.follower = follower
  }

  /**
   * Reads refused pools, and compares them with the followed pools of the same tokens. The directory refuses a pool if
   * it already follows the maximum number of pools with the same tokens. Skips pools of sampled families: a read of
   * such a pool simulates swaps, and most such pools have no state.
   *
   * @throws RpcError
   */
  async choose(refusedEntries: readonly PoolEntry[]): Promise<PoolReplacement> {
    const { rpc, directory, ledger, signal } = this.components
    const newEntries = refusedEntries.filter(
      ({ row, pool: { id } }) => !directory.comparedIds.has(id) && !directory.familyOf(row).sampled,
    )
    if (newEntries.length === 0) return { droppedIds: [], chosenEntries: [] }
    // Oldest and newest pools in equal numbers: a good pool can be among either.
    const isCut = newEntries.length > MAX_COMPARED
    const half = MAX_COMPARED / 2
    const challengers = isCut ? [...newEntries.slice(0, half), ...newEntries.slice(-half)] : newEntries
    if (isCut) directory.recordRefused(newEntries[half]!.pool)
    const { pools } = await this.follower.retryOnReorg((block) =>
      readPools(rpc, block, { completeEntries: [], incompleteEntries: challengers }, directory.families, {
        signal,
        priority: 'background',
        timeoutMs: BACKGROUND_TIMEOUT_MS,
      }),
    )
    for (const { pool } of challengers) directory.comparedIds.set(pool.id, true)
    const loadedById = new Map(pools.map((pool) => [pool.id, pool]))
    const loadedChallengers = challengers.filter(({ pool: { id } }) => loadedById.has(id))
    const { top } = ledger.history!
    const replacements = [...directory.crowdsOf(loadedChallengers)].map(({ followedEntries, otherEntries }) =>
      replaceShallow(
        followedEntries.filter(({ pool: { id } }) => !directory.sampling.has(id)),
        otherEntries,
        (id) => {
          const pool = loadedById.get(id) ?? top.pools.get(id)
          return pool ? directory.families.get(pool.family)!.reserves(pool) : []
        },
      ),
    )
    return {
      droppedIds: replacements.flatMap(({ droppedIds }) => droppedIds),
      chosenEntries: replacements.flatMap(({ chosenEntries }) => chosenEntries),
    }
  }

  /** Stops following pools. The caller holds the mutex of the ledger. */
  drop(ids: readonly string[]): void {
    const { directory, ledger } = this.components
    directory.displace(ids)
    const history = ledger.history!
    const { top } = history
    const newTop = { ...top, pools: top.pools.with([], ids), changedIds: new Set([...top.changedIds, ...ids]) }
    if (ledger.newest) ledger.commit(history.replaceTop(newTop), ids)
    else ledger.restore(history.replaceTop(newTop))
  }
}

/**
 * Replaces followed pools by deeper pools of the same tokens. The depth of a pool is the sum, over the tokens, of its
 * share of the reserves of all compared pools. So a pool can displace another one only with a larger deposit.
 *
 * @param reservesOf - reserves of a pool, by token; empty if it has no state
 */
export function replaceShallow(
  followedEntries: readonly PoolEntry[],
  otherEntries: readonly PoolEntry[],
  reservesOf: (id: string) => readonly bigint[],
): PoolReplacement {
  const reservesByEntry = new Map(
    [...followedEntries, ...otherEntries].map((entry) => [entry, reservesOf(entry.pool.id).map(Number)]),
  )
  const totals: number[] = []
  for (const reserves of reservesByEntry.values())
    for (const [tokenIndex, reserve] of reserves.entries()) totals[tokenIndex] = (totals[tokenIndex] ?? 0) + reserve
  const depthOf = (entry: PoolEntry) =>
    reservesByEntry
      .get(entry)!
      .reduce((sum, reserve, tokenIndex) => sum + (reserve > 0 ? reserve / totals[tokenIndex]! : 0), 0)
  const byDepth = (entries: readonly PoolEntry[]) =>
    entries.map((entry) => ({ entry, depth: depthOf(entry) })).sort((a, b) => a.depth - b.depth)
  const shallowFirst = byDepth(followedEntries)
  const deepFirst = byDepth(otherEntries).reverse()
  let count = 0
  while (
    count < Math.min(shallowFirst.length, deepFirst.length) &&
    deepFirst[count]!.depth > shallowFirst[count]!.depth
  )
    count++
  return {
    droppedIds: shallowFirst.slice(0, count).map(({ entry }) => entry.pool.id),
    chosenEntries: deepFirst.slice(0, count).map(({ entry }) => entry),
  }
}
