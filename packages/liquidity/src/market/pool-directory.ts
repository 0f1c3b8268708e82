/**
 * Directory of the pools and tokens that a market follows. Maps logs to pools. Does no I/O. A row is the entry of one
 * DEX deployment in the chain's file.
 *
 * A sampled twin is a family for the pools that another family, the exact family, finds but cannot read; it quotes them
 * from simulated swaps. A pool is incomplete until its immutable facts (`Pool.fixed`) have been read.
 */

import { type Address, type Chain, type DexRow, type Hex, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { BoundedMap, type StateCount } from '@sluice/simulation'
import { pairKey } from '../dexes/common/direction.ts'
import { toExact, toTwin } from '../dexes/common/sampled-twin.ts'
import { exactIdOf, twinIdOf } from '../dexes/common/twin-id.ts'
import type { DexFamily, Pool, TokenPair } from '../family.ts'
import type { PoolMap } from '../pool-map.ts'
import { namedTokens } from '../trust/named-tokens.ts'
import { Backoff } from './backoff.ts'
import { createdPoolOf } from './created-pool.ts'
import { FollowedPools } from './followed-pools.ts'
import { FollowedTokens } from './followed-tokens.ts'
import { defaultMarketLimits, type MarketLimits } from './limits.ts'
import { type PairScope, pairScopeOf, pairsOf } from './pairs.ts'
import { type Families, type PoolEntry, servedRows } from './pool-reader.ts'
import { RefreshBudget } from './refresh-budget.ts'
import { SamplingBudget } from './sampling-budget.ts'

/**
 * Maximum blocks between two attempts to read the immutable facts of a pool. Some attempts always fail: the fee of a
 * nearly empty pair cannot be measured.
 */
const MAX_RETRY_BLOCKS = 1_024

export class PoolDirectory {
  readonly families: Families
  readonly rows: readonly DexRow[]
  /** topic0 of every log that can concern a pool. */
  readonly topics: readonly Hex[]
  /** Pools found by the log scan, including those of tokens that are not followed. */
  readonly listedPools: BoundedMap<string, PoolEntry>
  readonly tokens: FollowedTokens
  readonly scope: PairScope
  /** Followed pools, including those that cannot be read yet. */
  private readonly followed = new FollowedPools(
    ({ row, pool }) => {
      const { refreshStates, movesSilently } = this.familyOf(row)
      return refreshStates !== undefined && (movesSilently?.(pool) ?? true)
    },
    ({ row: { family } }) => this.families.get(exactIdOf(family) ?? family)?.contractTopics !== undefined,
  )
  /** Chooses the pools that are sampled: quoted from swaps that are simulated at every block. */
  readonly sampling: SamplingBudget
  /** Chooses the silent pools (pools that change without a log) that are refreshed. */
  private readonly refreshing: RefreshBudget
  /** Ids of followed pools by token, for tokens that can be dropped. */
  private readonly idsByToken = new Map<Address, Set<string>>()
  /** Number of pools by their DEX and list of tokens. */
  private readonly countByTokenList = new Map<string, number>()
  /**
   * Ids of followed pools that have changed their family. Blocks in memory may still hold states of the old family.
   */
  private readonly movedIds = new Set<string>()
  readonly limits: MarketLimits
  private refusedCount = 0
  /** Keys of pairs with created pools that were not added, because the DEX has too many pools of the same tokens. */
  private readonly refusedPairKeys: BoundedMap<string, true>
  /** Ids of refused pools that were compared with the followed pools of the same tokens, and have had no log since. */
  readonly comparedIds: BoundedMap<string, true>
  private readonly completedPools = new WeakSet<Pool<null>>()
  /** Pools whose immutable facts could not be read. */
  private readonly incompleteBackoff = new Backoff(MAX_RETRY_BLOCKS)
  private readonly rowsByFactory: ReadonlyMap<Address, readonly DexRow[]>
  /** Function that returns the pool id of a log, by topic0; for families whose contracts hold many pools. */
  private readonly poolIdOfByTopic: ReadonlyMap<Hex, (log: Log) => string>
  /** topic0 of the logs that concern all pools of a contract. */
  private readonly contractTopics: ReadonlySet<Hex>
  /** topic0 of the logs after which an unreadable pool may be readable. */
  private readonly resumeTopics: ReadonlySet<Hex>

  constructor(chain: Chain, families: readonly DexFamily[], limits: MarketLimits = defaultMarketLimits) {
    this.limits = limits
    this.tokens = new FollowedTokens(namedTokens(chain), limits)
    this.listedPools = new BoundedMap(limits.listedPools)
    this.refusedPairKeys = new BoundedMap(limits.pairs)
    this.comparedIds = new BoundedMap(limits.listedPools)
    this.families = new Map(families.map((family) => [family.id, family]))
    this.sampling = new SamplingBudget(
      this.tokens,
      (row) => this.familyOf(row).sampled !== undefined,
      (pool) => this.families.get(pool.family)!.reserves(pool),
    )
    this.refreshing = new RefreshBudget(this.followed.silentIds, this.tokens, this.parameterGasOf)
    this.rows = servedRows(chain, this.families)
    this.scope = pairScopeOf(chain)
    for (const token of this.scope.intermediates) this.tokens.markRequested(token)
    // Follow the native token only if a wrapper connects it to other tokens.
    if (this.rows.some((row) => this.familyOf(row).wrapsNative)) this.tokens.markRequested(ZERO_ADDRESS)
    this.rowsByFactory = Map.groupBy(this.rows, (row) => row.address)
    const servedFamilies = new Set(this.rows.map((row) => this.familyOf(row)))
    this.contractTopics = new Set([...servedFamilies].flatMap(({ contractTopics = [] }) => contractTopics))
    this.resumeTopics = new Set([...servedFamilies].flatMap(({ resumeTopics = [] }) => resumeTopics))
    this.topics = [
      ...[...servedFamilies].flatMap(({ topics, creationTopics = [] }) => [...topics, ...creationTopics]),
      ...this.contractTopics,
    ]
    this.poolIdOfByTopic = new Map(
      [...servedFamilies].flatMap(({ topics, poolIdOf }) => (poolIdOf ? topics.map((topic) => [topic, poolIdOf]) : [])),
    )
  }

  readonly familyOf = (row: DexRow): DexFamily => this.families.get(row.family)!

  /** Returns the ids of the pools that a log can concern, whether they are followed or not. */
  readonly poolIdsOf = (log: Log): readonly string[] => {
    const topic = log.topics[0]!
    const id = this.poolIdOfByTopic.get(topic)?.(log) ?? log.address
    return this.contractTopics.has(topic) ? [id, ...this.followed.idsOfContract(log.address)] : [id]
  }

  /** Followed pools with their DEX rows, including those that cannot be read yet. */
  get followedPools(): ReadonlyMap<string, PoolEntry> {
    return this.followed
  }

  get stateCounts(): Readonly<Record<'pools' | 'listed', StateCount>> {
    return {
      pools: { entries: this.followed.size, evicted: this.refusedCount },
      listed: this.listedPools.count,
    }
  }

  /** True if tokens must be dropped, with their pools, to respect the limit. */
  get isOverfull(): boolean {
    return this.followed.size > this.limits.pools
  }

  /**
   * Stores a pool that a log announced, unless the contract is followed as a pool of another family. Anyone can register
   * any contract with Balancer's vault, also the pool of another DEX.
   */
  list(entry: PoolEntry): void {
    const followedEntry = this.followed.get(entry.pool.id)
    if (!followedEntry || this.exactFamilyOf(followedEntry) === this.exactFamilyOf(entry))
      this.listedPools.set(entry.pool.id, entry)
  }

  /**
   * Adds a pool. A pool that a getter lists replaces a pool of another family with the same id.
   *
   * @param isLimited - false for the few pools that `findPools` chose, to which a limit of twice the size applies.
   *   Anyone can create hundreds of pools that logs announce, and these pools must not take up the places of the chosen
   *   pools
   * @returns false if the DEX has too many pools of the same tokens, or if only a log announced the pool and its id
   *   is followed in another family
   */
  add(entry: PoolEntry, { isLimited = true } = {}): boolean {
    const { id, tokens } = entry.pool
    let followedEntry = this.followed.get(id)
    // A pool that its family handed over stays with the sampled twin.
    if (followedEntry && exactIdOf(followedEntry.row.family) === entry.row.family) return true
    if (followedEntry && this.exactFamilyOf(followedEntry) !== this.exactFamilyOf(entry)) {
      if (this.isListedByLogs(entry)) return false
      this.drop(followedEntry)
      this.movedIds.add(id)
      followedEntry = undefined
    }
    if (!this.isListedByLogs(entry)) this.listedPools.delete(id)
    if (!followedEntry) {
      const count = this.countByTokenList.get(this.tokensKeyOf(entry)) ?? 0
      if (count >= (isLimited ? this.maxOfSameTokens(entry) : 2 * this.limits.poolsOfSameTokens)) {
        this.movedIds.delete(id)
        this.refusedCount++
        return false
      }
      for (const token of tokens) {
        if (this.tokens.isNamed(token)) continue
        const ids = this.idsByToken.get(token)
        if (ids) ids.add(id)
        else this.idsByToken.set(token, new Set([id]))
      }
    }
    if (followedEntry) this.changeCount(followedEntry, -1)
    this.changeCount(entry, 1)
    this.followed.set(id, entry)
    this.sampling.add(entry)
    return true
  }

  /**
   * Groups refused pools by DEX and tokens, with the followed pools of each group. One pass over all followed pools.
   */
  crowdsOf(refusedEntries: readonly PoolEntry[]): Iterable<{
    readonly followedEntries: readonly PoolEntry[]
    readonly otherEntries: readonly PoolEntry[]
  }> {
    const crowds = new Map(
      [...Map.groupBy(refusedEntries, (entry) => this.tokensKeyOf(entry))].map(([key, otherEntries]) => [
        key,
        { followedEntries: [] as PoolEntry[], otherEntries },
      ]),
    )
    const firstTokens = new Set(refusedEntries.map(({ pool }) => pool.tokens[0]))
    for (const entry of this.followed.values())
      if (firstTokens.has(entry.pool.tokens[0])) crowds.get(this.tokensKeyOf(entry))?.followedEntries.push(entry)
    return crowds.values()
  }

  /** Stops following pools that deeper pools of the same tokens replace. They stay listed. */
  displace(ids: readonly string[]): void {
    for (const id of ids) {
      const entry = this.followed.get(id)
      if (!entry) continue
      this.drop(entry)
      this.listedPools.set(id, entry)
      this.comparedIds.set(id, true)
    }
  }

  /** Removes the pools of dropped tokens that no other token needs. @returns their ids */
  dropUnfollowed(tokens: Iterable<Address>): readonly string[] {
    const ids = new Set([...tokens].flatMap((token) => [...(this.idsByToken.get(token) ?? [])]))
    for (const id of ids) {
      const entry = this.followed.get(id)!
      if (this.hasFollowedPair(entry.pool)) ids.delete(id)
      else this.drop(entry)
    }
    return [...ids]
  }

  /**
   * Hands a followed pool that its family cannot read to the family's sampled twin. The twin is incomplete.
   *
   * @returns false if the family has no twin, or the pool has too many tokens
   */
  handOver(id: string): boolean {
    const entry = this.followed.get(id)
    const row = entry && this.rowLike(entry.row, twinIdOf(entry.row.family))
    const pool = row && toTwin(row, entry.pool)
    if (!pool) return false
    this.replace({ row, pool })
    return true
  }

  /** Hands a pool of a sampled twin back to the exact family, which reads it again after its next log. */
  handBack(id: string): void {
    const entry = this.followed.get(id)
    const exactEntry = entry && this.exactEntryOf(entry)
    if (!exactEntry || exactEntry === entry) return
    this.replace(exactEntry)
    // Only complete pools are handed over.
    this.completedPools.add(exactEntry.pool)
  }

  /**
   * Hands pools of sampled twins back to their exact families, which may be able to read them again, for example after
   * a pause. These are the pools of contracts that emitted a log of `contractTopics`, and pools with a log of
   * `resumeTopics`.
   */
  handBackAfter(logs: readonly Log[]): void {
    for (const log of logs) {
      if (this.contractTopics.has(log.topics[0]!))
        for (const id of [...this.followed.idsOfContract(log.address)]) this.handBack(id)
      if (this.resumeTopics.has(log.topics[0]!))
        for (const id of this.poolIdsOf(log)) if (this.mayResume(id, log)) this.handBack(id)
    }
  }

  /** True if the exact family of a pool uses the log as one of `resumeTopics`. Any contract can emit such a log. */
  private mayResume(id: string, log: Log): boolean {
    const entry = this.followed.get(id)
    if (!entry) return false
    const { row, pool } = this.exactEntryOf(entry)
    const { resumeTopics, applyLog } = this.familyOf(row)
    return resumeTopics?.includes(log.topics[0]!) === true && applyLog(pool as Pool, log) === 'reread'
  }

  /** True for a pool that is still followed by the family that read its state. */
  isCurrent({ id, family }: Pool): boolean {
    return this.followed.get(id)?.row.family === family
  }

  /** Returns the ids of followed pools whose states in `pools` were read by another family than the current one. */
  outdatedIds(pools: PoolMap): readonly string[] {
    return [...this.movedIds].filter((id) => {
      const pool = pools.get(id)
      return pool !== undefined && !this.isCurrent(pool)
    })
  }

  /** True for an entry of an exact family whose pool is now followed as a pool of the sampled twin. */
  isHandedOver({ row, pool }: PoolEntry): boolean {
    return this.followed.get(pool.id)?.row.family === twinIdOf(row.family)
  }

  /** Converts the entry of a twin's pool to the exact family; returns any other entry unchanged. */
  exactEntryOf(entry: PoolEntry): PoolEntry {
    const exactId = exactIdOf(entry.row.family)
    const row = exactId === null ? undefined : this.rowLike(entry.row, exactId)
    return row ? { row, pool: toExact(row, entry.pool) } : entry
  }

  private isListedByLogs({ row }: PoolEntry): boolean {
    return this.familyOf(row).listedByLogs === true
  }

  /** Returns the id of an entry's family; for a pool of a sampled twin, the id of the exact family. */
  private exactFamilyOf({ row }: PoolEntry): string {
    return exactIdOf(row.family) ?? row.family
  }

  /** Returns the row of another family for the same deployment. */
  private rowLike({ address, version }: DexRow, family: string): DexRow | undefined {
    return this.rowsByFactory.get(address)?.find((row) => row.family === family && row.version === version)
  }

  /** Replaces a followed pool's entry by its entry in another family. */
  private replace(entry: PoolEntry): void {
    this.followed.set(entry.pool.id, entry)
    this.sampling.replace(entry)
    this.movedIds.add(entry.pool.id)
  }

  /** Maximum pools of one DEX that have the same tokens as the entry and that logs announced. */
  private maxOfSameTokens({ row, pool }: PoolEntry): number {
    const { findPools, listedByLogs, refreshStates, movesSilently, parameterGas, sampled } = this.familyOf(row)
    const isReadAtEveryBlock = refreshStates && (movesSilently?.(pool) ?? true) && !parameterGas && !sampled
    const { poolsOfSameTokens, silentPoolsOfSameTokens } = this.limits
    return isReadAtEveryBlock && findPools && !listedByLogs ? silentPoolsOfSameTokens : poolsOfSameTokens
  }

  /** Returns the key of the pools with the same tokens on the same DEX. */
  private tokensKeyOf(entry: PoolEntry): string {
    return [this.exactFamilyOf(entry), entry.row.address, ...entry.pool.tokens].join()
  }

  private changeCount(entry: PoolEntry, change: 1 | -1): void {
    const key = this.tokensKeyOf(entry)
    const count = (this.countByTokenList.get(key) ?? 0) + change
    if (count > 0) this.countByTokenList.set(key, count)
    else this.countByTokenList.delete(key)
  }

  private drop(entry: PoolEntry): void {
    const { id, tokens } = entry.pool
    this.followed.delete(id)
    this.movedIds.delete(id)
    this.sampling.drop(id)
    this.incompleteBackoff.recordSuccess(id)
    this.changeCount(entry, -1)
    for (const token of tokens) {
      const ids = this.idsByToken.get(token)
      ids?.delete(id)
      if (ids?.size === 0) this.idsByToken.delete(token)
    }
  }

  /** True if the market follows at least two of the pool's tokens. */
  hasFollowedPair({ tokens }: Pool<null>): boolean {
    return tokens.filter((token) => this.tokens.has(token)).length >= 2
  }

  /** True if the immutable facts of the pool must be read before its state can be read. */
  isIncomplete(entry: PoolEntry): boolean {
    return this.familyOf(entry.row).readFixed !== undefined && !this.completedPools.has(entry.pool)
  }

  /** True if an incomplete pool must be read at a block: failed attempts are retried less and less often. */
  isDueToComplete(entry: PoolEntry, block: number): boolean {
    return this.isIncomplete(entry) && this.incompleteBackoff.isDue(entry.pool.id, block)
  }

  /** Stores a pool whose immutable facts were read. */
  complete(entry: PoolEntry): void {
    // Skip a pool that was dropped or replaced during the read.
    if (this.followed.get(entry.pool.id)?.row.family === entry.row.family) this.followed.set(entry.pool.id, entry)
    this.completedPools.add(entry.pool)
    this.incompleteBackoff.recordSuccess(entry.pool.id)
  }

  /** Records a failed attempt to read the immutable facts of a pool. */
  recordIncomplete(entry: PoolEntry, block: number): void {
    this.incompleteBackoff.recordFailure(entry.pool.id, block)
  }

  private readonly parameterGasOf = (pool: Pool): number | null => {
    const { parameterGas } = this.families.get(pool.family)!
    return parameterGas ? parameterGas(pool) : null
  }

  /** True for a silent pool: its state can change without a log. */
  isSilent(pool: Pool): boolean {
    return this.followed.silentIds.has(pool.id) && this.parameterGasOf(pool) !== 0
  }

  /**
   * True for a silent pool that was not refreshed at the last block, because the gas budget was used up. Its parameters
   * may be of an earlier block.
   */
  awaitsRefresh(id: string): boolean {
    return this.refreshing.isWaiting(id)
  }

  /**
   * Chooses the silent pools in `pools` to refresh at a block, except those in `excludedIds`. Sampled pools are left
   * out, because they have a budget of their own.
   */
  chooseSilentIds(pools: PoolMap, excludedIds: ReadonlySet<string>): readonly string[] {
    return this.refreshing.choose(pools, (id) => excludedIds.has(id) || this.sampling.has(id))
  }

  /**
   * Returns the ids of the followed pools in a block's logs that have no state in `pools`. The block may have made them
   * readable, for example by initializing them.
   */
  statelessIdsIn(pools: PoolMap, logs: readonly Log[]): readonly string[] {
    return logs
      .flatMap(this.poolIdsOf)
      .filter((id) => this.followedPools.has(id) && !pools.has(id) && !this.sampling.has(id))
  }

  /**
   * Registers the pools that a block created.
   *
   * @param knownIds - ids of pools that are registered already. They are not registered again, because their
   *   immutable facts may have been read since
   * @returns the ids of the other pools between followed tokens
   */
  registerCreatedPools(logs: readonly Log[], knownIds: ReadonlySet<string> = new Set()): readonly string[] {
    this.recordActivity(logs)
    return logs.flatMap((log) =>
      (this.rowsByFactory.get(log.address) ?? []).flatMap((row) => this.registerCreatedPool(row, log, knownIds) ?? []),
    )
  }

  private registerCreatedPool(row: DexRow, log: Log, knownIds: ReadonlySet<string>): string | null {
    const family = this.familyOf(row)
    const pool = createdPoolOf(family, row, log)
    if (!pool || knownIds.has(pool.id)) return null
    if (family.listedByLogs) {
      this.list({ row, pool })
      for (const token of pool.tokens) this.tokens.forgetNeighbors(token)
    }
    if (!this.hasFollowedPair(pool)) return null
    if (this.add({ row, pool })) return pool.id
    if (family.findPools || family.listedByLogs) this.recordRefused(pool)
    return null
  }

  /** Lets refused pools be compared again after a log, because it may have changed their depth. */
  private recordActivity(logs: readonly Log[]): void {
    if (this.comparedIds.size === 0) return
    for (const log of logs)
      for (const id of this.poolIdsOf(log)) {
        const entry = this.comparedIds.delete(id) && this.listedPools.peek(id)
        if (entry && !this.followed.has(id) && this.hasFollowedPair(entry.pool)) this.recordRefused(entry.pool)
      }
  }

  /** Lets the next request of a pair of the pool's tokens search the pools of the pair again. */
  recordRefused({ tokens }: Pool<null>): void {
    for (const pair of pairsOf(tokens, [])) this.recordRefusedPair(pair)
  }

  /** Lets the next request of a pair search its pools again. */
  recordRefusedPair(pair: TokenPair): void {
    this.refusedPairKeys.set(pairKey(pair), true)
  }

  /** Returns true once for a pair with refused pools. The caller then searches the pair, which finds the deep pools. */
  takeRefusedPair(pair: TokenPair): boolean {
    return this.refusedPairKeys.delete(pairKey(pair))
  }
}
