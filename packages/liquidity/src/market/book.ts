/** Which pools and tokens of a chain are known, and what a log means for them. Does no I/O. */
import { type Address, type Chain, type DexRow, type Hex, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { DexFamily, Pool } from '../family.ts'
import { Backoff } from './backoff.ts'
import { FoundPools } from './found-pools.ts'
import type { PoolMap } from './pool-map.ts'
import { type Families, type FoundPool, servedRows } from './pool-reader.ts'

/** A pair with next to nothing in it may be traded at every block for long before its fee can be measured. */
const MOST_BLOCKS_UNSETTLED = 1_024

export class PoolBook {
  readonly families: Families
  readonly rows: readonly DexRow[]
  /** topic0 of every log that may concern a pool. */
  readonly topics: readonly Hex[]
  /** Every pool wanted, also those that cannot be read yet, with the DEX it belongs to. */
  readonly found = new FoundPools(({ row }) => this.familyOf(row).refreshStates !== undefined)
  /** Pools that the search of past logs has met, whether anybody wants their tokens or not. */
  readonly listed = new Map<string, FoundPool>()
  /** Tokens whose pools were asked for. */
  readonly tokens = new Set<Address>()
  /** The next block that the search of past logs of a DEX has to look at. */
  readonly scannedTo = new Map<DexRow, number>()
  private readonly settled = new WeakSet<Pool<null>>()
  /** Of pools that could not be settled. */
  private readonly unsettled = new Backoff(MOST_BLOCKS_UNSETTLED)
  private readonly rowByFactory: ReadonlyMap<Address, DexRow>
  /** For contracts that speak for many pools. */
  private readonly idByTopic: ReadonlyMap<Hex, (log: Log) => string>

  constructor(chain: Chain, families: readonly DexFamily[]) {
    this.families = new Map(families.map((family) => [family.id, family]))
    this.rows = servedRows(chain, this.families)
    // Pools of the native token are wanted wherever something joins it to its wrapper.
    if (this.rows.some(({ family }) => family === 'wrapped-native')) this.tokens.add(ZERO_ADDRESS)
    this.rowByFactory = new Map(this.rows.map((row) => [row.address, row]))
    const served = new Set(this.rows.map((row) => this.familyOf(row)))
    this.topics = [...served].flatMap(({ topics, creationTopics = [] }) => [...topics, ...creationTopics])
    this.idByTopic = new Map(
      [...served].flatMap(({ topics, poolIdOf }) => (poolIdOf ? topics.map((topic) => [topic, poolIdOf]) : [])),
    )
  }

  familyOf(row: DexRow): DexFamily {
    return this.families.get(row.family)!
  }

  readonly idOf = (log: Log): string => this.idByTopic.get(log.topics[0]!)?.(log) ?? log.address

  /** A pool that trades at least two tokens that somebody asked for. */
  isWanted({ tokens }: Pool<null>): boolean {
    return tokens.filter((token) => this.tokens.has(token)).length >= 2
  }

  /** Whether something has to be found out before the pool can be read. */
  needsSettling(entry: FoundPool): boolean {
    return this.familyOf(entry.row).settle !== undefined && !this.settled.has(entry.pool)
  }

  /** Whether to try that at a block: what could not be found out is asked for less and less often. */
  isDueToSettle(entry: FoundPool, block: number): boolean {
    return this.needsSettling(entry) && this.unsettled.isDue(entry.pool.id, block)
  }

  settle(entry: FoundPool): void {
    this.found.set(entry.pool.id, entry)
    this.settled.add(entry.pool)
    this.unsettled.worked(entry.pool.id)
  }

  couldNotSettle(entry: FoundPool, block: number): void {
    this.unsettled.failed(entry.pool.id, block)
  }

  /** Pools of which not all is told by logs. */
  silent(pools: PoolMap): readonly string[] {
    return [...this.found.silent].filter((id) => pools.has(id))
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
      if (family.listedByLogs) this.listed.set(pool.id, { row, pool })
      if (!this.isWanted(pool)) return []
      this.found.set(pool.id, { row, pool })
      return [pool.id]
    })
  }
}
