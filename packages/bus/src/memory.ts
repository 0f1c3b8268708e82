/** Memory of an owner's market beside the states, kept on Redis for the next owner. */
import {
  type Batch,
  fromText,
  type Part,
  type Pool,
  type SavedFacts,
  type Store,
  type StoredPool,
  toText,
} from '@sluice/liquidity'
import { type Connection, fieldsOf, type Reply } from './connection.ts'
import { BusError } from './errors.ts'
import type { Shown } from './head.ts'
import type { ChainKeys } from './keys.ts'

/** Pools read at once. */
const PAGE = 500

type Known = { readonly pool: Pool<null>; readonly dexRow: number | null }

export type MemoryOptions = {
  readonly keys: ChainKeys
  readonly chainId: number
  /** The owner's connection of the moment. @throws BusError `AWAY` */
  readonly connection: () => Connection
  /** Token of the owner's lease: nobody else writes. */
  readonly token: string
  /** Head published last; null where none was. */
  readonly shown: Shown | null
}

/** States are read from where they are published, and not written. */
export class SharedMemory implements Store {
  readonly facts: SavedFacts | null
  private readonly options: MemoryOptions
  private readonly saved: Readonly<Record<string, string>>
  /** Pools that Redis is to know; it may know more, of a save that was broken off. */
  private count: number

  private constructor(options: MemoryOptions, saved: Readonly<Record<string, string>>, known: number) {
    const { shown, chainId } = options
    this.options = options
    this.saved = saved
    this.count = known
    const isWhole = saved.extra !== undefined && known >= Number(saved.known)
    // Pairs without their pools would never be looked for again.
    this.facts = shown && isWhole ? { chainId, block: shown.block, extra: fromText(saved.extra!) } : null
  }

  /** @param anew - what is there is of no use */
  static async open(options: MemoryOptions, anew: boolean): Promise<SharedMemory> {
    const { known, memory } = options.keys
    if (anew) await options.connection().call('DEL', known, memory)
    const saved = fieldsOf(await options.connection().call<Reply[]>('HGETALL', memory))
    return new SharedMemory(options, saved, await options.connection().call<number>('HLEN', known))
  }

  async *batches(): AsyncGenerator<Batch> {
    const { keys, connection, shown } = this.options
    const { tokens = '[]', pairs = '[]' } = this.saved
    // Pairs that were answered after the last word to all are asked for again, and so are those of pools that were not saved.
    const told = (JSON.parse(pairs) as string[]).filter((pair) => shown?.pairs.has(pair))
    yield { pools: [], list: { name: 'tokens', items: JSON.parse(tokens) } }
    yield { pools: [], list: { name: 'pairs', items: told } }
    let cursor = '0'
    do {
      const [next, flat] = await connection().call<[string, string[]]>('HSCAN', keys.known, cursor, 'COUNT', PAGE)
      const texts = flat.filter((_, i) => i % 2 === 1)
      yield { pools: texts.map((text) => this.stored(fromText<Known>(text))), list: null }
      cursor = next
    } while (cursor !== '0')
  }

  /** As it was published last, where it was: what was found out about it since it was saved is there. */
  private stored({ pool, dexRow }: Known): StoredPool {
    const shown = this.options.shown?.pools.get(pool.id)
    return shown ? { pool: { ...shown, state: null }, dexRow, state: shown.state } : { pool, dexRow, state: null }
  }

  async save({ extra }: SavedFacts, parts: AsyncIterable<Part>): Promise<void> {
    const { keys } = this.options
    const lists: Record<string, unknown[]> = { tokens: [], pairs: [] }
    const kept = new Set<string>()
    for await (const part of parts) {
      if (part.do === 'list') lists[part.name]!.push(...part.items)
      else if (part.do === 'keep') for (const id of part.ids) kept.add(id)
      else await this.write(part.known)
    }
    if (kept.size > 0) await this.forgetOthers(kept)
    const texts = Object.entries(lists).flatMap(([name, items]) => [name, JSON.stringify(items)])
    const connection = await this.owned()
    this.count = await connection.call<number>('HLEN', keys.known)
    await connection.call('HSET', keys.memory, 'extra', toText(extra), 'known', this.count, ...texts)
  }

  /** False for a Redis that was emptied, or that has come back with less. */
  async isWhole(): Promise<boolean> {
    return (await this.options.connection().call<number>('HLEN', this.options.keys.known)) >= this.count
  }

  async close(): Promise<void> {}

  private async write(known: Iterable<Known>): Promise<void> {
    const fields = [...known].flatMap((entry) => [entry.pool.id, toText(entry)])
    if (fields.length > 0) await (await this.owned()).call('HSET', this.options.keys.known, ...fields)
  }

  private async forgetOthers(kept: ReadonlySet<string>): Promise<void> {
    const connection = await this.owned()
    const { known } = this.options.keys
    const ids = await connection.call<string[]>('HKEYS', known)
    const others = ids.filter((id) => !kept.has(id))
    for (let i = 0; i < others.length; i += PAGE) await connection.call('HDEL', known, ...others.slice(i, i + PAGE))
  }

  /** Connection of the owner. What is written is absolute, so that an owner who loses the lease right after does no harm. @throws BusError `LOST` */
  private async owned(): Promise<Connection> {
    const { keys, token, connection } = this.options
    const now = connection()
    if ((await now.call('GET', keys.lease)) !== token) throw new BusError('LOST', 'another process owns the chain')
    return now
  }
}
