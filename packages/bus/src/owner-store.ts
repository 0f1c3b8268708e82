/**
 * Stores in Redis the unpublished data of the market of a chain's owner: where pools were found, tokens, and pairs. The
 * next owner starts with this data. The owner is the process that indexes the chain.
 */
import { ZERO_ADDRESS } from '@sluice/chains'
import {
  fromText,
  type Pool,
  type SaveCommand,
  type SavedBatch,
  type SavedFacts,
  type Store,
  type StoredPool,
  toText,
} from '@sluice/liquidity'
import { inSlices, type Steps } from '@sluice/rpc'
import { type Connection, fieldsOf, type RedisReply } from './connection.ts'
import { BusError } from './errors.ts'
import type { FollowedState } from './head.ts'
import type { ChainKeys } from './keys.ts'

/** Number of pools per read and per removal. */
const POOLS_PER_COMMAND = 500

/**
 * A found pool without its state. `dexRow` is the index of its factory in the chain's list of DEXes; null if unknown.
 */
type PoolRecord = { readonly pool: Pool<null>; readonly dexRow: number | null }

export type OwnerStoreOptions = {
  readonly keys: ChainKeys
  readonly chainId: number
  /** Returns the owner's current connection. @throws BusError `AWAY` */
  readonly connection: () => Connection
  /** Token of the owner's lease, without which nothing is written. */
  readonly token: string
  /** The previous owner's state; null if there is none. */
  readonly previous: FollowedState | null
}

/** Stores the data of an owner's market in Redis. The states of pools are taken from the published state. */
export class OwnerStore implements Store {
  readonly facts: SavedFacts | null
  private readonly options: OwnerStoreOptions
  private readonly savedFields: Readonly<Record<string, string>>
  /** Minimum number of stored pools; there may be more after an interrupted save. */
  private minStoredPools: number

  private constructor(
    options: OwnerStoreOptions,
    savedFields: Readonly<Record<string, string>>,
    storedPoolCount: number,
  ) {
    const { previous, chainId } = options
    this.options = options
    this.savedFields = savedFields
    this.minStoredPools = storedPoolCount
    const isComplete = savedFields.extra !== undefined && storedPoolCount >= Number(savedFields.known)
    // If pools are missing, restore nothing: a restored pair counts as discovered, so its missing pools would never be
    // found.
    this.facts = previous && isComplete ? { chainId, block: previous.block, extra: fromText(savedFields.extra!) } : null
  }

  /**
   * Opens the store. Deletes stored data that cannot be restored.
   *
   * @param mustReset - true to delete the stored data first
   * @throws BusError `LOST` if the data must be deleted, but another process owns the chain
   */
  static async open(options: OwnerStoreOptions, mustReset: boolean): Promise<OwnerStore> {
    const { poolRecords, memory } = options.keys
    if (mustReset) await (await ownerConnection(options)).call('DEL', poolRecords, memory)
    const savedFields = fieldsOf(await options.connection().call<RedisReply[]>('HGETALL', memory))
    const storedPoolCount = await options.connection().call<number>('HLEN', poolRecords)
    const store = new OwnerStore(options, savedFields, storedPoolCount)
    // Delete records that are not restored: their `dexRow` may be an index into another list of DEXes than this
    // owner's.
    return !mustReset && store.facts === null && storedPoolCount > 0 ? OwnerStore.open(options, true) : store
  }

  async *batches(): AsyncGenerator<SavedBatch> {
    const { keys, connection, previous } = this.options
    const { tokens = '[]', pairs = '[]' } = this.savedFields
    yield { pools: [], list: { name: 'tokens', items: JSON.parse(tokens) } }
    const storedIds = new Set<string>()
    let cursor = '0'
    do {
      const [nextCursor, flat] = await connection().call<[string, string[]]>(
        'HSCAN',
        keys.poolRecords,
        cursor,
        'COUNT',
        POOLS_PER_COMMAND,
      )
      for (let i = 0; i < flat.length; i += 2) storedIds.add(flat[i]!)
      const texts = flat.filter((_, i) => i % 2 === 1)
      yield { pools: texts.map((text) => this.toStored(fromText<PoolRecord>(text))), list: null }
      cursor = nextCursor
    } while (cursor !== '0')
    // Only pairs in the published state are restored. Workers request the other pairs again.
    const publishedPairs = (JSON.parse(pairs) as string[]).filter((pair) => previous?.pairs.has(pair))
    const items = await inSlices('restore', pairsWithAllPools(publishedPairs, previous?.pools ?? new Map(), storedIds))
    yield { pools: [], list: { name: 'pairs', items } }
  }

  /**
   * Returns the published version of a stored pool if there is one, because it is newer; otherwise the stored pool.
   */
  private toStored({ pool, dexRow }: PoolRecord): StoredPool {
    const publishedPool = this.options.previous?.pools.get(pool.id)
    return publishedPool
      ? { pool: { ...publishedPool, state: null }, dexRow, state: publishedPool.state }
      : { pool, dexRow, state: null }
  }

  async save({ extra }: SavedFacts, parts: AsyncIterable<SaveCommand>): Promise<void> {
    const { keys } = this.options
    const lists: Record<string, unknown[]> = { tokens: [], pairs: [] }
    const keptIds = new Set<string>()
    for await (const part of parts) {
      if (part.do === 'list') lists[part.name]!.push(...part.items)
      else if (part.do === 'keep') for (const id of part.ids) keptIds.add(id)
      else await this.writePools(part.newPools)
    }
    if (keptIds.size > 0) await this.removePoolsExcept(keptIds)
    const texts = Object.entries(lists).flatMap(([name, items]) => [name, JSON.stringify(items)])
    const connection = await ownerConnection(this.options)
    this.minStoredPools = await connection.call<number>('HLEN', keys.poolRecords)
    await connection.call('HSET', keys.memory, 'extra', toText(extra), 'known', this.minStoredPools, ...texts)
  }

  /** Returns false if Redis was emptied, or has come back with fewer pools. */
  async isIntact(): Promise<boolean> {
    return (await this.options.connection().call<number>('HLEN', this.options.keys.poolRecords)) >= this.minStoredPools
  }

  async close(): Promise<void> {}

  private async writePools(records: Iterable<PoolRecord>): Promise<void> {
    const fields = [...records].flatMap((entry) => [entry.pool.id, toText(entry)])
    if (fields.length > 0)
      await (await ownerConnection(this.options)).call('HSET', this.options.keys.poolRecords, ...fields)
  }

  private async removePoolsExcept(keptIds: ReadonlySet<string>): Promise<void> {
    const connection = await ownerConnection(this.options)
    const { poolRecords } = this.options.keys
    const ids = await connection.call<string[]>('HKEYS', poolRecords)
    const removedIds = ids.filter((id) => !keptIds.has(id))
    for (let i = 0; i < removedIds.length; i += POOLS_PER_COMMAND)
      await connection.call('HDEL', poolRecords, ...removedIds.slice(i, i + POOLS_PER_COMMAND))
  }
}

/**
 * Returns the connection if this process still owns the chain. If it loses the lease right after this check, the next
 * write does no harm, because writes do not depend on earlier values.
 *
 * @throws BusError `LOST` if another process owns the chain
 */
async function ownerConnection({ keys, token, connection }: OwnerStoreOptions): Promise<Connection> {
  const currentConnection = connection()
  if ((await currentConnection.call('GET', keys.lease)) !== token)
    throw new BusError('LOST', 'another process owns the chain')
  return currentConnection
}

/**
 * Returns the pairs whose published pools are all stored. A published pool is not stored if its owner was killed before
 * the next save. The next owner must search the pairs of such a pool again. A pool of the native token is found through
 * pairs of the wrapped native token, whose address this function does not know. So all pairs of the pool's other tokens
 * are left out.
 */
function* pairsWithAllPools(
  pairs: readonly string[],
  publishedPools: ReadonlyMap<string, Pool>,
  storedIds: ReadonlySet<string>,
): Steps<readonly string[]> {
  const missingPools: Pool[] = []
  for (const pool of publishedPools.values()) {
    if (!storedIds.has(pool.id)) missingPools.push(pool)
    yield
  }
  const missingPairs = new Set<string>()
  const tokensWithNative = new Set<string>()
  for (const { tokens } of missingPools) {
    const hasNativeToken = tokens.includes(ZERO_ADDRESS)
    for (const token of tokens) {
      if (hasNativeToken) tokensWithNative.add(token)
      for (const other of tokens) missingPairs.add(`${token},${other}`)
    }
    yield
  }
  const completePairs: string[] = []
  for (const pair of pairs) {
    const hasNativePool = pair.split(',').some((token) => tokensWithNative.has(token))
    if (!missingPairs.has(pair) && !hasNativePool) completePairs.push(pair)
    yield
  }
  return completePairs
}
