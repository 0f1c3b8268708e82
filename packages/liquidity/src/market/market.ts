/** A chain's pools in memory: found on demand, followed block by block, saved now and then. */

import type { Address, Chain } from '@sluice/chains'
import { abortable, type BlockHeader, inSlices, type Rpc } from '@sluice/rpc'
import type { StateCount } from '@sluice/simulation'
import { families as allFamilies } from '../dexes/index.ts'
import { MarketError } from '../errors.ts'
import type { DexFamily } from '../family.ts'
import type { PoolList } from '../pool-list/pool-list.ts'
import type { Market, MarketHealth, ScanStatus, Snapshot } from '../snapshot.ts'
import { Auditor } from './audit.ts'
import { Discovery } from './discovery.ts'
import { Evictor } from './evictor.ts'
import { Follower, type MarketParts } from './follow.ts'
import type { HeadStartCount } from './head-start.ts'
import { Ledger } from './ledger.ts'
import { type MarketLimits, marketLimits } from './limits.ts'
import { listedPools } from './listed-pools.ts'
import { nextPollMs } from './poll-schedule.ts'
import { PoolDirectory } from './pool-directory.ts'
import type { FoundPool } from './pool-reader.ts'
import { type SaveOptions, Saver } from './saver.ts'
import { repeat, sleep } from './timing.ts'
import { TokenFacts } from './token-facts.ts'

export type MarketOptions = {
  readonly chain: Chain
  readonly rpc: Rpc
  /** All by default. */
  readonly families?: readonly DexFamily[]
  /** Shortest time between which the node is asked for its head, in milliseconds; half a block time by default, within 200 ms and 2 s. */
  readonly pollMs?: number
  /** True while somebody waits for blocks; always by default. */
  readonly isWatched?: () => boolean
  /** Milliseconds between which a few pools are compared with the chain; 10 s by default. */
  readonly auditMs?: number
  /** The place where memory is kept between two runs; nowhere by default. */
  readonly save?: SaveOptions
  /** Facts of tokens, where that is kept longer than the market; its own by default. */
  readonly facts?: TokenFacts
  /** Limits of what strangers can make it remember. */
  readonly limits?: Partial<MarketLimits>
  /** Makes a list of pools to begin with: they are proven by the chain, and the logs that it covers are not searched. */
  readonly headStart?: () => PoolList
  /** Called when all pools of that list are proven or refused. */
  readonly onHeadStart?: (count: HeadStartCount) => void
  /** False where past logs are not searched, because another market has found the pools that they tell of: `IndexedMarket.take`. */
  readonly searchesLogs?: boolean
  /** Called when the search of past logs begins, ends, or cannot go on. */
  readonly onScan?: (status: ScanStatus) => void
}

/** A failing node is asked again after a pause that grows up to this. */
const MAX_PAUSE_MS = 5_000
/** Milliseconds after which a request that waits for a block asks the node itself. */
const WAIT_STEP_MS = 50
const AUDIT_MS = 10_000
/** Milliseconds between which tokens that nobody asks for any more are looked for. */
const EVICT_MS = 60_000

/** A market that reads the chain itself. It shows nothing before all that it saved is in memory, whoever asks meanwhile. */
export interface IndexedMarket extends Market {
  /** Resolves when no search of pools is under way any more, at the latest after a time limit, to a snapshot with all that were found. */
  settled(timeoutMs: number): Promise<Snapshot>
  /**
   * Takes in pools that another market of the chain has found, as far as they are at the newest block.
   *
   * @throws RpcError
   */
  take(found: readonly FoundPool[]): Promise<void>
  /** Pairs of tokens, as `pairKeysOf` writes them, whose pools are in memory as far as there are any. */
  readonly pairs: Iterable<string>
}

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
  /** When the newest block was first seen, and when somebody last asked for something. */
  private blockAt = Date.now()
  private requestAt = Date.now()
  private readonly auditMs: number
  private readonly ledger: Ledger
  private readonly discovery: Discovery
  private readonly follower: Follower
  private readonly auditor: Auditor
  private readonly saver: Saver | null
  /** A run that has not asked for the head yet: whoever wants the head now can share it. */
  private coming: Promise<Snapshot> | null = null
  private readonly stopped = new AbortController()
  private loops: readonly Promise<void>[] = []
  private lastSyncMs: number | null = null
  private lastError: string | null = null

  constructor(options: MarketOptions) {
    const { chain, rpc, families = allFamilies, pollMs, isWatched = () => true, auditMs = AUDIT_MS, save } = options
    const limits = { ...marketLimits, ...options.limits }
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
    const parts: MarketParts = { rpc, directory, ledger: this.ledger, signal: this.stopped.signal }
    this.follower = new Follower(parts, () => this.discovery.forgetPairs())
    this.evictor = new Evictor(directory, this.ledger)
    const { follower, evictor } = this
    const { onScan, headStart, onHeadStart, searchesLogs } = options
    const discoveryOptions = { onScan, headStart, onHeadStart, searchesLogs }
    this.discovery = new Discovery({ parts, follower, evictor, limits, ...discoveryOptions })
    this.auditor = new Auditor(parts, this.follower)
    this.saver = save
      ? new Saver(save, { directory, ledger: this.ledger, discovery: this.discovery, most: limits.saved })
      : null
    // Before the first block is asked for: it is followed from what was saved.
    if (this.saver) void this.ledger.mutex.run(() => this.saver!.restore())
  }

  snapshot(): Snapshot {
    return this.ledger.snapshot()
  }

  sync(options: { signal?: AbortSignal } = {}): Promise<Snapshot> {
    this.requestAt = Date.now()
    return this.toHead(options)
  }

  private toHead({ signal }: { signal?: AbortSignal }): Promise<Snapshot> {
    this.coming ??= this.ledger.mutex.run(() => {
      this.coming = null
      return this.follow()
    })
    return abortable(this.coming, signal)
  }

  async ensure(tokens: readonly Address[], options: { signal?: AbortSignal } = {}): Promise<Snapshot> {
    return this.ensureGroups([tokens], options)
  }

  async ensureGroups(
    groups: readonly (readonly Address[])[],
    { signal }: { signal?: AbortSignal } = {},
  ): Promise<Snapshot> {
    this.requestAt = Date.now()
    if (!this.ledger.newest) await this.sync(signal && { signal })
    await this.look(groups.flat(), signal && { signal })
    const isToken = (address: Address) => this.tokens.isToken(address) !== false
    await this.discovery.ensure(
      groups.map((tokens) => tokens.filter(isToken)),
      signal,
    )
    return this.snapshot()
  }

  async look(addresses: readonly Address[], { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    const again = this.ledger.newest?.block.hash
    const looking = this.tokens.look(addresses, this.rpc, { priority: 'lookup', ...(again && { again }) })
    await abortable(looking, signal)
  }

  async seek(tokens: readonly Address[]): Promise<void> {
    this.requestAt = Date.now()
    if (!this.ledger.newest) await this.sync()
    await this.tokens.look(tokens, this.rpc, { priority: 'lookup' })
    const real = tokens.filter((address) => this.tokens.isToken(address) !== false)
    await Promise.all(real.map((token) => this.discovery.seek(token)))
  }

  async settled(timeoutMs: number): Promise<Snapshot> {
    await Promise.race([this.discovery.settled(), sleep(timeoutMs)])
    return this.snapshot()
  }

  async take(found: readonly FoundPool[]): Promise<void> {
    if (!this.ledger.newest) await this.sync()
    await this.discovery.take(found)
  }

  listed(tokens: readonly Address[]): Promise<readonly FoundPool[]> {
    return inSlices('pool list', listedPools(this.directory, tokens))
  }

  get pairs(): Iterable<string> {
    return this.discovery.pairs
  }

  evict(): void {
    this.evictor.run()
  }

  has({ hash }: BlockHeader): boolean {
    return this.ledger.history?.find(hash) !== undefined
  }

  state(): Readonly<Record<string, StateCount>> {
    return {
      tokens: this.directory.tokens.count,
      facts: this.tokens.count,
      ...this.directory.counts,
      ...this.discovery.counts,
    }
  }

  async waitForBlock(number: number, timeoutMs: number, signal?: AbortSignal): Promise<Snapshot> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const { newest } = this.ledger
      if (newest && newest.block.number >= number) return newest
      const left = deadline - Date.now()
      if (left <= 0) {
        const at = newest ? `at block ${newest.block.number}` : 'not read yet'
        throw new MarketError('BEHIND', `chain ${this.chainId} is ${at}, not at ${number}`)
      }
      // A node that fails is no reason to stop waiting: the time limit is.
      await abortable(Promise.race([this.sync().catch(() => undefined), sleep(left)]), signal)
      if (this.ledger.newest && this.ledger.newest.block.number >= number) continue
      await abortable(sleep(Math.min(WAIT_STEP_MS, Math.max(0, deadline - Date.now()))), signal)
    }
  }

  onSnapshot(listener: (snapshot: Snapshot) => void): () => void {
    return this.ledger.onSnapshot(listener)
  }

  health(): MarketHealth {
    return {
      head: this.ledger.newest?.block ?? null,
      lagMs: this.lastSyncMs === null ? null : Date.now() - this.lastSyncMs,
      error: this.lastError,
      audit: this.auditor.count,
      scan: this.discovery.scan.status,
    }
  }

  start(): void {
    if (this.loops.length > 0) return
    const { signal } = this.stopped
    // A node that fails is told by the next sync; pools not compared now are compared later.
    const audit = () => this.auditor.run().catch(() => undefined)
    this.loops = [
      this.poll(),
      repeat(audit, this.auditMs, signal),
      repeat(async () => this.evict(), EVICT_MS, signal),
      ...(this.saver ? [repeat(() => this.saver!.save(), this.saver.everyMs, signal)] : []),
    ]
  }

  async stop(): Promise<void> {
    this.stopped.abort(new MarketError('STOPPED', `the market of chain ${this.chainId} was stopped`))
    await Promise.all(this.loops)
    await this.ledger.mutex.idle()
    await this.saver?.close()
  }

  private async poll(): Promise<void> {
    const { signal } = this.stopped
    let failures = 0
    while (!signal.aborted) {
      try {
        await this.toHead({ signal })
        await this.discovery.ensure([], signal)
        failures = 0
      } catch {
        // `follow` has kept the reason for `health`; the node is asked again after a pause.
        failures++
      }
      await abortable(sleep(failures > 0 ? this.pauseMs(failures) : this.nextPollMs()), signal).catch(() => undefined)
    }
  }

  private pauseMs(failures: number): number {
    return Math.min(this.pollMs * 2 ** Math.min(failures, 10), Math.max(MAX_PAUSE_MS, this.pollMs))
  }

  private nextPollMs(): number {
    const now = Date.now()
    return nextPollMs({
      pollMs: this.pollMs,
      blockMs: this.rpc.health().clock.intervalMs ?? this.blockTimeMs,
      sinceBlockMs: now - this.blockAt,
      sinceRequestMs: now - this.requestAt,
      isWatched: this.isWatched(),
    })
  }

  private async follow(): Promise<Snapshot> {
    try {
      const before = this.ledger.newest?.block.hash
      const snapshot = await this.follower.follow()
      if (snapshot.block.hash !== before) this.blockAt = Date.now()
      this.lastSyncMs = Date.now()
      this.lastError = null
      return snapshot
    } catch (error) {
      this.lastError = error instanceof Error ? error.message : String(error)
      throw error
    }
  }
}
