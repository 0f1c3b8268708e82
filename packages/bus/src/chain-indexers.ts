/**
 * Indexes the chains that workers request and that no other process owns. The owner of a chain holds the chain's lease,
 * the exclusive right to write its state.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { chainsRequestedWithin, requestChains } from './chain-requests.ts'
import { keepConnected } from './connection.ts'
import { BusError } from './errors.ts'
import { ChainIndexer, type IndexerOptions } from './indexer.ts'
import { keysOf } from './keys.ts'

/** Milliseconds between two reads of the list of requested chains. */
const POLL_MS = 250
/** Delay in milliseconds before taking another lease, per chain already owned. Distributes chains over processes. */
const LEASE_DELAY_MS = 50
/** Maximum delay before taking another lease. */
const MAX_LEASE_DELAY_MS = 500

/** Options of a process that indexes chains. */
export type ChainIndexersOptions = Pick<IndexerOptions, 'url' | 'onError'> & {
  /** Returns true for a chain that this process may index. */
  readonly canServe: (chainId: number) => boolean
  readonly optionsOf: (chainId: number) => Pick<IndexerOptions, 'scope' | 'open'>
  /** Milliseconds without a request after which a chain is released. */
  readonly idleMs: number
}

/** Indexes the requested chains of this process. */
export class ChainIndexers {
  /**
   * Unix milliseconds since which there is no connection to Redis; null while connected. Before the first connection,
   * the time at which this object was created.
   */
  awaySince: number | null = Date.now()
  private readonly options: ChainIndexersOptions
  private readonly stopController = new AbortController()
  private readonly indexerByChainId = new Map<number, ChainIndexer>()
  private readonly pendingStops = new Set<Promise<void>>()
  private runPromise: Promise<void> | null = null

  constructor(options: ChainIndexersOptions) {
    this.options = options
  }

  /** Indexers of the chains that this process owns, or waits to own. */
  get indexers(): readonly ChainIndexer[] {
    return [...this.indexerByChainId.values()]
  }

  start(): void {
    const { url, onError = () => {} } = this.options
    this.runPromise ??= keepConnected(
      url,
      this.stopController.signal,
      async (connection) => {
        for (;;) {
          await requestChains(connection, [])
          this.awaySince = null
          this.updateIndexers(await chainsRequestedWithin(connection, this.options.idleMs))
          await sleep(POLL_MS, undefined, { signal: this.stopController.signal })
        }
      },
      (error) => {
        if (!(error instanceof BusError && error.code === 'FULL')) this.awaySince ??= Date.now()
        onError(error)
      },
    )
  }

  /** Releases all chains. */
  async stop(): Promise<void> {
    this.stopController.abort()
    await this.runPromise
    for (const chainId of [...this.indexerByChainId.keys()]) this.stopIndexer(chainId)
    await Promise.all(this.pendingStops)
  }

  private updateIndexers(requestedChainIds: readonly number[]): void {
    const { canServe, optionsOf, url, onError } = this.options
    const servedChainIds = new Set(requestedChainIds.filter(canServe))
    for (const chainId of this.indexerByChainId.keys()) if (!servedChainIds.has(chainId)) this.stopIndexer(chainId)
    for (const chainId of servedChainIds) {
      if (this.indexerByChainId.has(chainId)) continue
      const indexer = new ChainIndexer({
        ...{ url, chainId, keys: keysOf(chainId), leaseDelayMs: () => this.leaseDelayMs },
        ...optionsOf(chainId),
        ...(onError && { onError }),
      })
      this.indexerByChainId.set(chainId, indexer)
      indexer.start()
    }
  }

  private stopIndexer(chainId: number): void {
    const pendingStop = this.indexerByChainId.get(chainId)!.stop()
    this.indexerByChainId.delete(chainId)
    this.pendingStops.add(pendingStop)
    void pendingStop.finally(() => this.pendingStops.delete(pendingStop))
  }

  private get leaseDelayMs(): number {
    const ownedCount = this.indexers.filter(({ ownsChain }) => ownsChain).length
    return Math.min(MAX_LEASE_DELAY_MS, ownedCount * LEASE_DELAY_MS)
  }
}
