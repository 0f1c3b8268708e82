/** Discovers pools: asks factories for pairs, and scans past logs for families without getters. */

import type { Address } from '@sluice/chains'
import { abortable, type BlockHeader, inSlices, type Priority, RpcError } from '@sluice/rpc'
import type { StateCount } from '@sluice/simulation'
import { chunks } from '../dexes/common/chunks.ts'
import { pairKey } from '../dexes/common/direction.ts'
import { MarketError } from '../errors.ts'
import type { Pool } from '../family.ts'
import type { PoolList } from '../pool-list/pool-list.ts'
import type { ScanStatus } from '../snapshot.ts'
import { Background } from './background.ts'
import type { Evictor } from './evictor.ts'
import type { MarketFollower, MarketParts } from './follow.ts'
import type { MarketLimits } from './limits.ts'
import { LogScan } from './log-scan.ts'
import { findNeighbors, lacksNeighbors, neighborPairs } from './neighbors.ts'
import { pairsOf, type TokenPair } from './pairs.ts'
import { PoolListImport, type PoolListImportCount } from './pool-list-import.ts'
import { findPools, type PoolEntry } from './pool-reader.ts'
import { RequestedPairs } from './requested-pairs.ts'
import { BACKGROUND_TIMEOUT_MS, sleep } from './timing.ts'

/**
 * Milliseconds that a requested token waits for the log scan. Pools found later are added without a further request.
 */
const SCAN_TIMEOUT_MS = 500
/** Milliseconds that the first requests of a woken chain wait for the pools between intermediates. */
const WARM_UP_TIMEOUT_MS = 1_000
/** Tokens per background batch: one or two megabytes of responses, and a fraction of a second of node time. */
const TOKEN_BATCH = 25
/**
 * Tokens or groups per batch of searches with all intermediates, which ask for several times as many pairs as
 * `TOKEN_BATCH`.
 */
const WIDE_BATCH = 8
/** Pools read per batch. */
const POOL_BATCH = 200
/** Maximum attempts to read pools when their block is reorged away. */
const MAX_READS = 8

export type DiscoveryOptions = {
  readonly parts: MarketParts
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

function nullIfGone(error: unknown): null {
  if (error instanceof RpcError && error.mayDependOnBlock) return null
  throw error
}

/** Pool discovery of one market. */
export class Discovery {
  private readonly parts: MarketParts
  private readonly follower: MarketFollower
  private readonly evictor: Evictor
  private readonly requestedPairs: RequestedPairs
  private readonly tokenSearches: Background<Address>
  /** Searches for pools between intermediates. */
  private readonly intermediateSearches: Background<Address>
  /** Searches for the neighbors of groups of tokens. */
  private readonly neighborSearches: Background<readonly Address[]>
  /** Search for the pools between intermediates; null before it starts. */
  private warmUpSearch: Promise<unknown> | null = null
  /** Scan of past logs. */
  readonly scan: LogScan

  constructor(options: DiscoveryOptions) {
    const { parts, follower, evictor, limits, onScan, loadPoolList, onPoolListImport, searchesLogs } = options
    this.parts = parts
    this.evictor = evictor
    this.follower = follower
    this.requestedPairs = new RequestedPairs(parts.directory.tokens, limits)
    this.scan = new LogScan(parts, (pools) => this.add(pools), onScan, onPoolListImport, searchesLogs)
    if (loadPoolList)
      this.scan.scheduleImport(
        () => new PoolListImport(loadPoolList(), { parts, follower }, (...row) => this.scan.hasPoolsOf(...row)),
      )
    const { hubs, intermediates } = parts.directory.scope
    this.tokenSearches = new Background((tokens) => this.find(tokens, hubs), limits.queuedSearches, TOKEN_BATCH)
    this.intermediateSearches = new Background(
      (tokens) => this.find(tokens, intermediates),
      limits.queuedSearches,
      WIDE_BATCH,
    )
    this.neighborSearches = new Background((groups) => this.searchNeighbors(groups), limits.queuedSearches, WIDE_BATCH)
  }

  get counts(): Readonly<Record<'pairs' | 'queued', StateCount>> {
    const queueCount = { entries: 0, evicted: 0 }
    for (const { count } of [this.tokenSearches, this.intermediateSearches, this.neighborSearches]) {
      queueCount.entries += count.entries
      queueCount.evicted += count.evicted
    }
    return { pairs: this.requestedPairs.count, queued: queueCount }
  }

  /** Keys of the pairs whose pools are in memory. */
  get pairs(): Iterable<string> {
    return this.requestedPairs.keys()
  }

  remember(pairs: Iterable<string>): void {
    this.requestedPairs.remember(pairs)
  }

  forgetPairs(): void {
    this.requestedPairs.forgetAll()
    this.warmUpSearch = null
    this.scan.restart()
  }

  /**
   * Resolves when memory contains the pools of the hubs, and the pools of each group's tokens with one another and with
   * the intermediates. Waits for the pools between intermediates only within a time limit. Searches the groups'
   * neighbors in the background.
   *
   * @throws RpcError
   */
  async ensure(groups: readonly (readonly Address[])[], signal?: AbortSignal): Promise<void> {
    const { tokens, scope } = this.parts.directory
    for (const token of groups.flat()) tokens.add(token)
    const pairs = groups.flatMap((group) => pairsOf(group, scope.intermediates))
    const pendingSearch = Promise.all([this.requestPairs(pairs, 'lookup'), this.warmUp()])
    const isNew = (pair: TokenPair) => this.requestedPairs.isNew(pair)
    for (const group of groups)
      if (lacksNeighbors(this.parts.directory, group, isNew))
        this.neighborSearches.add(group.join(), group).catch(() => {})
    await abortable(pendingSearch, signal)
  }

  /**
   * Searches the pools of a token with the hubs, queued within the background budget.
   *
   * @throws RpcError; MarketError `BUSY` if the queue is full
   */
  async search(token: Address): Promise<void> {
    const { tokens, scope } = this.parts.directory
    const isFollowed = tokens.has(token)
    // Keep following a known token; a new one is followed when its turn comes.
    if (isFollowed) tokens.add(token)
    if (
      isFollowed &&
      pairsOf([token], scope.hubs).every(
        (pair) => !this.requestedPairs.isNew(pair) && !this.requestedPairs.pending(pair),
      )
    )
      return
    await this.tokenSearches.add(token, token)
  }

  /** Adds pools that another market of the chain has found, if they exist at the newest block. @throws RpcError */
  async addFound(foundPools: readonly PoolEntry[]): Promise<void> {
    for (const entry of foundPools) this.parts.directory.listedPools.set(entry.pool.id, entry)
    await this.add(foundPools)
  }

  /** Resolves when no search is running. The caller sets a deadline. */
  async whenIdle(): Promise<void> {
    await this.scan.run()
    for (const work of [this.intermediateSearches, this.tokenSearches, this.neighborSearches]) await work.idle()
  }

  private async find(tokens: readonly Address[], partners: readonly Address[]): Promise<void> {
    for (const token of tokens) this.parts.directory.tokens.add(token)
    await this.requestPairs(
      tokens.flatMap((token) => pairsOf([token], partners)),
      'background',
    )
  }

  /**
   * Resolves when the pools of the hubs are in memory. Waits for the pools of the other intermediates only within a
   * time limit. After a failure the next request tries again.
   */
  private warmUp(): Promise<unknown> {
    if (this.warmUpSearch) return this.warmUpSearch
    // After a restart all pairs may be known although the log scan is incomplete.
    void this.scan.run()
    const { hubs, intermediates } = this.parts.directory.scope
    const hubSearch = this.requestPairs(pairsOf(hubs, []), 'lookup')
    const otherSearches = Promise.all(intermediates.map((token) => this.intermediateSearches.add(token, token)))
    const warm = Promise.all([hubSearch, Promise.race([otherSearches, sleep(WARM_UP_TIMEOUT_MS)])])
    this.warmUpSearch = warm
    for (const search of [warm, otherSearches])
      search.catch(() => {
        if (this.warmUpSearch === warm) this.warmUpSearch = null
      })
    return warm
  }

  /** Searches the pools of the groups' neighbors with the groups and with the intermediates. */
  private async searchNeighbors(groups: readonly (readonly Address[])[]): Promise<void> {
    const { directory } = this.parts
    // Neighbors are derived from the pools of past logs.
    await this.scan.run()
    await inSlices('neighbors', findNeighbors(directory, groups))
    await this.requestPairs(
      groups.flatMap((group) => neighborPairs(directory, group)),
      'background',
    )
  }

  private async requestPairs(wantedPairs: readonly TokenPair[], priority: Priority): Promise<void> {
    // Groups can share pairs.
    const pairs = [...new Map(wantedPairs.map((pair) => [pairKey(pair), pair])).values()]
    const newPairs = pairs.filter((pair) => this.requestedPairs.isNew(pair))
    if (newPairs.length > 0) {
      const pendingSearch = Promise.race([this.scan.run(), sleep(SCAN_TIMEOUT_MS)]).then(() =>
        this.discover(newPairs, priority),
      )
      this.requestedPairs.request(newPairs, pendingSearch)
    }
    await Promise.all(new Set(pairs.flatMap((pair) => this.requestedPairs.pending(pair) ?? [])))
  }

  private async discover(pairs: readonly TokenPair[], priority: Priority): Promise<void> {
    const { rpc, directory, signal } = this.parts
    const options = { signal, priority, ...(priority === 'background' && { timeoutMs: BACKGROUND_TIMEOUT_MS }) }
    const foundPools = await this.follower.retrying(({ hash }) =>
      findPools(rpc, { blockHash: hash }, directory.rows, directory.families, pairs, options),
    )
    await this.add([...foundPools, ...directory.listedPools.values()])
  }

  /** Adds the pools that trade followed tokens, in batches. */
  private async add(foundPools: readonly PoolEntry[]): Promise<void> {
    const { directory, ledger } = this.parts
    const wantedPools = foundPools.filter(
      ({ pool }) => directory.hasFollowedPair(pool) && !ledger.newest?.pools.has(pool.id),
    )
    for (const batch of chunks(wantedPools, POOL_BATCH)) await this.addBatch(batch)
    if (wantedPools.length > 0) this.evictor.run()
  }

  /**
   * Adds pools to memory. New blocks arrive while the pools are read, so a pool joins the directory first. A log of a
   * later block then triggers a read at that block.
   */
  private async addBatch(foundPools: readonly PoolEntry[]): Promise<void> {
    const { ledger } = this.parts
    const ids = await ledger.mutex.run(async () => this.admit(foundPools))
    for (let attempt = 1; ids.length > 0; attempt++) {
      const { block, read } = await this.follower.retrying(async (block) => ({
        block,
        // Requested tokens have priority; the background budget limits only the search.
        read: await this.follower.read(block, ids, 'lookup'),
      }))
      if (await ledger.mutex.run(() => this.merge(block, read))) return
      if (attempt === MAX_READS) throw new MarketError('REORGED', `block ${block.number} is gone`)
    }
  }

  private admit(foundPools: readonly PoolEntry[]): readonly string[] {
    const { directory, ledger } = this.parts
    const { pools } = ledger.history!.top
    const newEntries = foundPools.filter(({ pool }) => directory.hasFollowedPair(pool) && !pools.has(pool.id))
    return newEntries.filter((entry) => directory.add(entry)).map(({ pool }) => pool.id)
  }

  /**
   * Adds pools that were read at `block` to the newest block. The caller holds the ledger's mutex.
   *
   * @returns false if a block was reorged away
   */
  private async merge(block: BlockHeader, read: readonly Pool[]): Promise<boolean> {
    const { directory, ledger } = this.parts
    const history = ledger.history!
    const from = history.find(block.hash)
    if (!from) return false
    const touchedIds = new Set(history.above(from).flatMap(({ changedIds }) => [...changedIds]))
    const { top } = history
    const isUntouched = ({ id }: Pool) => directory.followedPools.has(id) && !top.pools.has(id) && !touchedIds.has(id)
    const newPools = read.filter(isUntouched)
    const changedIds = newPools.map(({ id }) => id)
    const updatedPools = top.pools.with(newPools)
    const pools =
      from === top
        ? updatedPools
        : await this.follower.refreshPools(top.block, updatedPools, changedIds).catch(nullIfGone)
    if (!pools) return false
    if (pools === top.pools) return true
    const entry = { ...top, pools, changedIds: new Set([...top.changedIds, ...changedIds]) }
    ledger.commit(history.replaceTop(entry), changedIds)
    return true
  }
}
