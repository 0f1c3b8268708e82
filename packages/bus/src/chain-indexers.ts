/** The chains that this process indexes: those that workers request and no other process owns. */

import { setTimeout as sleep } from 'node:timers/promises'
import { chainsRequestedWithin, requestChains } from './chain-requests.ts'
import { keepConnected } from './connection.ts'
import { BusError } from './errors.ts'
import { ChainIndexer, type IndexerOptions } from './indexer.ts'
import { keysOf } from './keys.ts'

/** Milliseconds between two reads of the requested chains, for which a waking chain waits. */
const POLL_MS = 250
/**
 * Delay in milliseconds before taking another lease, per owned chain, and its maximum. Spreads chains over processes.
 */
const LEASE_DELAY_MS = 50
const MAX_LEASE_DELAY_MS = 500

/** Options of a process that indexes chains. */
export type ChainIndexersOptions = Pick<IndexerOptions, 'url' | 'onError'> & {
  /** True for a chain that this process may index. */
  readonly serves: (chainId: number) => boolean
  /** Options for indexing a chain. */
  readonly optionsOf: (chainId: number) => Pick<IndexerOptions, 'scope' | 'open'>
  /** Milliseconds without a request after which a chain is released. */
  readonly idleMs: number
}

/** Indexes the requested chains of this process. */
export class ChainIndexers {
  /** Time since which there is no connection, Unix milliseconds; null while there is one. */
  awaySince: number | null = Date.now()
  private readonly options: ChainIndexersOptions
  private readonly stopController = new AbortController()
  private readonly indexers = new Map<number, ChainIndexer>()
  private readonly ending = new Set<Promise<void>>()
  private running: Promise<void> | null = null

  constructor(options: ChainIndexersOptions) {
    this.options = options
  }

  /** Indexers of the chains that this process owns, or waits to own. */
  get chains(): readonly ChainIndexer[] {
    return [...this.indexers.values()]
  }

  start(): void {
    const { url, onError = () => {} } = this.options
    this.running ??= keepConnected(
      url,
      this.stopController.signal,
      async (connection) => {
        for (;;) {
          await requestChains(connection, [])
          this.awaySince = null
          this.follow(await chainsRequestedWithin(connection, this.options.idleMs))
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
    await this.running
    for (const chainId of [...this.indexers.keys()]) this.end(chainId)
    await Promise.all(this.ending)
  }

  private follow(requestedChainIds: readonly number[]): void {
    const { serves, optionsOf, url, onError } = this.options
    const current = new Set(requestedChainIds.filter(serves))
    for (const chainId of this.indexers.keys()) if (!current.has(chainId)) this.end(chainId)
    for (const chainId of current) {
      if (this.indexers.has(chainId)) continue
      const indexer = new ChainIndexer({
        ...{ url, chainId, keys: keysOf(chainId), leaseDelayMs: () => this.leaseDelayMs },
        ...optionsOf(chainId),
        ...(onError && { onError }),
      })
      this.indexers.set(chainId, indexer)
      indexer.start()
    }
  }

  private end(chainId: number): void {
    const ending = this.indexers.get(chainId)!.stop()
    this.indexers.delete(chainId)
    this.ending.add(ending)
    void ending.finally(() => this.ending.delete(ending))
  }

  private get leaseDelayMs(): number {
    const ownedCount = this.chains.filter(({ owns }) => owns).length
    return Math.min(MAX_LEASE_DELAY_MS, ownedCount * LEASE_DELAY_MS)
  }
}
