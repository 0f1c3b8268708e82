/**
 * Indexes one chain for all processes. The owner of a chain is the process that holds its lease, the exclusive right to
 * write the chain's state to Redis. The owner reads the chain through a market and publishes each state; other indexers
 * wait for the lease. Workers follow the published states and request token pairs that are missing.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type IndexedMarket, type PairScope, type Snapshot, type StoreOpener, toText } from '@sluice/liquidity'
import { type BlockHeader, inSlices } from '@sluice/rpc'
import { keepConnected, type OwnConnection } from './connection.ts'
import { BusError } from './errors.ts'
import { type FollowedState, MAX_CANONICAL } from './head.ts'
import { join } from './join.ts'
import type { ChainKeys } from './keys.ts'
import { Lease } from './lease.ts'
import { OwnerStore } from './owner-store.ts'
import { PairRequests } from './pair-requests.ts'
import { type PairChanges, type PublishedState, Publisher, unchangedPoolsOf } from './publisher.ts'

/** Milliseconds between two attempts to take the lease. */
const ACQUIRE_MS = 250
/**
 * Milliseconds for which a market is kept after its lease was lost. If this process gets the lease again in this time,
 * the same market continues.
 */
const KEEP_MARKET_MS = 10_000
/** Milliseconds without a response of the node after which the chain is released to a process with another node. */
const NODE_TIMEOUT_MS = 15_000
/** Milliseconds between two comparisons of the published token pairs with the pairs that the market follows. */
const PAIRS_CHECK_MS = 5_000
/** Milliseconds between two checks for a new state, if no change is signaled. */
const WAIT_MS = 500
/** Milliseconds between two checks for the first block. */
const FIRST_BLOCK_POLL_MS = 20
/** Maximum attempts to read a damaged state; after the last attempt, the whole state is written again. */
const MAX_JOIN_ATTEMPTS = 3
/** Milliseconds after which a chain's keys in Redis expire without an owner. */
const EXPIRE_MS = 86_400_000
/** Milliseconds between two renewals of the expiry of a chain's keys. */
const EXPIRY_RENEWAL_MS = 60_000

/** A market that reads the chain, with the function that closes it and its store. */
export type OpenedMarket = { readonly market: IndexedMarket; readonly close: () => Promise<void> }

export type IndexerOptions = {
  readonly url: string
  readonly chainId: number
  readonly scope: PairScope
  readonly keys: ChainKeys
  /** Opens and starts a market that reads the chain. `storeOpener` opens the store of the market's unpublished data. */
  readonly open: (storeOpener: StoreOpener) => OpenedMarket
  /** Milliseconds to wait before taking the lease, so that processes with few chains take it first. */
  readonly leaseDelayMs?: () => number
  readonly onError?: (error: unknown) => void
  /** Called between computing and sending a write; for tests. */
  readonly beforeWrite?: () => Promise<void>
}

export class ChainIndexer {
  readonly chainId: number
  private readonly options: IndexerOptions
  private readonly lease: Lease
  private readonly publisher: Publisher
  private readonly stopController = new AbortController()
  private runPromises: Promise<void>[] = []
  private connection: OwnConnection | null = null
  private openedMarket: OpenedMarket | null = null
  private isOwner = false
  /** Recently published blocks of this market, newest last. */
  private publishedBlocks: BlockHeader[] = []
  private readonly requests: PairRequests
  private isStopping = false
  /** True if the state in Redis is incomplete, so that everything must be written again. */
  private isDamaged = false
  private wakeSignal = Promise.withResolvers<void>()

  constructor(options: IndexerOptions) {
    const { keys, chainId, beforeWrite } = options
    this.options = options
    this.chainId = chainId
    this.lease = new Lease(keys)
    this.requests = new PairRequests({
      keys,
      scope: options.scope,
      market: () => (this.isOwner ? this.openedMarket?.market : undefined),
      signal: this.stopController.signal,
      onLoaded: () => this.wakeSignal.resolve(),
    })
    this.publisher = new Publisher({ keys, lease: this.lease, ...(beforeWrite && { beforeWrite }) })
  }

  /** Number of pools of the market; 0 while another process owns the chain. */
  get poolCount(): number {
    const { market } = this.openedMarket ?? {}
    return market?.health().head ? market.snapshot().pools.size : 0
  }

  get ownsChain(): boolean {
    return this.isOwner
  }

  /** The market that reads the chain; undefined while another process owns the chain. */
  get market(): IndexedMarket | undefined {
    return this.openedMarket?.market
  }

  start(): void {
    if (this.runPromises.length > 0) return
    const { url, onError = () => {} } = this.options
    const { signal } = this.stopController
    this.runPromises = [
      keepConnected(url, signal, (connection) => this.run(connection), onError),
      keepConnected(url, signal, (connection) => this.requests.listen(connection), onError),
    ]
  }

  /** Releases the chain. Also closes a market that is being opened during the call. */
  async stop(): Promise<void> {
    const { connection } = this
    this.isStopping = true
    // Closing saves the market. Release the lease only afterwards, because the next owner starts from the saved data.
    // `run` stops its own renewal when the market closes, and saving may take longer than the lease lasts.
    const endRenewal = connection ? this.lease.startRenewal(connection, () => false) : () => {}
    await this.closeMarket().finally(endRenewal)
    if (connection) await this.lease.release(connection).catch(() => {})
    this.stopController.abort()
    this.wakeSignal.resolve()
    await Promise.all(this.runPromises)
    await this.closeMarket()
  }

  private async run(connection: OwnConnection): Promise<void> {
    const { signal } = this.stopController
    this.connection = connection
    let endLease = () => {}
    try {
      while (!signal.aborted) {
        await this.becomeOwner(connection)
        endLease = this.lease.startRenewal(connection, () => this.isHeadCurrent())
        try {
          await this.publishUntilFailure(connection)
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
    const { signal } = this.stopController
    const { leaseDelayMs = () => 0 } = this.options
    const startedAt = performance.now()
    if (!this.isOwner) await sleep(leaseDelayMs(), undefined, { signal })
    for (;;) {
      this.isOwner = !this.isStopping && (await this.lease.acquire(connection))
      if (this.isOwner) return
      // The current owner repairs a damaged state.
      this.isDamaged = false
      if (performance.now() - startedAt > KEEP_MARKET_MS && !this.isStopping) await this.closeMarket()
      await sleep(ACQUIRE_MS + leaseDelayMs(), undefined, { signal })
    }
  }

  /** Publishes states until a failure. @throws BusError */
  private async publishUntilFailure(connection: OwnConnection): Promise<void> {
    const { signal } = this.stopController
    const canResume = this.openedMarket !== null && !this.isDamaged && (await this.publisher.resume(connection))
    const previousState = canResume || this.isDamaged ? null : await this.readPrevious(connection)
    const { market } = this.openMarket(previousState)
    await this.waitForFirstBlock(market, connection)
    if (!canResume) await this.takeOver(connection, market, previousState)
    this.isDamaged = false
    let lastSnapshot: Snapshot | null = null
    let pendingAnswer: Promise<void> = Promise.resolve()
    let [pairsCheckedAtMs, expirySetAtMs] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
    let publishedScan = ''
    while (!signal.aborted && this.openedMarket) {
      this.wakeSignal = Promise.withResolvers()
      const snapshot = market.snapshot()
      const now = performance.now()
      const pairs = this.pairChanges(market, now - pairsCheckedAtMs > PAIRS_CHECK_MS)
      if (now - pairsCheckedAtMs > PAIRS_CHECK_MS) pairsCheckedAtMs = now
      if (snapshot !== lastSnapshot || pairs.added.length + pairs.removed.length > 0) {
        const previousAnswer = pendingAnswer
        pendingAnswer = (await this.publisher.send(connection, this.stateOf(snapshot, market), pairs)).answer
        // The answer is awaited before the next write; a failure wakes the loop at once.
        pendingAnswer.catch(() => this.wakeSignal.resolve())
        await previousAnswer
        lastSnapshot = snapshot
      } else {
        await pendingAnswer
        // Without changes, no write would notice that the lease was lost. Then two processes would index an idle chain.
        if (!(await this.lease.renew(connection, this.isHeadCurrent())))
          throw new BusError('LOST', 'the lease was lost')
      }
      const currentScan = toText(market.health().scan)
      if (currentScan !== publishedScan) {
        await connection.call('HSET', this.options.keys.head, 'scan', currentScan)
        publishedScan = currentScan
      }
      if (now - expirySetAtMs > EXPIRY_RENEWAL_MS) {
        await this.renewExpiry(connection)
        expirySetAtMs = now
      }
      if (isNodeSilent(market)) await this.releaseToOthers(connection)
      await Promise.race([this.wakeSignal.promise, sleep(WAIT_MS, undefined, { ref: false })])
    }
    await pendingAnswer
  }

  /**
   * Reads the previous owner's state; null if there is none or if it is damaged, so that the whole state must be
   * written.
   */
  private async readPrevious(connection: OwnConnection): Promise<FollowedState | null> {
    const { keys } = this.options
    try {
      return await join(connection, { keys, attempts: MAX_JOIN_ATTEMPTS, signal: this.stopController.signal })
    } catch (error) {
      if (error instanceof BusError && error.code === 'DAMAGED') return null
      throw error
    }
  }

  private openMarket(previousState: FollowedState | null): OpenedMarket {
    if (this.openedMarket) return this.openedMarket
    const { keys, chainId, open } = this.options
    const connection = () => {
      if (!this.connection) throw new BusError('AWAY', 'no connection to Redis')
      return this.connection
    }
    const { token } = this.lease
    this.openedMarket = open((mustReset) =>
      OwnerStore.open({ keys, chainId, connection, token, previous: previousState }, mustReset),
    )
    this.openedMarket.market.onSnapshot(() => this.wakeSignal.resolve())
    return this.openedMarket
  }

  private async closeMarket(): Promise<void> {
    const { openedMarket: closingMarket } = this
    this.openedMarket = null
    this.publishedBlocks = []
    this.wakeSignal.resolve()
    await closingMarket?.close()
  }

  /** Waits for the first block. @throws BusError `LOST` if the node does not respond for long */
  private async waitForFirstBlock(market: IndexedMarket, connection: OwnConnection): Promise<void> {
    const startedAt = performance.now()
    while (!market.health().head) {
      if (market.health().error !== null && performance.now() - startedAt > NODE_TIMEOUT_MS)
        await this.releaseToOthers(connection)
      await sleep(FIRST_BLOCK_POLL_MS, undefined, { signal: this.stopController.signal })
    }
  }

  private async releaseToOthers(connection: OwnConnection): Promise<never> {
    await this.closeMarket()
    await this.lease.release(connection)
    this.isOwner = false
    await sleep(ACQUIRE_MS * 4, undefined, { signal: this.stopController.signal })
    throw new BusError('LOST', 'the node does not answer: the chain is left to others')
  }

  /** Continues from the previous owner's state; without one, writes the whole state. */
  private async takeOver(
    connection: OwnConnection,
    market: IndexedMarket,
    previousState: FollowedState | null,
  ): Promise<void> {
    const snapshot = market.snapshot()
    this.publishedBlocks = []
    if (!previousState) {
      await this.publisher.writeAll(connection, this.stateOf(snapshot, market), market.loadedPairKeys)
      return
    }
    // For unchanged pools, use the objects of this market, because the next difference compares objects by identity.
    const unchangedPools = await inSlices('take-over', unchangedPoolsOf(snapshot.pools, previousState.pools))
    this.publisher.adopt(previousState, previousState.pools.with(unchangedPools))
    if (!(await this.publisher.resume(connection))) throw new BusError('CHANGED', 'another owner has written meanwhile')
  }

  private stateOf({ block, pools }: Snapshot, market: IndexedMarket): PublishedState {
    this.publishedBlocks = this.publishedBlocks.filter(({ hash }) => hash !== block.hash)
    this.publishedBlocks = [...this.publishedBlocks, block].slice(-MAX_CANONICAL)
    const canonical = this.publishedBlocks
      .filter((header) => header === block || market.hasBlock(header))
      .map(({ hash }) => hash)
    return { block, pools, canonical }
  }

  /**
   * Returns the changes of the published pairs: pairs that were loaded on request, and with `sendsAllPairs` also every
   * other difference between the pairs that the market follows and the published pairs.
   */
  private pairChanges(market: IndexedMarket, sendsAllPairs: boolean): PairChanges {
    const addedPairs = new Set(this.requests.takeLoadedPairs(market))
    if (!sendsAllPairs) return { added: [...addedPairs], removed: [] }
    const publishedPairs = this.publisher.publishedPairs
    const loadedPairs = new Set(market.loadedPairKeys)
    for (const pair of loadedPairs) if (!publishedPairs.has(pair)) addedPairs.add(pair)
    return { added: [...addedPairs], removed: [...publishedPairs].filter((pair) => !loadedPairs.has(pair)) }
  }

  private isHeadCurrent(): boolean {
    const { market } = this.openedMarket ?? {}
    const { lagMs, error } = market?.health() ?? { lagMs: null, error: null }
    return error === null && lagMs !== null && lagMs < NODE_TIMEOUT_MS
  }

  private async renewExpiry(connection: OwnConnection): Promise<void> {
    const { keys } = this.options
    const { head, entries, pairs, requests, facts, factChanges, poolRecords, memory } = keys
    const allKeys = [
      head,
      entries,
      pairs,
      requests,
      facts,
      factChanges,
      poolRecords,
      memory,
      keys.pools(this.publisher.generation),
    ]
    await Promise.all(allKeys.map((key) => connection.call('PEXPIRE', key, EXPIRE_MS)))
  }
}

function isNodeSilent(market: IndexedMarket): boolean {
  const { error, lagMs } = market.health()
  return error !== null && lagMs !== null && lagMs > NODE_TIMEOUT_MS
}
