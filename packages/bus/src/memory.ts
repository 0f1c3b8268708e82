/** Memory of an owner's market beyond the published state, stored in Redis for the next owner. */
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
import { type Connection, fieldsOf, type RedisReply } from './connection.ts'
import { BusError } from './errors.ts'
import type { FollowedState } from './head.ts'
import type { ChainKeys } from './keys.ts'

/** Pools per read. */
const PAGE = 500

type PoolRecord = { readonly pool: Pool<null>; readonly dexRow: number | null }

export type MemoryOptions = {
  readonly keys: ChainKeys
  readonly chainId: number
  /** Returns the owner's current connection. @throws BusError `AWAY` */
  readonly connection: () => Connection
  /** Token of the owner's lease, without which nothing is written. */
  readonly token: string
  /** The previous owner's state; null if there is none. */
  readonly previous: FollowedState | null
}

/** Stores a market's memory in Redis. Pool states are read from the published state and not stored twice. */
export class SharedMemory implements Store {
  readonly facts: SavedFacts | null
  private readonly options: MemoryOptions
  private readonly savedFields: Readonly<Record<string, string>>
  /** Minimum number of stored pools; there may be more after an interrupted save. */
  private count: number

  private constructor(options: MemoryOptions, savedFields: Readonly<Record<string, string>>, savedPools: number) {
    const { previous, chainId } = options
    this.options = options
    this.savedFields = savedFields
    this.count = savedPools
    const isWhole = savedFields.extra !== undefined && savedPools >= Number(savedFields.known)
    // Without all pools, restored pairs would lack some that nothing would discover again.
    this.facts = previous && isWhole ? { chainId, block: previous.block, extra: fromText(savedFields.extra!) } : null
  }

  /** Opens the memory. @param mustReset - true to delete the stored memory first */
  static async open(options: MemoryOptions, mustReset: boolean): Promise<SharedMemory> {
    const { poolRecords, memory } = options.keys
    if (mustReset) await options.connection().call('DEL', poolRecords, memory)
    const savedFields = fieldsOf(await options.connection().call<RedisReply[]>('HGETALL', memory))
    return new SharedMemory(options, savedFields, await options.connection().call<number>('HLEN', poolRecords))
  }

  async *batches(): AsyncGenerator<SavedBatch> {
    const { keys, connection, previous } = this.options
    const { tokens = '[]', pairs = '[]' } = this.savedFields
    // Only pairs in the published state are restored. Workers request all others again.
    const publishedPairs = (JSON.parse(pairs) as string[]).filter((pair) => previous?.pairs.has(pair))
    yield { pools: [], list: { name: 'tokens', items: JSON.parse(tokens) } }
    yield { pools: [], list: { name: 'pairs', items: publishedPairs } }
    let cursor = '0'
    do {
      const [next, flat] = await connection().call<[string, string[]]>('HSCAN', keys.poolRecords, cursor, 'COUNT', PAGE)
      const texts = flat.filter((_, i) => i % 2 === 1)
      yield { pools: texts.map((text) => this.toStored(fromText<PoolRecord>(text))), list: null }
      cursor = next
    } while (cursor !== '0')
  }

  /** Returns a stored pool with its published version, if there is one, which is newer than the stored one. */
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
      else await this.write(part.newPools)
    }
    if (keptIds.size > 0) await this.forgetOthers(keptIds)
    const texts = Object.entries(lists).flatMap(([name, items]) => [name, JSON.stringify(items)])
    const connection = await this.ownerConnection()
    this.count = await connection.call<number>('HLEN', keys.poolRecords)
    await connection.call('HSET', keys.memory, 'extra', toText(extra), 'known', this.count, ...texts)
  }

  /** Returns false if Redis was emptied, or has come back with fewer pools. */
  async isIntact(): Promise<boolean> {
    return (await this.options.connection().call<number>('HLEN', this.options.keys.poolRecords)) >= this.count
  }

  async close(): Promise<void> {}

  private async write(records: Iterable<PoolRecord>): Promise<void> {
    const fields = [...records].flatMap((entry) => [entry.pool.id, toText(entry)])
    if (fields.length > 0) await (await this.ownerConnection()).call('HSET', this.options.keys.poolRecords, ...fields)
  }

  private async forgetOthers(keptIds: ReadonlySet<string>): Promise<void> {
    const connection = await this.ownerConnection()
    const { poolRecords } = this.options.keys
    const ids = await connection.call<string[]>('HKEYS', poolRecords)
    const removedIds = ids.filter((id) => !keptIds.has(id))
    for (let i = 0; i < removedIds.length; i += PAGE)
      await connection.call('HDEL', poolRecords, ...removedIds.slice(i, i + PAGE))
  }

  /**
   * Returns the connection, if this process still owns the chain. Writes set absolute values, so an owner that loses
   * the lease right after the check does no harm.
   *
   * @throws BusError `LOST` if another process owns the chain
   */
  private async ownerConnection(): Promise<Connection> {
    const { keys, token, connection } = this.options
    const current = connection()
    if ((await current.call('GET', keys.lease)) !== token) throw new BusError('LOST', 'another process owns the chain')
    return current
  }
}
