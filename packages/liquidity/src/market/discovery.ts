/**
 * Discovers pools for a market: requests token pairs from factories, and scans past logs for the pools that no getter
 * lists. Hubs and intermediates are the tokens that other tokens are paired with (`pairs.ts`); neighbors of a token are
 * tokens that it shares a known pool with (`neighbors.ts`). A group is a set of tokens that are traded with one
 * another, such as the input and output of a swap. `market.ts` is the caller.
 */

import type { Address, DexRow } from '@sluice/chains'
import { abortable, type BlockHeader, inSlices, type Priority, RpcError } from '@sluice/rpc'
import type { StateCount } from '@sluice/simulation'
import { chunks } from '../dexes/common/chunks.ts'
import { pairKey } from '../dexes/common/direction.ts'
import { MarketError } from '../errors.ts'
import type { Pool, TokenPair } from '../family.ts'
import type { PoolList } from '../pool-list/pool-list.ts'
import type { ScanStatus } from '../snapshot.ts'
import { BatchQueue } from './batch-queue.ts'
import { CrowdedPools } from './crowded-pools.ts'
import type { Evictor } from './evictor.ts'
import type { MarketComponents, MarketFollower } from './follow.ts'
import type { MarketLimits } from './limits.ts'
import { LogScan } from './log-scan.ts'
import { findNeighbors, needsNeighborSearch, neighborPairs } from './neighbors.ts'
import { pairsOf } from './pairs.ts'
import { PoolListImport, type PoolListImportCount } from './pool-list-import.ts'
import { findPools, type PoolEntry } from './pool-reader.ts'
import { RequestedPairs } from './requested-pairs.ts'
import { BACKGROUND_TIMEOUT_MS, sleep } from './timing.ts'

/**
 * Milliseconds that a requested token waits for the log scan. Pools found later are added without a further request.
 */
const SCAN_TIMEOUT_MS = 500
/** Milliseconds that the first requests after the start of a market wait for the pools between intermediates. */
const WARM_UP_TIMEOUT_MS = 1_000
/**
 * Tokens per background batch of searches with the hubs. A batch costs up to 2 MB of responses and 1 s of node time.
 */
const TOKENS_PER_BATCH = 25
/**
 * Tokens or token groups per background batch of searches with all intermediates. Each item needs several times as many
 * pairs as a search with the hubs.
 */
const ITEMS_PER_WIDE_BATCH = 8
/** Pairs per background batch of repeated searches, which concern only a few families. */
const REPEATED_PAIRS_PER_BATCH = 100
/** Pools read per batch. */
const POOLS_PER_BATCH = 200
/** Maximum attempts to read a batch of pools whose block is reorged away each time. */
const MAX_READ_ATTEMPTS = 8

export type DiscoveryOptions = {
  readonly components: MarketComponents
  readonly follower: MarketFollower
  readonly evictor: Evictor
  readonly limits: MarketLimits
  readonly onScan?: ((status: ScanStatus) => void) | undefined
  /** Loads the pool list to start from. */
  readonly loadPoolList?: (() => PoolList) | undefined
  readonly onPoolListImport?: ((count: PoolListImportCount) => void) | undefined
  /** False to skip the log scan, because another market has done it. */
  readonly searchesLogs?: boolean | undefined
}

function nullIfReorged(error: unknown): null {
  if (error instanceof RpcError && error.mayDependOnBlock) return null
  throw error
}

/** Pool discovery of one market. */
export class Discovery {
  private readonly components: MarketComponents
  private readonly follower: MarketFollower
  private readonly evictor: Evictor
  private readonly requestedPairs: RequestedPairs
  private readonly crowdedPools: CrowdedPools
  /** Searches for the pools between each token and the hubs. */
  private readonly tokenSearches: BatchQueue<Address>
  /** Searches for the pools between each intermediate and all intermediates. */
  private readonly intermediateSearches: BatchQueue<Address>
  /** Repeated searches of pairs for which the directory refused a created pool. */
  private readonly pairSearches: BatchQueue<TokenPair>
  /** Repeated searches of pairs for the pools that no log announces. */
  private readonly repeatedSearches: BatchQueue<TokenPair>
  /** Time at which the pairs of intermediates were last checked for repeated searches, by `performance.now`. */
  private intermediatesCheckedAtMs = performance.now()
  private readonly pairSearchMs: number
  /** Searches for the pools of the neighbors of groups of tokens. */
  private readonly neighborSearches: BatchQueue<readonly Address[]>
  /** First searches, for the pools between hubs and between intermediates; null before they start. */
  private warmUpSearch: Promise<unknown> | null = null
  readonly scan: LogScan

  constructor(options: DiscoveryOptions) {
    const { components, follower, evictor, limits, onScan, loadPoolList, onPoolListImport, searchesLogs } = options
    this.components = components
    this.evictor = evictor
    this.follower = follower
    this.crowdedPools = new CrowdedPools(components, follower)
    this.requestedPairs = new RequestedPairs(components.directory.tokens, limits)
    this.scan = new LogScan(components, (pools) => this.add(pools), onScan, onPoolListImport, searchesLogs)
    if (loadPoolList)
      this.scan.scheduleImport(
        () =>
          new PoolListImport(loadPoolList(), { components, follower }, (row, scannedTo) =>
            this.scan.hasPoolsOf(row, scannedTo),
          ),
      )
    const { directory } = components
    const { hubs, intermediates } = directory.scope
    const findsUnannouncedPools = (row: DexRow) => {
      const family = directory.familyOf(row)
      return !family.createdPool || family.findsUnannouncedPools === true
    }
    this.tokenSearches = new BatchQueue(
      (tokens) => this.searchWithPartners(tokens, hubs),
      limits.queuedSearches,
      TOKENS_PER_BATCH,
    )
    this.intermediateSearches = new BatchQueue(
      (tokens) => this.searchWithPartners(tokens, intermediates),
      limits.queuedSearches,
      ITEMS_PER_WIDE_BATCH,
    )
    this.pairSearches = new BatchQueue(
      (pairs) => this.discover(pairs, 'background'),
      limits.queuedSearches,
      TOKENS_PER_BATCH,
    )
    this.pairSearchMs = limits.pairSearchMs
    this.repeatedSearches = new BatchQueue(
      (pairs) => this.discover(pairs, 'background', directory.rows.filter(findsUnannouncedPools)),
      limits.queuedSearches,
      REPEATED_PAIRS_PER_BATCH,
    )
    this.neighborSearches = new BatchQueue(
      (groups) => this.searchNeighbors(groups),
      limits.queuedSearches,
      ITEMS_PER_WIDE_BATCH,
    )
  }

  private get queues() {
    return [
      this.intermediateSearches,
      this.tokenSearches,
      this.pairSearches,
      this.repeatedSearches,
      this.neighborSearches,
    ]
  }

  get stateCounts(): Readonly<Record<'pairs' | 'queued', StateCount>> {
    const queueCount = { entries: 0, evicted: 0 }
    for (const { stateCount: count } of this.queues) {
      queueCount.entries += count.entries
      queueCount.evicted += count.evicted
    }
    return { pairs: this.requestedPairs.stateCount, queued: queueCount }
  }

  /** Keys of the pairs whose pools are in memory. */
  get loadedPairKeys(): Iterable<string> {
    return this.requestedPairs.loadedKeys()
  }

  restorePairs(pairKeys: Iterable<string>): void {
    this.requestedPairs.restore(pairKeys)
  }

  forgetPairs(): void {
    this.requestedPairs.forgetAll()
    this.warmUpSearch = null
    this.scan.restart()
  }

  /**
   * Resolves when memory contains the pools between hubs, and for each group the pools of its tokens with one another
   * and with the intermediates. Waits for the pools between intermediates only within a time limit. Searches the
   * neighbors of each group in the background.
   *
   * @throws RpcError
   */
  async ensure(groups: readonly (readonly Address[])[], signal?: AbortSignal): Promise<void> {
    const { tokens, scope } = this.components.directory
    for (const token of groups.flat()) tokens.markRequested(token)
    const pairs = groups.flatMap((group) => pairsOf(group, scope.intermediates))
    const pendingSearch = Promise.all([this.requestPairs(pairs, 'lookup'), this.warmUp()])
    const isNew = (pair: TokenPair) => this.requestedPairs.isNew(pair)
    for (const group of groups)
      if (needsNeighborSearch(this.components.directory, group, isNew))
        this.neighborSearches.add(group.join(), group).catch(() => {})
    await abortable(pendingSearch, signal)
    if (groups.length > 0) this.repeatOldSearches(pairs)
  }

  /**
   * Searches pairs again, in the background, whose last search was long ago: some DEXes announce new pools by no log,
   * or by one that does not name the pool.
   */
  private repeatOldSearches(requestedPairs: readonly TokenPair[]): void {
    const { scope } = this.components.directory
    const isDue = performance.now() - this.intermediatesCheckedAtMs >= this.pairSearchMs
    if (isDue) this.intermediatesCheckedAtMs = performance.now()
    const pairs = isDue ? [...requestedPairs, ...pairsOf(scope.intermediates, [])] : requestedPairs
    for (const pair of this.requestedPairs.takeStale(pairs, this.pairSearchMs))
      this.repeatedSearches.add(pairKey(pair), pair).catch(() => this.requestedPairs.markStale(pair))
  }

  /**
   * Searches the pools of a token with the hubs, queued within the background budget.
   *
   * @throws RpcError; MarketError `BUSY` if the queue is full
   */
  async searchWithHubs(token: Address): Promise<void> {
    const { tokens, scope } = this.components.directory
    const isFollowed = tokens.has(token)
    // Keep following a followed token. A new token is followed when its search leaves the queue.
    if (isFollowed) tokens.markRequested(token)
    const pairs = pairsOf([token], scope.hubs)
    if (isFollowed && pairs.every((pair) => !this.requestedPairs.isNew(pair) && !this.requestedPairs.searchOf(pair))) {
      this.repeatOldSearches(pairs)
      return
    }
    await this.tokenSearches.add(token, token)
  }

  /** Adds pools that another market of the chain has found, if they exist at the newest block. @throws RpcError */
  async addFoundPools(foundEntries: readonly PoolEntry[]): Promise<void> {
    for (const entry of foundEntries) this.components.directory.list(entry)
    // The other market has already limited the number of pools with the same tokens.
    await this.add(foundEntries, { isLimited: false })
  }

  /** Resolves when the log scan and all queued searches have ended. The caller sets a deadline. */
  async whenIdle(): Promise<void> {
    await this.scan.run()
    for (const queue of this.queues) await queue.whenIdle()
  }

  private async searchWithPartners(tokens: readonly Address[], partners: readonly Address[]): Promise<void> {
    for (const token of tokens) this.components.directory.tokens.markRequested(token)
    await this.requestPairs(
      tokens.flatMap((token) => pairsOf([token], partners)),
      'background',
    )
  }

  /**
   * Resolves when the pools between hubs are in memory. Waits for the pools between intermediates only within a time
   * limit. After a failure the next request tries again.
   */
  private warmUp(): Promise<unknown> {
    if (this.warmUpSearch) return this.warmUpSearch
    // The search of a new pair also starts the scan. But after a restart all pairs can be known although the scan is
    // incomplete.
    void this.scan.run()
    const { hubs, intermediates } = this.components.directory.scope
    const hubSearch = this.requestPairs(pairsOf(hubs, []), 'lookup')
    const otherSearches = Promise.all(intermediates.map((token) => this.intermediateSearches.add(token, token)))
    const firstSearches = Promise.all([hubSearch, Promise.race([otherSearches, sleep(WARM_UP_TIMEOUT_MS)])])
    this.warmUpSearch = firstSearches
    for (const search of [firstSearches, otherSearches])
      search.catch(() => {
        if (this.warmUpSearch === firstSearches) this.warmUpSearch = null
      })
    return firstSearches
  }

  /** Searches the pools of each group's neighbors with the tokens of the group and with the intermediates. */
  private async searchNeighbors(groups: readonly (readonly Address[])[]): Promise<void> {
    const { directory } = this.components
    // Neighbors are derived from the pools of past logs.
    await this.scan.run()
    await inSlices('neighbors', findNeighbors(directory, groups))
    await this.requestPairs(
      groups.flatMap((group) => neighborPairs(directory, group)),
      'background',
    )
  }

  private async requestPairs(pairsWithDuplicates: readonly TokenPair[], priority: Priority): Promise<void> {
    // Groups can share pairs.
    const pairs = [...new Map(pairsWithDuplicates.map((pair) => [pairKey(pair), pair])).values()]
    const newPairs = pairs.filter((pair) => this.requestedPairs.isNew(pair))
    if (newPairs.length > 0) {
      const pendingSearch = Promise.race([this.scan.run(), sleep(SCAN_TIMEOUT_MS)]).then(() =>
        this.discover(newPairs, priority),
      )
      this.requestedPairs.recordSearch(newPairs, pendingSearch)
    }
    for (const pair of pairs)
      if (this.components.directory.takeRefusedPair(pair))
        this.pairSearches
          .add(pairKey(pair), pair)
          // The next request of the pair tries again.
          .catch(() => this.components.directory.recordRefusedPair(pair))
    await Promise.all(new Set(pairs.flatMap((pair) => this.requestedPairs.searchOf(pair) ?? [])))
  }

  private async discover(
    pairs: readonly TokenPair[],
    priority: Priority,
    rows = this.components.directory.rows,
  ): Promise<void> {
    const { rpc, directory, signal } = this.components
    const options = { signal, priority, ...(priority === 'background' && { timeoutMs: BACKGROUND_TIMEOUT_MS }) }
    const foundEntries = await this.follower.retryOnReorg(({ hash }) =>
      findPools(rpc, { blockHash: hash }, rows, directory.families, pairs, options),
    )
    await this.add(foundEntries, { isLimited: false })
    await this.add([...directory.listedPools.values()])
  }

  /**
   * Adds the pools that trade followed tokens, in batches. If there are more pools with the same tokens than the
   * directory accepts, the deepest of them are followed.
   *
   * @param options - those of `PoolDirectory.add`
   */
  private async add(foundEntries: readonly PoolEntry[], options: { readonly isLimited?: boolean } = {}): Promise<void> {
    const { directory, ledger } = this.components
    const entriesToAdd = foundEntries.filter(
      ({ pool }) => directory.hasFollowedPair(pool) && !ledger.newest?.pools.has(pool.id),
    )
    const refusedEntries: PoolEntry[] = []
    for (const batch of chunks(entriesToAdd, POOLS_PER_BATCH))
      refusedEntries.push(...(await this.addBatch(batch, options)))
    if (refusedEntries.length > 0) {
      const { droppedIds, chosenEntries } = await this.crowdedPools.choose(refusedEntries)
      if (droppedIds.length > 0) await ledger.mutex.run(async () => this.crowdedPools.drop(droppedIds))
      for (const batch of chunks(chosenEntries, POOLS_PER_BATCH)) await this.addBatch(batch, options)
    }
    if (entriesToAdd.length > 0) this.evictor.run()
  }

  /**
   * Adds pools to memory. New blocks arrive while the pools are read, so each pool joins the directory before its read.
   * A log in a new block then triggers another read of the pool, at the new block.
   *
   * @returns the pools that the directory refused, because it already follows the maximum number of pools with the
   *   same tokens
   */
  private async addBatch(
    foundEntries: readonly PoolEntry[],
    options: { readonly isLimited?: boolean },
  ): Promise<readonly PoolEntry[]> {
    const { ledger } = this.components
    const { ids, refusedEntries } = await ledger.mutex.run(async () => this.registerNewPools(foundEntries, options))
    for (let attempt = 1; ids.length > 0; attempt++) {
      const { block, loadedPools } = await this.follower.retryOnReorg(async (block) => ({
        block,
        // Read at high priority even for a background search: the background budget limits only the search.
        loadedPools: await this.follower.read(block, ids, 'lookup'),
      }))
      if (await ledger.mutex.run(() => this.merge(block, loadedPools))) {
        this.follower.retryUnread(ids, ledger.history!.top.pools, block)
        break
      }
      if (attempt === MAX_READ_ATTEMPTS) throw new MarketError('REORGED', `block ${block.number} is gone`)
    }
    return refusedEntries
  }

  private registerNewPools(
    foundEntries: readonly PoolEntry[],
    options: { readonly isLimited?: boolean },
  ): { readonly ids: readonly string[]; readonly refusedEntries: readonly PoolEntry[] } {
    const { directory, ledger } = this.components
    const { pools } = ledger.history!.top
    const ids: string[] = []
    const refusedEntries: PoolEntry[] = []
    for (const entry of foundEntries) {
      const { id } = entry.pool
      if (!directory.hasFollowedPair(entry.pool) || pools.has(id)) continue
      if (directory.add(entry, options)) ids.push(id)
      else if (!directory.followedPools.has(id)) refusedEntries.push(entry)
    }
    return { ids, refusedEntries }
  }

  /**
   * Adds pools that were read at `block` to the newest block. The caller holds the mutex of the ledger (the last
   * blocks, each with its pools).
   *
   * @returns false if a block was reorged away
   */
  private async merge(block: BlockHeader, loadedPools: readonly Pool[]): Promise<boolean> {
    const { directory, ledger } = this.components
    const history = ledger.history!
    const readEntry = history.find(block.hash)
    if (!readEntry) return false
    const touchedIds = new Set(history.entriesAbove(readEntry).flatMap(({ changedIds }) => [...changedIds]))
    const { top } = history
    const isStillCurrent = ({ id }: Pool) =>
      directory.followedPools.has(id) && !top.pools.has(id) && !touchedIds.has(id)
    const newPools = loadedPools.filter(isStillCurrent)
    const changedIds = newPools.map(({ id }) => id)
    const updatedPools = top.pools.with(newPools)
    const pools =
      readEntry === top
        ? updatedPools
        : await this.follower.refreshSilentPools(top.block, updatedPools, changedIds).catch(nullIfReorged)
    if (!pools) return false
    if (pools === top.pools) return true
    const newTop = { ...top, pools, changedIds: new Set([...top.changedIds, ...changedIds]) }
    ledger.commit(history.replaceTop(newTop), changedIds)
    return true
  }
}
