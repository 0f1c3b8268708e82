/** Publishes the states of a chain, one fenced write each: the difference to what was published last. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { differenceOf, entryBytes, type Pool, poolChanges, wholePool } from '@sluice/liquidity'
import type { BlockHeader, Steps } from '@sluice/rpc'
import { Bounded } from '@sluice/simulation'
import type { Connection } from './connection.ts'
import { BusError } from './errors.ts'
import { blockText, readHead, type Shown } from './head.ts'
import type { ChainKeys } from './keys.ts'
import { LEASE_MS, type Lease } from './lease.ts'
import { packed } from './packed.ts'
import { BETWEEN, run } from './scripts.ts'

/** States that are remembered: whatever Redis comes back with is continued by a difference from there. */
const REMEMBERED = 64
/** Milliseconds that entries are kept: a follower that was away for longer joins anew. */
const KEEP_MS = 120_000
/** Milliseconds after which a generation that is being written expires if it is never shown. */
const UNSHOWN_MS = 120_000
/** Milliseconds for which those that are joining can finish on a generation that was replaced. */
const REPLACED_MS = 60_000
/** Fields and values of one command. */
const BATCH = 2_000
/** Changed pools above which all are written anew: one entry of so many would hold up everybody. */
const MOST_CHANGED = 10_000

type Pools = ReadonlyMap<string, Pool>

export type State = {
  readonly block: BlockHeader
  readonly pools: Pools
  /** Hashes of the last published blocks that are the chain's, this one among them. */
  readonly stands: readonly string[]
}

export type PairChanges = { readonly added: readonly string[]; readonly removed: readonly string[] }

type Answer = readonly ['OK', id: string] | readonly ['LOST' | 'CHANGED' | 'DAMAGED']

export type PublisherOptions = {
  readonly keys: ChainKeys
  readonly lease: Lease
  /** Called with a write in hand; for tests. */
  readonly beforeWrite?: () => Promise<void>
}

/** A write on its way: nobody knows before the answer whether it stands. */
type Sent = { /** @throws BusError as `publish` does */ readonly answer: Promise<void> }

/** After any failure it is to `resume`, which finds out what Redis has. */
export class Publisher {
  readonly counts = { writes: 0, full: 0, bytes: 0 }
  private readonly options: PublisherOptions
  /** By tag, in the order of writing. */
  private readonly written = new Bounded<string, Pools>(REMEMBERED)
  /** Tag of what was sent last. */
  private tag: string | null = null
  /** Generation of the pools. */
  generation = ''
  private pairs = new Set<string>()

  constructor(options: PublisherOptions) {
    this.options = options
  }

  /** Pairs that were told. */
  get toldPairs(): ReadonlySet<string> {
    return this.pairs
  }

  /** True where what Redis holds is of this publisher, so that it can be continued. */
  async resume(connection: Connection): Promise<boolean> {
    const { keys } = this.options
    const head = await readHead(connection, keys)
    if (!head || !this.written.has(head.tag)) return false
    this.tag = head.tag
    this.generation = head.gen
    this.pairs = new Set(await connection.call<string[]>('SMEMBERS', keys.pairs))
    return true
  }

  /** Continues what another publisher left. @param pools - its pools, those that are alike as the objects of this one */
  adopt({ tag }: Pick<Shown, 'tag'>, pools: Pools): void {
    this.remember(tag, pools)
  }

  /** The difference to what was published last. @throws BusError `LOST`, `CHANGED`, `DAMAGED`, `AWAY` */
  async publish(connection: Connection, state: State, changes: PairChanges): Promise<void> {
    const { answer } = await this.send(connection, state, changes)
    await answer
  }

  /**
   * The same without waiting for the answer: the next one may be worked out and sent meanwhile. Each names the tag of the one before
   * it, so where one is refused, all after it are.
   */
  async send(connection: Connection, state: State, { added, removed }: PairChanges): Promise<Sent> {
    const { keys, lease, beforeWrite } = this.options
    const expected = this.tag
    const before = expected === null ? undefined : this.written.get(expected)
    if (expected === null || !before) throw new BusError('CHANGED', 'what Redis has is to be found out first')
    const { changed, gone } = poolChanges(before, state.pools)
    if (changed.length > MOST_CHANGED) {
      for (const pair of added) this.pairs.add(pair)
      for (const pair of removed) this.pairs.delete(pair)
      await this.full(connection, state, this.pairs)
      return { answer: Promise.resolve() }
    }
    const { set, gone: fields, told: toldPools } = differenceOf(before, changed, gone)
    const told = packed(entryBytes(toldPools, gone, added, removed))
    const tag = randomUUID()
    // Remembered before it is sent: the answer may be lost while the write is not.
    this.remember(tag, state.pools)
    for (const pair of removed) this.pairs.delete(pair)
    for (const pair of added) this.pairs.add(pair)
    this.counts.bytes += told.length
    await beforeWrite?.()
    const answer = run<Answer>(
      connection,
      'write',
      [keys.lease, keys.head, keys.pools(this.generation), keys.entries, keys.pairs],
      [
        ...[lease.token, LEASE_MS, expected, tag, blockText(state.block), state.stands.join(), told, KEEP_MS],
        ...[set.length / 2, fields.length, added.length, removed.length],
        // One argument, which costs both sides less than many: none of these has more than one line but what is new, which has two.
        Buffer.from([...set, ...fields, ...added, ...removed].join(BETWEEN)),
      ],
    ).then(([word]) => {
      if (word !== 'OK' && this.tag === tag) this.tag = expected
      this.accept(word, tag)
      this.counts.writes++
    })
    // Heard by whoever waits for it, which may be later than it fails.
    answer.catch(() => {})
    return { answer }
  }

  /** All pools under a generation of their own, shown in one step. @throws BusError as `publish` does */
  async full(connection: Connection, state: State, pairs: Iterable<string>): Promise<void> {
    const { keys, lease } = this.options
    const generation = randomUUID().slice(0, 8)
    const key = keys.pools(generation)
    let size = 0
    let batch: string[] = []
    const flush = async () => {
      if (batch.length === 0) return
      await connection.call('HSET', key, ...batch)
      await connection.call('PEXPIRE', key, UNSHOWN_MS)
      size += batch.length / 2
      batch = []
    }
    for (const pool of state.pools.values()) {
      batch.push(...wholePool(pool))
      if (batch.length >= BATCH) await flush()
    }
    await flush()
    const tag = randomUUID()
    const old = await readHead(connection, keys)
    const told = [...pairs]
    this.written.set(tag, state.pools)
    const [answer] = await run<Answer>(
      connection,
      'flip',
      [keys.lease, keys.head, key, keys.pools(old?.gen ?? generation), keys.entries, keys.pairs],
      [
        ...[lease.token, generation, tag, blockText(state.block), state.stands.join(), size, REPLACED_MS],
        ...[told.length, ...told],
      ],
    )
    this.accept(answer, tag)
    this.tag = tag
    this.generation = generation
    this.pairs = new Set(told)
    this.counts.full++
  }

  /** @throws BusError */
  private accept(answer: Answer[0], tag: string): void {
    if (answer === 'OK') return
    this.written.delete(tag)
    throw new BusError(answer, `the state was not written: ${answer}`)
  }

  private remember(tag: string, pools: Pools): void {
    this.written.set(tag, pools)
    this.tag = tag
  }
}

/** Those of one map that another one has equals of. */
export function* equalPools(
  ours: ReadonlyMap<string, Pool>,
  theirs: ReadonlyMap<string, Pool>,
): Steps<readonly Pool[]> {
  const equal: Pool[] = []
  for (const pool of ours.values()) {
    if (isDeepStrictEqual(theirs.get(pool.id), pool)) equal.push(pool)
    yield
  }
  return equal
}
