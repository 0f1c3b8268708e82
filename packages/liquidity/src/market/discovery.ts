/** Finds pools: by asking factories for pairs, and by searching past logs where a family has no getters. */

import type { Address } from '@sluice/chains'
import { abortable, type BlockHeader, inSlices, type Priority, RpcError } from '@sluice/rpc'
import type { StateCount } from '@sluice/simulation'
import { chunks } from '../dexes/common/chunks.ts'
import { pairKey } from '../dexes/common/direction.ts'
import { MarketError } from '../errors.ts'
import type { Pool } from '../family.ts'
import type { PoolList } from '../pool-list/pool-list.ts'
import type { ScanStatus } from '../snapshot.ts'
import { AskedPairs } from './asked-pairs.ts'
import { Background } from './background.ts'
import type { Evictor } from './evictor.ts'
import type { Follower, MarketParts } from './follow.ts'
import { HeadStart, type HeadStartCount } from './head-start.ts'
import type { MarketLimits } from './limits.ts'
import { LogScan } from './log-scan.ts'
import { findNeighbors, lacksNeighbors, neighborPairs } from './neighbors.ts'
import { type Pair, pairsOf } from './pairs.ts'
import { type FoundPool, findPools } from './pool-reader.ts'
import { BACKGROUND_TIMEOUT_MS, sleep } from './timing.ts'

/** Milliseconds that a token which is asked for waits for the search of past logs; what is found later joins by itself. */
const SCAN_TIMEOUT_MS = 500
/** The same for the intermediates of a chain that was just woken. */
const WARM_UP_TIMEOUT_MS = 1_000
/** Tokens looked for together in the background: a megabyte or two, and a part of a second of the node's time. */
const TOKENS_AT_ONCE = 25
/** The same of tokens and groups that are looked for with all intermediates: several times as many pairs. */
const WIDE_AT_ONCE = 8
/** Pools read together. */
const POOLS_AT_ONCE = 200
/** Reads of some pools at blocks that are gone afterwards: reorgs come one at a time. */
const MOST_READS = 8

export type DiscoveryOptions = {
  readonly parts: MarketParts
  readonly follower: Follower
  readonly evictor: Evictor
  readonly limits: MarketLimits
  readonly onScan?: ((status: ScanStatus) => void) | undefined
  /** Makes the list of pools to begin with. */
  readonly headStart?: (() => PoolList) | undefined
  readonly onHeadStart?: ((count: HeadStartCount) => void) | undefined
  /** False where past logs are not searched: another market has searched them. */
  readonly searchesLogs?: boolean | undefined
}

function nullIfGone(error: unknown): null {
  if (error instanceof RpcError && error.ofBlock) return null
  throw error
}

export class Discovery {
  private readonly parts: MarketParts
  private readonly follower: Follower
  private readonly evictor: Evictor
  private readonly asked: AskedPairs
  private readonly background: Background<Address>
  /** Intermediates that are looked for with one another. */
  private readonly warming: Background<Address>
  /** Groups of tokens whose neighbors are looked for. */
  private readonly widening: Background<readonly Address[]>
  /** The search for the intermediates with one another; null before it. */
  private warm: Promise<unknown> | null = null
  /** Search of past logs. */
  readonly scan: LogScan

  constructor(options: DiscoveryOptions) {
    const { parts, follower, evictor, limits, onScan, headStart, onHeadStart, searchesLogs } = options
    this.parts = parts
    this.evictor = evictor
    this.follower = follower
    this.asked = new AskedPairs(parts.directory.tokens, limits)
    this.scan = new LogScan(parts, (pools) => this.add(pools), onScan, onHeadStart, searchesLogs)
    if (headStart)
      this.scan.begin(() => new HeadStart(headStart(), { parts, follower }, (...row) => this.scan.knows(...row)))
    const { hubs, intermediates } = parts.directory.scope
    this.background = new Background((tokens) => this.find(tokens, hubs), limits.queued, TOKENS_AT_ONCE)
    this.warming = new Background((tokens) => this.find(tokens, intermediates), limits.queued, WIDE_AT_ONCE)
    this.widening = new Background((groups) => this.widen(groups), limits.queued, WIDE_AT_ONCE)
  }

  get counts(): Readonly<Record<'pairs' | 'queued', StateCount>> {
    const queued = { entries: 0, evicted: 0 }
    for (const { count } of [this.background, this.warming, this.widening]) {
      queued.entries += count.entries
      queued.evicted += count.evicted
    }
    return { pairs: this.asked.count, queued }
  }

  /** Pairs that need not be asked for again. */
  get pairs(): Iterable<string> {
    return this.asked.keys()
  }

  remember(pairs: Iterable<string>): void {
    this.asked.remember(pairs)
  }

  forgetPairs(): void {
    this.asked.forgetAll()
    this.warm = null
    this.scan.again()
  }

  /**
   * Resolves when the pools of each group of tokens, with one another and with the intermediates, and those of the hubs are in
   * memory. Those of the other intermediates with one another are waited for within a time limit; those of the group's neighbors follow
   * in the background.
   *
   * @throws RpcError
   */
  async ensure(groups: readonly (readonly Address[])[], signal?: AbortSignal): Promise<void> {
    const { tokens, scope } = this.parts.directory
    for (const token of groups.flat()) tokens.add(token)
    const pairs = groups.flatMap((group) => pairsOf(group, scope.intermediates))
    const asking = Promise.all([this.askFor(pairs, 'lookup'), this.warmUp()])
    const isNew = (pair: Pair) => this.asked.isNew(pair)
    for (const group of groups)
      if (lacksNeighbors(this.parts.directory, group, isNew)) this.widening.add(group.join(), group).catch(() => {})
    await abortable(asking, signal)
  }

  /**
   * The same of one token with the hubs, in its turn and within the budget of the background. @throws RpcError,
   * MarketError `BUSY`
   */
  async seek(token: Address): Promise<void> {
    const { tokens, scope } = this.parts.directory
    const known = tokens.has(token)
    // One that is followed stays so while it is asked for; a new one is followed when its turn comes.
    if (known) tokens.add(token)
    if (known && pairsOf([token], scope.hubs).every((pair) => !this.asked.isNew(pair) && !this.asked.asking(pair)))
      return
    await this.background.add(token, token)
  }

  /** Takes in pools that another market of the chain has found, as far as they are at the newest block. @throws RpcError */
  async take(found: readonly FoundPool[]): Promise<void> {
    for (const entry of found) this.parts.directory.listed.set(entry.pool.id, entry)
    await this.add(found)
  }

  /** Resolves when no search of pools is under way. The caller bounds the wait. */
  async settled(): Promise<void> {
    await this.scan.run()
    for (const work of [this.warming, this.background, this.widening]) await work.idle()
  }

  private async find(sought: readonly Address[], others: readonly Address[]): Promise<void> {
    for (const token of sought) this.parts.directory.tokens.add(token)
    await this.askFor(
      sought.flatMap((token) => pairsOf([token], others)),
      'background',
    )
  }

  /**
   * Resolves when the pools of the hubs are in memory, and those of the other intermediates or a time limit is over. What fails is
   * looked for again with the next request.
   */
  private warmUp(): Promise<unknown> {
    if (this.warm) return this.warm
    // After a restart every pair may be known while past logs are not all searched.
    void this.scan.run()
    const { hubs, intermediates } = this.parts.directory.scope
    const first = this.askFor(pairsOf(hubs, []), 'lookup')
    const rest = Promise.all(intermediates.map((token) => this.warming.add(token, token)))
    const warm = Promise.all([first, Promise.race([rest, sleep(WARM_UP_TIMEOUT_MS)])])
    this.warm = warm
    for (const each of [warm, rest])
      each.catch(() => {
        if (this.warm === warm) this.warm = null
      })
    return warm
  }

  /** Looks for the neighbors of groups, with these and with the intermediates. */
  private async widen(groups: readonly (readonly Address[])[]): Promise<void> {
    const { directory } = this.parts
    // What past logs list is what has neighbors.
    await this.scan.run()
    await inSlices('neighbors', findNeighbors(directory, groups))
    await this.askFor(
      groups.flatMap((group) => neighborPairs(directory, group)),
      'background',
    )
  }

  private async askFor(wanted: readonly Pair[], priority: Priority): Promise<void> {
    // Groups share pairs.
    const pairs = [...new Map(wanted.map((pair) => [pairKey(pair), pair])).values()]
    const fresh = pairs.filter((pair) => this.asked.isNew(pair))
    if (fresh.length > 0) {
      const asking = Promise.race([this.scan.run(), sleep(SCAN_TIMEOUT_MS)]).then(() => this.discover(fresh, priority))
      this.asked.ask(fresh, asking)
    }
    await Promise.all(new Set(pairs.flatMap((pair) => this.asked.asking(pair) ?? [])))
  }

  private async discover(pairs: readonly Pair[], priority: Priority): Promise<void> {
    const { rpc, directory, signal } = this.parts
    const options = { signal, priority, ...(priority === 'background' && { timeoutMs: BACKGROUND_TIMEOUT_MS }) }
    const found = await this.follower.retrying(({ hash }) =>
      findPools(rpc, { blockHash: hash }, directory.rows, directory.families, pairs, options),
    )
    await this.add([...found, ...directory.listed.values()])
  }

  /** Takes in those of the pools that are wanted, some at a time. */
  private async add(found: readonly FoundPool[]): Promise<void> {
    const { directory, ledger } = this.parts
    const wanted = found.filter(({ pool }) => directory.isWanted(pool) && !ledger.newest?.pools.has(pool.id))
    for (const some of chunks(wanted, POOLS_AT_ONCE)) await this.addSome(some)
    if (wanted.length > 0) this.evictor.run()
  }

  /**
   * Blocks go by while the pools are read: from the moment they are listed as found, whatever a block says of one of them
   * has it read at that block.
   */
  private async addSome(found: readonly FoundPool[]): Promise<void> {
    const { ledger } = this.parts
    const ids = await ledger.mutex.run(async () => this.admit(found))
    for (let attempt = 1; ids.length > 0; attempt++) {
      const { block, read } = await this.follower.retrying(async (block) => ({
        block,
        // What is there, of tokens that somebody asked for: looking for it is what the budget of the background is for.
        read: await this.follower.read(block, ids, 'lookup'),
      }))
      if (await ledger.mutex.run(() => this.takeIn(block, read))) return
      if (attempt === MOST_READS) throw new MarketError('REORGED', `block ${block.number} is gone`)
    }
  }

  private admit(found: readonly FoundPool[]): readonly string[] {
    const { directory, ledger } = this.parts
    const { pools } = ledger.history!.top
    const fresh = found.filter(({ pool }) => directory.isWanted(pool) && !pools.has(pool.id))
    return fresh.filter((entry) => directory.add(entry)).map(({ pool }) => pool.id)
  }

  /**
   * Puts pools that were read at a block into the newest one. The caller holds the ledger's mutex.
   *
   * @returns false where a block is gone
   */
  private async takeIn(block: BlockHeader, read: readonly Pool[]): Promise<boolean> {
    const { directory, ledger } = this.parts
    const history = ledger.history!
    const from = history.find(block.hash)
    if (!from) return false
    const touched = new Set(history.above(from).flatMap(({ changed }) => [...changed]))
    const { top } = history
    const isUntouched = ({ id }: Pool) => directory.found.has(id) && !top.pools.has(id) && !touched.has(id)
    const fresh = read.filter(isUntouched)
    const changed = fresh.map(({ id }) => id)
    const told = top.pools.with(fresh)
    const pools = from === top ? told : await this.follower.refreshed(top.block, told, changed).catch(nullIfGone)
    if (!pools) return false
    if (pools === top.pools) return true
    const entry = { ...top, pools, changed: new Set([...top.changed, ...changed]) }
    ledger.commit(history.replaceTop(entry), changed)
    return true
  }
}
