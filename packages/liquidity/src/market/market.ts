/**
 * The market of a chain. It finds pools when their tokens are requested (discovery), updates them at each block
 * (following), and saves them periodically. In the files of this folder, "memory" means the pools that the market
 * holds.
 */

import type { Address, Chain } from '@sluice/chains'
import { abortable, type BlockHeader, inSlices, type Rpc } from '@sluice/rpc'
import type { StateCount } from '@sluice/simulation'
import { families as allFamilies } from '../dexes/index.ts'
import { MarketError } from '../errors.ts'
import type { DexFamily, SampledSwap } from '../family.ts'
import type { PoolList } from '../pool-list/pool-list.ts'
import type { Market, MarketHealth, ScanStatus, Snapshot } from '../snapshot.ts'
import { Auditor } from './audit.ts'
import { Discovery } from './discovery.ts'
import { Evictor } from './evictor.ts'
import { type MarketComponents, MarketFollower } from './follow.ts'
import { Ledger } from './ledger.ts'
import { defaultMarketLimits, type MarketLimits } from './limits.ts'
import { listedPoolsNear } from './listed-pools.ts'
import { nextPollMs } from './poll-schedule.ts'
import { PoolDirectory } from './pool-directory.ts'
import type { PoolListImportCount } from './pool-list-import.ts'
import type { PoolEntry } from './pool-reader.ts'
import { type SaveOptions, Saver } from './saver.ts'
import { repeat, sleep } from './timing.ts'
import { TokenFacts } from './token-facts.ts'

/** Options of `createMarket`. */
export type MarketOptions = {
  readonly chain: Chain
  readonly rpc: Rpc
  /** Default: all. */
  readonly families?: readonly DexFamily[]
  /** Minimum milliseconds between two requests for the head; default: half a block time, between 200 ms and 2 s. */
  readonly pollMs?: number
  /** Returns true while some code subscribes to new blocks; default: always. */
  readonly isWatched?: () => boolean
  /** Milliseconds between two audit rounds; default: 10 s. */
  readonly auditMs?: number
  /** Store for the pools in memory, from which the next start restores them; default: none. */
  readonly save?: SaveOptions
  /** Token facts that the market shares with other markets; default: facts of its own. */
  readonly facts?: TokenFacts
  /** Overrides of the default limits. */
  readonly limits?: Partial<MarketLimits>
  /** Loads a pool list to start from: its pools are verified on chain, and the logs that it covers are not scanned. */
  readonly loadPoolList?: () => PoolList
  /** Called when all pools of the list are verified or refused. */
  readonly onPoolListImport?: (count: PoolListImportCount) => void
  /** False to skip the log scan, because another market provides its pools by `IndexedMarket.addFoundPools`. */
  readonly searchesLogs?: boolean
  /** Called when the log scan starts, ends, or cannot continue. */
  readonly onScan?: (status: ScanStatus) => void
}

/** Maximum milliseconds before the next request to a failing node. */
const MAX_PAUSE_MS = 5_000
/** Milliseconds between two head requests of a caller that waits for a block. */
const WAIT_STEP_MS = 50
/** Default milliseconds between two audit rounds. */
const AUDIT_MS = 10_000
/** Milliseconds between two reads of the decimals of tokens, which an upgradeable token can change. */
const REFRESH_TOKENS_MS = 60_000
/** Milliseconds between two evictions. */
const EVICT_MS = 60_000

/** A market that reads the chain itself. The market publishes no snapshot until its saved state is in memory. */
export interface IndexedMarket extends Market {
  /** Waits until no pool search is running, at most `timeoutMs`. Returns the newest snapshot. */
  whenIdle(timeoutMs: number): Promise<Snapshot>
  /** Adds pools that another market of the chain has found, if they exist at the newest block. @throws RpcError */
  addFoundPools(foundEntries: readonly PoolEntry[]): Promise<void>
  /** Keys of the pairs whose pools are in memory, in the format of `pairKeysOf`. */
  readonly loadedPairKeys: Iterable<string>
}

/** Creates a market. Call `start` to follow the chain in the background. */
export function createMarket(options: MarketOptions): IndexedMarket {
  return new ChainMarket(options)
}

class ChainMarket implements IndexedMarket {
  readonly chainId: number
  readonly tokens: TokenFacts
  private readonly rpc: Rpc
  private readonly directory: PoolDirectory
  private readonly evictor: Evictor
  private readonly pollMs: number
  private readonly blockTimeMs: number
  private readonly isWatched: () => boolean
  /** Time at which the newest block was first seen, by `performance.now` like all times of a market. */
  private blockSeenAtMs = performance.now()
  /** Time of the last call of `sync`, `ensure`, `ensureGroups`, or `searchPools`. */
  private requestedAtMs = performance.now()
  private readonly auditMs: number
  private readonly ledger: Ledger
  private readonly discovery: Discovery
  private readonly follower: MarketFollower
  private readonly auditor: Auditor
  private readonly saver: Saver | null
  /** A queued sync that has not read the head yet, shared by all callers that want the current head. */
  private nextSync: Promise<Snapshot> | null = null
  private readonly stopController = new AbortController()
  private loops: readonly Promise<void>[] = []
  /** Time of the last successful sync; null before the first one. */
  private lastSyncAtMs: number | null = null
  private lastError: string | null = null

  constructor(options: MarketOptions) {
    const { chain, rpc, families = allFamilies, pollMs, isWatched = () => true, auditMs = AUDIT_MS, save } = options
    const limits = { ...defaultMarketLimits, ...options.limits }
    this.chainId = chain.chainId
    this.rpc = rpc
    this.tokens = options.facts ?? new TokenFacts(chain, limits)
    this.pollMs = pollMs ?? Math.min(2_000, Math.max(200, chain.blockTimeMs / 2))
    this.blockTimeMs = chain.blockTimeMs
    this.isWatched = isWatched
    this.auditMs = auditMs
    this.ledger = new Ledger(chain.chainId)
    const directory = new PoolDirectory(chain, families, limits)
    this.directory = directory
    const components: MarketComponents = { rpc, directory, ledger: this.ledger, signal: this.stopController.signal }
    this.follower = new MarketFollower(components, () => this.discovery.forgetPairs())
    this.evictor = new Evictor(directory, this.ledger)
    const { follower, evictor } = this
    const { onScan, loadPoolList, onPoolListImport, searchesLogs } = options
    const discoveryOptions = { onScan, loadPoolList, onPoolListImport, searchesLogs }
    this.discovery = new Discovery({ components, follower, evictor, limits, ...discoveryOptions })
    this.auditor = new Auditor(components, this.follower)
    this.saver = save
      ? new Saver(save, { directory, ledger: this.ledger, discovery: this.discovery, maxSaved: limits.savedPools })
      : null
    // Hold the mutex during the restore, so that the first sync starts from the saved state.
    if (this.saver) void this.ledger.mutex.run(() => this.restore(this.saver!))
  }

  private async restore(saver: Saver): Promise<void> {
    const unreadIds = await saver.restore()
    const top = this.ledger.history?.top
    if (top) this.follower.retryUnread(unreadIds, top.pools, top.block)
  }

  snapshot(): Snapshot {
    return this.ledger.snapshot()
  }

  sync(options: { signal?: AbortSignal } = {}): Promise<Snapshot> {
    this.requestedAtMs = performance.now()
    return this.syncToHead(options)
  }

  private syncToHead({ signal }: { signal?: AbortSignal }): Promise<Snapshot> {
    this.nextSync ??= this.ledger.mutex.run(() => {
      this.nextSync = null
      return this.followHead()
    })
    return abortable(this.nextSync, signal)
  }

  async ensure(tokens: readonly Address[], options: { signal?: AbortSignal } = {}): Promise<Snapshot> {
    return this.ensureGroups([tokens], options)
  }

  async ensureGroups(
    groups: readonly (readonly Address[])[],
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<Snapshot> {
    this.requestedAtMs = performance.now()
    if (!this.ledger.newest) await this.sync(signal && { signal })
    await this.checkTokens(groups.flat(), signal && { signal })
    const isToken = (address: Address) => this.tokens.isToken(address) !== false
    await this.discovery.ensure(
      groups.map((tokens) => tokens.filter(isToken)),
      signal,
    )
    return this.snapshot()
  }

  async checkTokens(addresses: readonly Address[], { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    const newestHash = this.ledger.newest?.block.hash
    const lookup = this.tokens.check(addresses, this.rpc, {
      priority: 'lookup',
      ...(newestHash && { retryBlock: newestHash }),
    })
    await abortable(lookup, signal)
  }

  async searchPools(tokens: readonly Address[]): Promise<void> {
    this.requestedAtMs = performance.now()
    if (!this.ledger.newest) await this.sync()
    await this.tokens.check(tokens, this.rpc, { priority: 'lookup' })
    const realTokens = tokens.filter((address) => this.tokens.isToken(address) !== false)
    await Promise.all(realTokens.map((token) => this.discovery.searchWithHubs(token)))
  }

  async whenIdle(timeoutMs: number): Promise<Snapshot> {
    await Promise.race([this.discovery.whenIdle(), sleep(timeoutMs)])
    return this.snapshot()
  }

  async addFoundPools(foundEntries: readonly PoolEntry[]): Promise<void> {
    if (!this.ledger.newest) await this.sync()
    await this.discovery.addFoundPools(foundEntries)
  }

  async refine(block: BlockHeader, swaps: ReadonlyMap<string, readonly SampledSwap[]>): Promise<Snapshot> {
    await this.follower.refine(block, swaps)
    return this.snapshot()
  }

  scannedPools(tokens: readonly Address[]): Promise<readonly PoolEntry[]> {
    return inSlices('pool list', listedPoolsNear(this.directory, tokens))
  }

  get loadedPairKeys(): Iterable<string> {
    return this.discovery.loadedPairKeys
  }

  evict(): void {
    this.evictor.run()
  }

  hasBlock({ hash }: BlockHeader): boolean {
    return this.ledger.history?.find(hash) !== undefined
  }

  cacheCounts(): Readonly<Record<string, StateCount>> {
    return {
      tokens: this.directory.tokens.stateCount,
      facts: this.tokens.stateCount,
      ...this.directory.stateCounts,
      ...this.discovery.stateCounts,
    }
  }

  async waitForBlock(number: number, timeoutMs: number, signal?: AbortSignal): Promise<Snapshot> {
    const deadline = performance.now() + timeoutMs
    for (;;) {
      const { newest } = this.ledger
      if (newest && newest.block.number >= number) return newest
      const remainingMs = deadline - performance.now()
      if (remainingMs <= 0) {
        const position = newest ? `at block ${newest.block.number}` : 'not read yet'
        throw new MarketError('BEHIND', `chain ${this.chainId} is ${position}, not at ${number}`)
      }
      // Keep waiting while the node fails; only the time limit ends the wait.
      await abortable(Promise.race([this.sync().catch(() => undefined), sleep(remainingMs)]), signal)
      if (this.ledger.newest && this.ledger.newest.block.number >= number) continue
      await abortable(sleep(Math.min(WAIT_STEP_MS, Math.max(0, deadline - performance.now()))), signal)
    }
  }

  onSnapshot(listener: (snapshot: Snapshot) => void): () => void {
    return this.ledger.onSnapshot(listener)
  }

  health(): MarketHealth {
    return {
      head: this.ledger.newest?.block ?? null,
      lagMs: this.lastSyncAtMs === null ? null : Math.round(performance.now() - this.lastSyncAtMs),
      error: this.lastError,
      audit: this.auditor.auditCount,
      scan: this.discovery.scan.status,
    }
  }

  start(): void {
    if (this.loops.length > 0) return
    const { signal } = this.stopController
    // Ignore failures: the next sync reports a failing node, and a later round compares the pools.
    const audit = () => this.auditor.run().catch(() => undefined)
    const refreshTokens = () => this.tokens.refresh(this.rpc, performance.now(), { signal }).catch(() => undefined)
    this.loops = [
      this.poll(),
      repeat(audit, this.auditMs, signal),
      repeat(async () => this.evict(), EVICT_MS, signal),
      repeat(refreshTokens, REFRESH_TOKENS_MS, signal),
      ...(this.saver ? [repeat(() => this.saver!.save(), this.saver.intervalMs, signal)] : []),
    ]
  }

  async stop(): Promise<void> {
    this.stopController.abort(new MarketError('STOPPED', `the market of chain ${this.chainId} was stopped`))
    await Promise.all(this.loops)
    await this.ledger.mutex.idle()
    await this.saver?.close()
  }

  private async poll(): Promise<void> {
    const { signal } = this.stopController
    let failures = 0
    while (!signal.aborted) {
      try {
        await this.syncToHead({ signal })
        await this.discovery.ensure([], signal)
        failures = 0
      } catch {
        // `followHead` has stored the error for `health`; retry after a pause.
        failures++
      }
      await abortable(sleep(failures > 0 ? this.retryPauseMs(failures) : this.nextPollMs()), signal).catch(
        () => undefined,
      )
    }
  }

  private retryPauseMs(failures: number): number {
    return Math.min(this.pollMs * 2 ** Math.min(failures, 10), Math.max(MAX_PAUSE_MS, this.pollMs))
  }

  private nextPollMs(): number {
    const now = performance.now()
    return nextPollMs({
      pollMs: this.pollMs,
      blockMs: this.rpc.health().clock.intervalMs ?? this.blockTimeMs,
      sinceBlockMs: now - this.blockSeenAtMs,
      sinceRequestMs: now - this.requestedAtMs,
      isWatched: this.isWatched(),
    })
  }

  private async followHead(): Promise<Snapshot> {
    try {
      const hashBefore = this.ledger.newest?.block.hash
      const snapshot = await this.follower.follow()
      if (snapshot.block.hash !== hashBefore) this.blockSeenAtMs = performance.now()
      this.lastSyncAtMs = performance.now()
      this.lastError = null
      return snapshot
    } catch (error) {
      this.lastError = error instanceof Error ? error.message : String(error)
      throw error
    }
  }
}
