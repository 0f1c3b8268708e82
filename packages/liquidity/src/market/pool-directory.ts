/** Which pools and tokens of a chain are known, and what a log means for them. Does no I/O. */

import { type Address, type Chain, type DexRow, type Hex, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { Bounded, type StateCount } from '@sluice/simulation'
import type { DexFamily, Pool } from '../family.ts'
import type { PoolMap } from '../pool-map.ts'
import { namedTokens } from '../trust/named.ts'
import { AskedTokens } from './asked-tokens.ts'
import { Backoff } from './backoff.ts'
import { FoundPools } from './found-pools.ts'
import { type MarketLimits, marketLimits } from './limits.ts'
import { type PairScope, pairScopeOf } from './pairs.ts'
import { type Families, type FoundPool, servedRows } from './pool-reader.ts'

/** A pair with next to nothing in it may be traded at every block for long before its fee can be measured. */
const MOST_BLOCKS_INCOMPLETE = 1_024

export class PoolDirectory {
  readonly families: Families
  readonly rows: readonly DexRow[]
  /** topic0 of every log that may concern a pool. */
  readonly topics: readonly Hex[]
  /** Pools that the search of past logs has met, whether anybody wants their tokens or not. */
  readonly listed: Bounded<string, FoundPool>
  /** Tokens whose pools were asked for. */
  readonly tokens: AskedTokens
  readonly scope: PairScope
  /** Every pool wanted, also those that cannot be read yet, with the DEX it belongs to. */
  private readonly pools = new FoundPools(({ row, pool }) => {
    const { refreshStates, movesSilently } = this.familyOf(row)
    return refreshStates !== undefined && (movesSilently?.(pool) ?? true)
  })
  /** Ids of those that a token which may be dropped trades in. */
  private readonly poolsOf = new Map<Address, Set<string>>()
  /** Counts of pools of the very same tokens. */
  private readonly sameTokens = new Map<string, number>()
  readonly limits: MarketLimits
  private refused = 0
  private readonly completed = new WeakSet<Pool<null>>()
  /** Pools that could not be completed. */
  private readonly incomplete = new Backoff(MOST_BLOCKS_INCOMPLETE)
  private readonly rowByFactory: ReadonlyMap<Address, DexRow>
  /** For contracts that speak for many pools. */
  private readonly idByTopic: ReadonlyMap<Hex, (log: Log) => string>

  constructor(chain: Chain, families: readonly DexFamily[], limits: MarketLimits = marketLimits) {
    this.limits = limits
    this.tokens = new AskedTokens(namedTokens(chain), limits)
    this.listed = new Bounded(limits.listed)
    this.families = new Map(families.map((family) => [family.id, family]))
    this.rows = servedRows(chain, this.families)
    this.scope = pairScopeOf(chain)
    for (const token of this.scope.intermediates) this.tokens.add(token)
    // Pools of the native token are wanted wherever something joins it to its wrapper.
    if (this.rows.some((row) => this.familyOf(row).wrapsNative)) this.tokens.add(ZERO_ADDRESS)
    this.rowByFactory = new Map(this.rows.map((row) => [row.address, row]))
    const served = new Set(this.rows.map((row) => this.familyOf(row)))
    this.topics = [...served].flatMap(({ topics, creationTopics = [] }) => [...topics, ...creationTopics])
    this.idByTopic = new Map(
      [...served].flatMap(({ topics, poolIdOf }) => (poolIdOf ? topics.map((topic) => [topic, poolIdOf]) : [])),
    )
  }

  readonly familyOf = (row: DexRow): DexFamily => this.families.get(row.family)!

  readonly idOf = (log: Log): string => this.idByTopic.get(log.topics[0]!)?.(log) ?? log.address

  /** Every pool wanted, also those that cannot be read yet, with the DEX it belongs to. */
  get found(): ReadonlyMap<string, FoundPool> {
    return this.pools
  }

  get counts(): Readonly<Record<'pools' | 'listed', StateCount>> {
    return {
      pools: { entries: this.pools.size, evicted: this.refused },
      listed: this.listed.count,
    }
  }

  /** True where tokens have to be dropped, and their pools with them, to keep to the limit. */
  get isOverfull(): boolean {
    return this.pools.size > this.limits.pools
  }

  /** @returns false for one too many of the very same tokens */
  add(entry: FoundPool): boolean {
    const { id, tokens } = entry.pool
    if (!this.pools.has(id)) {
      const same = tokens.join()
      const count = this.sameTokens.get(same) ?? 0
      if (count >= this.limits.poolsOfSameTokens) {
        this.refused++
        return false
      }
      this.sameTokens.set(same, count + 1)
      for (const token of tokens) {
        if (this.tokens.isNamed(token)) continue
        const ids = this.poolsOf.get(token)
        if (ids) ids.add(id)
        else this.poolsOf.set(token, new Set([id]))
      }
    }
    this.pools.set(id, entry)
    return true
  }

  /** Forgets the pools that nobody wants since tokens were dropped. @returns their ids */
  dropUnwanted(tokens: Iterable<Address>): readonly string[] {
    const ids = new Set([...tokens].flatMap((token) => [...(this.poolsOf.get(token) ?? [])]))
    for (const id of ids) {
      const { pool } = this.pools.get(id)!
      if (this.isWanted(pool)) ids.delete(id)
      else this.drop(pool)
    }
    return [...ids]
  }

  private drop({ id, tokens }: Pool<null>): void {
    this.pools.delete(id)
    this.incomplete.worked(id)
    const same = tokens.join()
    const count = this.sameTokens.get(same)! - 1
    if (count > 0) this.sameTokens.set(same, count)
    else this.sameTokens.delete(same)
    for (const token of tokens) {
      const ids = this.poolsOf.get(token)
      ids?.delete(id)
      if (ids?.size === 0) this.poolsOf.delete(token)
    }
  }

  /** A pool that trades at least two tokens that somebody asked for. */
  isWanted({ tokens }: Pool<null>): boolean {
    return tokens.filter((token) => this.tokens.has(token)).length >= 2
  }

  /** True where something has to be found out before the pool can be read. */
  isIncomplete(entry: FoundPool): boolean {
    return this.familyOf(entry.row).readFixed !== undefined && !this.completed.has(entry.pool)
  }

  /** True where that is to be tried at a block: what could not be found out is asked for less and less often. */
  isDueToComplete(entry: FoundPool, block: number): boolean {
    return this.isIncomplete(entry) && this.incomplete.isDue(entry.pool.id, block)
  }

  complete(entry: FoundPool): void {
    // One that was dropped while it was read stays dropped.
    if (this.pools.has(entry.pool.id)) this.pools.set(entry.pool.id, entry)
    this.completed.add(entry.pool)
    this.incomplete.worked(entry.pool.id)
  }

  couldNotComplete(entry: FoundPool, block: number): void {
    this.incomplete.failed(entry.pool.id, block)
  }

  /** A pool of which not all is told by logs. */
  isSilent(id: string): boolean {
    return this.pools.silent.has(id)
  }

  /** Those of these pools. */
  silent(pools: PoolMap): readonly string[] {
    return [...this.pools.silent].filter((id) => pools.has(id))
  }

  /** Pools found but not readable so far that a block's logs speak of: one that was given its first price, say. */
  awaited(pools: PoolMap, logs: readonly Log[]): readonly string[] {
    return logs.map(this.idOf).filter((id) => this.found.has(id) && !pools.has(id))
  }

  /** Takes note of the pools that a block made. @returns ids of those between tokens that are known */
  created(logs: readonly Log[]): readonly string[] {
    return logs.flatMap((log) => {
      const row = this.rowByFactory.get(log.address)
      if (!row) return []
      const family = this.familyOf(row)
      if (!family.createdPool || !family.creationTopics?.includes(log.topics[0]!)) return []
      const pool = family.createdPool(row, log)
      if (!pool) return []
      if (family.listedByLogs) {
        this.listed.set(pool.id, { row, pool })
        for (const token of pool.tokens) this.tokens.forgetNeighbors(token)
      }
      if (!this.isWanted(pool)) return []
      return this.add({ row, pool }) ? [pool.id] : []
    })
  }
}
