/**
 * Publishes the states of a chain to Redis, each as one write of its difference to the previous state. A write is
 * fenced: Redis refuses it if this process has lost the lease. Each write has a random id (tag) and adds an entry to a
 * stream. All pools are stored as the fields of one Redis hash (a generation), which a follower reads once when it
 * starts.
 */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { encodeDifference, encodeEntry, fieldsOfWholePool, type Pool, poolChanges } from '@sluice/liquidity'
import type { BlockHeader, Steps } from '@sluice/rpc'
import { BoundedMap } from '@sluice/simulation'
import type { Connection } from './connection.ts'
import { compressEntry } from './entry-compression.ts'
import { BusError } from './errors.ts'
import { encodeBlock, type FollowedState, readHead } from './head.ts'
import { readPairs } from './join.ts'
import type { ChainKeys } from './keys.ts'
import { LEASE_MS, type Lease } from './lease.ts'
import { runScript, SEPARATOR } from './scripts.ts'

/**
 * Maximum published states in memory. If Redis restarts and loses the last writes, it may hold any of these states. The
 * next difference then starts from that state.
 */
const MAX_REMEMBERED = 64
/** Milliseconds for which entries are kept; a follower that was away longer reads the whole state again. */
const KEEP_ENTRIES_MS = 120_000
/** Milliseconds after which an unfinished generation expires. */
const UNFINISHED_TTL_MS = 120_000
/** Milliseconds for which a replaced generation is kept, so that followers can finish reading it. */
const REPLACED_TTL_MS = 60_000
/** Number of fields and values, or of pairs, per command. */
const FIELDS_PER_COMMAND = 2_000
/**
 * Maximum changed pools in one entry. If more change, a new generation is written, so that no entry delays followers.
 */
const MAX_CHANGED_POOLS = 10_000

type Pools = ReadonlyMap<string, Pool>

export type PublishedState = {
  readonly block: BlockHeader
  readonly pools: Pools
  /** Hashes of the last published blocks that are canonical, including this one. */
  readonly canonical: readonly string[]
}

/** Token pairs that are added to the published state, and removed from it. */
export type PairChanges = { readonly added: readonly string[]; readonly removed: readonly string[] }

type WriteAnswer = readonly ['OK', id: string] | readonly ['LOST' | 'CHANGED' | 'DAMAGED']

export type PublisherOptions = {
  readonly keys: ChainKeys
  readonly lease: Lease
  /** Called between computing and sending a write; for tests. */
  readonly beforeWrite?: () => Promise<void>
}

/** A write in flight. Its outcome is unknown until the answer. */
type PendingWrite = { /** @throws BusError as `publish` does */ readonly answer: Promise<void> }

/** Publishes the states of one chain. After any failure, call `resume` before the next write. */
export class Publisher {
  /** Differences that were written, whole states that were written (`full`), and bytes of the sent differences. */
  readonly counts = { writes: 0, full: 0, bytes: 0 }
  private readonly options: PublisherOptions
  /** Pools of published states by tag, in the order of writing. */
  private readonly writtenPools = new BoundedMap<string, Pools>(MAX_REMEMBERED)
  /** Tag of the last write that was sent. */
  private tag: string | null = null
  /** Id of the current generation: part of the key of the hash with all pools. */
  generation = ''
  private pairs = new Set<string>()

  constructor(options: PublisherOptions) {
    this.options = options
  }

  /** Pairs in the published state. */
  get publishedPairs(): ReadonlySet<string> {
    return this.pairs
  }

  /**
   * Reads the head from Redis.
   *
   * @returns true if this publisher wrote the head, so that the next difference can start there
   */
  async resume(connection: Connection): Promise<boolean> {
    const { keys } = this.options
    const head = await readHead(connection, keys)
    if (!head || !this.writtenPools.has(head.tag)) return false
    this.tag = head.tag
    this.generation = head.generation
    this.pairs = await readPairs(connection, keys)
    return true
  }

  /**
   * Continues the state of another publisher.
   *
   * @param pools - pools of that state; a pool that is equal in the market of this process is the same object as there
   */
  adopt({ tag }: Pick<FollowedState, 'tag'>, pools: Pools): void {
    this.remember(tag, pools)
  }

  /** Publishes a state. @throws BusError `LOST`, `CHANGED`, `DAMAGED`, `AWAY` */
  async publish(connection: Connection, state: PublishedState, changes: PairChanges): Promise<void> {
    const { answer } = await this.send(connection, state, changes)
    await answer
  }

  /**
   * Publishes a state without waiting for the answer, so that the next state can be computed and sent in the meantime.
   * Each write names the tag of the previous write, so after a refused write all later writes are refused too.
   */
  async send(connection: Connection, state: PublishedState, { added, removed }: PairChanges): Promise<PendingWrite> {
    const { keys, lease, beforeWrite } = this.options
    const expectedTag = this.tag
    const previousPools = expectedTag === null ? undefined : this.writtenPools.get(expectedTag)
    if (expectedTag === null || !previousPools) throw new BusError('CHANGED', 'the state in Redis must be read first')
    const { changedPools, goneIds } = poolChanges(previousPools, state.pools)
    if (changedPools.length > MAX_CHANGED_POOLS) {
      for (const pair of added) this.pairs.add(pair)
      for (const pair of removed) this.pairs.delete(pair)
      await this.writeAll(connection, state, this.pairs)
      return { answer: Promise.resolve() }
    }
    const { fieldsToSet, removedFields, encodedPools } = encodeDifference(previousPools, changedPools, goneIds)
    const payload = compressEntry(encodeEntry(encodedPools, goneIds, added, removed))
    const tag = randomUUID()
    // Remember the state before sending it, because the write may succeed while its answer is lost.
    this.remember(tag, state.pools)
    for (const pair of removed) this.pairs.delete(pair)
    for (const pair of added) this.pairs.add(pair)
    this.counts.bytes += payload.length
    await beforeWrite?.()
    const answer = runScript<WriteAnswer>(
      connection,
      'write',
      [keys.lease, keys.head, keys.pools(this.generation), keys.entries, keys.pairs],
      [
        ...[
          lease.token,
          LEASE_MS,
          expectedTag,
          tag,
          encodeBlock(state.block),
          state.canonical.join(),
          payload,
          KEEP_ENTRIES_MS,
        ],
        ...[fieldsToSet.length / 2, removedFields.length, added.length, removed.length],
        // One joined argument costs less than many arguments. No field, value, or pair contains the separator.
        Buffer.from([...fieldsToSet, ...removedFields, ...added, ...removed].join(SEPARATOR)),
      ],
    ).then(([status]) => {
      if (status !== 'OK' && this.tag === tag) this.tag = expectedTag
      this.throwIfRefused(status, tag)
      this.counts.writes++
    })
    // The write may fail before the caller awaits the answer. This handler keeps that failure from counting as an
    // unhandled rejection.
    answer.catch(() => {})
    return { answer }
  }

  /**
   * Writes all pools under a new generation, and switches to the new generation in one step.
   *
   * @throws BusError `LOST`, `CHANGED`, `DAMAGED`, `AWAY`
   */
  async writeAll(connection: Connection, state: PublishedState, pairs: Iterable<string>): Promise<void> {
    const { keys, lease } = this.options
    const generation = randomUUID().slice(0, 8)
    const key = keys.pools(generation)
    let size = 0
    let batch: string[] = []
    const flush = async () => {
      if (batch.length === 0) return
      await connection.call('HSET', key, ...batch)
      await connection.call('PEXPIRE', key, UNFINISHED_TTL_MS)
      size += batch.length / 2
      batch = []
    }
    for (const pool of state.pools.values()) {
      batch.push(...fieldsOfWholePool(pool))
      if (batch.length >= FIELDS_PER_COMMAND) await flush()
    }
    await flush()
    const writtenPairs = new Set(pairs)
    const pairsKey = keys.unfinishedPairs(generation)
    const pairList = [...writtenPairs]
    for (let i = 0; i < pairList.length; i += FIELDS_PER_COMMAND) {
      await connection.call('SADD', pairsKey, ...pairList.slice(i, i + FIELDS_PER_COMMAND))
      await connection.call('PEXPIRE', pairsKey, UNFINISHED_TTL_MS)
    }
    const tag = randomUUID()
    const oldHead = await readHead(connection, keys)
    this.writtenPools.set(tag, state.pools)
    const [answer] = await runScript<WriteAnswer>(
      connection,
      'flip',
      [
        ...[keys.lease, keys.head, key, keys.pools(oldHead?.generation ?? generation), keys.entries],
        ...[keys.pairs, pairsKey],
      ],
      [
        ...[lease.token, generation, tag, encodeBlock(state.block), state.canonical.join(), size, REPLACED_TTL_MS],
        writtenPairs.size,
      ],
    )
    this.throwIfRefused(answer, tag)
    this.tag = tag
    this.generation = generation
    this.pairs = writtenPairs
    this.counts.full++
  }

  /** @throws BusError */
  private throwIfRefused(answer: WriteAnswer[0], tag: string): void {
    if (answer === 'OK') return
    this.writtenPools.delete(tag)
    throw new BusError(answer, `the state was not written: ${answer}`)
  }

  private remember(tag: string, pools: Pools): void {
    this.writtenPools.set(tag, pools)
    this.tag = tag
  }
}

/** Returns the pools that are equal in both maps, as objects of `newPools`. */
export function* unchangedPoolsOf(
  newPools: ReadonlyMap<string, Pool>,
  publishedPools: ReadonlyMap<string, Pool>,
): Steps<readonly Pool[]> {
  const unchangedPools: Pool[] = []
  for (const pool of newPools.values()) {
    if (isDeepStrictEqual(publishedPools.get(pool.id), pool)) unchangedPools.push(pool)
    yield
  }
  return unchangedPools
}
