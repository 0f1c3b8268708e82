/** The chains that this process indexes: those that workers ask for, as far as no other process has them. */

import { setTimeout as sleep } from 'node:timers/promises'
import { keepConnected } from './connection.ts'
import { BusError } from './errors.ts'
import { ChainIndexer, type IndexerOptions } from './indexer.ts'
import { keysOf } from './keys.ts'
import { ask, askedWithin } from './roster.ts'

/** Milliseconds between two looks at what is asked for: a chain that wakes waits for it. */
const LOOK_MS = 250
/** Milliseconds by which each chain that a process owns makes it slower to take another one, and the most of it. */
const RELUCTANCE_MS = 50
const MOST_RELUCTANCE_MS = 500

export type ChainIndexersOptions = Pick<IndexerOptions, 'url' | 'onError'> & {
  /** True for a chain that this process may index. */
  readonly serves: (chainId: number) => boolean
  /** Options that it takes to index one. */
  readonly optionsOf: (chainId: number) => Pick<IndexerOptions, 'scope' | 'open'>
  /** Milliseconds without anybody asking after which a chain is let go. */
  readonly idleMs: number
}

export class ChainIndexers {
  /** Since when there has been no connection, in milliseconds; null while there is one. */
  awaySince: number | null = Date.now()
  private readonly options: ChainIndexersOptions
  private readonly stopped = new AbortController()
  private readonly indexers = new Map<number, ChainIndexer>()
  private readonly ending = new Set<Promise<void>>()
  private running: Promise<void> | null = null

  constructor(options: ChainIndexersOptions) {
    this.options = options
  }

  /** Those that it owns or stands by for. */
  get chains(): readonly ChainIndexer[] {
    return [...this.indexers.values()]
  }

  start(): void {
    const { url, onError = () => {} } = this.options
    this.running ??= keepConnected(
      url,
      this.stopped.signal,
      async (connection) => {
        for (;;) {
          await ask(connection, [])
          this.awaySince = null
          this.follow(await askedWithin(connection, this.options.idleMs))
          await sleep(LOOK_MS, undefined, { signal: this.stopped.signal })
        }
      },
      (error) => {
        if (!(error instanceof BusError && error.code === 'FULL')) this.awaySince ??= Date.now()
        onError(error)
      },
    )
  }

  /** Leaves all chains to others. */
  async stop(): Promise<void> {
    this.stopped.abort()
    await this.running
    for (const chainId of [...this.indexers.keys()]) this.end(chainId)
    await Promise.all(this.ending)
  }

  private follow(asked: readonly number[]): void {
    const { serves, optionsOf, url, onError } = this.options
    const now = new Set(asked.filter(serves))
    for (const chainId of this.indexers.keys()) if (!now.has(chainId)) this.end(chainId)
    for (const chainId of now) {
      if (this.indexers.has(chainId)) continue
      const indexer = new ChainIndexer({
        ...{ url, chainId, keys: keysOf(chainId), reluctanceMs: () => this.reluctanceMs },
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

  private get reluctanceMs(): number {
    const owned = this.chains.filter(({ owns }) => owns).length
    return Math.min(MOST_RELUCTANCE_MS, owned * RELUCTANCE_MS)
  }
}
