/** One chain indexed for all: whoever holds the lease reads the chain and publishes what it sees, the others stand by. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type IndexedMarket, type PairScope, type Snapshot, type StorePlace, toText } from '@sluice/liquidity'
import { type BlockHeader, inSlices } from '@sluice/rpc'
import { keepConnected, type OwnConnection } from './connection.ts'
import { BusError } from './errors.ts'
import { type Shown, STANDING } from './head.ts'
import { join } from './join.ts'
import type { ChainKeys } from './keys.ts'
import { Lease } from './lease.ts'
import { SharedMemory } from './memory.ts'
import { equalPools, type PairChanges, Publisher, type State } from './publisher.ts'
import { WantedPairs } from './wanted-pairs.ts'

/** Milliseconds between two attempts of one who stands by. */
const STAND_BY_MS = 250
/** Milliseconds for which a market is kept that lost its lease: it goes on where it was if nobody else took it. */
const KEEP_MS = 10_000
/** Milliseconds without a word of the node after which another process may try with its own. */
const PATIENCE_MS = 15_000
/** Milliseconds between two looks at which pairs are still followed. */
const PAIRS_MS = 5_000
/** Milliseconds between two looks at what there is to publish when nothing has told of it. */
const WAIT_MS = 500
/** Milliseconds between two looks for the first block. */
const LOOK_MS = 20
/** Damaged states in a row after which all is written anew. */
const JOINS = 3
/** Milliseconds that what is published of a chain outlives its last owner. */
const EXPIRE_MS = 86_400_000
const EXPIRE_EVERY_MS = 60_000

export type OpenedMarket = { readonly market: IndexedMarket; readonly close: () => Promise<void> }

export type IndexerOptions = {
  readonly url: string
  readonly chainId: number
  readonly scope: PairScope
  readonly keys: ChainKeys
  /** A market that reads the chain, with its memory at a place, started. */
  readonly open: (place: StorePlace) => OpenedMarket
  /** Milliseconds to wait before the lease is asked for: who has much leaves it to others. */
  readonly reluctanceMs?: () => number
  readonly onError?: (error: unknown) => void
  /** Called with a write in hand; for tests. */
  readonly beforeWrite?: () => Promise<void>
}

export class ChainIndexer {
  readonly chainId: number
  private readonly options: IndexerOptions
  private readonly lease: Lease
  private readonly publisher: Publisher
  private readonly stopped = new AbortController()
  private running: Promise<void>[] = []
  private connection: OwnConnection | null = null
  private opened: OpenedMarket | null = null
  private isOwner = false
  /** Blocks published last of this market, by hash; newest last. */
  private published: BlockHeader[] = []
  private readonly wanted: WantedPairs
  private isLeaving = false
  /** True where what Redis holds is not whole: all is to be written anew. */
  private isDamaged = false
  private wake = Promise.withResolvers<void>()

  constructor(options: IndexerOptions) {
    const { keys, chainId, beforeWrite } = options
    this.options = options
    this.chainId = chainId
    this.lease = new Lease(keys)
    this.wanted = new WantedPairs({
      keys,
      scope: options.scope,
      market: () => (this.isOwner ? this.opened?.market : undefined),
      signal: this.stopped.signal,
      onAnswer: () => this.wake.resolve(),
    })
    this.publisher = new Publisher({ keys, lease: this.lease, ...(beforeWrite && { beforeWrite }) })
  }

  /** Pools followed; 0 where another process owns the chain. */
  get pools(): number {
    const { market } = this.opened ?? {}
    return market?.health().head ? market.snapshot().pools.size : 0
  }

  get owns(): boolean {
    return this.isOwner
  }

  /** The market behind it; undefined while another process owns the chain. */
  get market(): IndexedMarket | undefined {
    return this.opened?.market
  }

  start(): void {
    if (this.running.length > 0) return
    const { url, onError = () => {} } = this.options
    const { signal } = this.stopped
    this.running = [
      keepConnected(url, signal, (connection) => this.run(connection), onError),
      keepConnected(url, signal, (connection) => this.wanted.hear(connection), onError),
    ]
  }

  /** Leaves the chain to the next one, and closes what was being opened meanwhile, too. */
  async stop(): Promise<void> {
    const { connection } = this
    this.isLeaving = true
    // While the lease is still held: the memory is what the next one begins with.
    await this.closeMarket()
    if (connection) await this.lease.release(connection).catch(() => {})
    this.stopped.abort()
    this.wake.resolve()
    await Promise.all(this.running)
    await this.closeMarket()
  }

  private async run(connection: OwnConnection): Promise<void> {
    const { signal } = this.stopped
    this.connection = connection
    let endLease = () => {}
    try {
      while (!signal.aborted) {
        await this.becomeOwner(connection)
        endLease = this.lease.keep(connection, () => this.isCurrent())
        try {
          await this.own(connection)
        } catch (error) {
          if (!(error instanceof BusError) || error.code === 'AWAY') throw error
          this.isDamaged = error.code === 'DAMAGED'
          this.options.onError?.(error)
        }
        endLease()
      }
    } finally {
      endLease()
      this.isOwner = false
      this.connection = null
    }
  }

  private async becomeOwner(connection: OwnConnection): Promise<void> {
    const { signal } = this.stopped
    const { reluctanceMs = () => 0 } = this.options
    const since = Date.now()
    if (!this.isOwner) await sleep(reluctanceMs(), undefined, { signal })
    for (;;) {
      this.isOwner = !this.isLeaving && (await this.lease.acquire(connection))
      if (this.isOwner) return
      // Whoever has the lease makes up for it.
      this.isDamaged = false
      if (Date.now() - since > KEEP_MS && !this.isLeaving) await this.closeMarket()
      await sleep(STAND_BY_MS + reluctanceMs(), undefined, { signal })
    }
  }

  /** Publishes until something is not as it should be. @throws BusError */
  private async own(connection: OwnConnection): Promise<void> {
    const { signal } = this.stopped
    const isMine = this.opened !== null && !this.isDamaged && (await this.publisher.resume(connection))
    const shown = isMine || this.isDamaged ? null : await this.joined(connection)
    const { market } = this.openMarket(shown)
    await this.firstBlock(market, connection)
    if (!isMine) await this.takeOver(connection, market, shown)
    this.isDamaged = false
    let last: Snapshot | null = null
    let answer: Promise<void> = Promise.resolve()
    let [pairsMs, expireMs] = [0, 0]
    let scan = ''
    while (!signal.aborted && this.opened) {
      this.wake = Promise.withResolvers()
      const snapshot = market.snapshot()
      const now = Date.now()
      const pairs = this.pairChanges(market, now - pairsMs > PAIRS_MS)
      if (now - pairsMs > PAIRS_MS) pairsMs = now
      if (snapshot !== last || pairs.added.length + pairs.removed.length > 0) {
        const before = answer
        answer = (await this.publisher.send(connection, this.stateOf(snapshot, market), pairs)).answer
        // Waited for when the next one is sent; a failure is not left until there is one.
        answer.catch(() => this.wake.resolve())
        await before
        last = snapshot
      } else {
        await answer
        // Without a write to show it, it would stand beside the next one for as long as its chain rests.
        if (!(await this.lease.renew(connection, this.isCurrent()))) throw new BusError('LOST', 'the lease was lost')
      }
      const toldScan = toText(market.health().scan)
      if (toldScan !== scan) {
        await connection.call('HSET', this.options.keys.head, 'scan', toldScan)
        scan = toldScan
      }
      if (now - expireMs > EXPIRE_EVERY_MS) {
        await this.expireLater(connection)
        expireMs = now
      }
      if (isDeaf(market)) await this.leaveToOthers(connection)
      await Promise.race([this.wake.promise, sleep(WAIT_MS, undefined, { ref: false })])
    }
    await answer
  }

  /** Null where there is nothing, or nothing whole: all is written anew then. */
  private async joined(connection: OwnConnection): Promise<Shown | null> {
    const { keys } = this.options
    try {
      return await join(connection, { keys, attempts: JOINS, signal: this.stopped.signal })
    } catch (error) {
      if (error instanceof BusError && error.code === 'DAMAGED') return null
      throw error
    }
  }

  private openMarket(shown: Shown | null): OpenedMarket {
    if (this.opened) return this.opened
    const { keys, chainId, open } = this.options
    const connection = () => {
      if (!this.connection) throw new BusError('AWAY', 'no connection to Redis')
      return this.connection
    }
    const { token } = this.lease
    this.opened = open((anew) => SharedMemory.open({ keys, chainId, connection, token, shown }, anew))
    this.opened.market.onSnapshot(() => this.wake.resolve())
    return this.opened
  }

  private async closeMarket(): Promise<void> {
    const { opened } = this
    this.opened = null
    this.published = []
    this.wake.resolve()
    await opened?.close()
  }

  /** @throws BusError `LOST` when the node does not answer for long */
  private async firstBlock(market: IndexedMarket, connection: OwnConnection): Promise<void> {
    const since = Date.now()
    while (!market.health().head) {
      if (market.health().error !== null && Date.now() - since > PATIENCE_MS) await this.leaveToOthers(connection)
      await sleep(LOOK_MS, undefined, { signal: this.stopped.signal })
    }
  }

  private async leaveToOthers(connection: OwnConnection): Promise<never> {
    await this.closeMarket()
    await this.lease.release(connection)
    this.isOwner = false
    await sleep(STAND_BY_MS * 4, undefined, { signal: this.stopped.signal })
    throw new BusError('LOST', 'the node does not answer: the chain is left to others')
  }

  /** Goes on from what another owner left, or writes all anew. */
  private async takeOver(connection: OwnConnection, market: IndexedMarket, shown: Shown | null): Promise<void> {
    const snapshot = market.snapshot()
    this.published = []
    if (!shown) {
      await this.publisher.full(connection, this.stateOf(snapshot, market), market.pairs)
      return
    }
    // Objects of this market in the place of equal ones: the next difference is what really differs.
    const same = await inSlices('take-over', equalPools(snapshot.pools, shown.pools))
    this.publisher.adopt(shown, shown.pools.with(same))
    if (!(await this.publisher.resume(connection))) throw new BusError('CHANGED', 'another owner has written meanwhile')
  }

  private stateOf({ block, pools }: Snapshot, market: IndexedMarket): State {
    this.published = this.published.filter(({ hash }) => hash !== block.hash)
    this.published = [...this.published, block].slice(-STANDING)
    const stands = this.published.filter((header) => header === block || market.has(header)).map(({ hash }) => hash)
    return { block, pools, stands }
  }

  /** Pairs that were asked for, and with `all` those that are followed beside or no longer. */
  private pairChanges(market: IndexedMarket, all: boolean): PairChanges {
    const added = new Set(this.wanted.take(market))
    if (!all) return { added: [...added], removed: [] }
    const told = this.publisher.toldPairs
    const now = new Set(market.pairs)
    for (const pair of now) if (!told.has(pair)) added.add(pair)
    return { added: [...added], removed: [...told].filter((pair) => !now.has(pair)) }
  }

  private isCurrent(): boolean {
    const { market } = this.opened ?? {}
    const { lagMs, error } = market?.health() ?? { lagMs: null, error: null }
    return error === null && lagMs !== null && lagMs < PATIENCE_MS
  }

  private async expireLater(connection: OwnConnection): Promise<void> {
    const { keys } = this.options
    const { head, entries, pairs, wants, facts, news, known, memory } = keys
    const all = [head, entries, pairs, wants, facts, news, known, memory, keys.pools(this.publisher.generation)]
    await Promise.all(all.map((key) => connection.call('PEXPIRE', key, EXPIRE_MS)))
  }
}

function isDeaf(market: IndexedMarket): boolean {
  const { error, lagMs } = market.health()
  return error !== null && lagMs !== null && lagMs > PATIENCE_MS
}
