/**
 * The market of a worker: follows the states that the owner of the chain (the process that indexes it) publishes, and
 * requests missing pools from the owner.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Address, Chain } from '@sluice/chains'
import type { Market, MarketHealth, PairScope, Snapshot, TokenFacts } from '@sluice/liquidity'
import { MarketError, pairKeysOf, pairScopeOf } from '@sluice/liquidity'
import { abortable, type BlockHeader, type Rpc, type Semaphore } from '@sluice/rpc'
import type { StateCount } from '@sluice/simulation'
import { missingOwnerReason } from './chain-requests.ts'
import type { Commands } from './commands.ts'
import { ConditionWaiter } from './condition-waiter.ts'
import { type Fact, readFact } from './facts.ts'
import { StateFollower } from './follower.ts'
import { type FollowedState, isAtOrAfter, MAX_CANONICAL } from './head.ts'
import type { ChainKeys } from './keys.ts'
import { type PairRequest, sendRequest } from './request-stream.ts'

/**
 * Milliseconds after which a request for missing pools is sent again, because the owner may have been killed since.
 */
const REQUEST_INTERVAL_MS = 500
/** Maximum wait for pools or a first state in milliseconds, even if the caller's timeout is longer. */
const MAX_WAIT_MS = 30_000
/** Milliseconds to wait for a chain's first state before checking whether the chain has an owner. */
const OWNER_TIMEOUT_MS = 2_000
/** Number of block times for which a state is fresh after its owner last confirmed it. */
const FRESH_BLOCKS = 3
/** Minimum milliseconds for which a state is fresh, on chains with short block times. */
const MIN_FRESH_MS = 15_000
/** Maximum milliseconds to wait for the owner to publish a block that this worker's node already has. */
const MAX_UNPUBLISHED_WAIT_MS = 250
/**
 * Maximum milliseconds to wait for the id of the newest published entry: many times the usual reply time, but short in
 * case Redis hangs.
 */
const HEAD_ID_TIMEOUT_MS = 25
/** Maximum milliseconds to wait for the state of an entry whose id is known. */
const ENTRY_TIMEOUT_MS = 500
/** Milliseconds between two reports of the tokens in use, so that the owner keeps following them. */
const USED_TOKENS_INTERVAL_MS = 300_000
/** Maximum tokens in use that are reported. */
const MAX_USED_TOKENS = 5_000

export type FollowedOptions = {
  readonly chain: Chain
  readonly rpc: Rpc
  readonly facts: TokenFacts
  readonly url: string
  readonly keys: ChainKeys
  readonly joinLimit: Semaphore
  readonly commands: Commands
  /** Milliseconds for which a state is fresh without a confirmation; derived from the block time if absent. */
  readonly freshMs?: number | undefined
  readonly onFact?: (fact: Fact) => void
  readonly onStop?: () => void
}

/** Ignores the error of a wait that timed out. @throws any other error */
function ignoreBehind(error: unknown): void {
  if (!(error instanceof MarketError) || error.code !== 'BEHIND') throw error
}

/** Follows a chain through the bus, behind the same interface as a market that reads the chain. */
export class FollowedMarket implements Market {
  readonly chainId: number
  readonly tokens: TokenFacts
  private readonly options: FollowedOptions
  private readonly scope: PairScope
  private readonly follower: StateFollower
  private readonly listeners = new Set<(snapshot: Snapshot) => void>()
  private readonly conditions = new ConditionWaiter()
  /** The last published states, newest last. */
  private states: readonly Snapshot[] = []
  private usedTokens = new Set<Address>()
  /** Highest block of this worker's node that a request has waited for. */
  private awaitedBlock = -1
  private usedTokensTimer: NodeJS.Timeout | undefined
  private headRequest: Promise<string | null> | null = null
  private headRequestAt = 0

  constructor(options: FollowedOptions) {
    const { chain, facts, url, keys, joinLimit, onFact } = options
    this.options = options
    this.chainId = chain.chainId
    this.tokens = facts
    this.scope = pairScopeOf(chain)
    this.follower = new StateFollower({
      ...{ url, keys, joinLimit },
      onState: (state, ids) => this.addState(state, ids),
      ...(onFact && {
        onFact: (key: string, value: string) => {
          const fact = readFact(key, value)
          if (fact) onFact(fact)
        },
      }),
    })
  }

  snapshot(): Snapshot {
    const newest = this.states.at(-1)
    if (!newest) throw new MarketError('NOT_READY', `chain ${this.chainId} has not been read yet`)
    const reason = this.staleReason()
    if (reason) throw new MarketError('BEHIND', reason)
    return newest
  }

  ensure(tokens: readonly Address[], options: { readonly signal?: AbortSignal } = {}): Promise<Snapshot> {
    return this.ensureGroups([tokens], options)
  }

  async ensureGroups(
    groups: readonly (readonly Address[])[],
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<Snapshot> {
    await this.waitForFirstState(signal)
    await this.checkTokens(groups.flat(), signal && { signal })
    const realTokens = groups.map((tokens) => tokens.filter((token) => this.tokens.isToken(token) !== false))
    this.recordUse(realTokens.flat())
    await this.loadPairs({ groups: realTokens }, signal)
    return this.snapshot()
  }

  async checkTokens(addresses: readonly Address[], { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const newestHash = this.states.at(-1)?.block.hash
    const lookup = this.tokens.check(addresses, this.options.rpc, {
      priority: 'lookup',
      ...(newestHash && { retryBlock: newestHash }),
    })
    await abortable(lookup, signal)
  }

  async searchPools(tokens: readonly Address[]): Promise<void> {
    await this.waitForFirstState()
    await this.checkTokens(tokens)
    const realTokens = tokens.filter((token) => this.tokens.isToken(token) !== false)
    this.recordUse(realTokens)
    await this.loadPairs({ tokens: realTokens })
  }

  /** Does nothing: the owner evicts pools. */
  evict(): void {}

  hasBlock({ hash }: BlockHeader): boolean {
    return this.follower.currentState?.canonical.includes(hash) ?? false
  }

  snapshotBefore({ number }: BlockHeader): Snapshot | undefined {
    return this.states.findLast(({ block }) => block.number < number && this.hasBlock(block))
  }

  cacheCounts(): Readonly<Record<string, StateCount>> {
    const { currentState } = this.follower
    const count = (entries: number) => ({ entries, evicted: 0 })
    return {
      facts: this.tokens.stateCount,
      pools: count(currentState?.pools.size ?? 0),
      pairs: count(currentState?.pairs.size ?? 0),
      touched: count(this.usedTokens.size),
    }
  }

  /**
   * Returns the newest published state. Reads its id from Redis and never asks a node. If this worker's node is known
   * to have a newer block, waits a short time until that block is published.
   */
  async sync({ signal }: { readonly signal?: AbortSignal } = {}): Promise<Snapshot> {
    await this.waitForFirstState(signal)
    const id = await abortable(this.headId(), signal)
    const isFulfilled = () => id === null || isAtOrAfter(this.follower.currentState!.id, id)
    // If Redis hangs before the state arrives, the previous state is used.
    if (!isFulfilled()) await this.waitUntil(isFulfilled, ENTRY_TIMEOUT_MS, signal).catch(ignoreBehind)
    const { blockTimeMs } = this.options.chain
    const headNumber = this.options.rpc.health().head?.number ?? 0
    if (headNumber > Math.max(this.snapshot().block.number, this.awaitedBlock)) {
      // Wait once per block, so that a slow indexer does not delay every request.
      this.awaitedBlock = headNumber
      await this.waitForBlock(headNumber, Math.min(blockTimeMs / 4, MAX_UNPUBLISHED_WAIT_MS), signal).catch(
        ignoreBehind,
      )
    }
    return this.snapshot()
  }

  async waitForBlock(number: number, timeoutMs: number, signal?: AbortSignal): Promise<Snapshot> {
    const isFulfilled = () => (this.states.at(-1)?.block.number ?? -1) >= number
    if (!isFulfilled()) {
      void this.requestFromOwner({ block: number }).catch(() => {})
      await this.waitUntil(isFulfilled, timeoutMs, signal)
    }
    return this.snapshot()
  }

  onSnapshot(listener: (snapshot: Snapshot) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  health(): MarketHealth {
    const { confirmedMs } = this.follower
    const reason = this.failureReason()
    return {
      head: this.states.at(-1)?.block ?? null,
      lagMs: confirmedMs === null ? null : Math.round(performance.now() - confirmedMs),
      error: reason,
      ...(reason !== null && { reason }),
      audit: { checked: 0, repaired: 0 },
      scan: this.follower.scan,
    }
  }

  start(): void {
    this.follower.start()
    this.usedTokensTimer ??= setInterval(() => this.reportUsedTokens(), USED_TOKENS_INTERVAL_MS).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.usedTokensTimer)
    this.options.onStop?.()
    this.conditions.stop(new MarketError('STOPPED', `the market of chain ${this.chainId} was stopped`))
    await this.follower.stop()
  }

  private addState(state: FollowedState, ids: readonly string[] | null): void {
    const { block, pools } = state
    const changedIds = this.states.length > 0 ? ids : null
    const snapshot = { chainId: this.chainId, block, pools, changedIds }
    this.states = [...this.states, snapshot].slice(-MAX_CANONICAL)
    for (const listener of this.listeners) listener(snapshot)
    this.conditions.check()
  }

  private hasPairs(request: Pick<PairRequest, 'groups' | 'tokens'>): boolean {
    const pairs = this.follower.currentState?.pairs
    return pairs !== undefined && pairKeysOf(request, this.scope).every((pair) => pairs.has(pair))
  }

  /** Resolves with the first state. @throws MarketError `NOT_READY` if no process publishes the chain */
  private async waitForFirstState(signal?: AbortSignal): Promise<void> {
    if (this.states.length > 0) return
    const { commands, keys } = this.options
    const isFulfilled = () => this.states.length > 0
    await this.waitUntil(isFulfilled, OWNER_TIMEOUT_MS, signal).catch(async (error: unknown) => {
      if (!(error instanceof MarketError) || error.code !== 'BEHIND') throw error
      const reason = await missingOwnerReason(commands, this.chainId, keys).catch(
        () => this.failureReason() ?? 'no state bus',
      )
      if (reason) throw new MarketError('NOT_READY', reason)
      await this.waitUntil(isFulfilled, MAX_WAIT_MS, signal)
    })
  }

  /** Requests pairs until they are in the current state. */
  private async loadPairs(request: Pick<PairRequest, 'groups' | 'tokens'>, signal?: AbortSignal): Promise<void> {
    const isFulfilled = () => this.hasPairs(request)
    const deadline = performance.now() + MAX_WAIT_MS
    while (!isFulfilled()) {
      await abortable(this.requestFromOwner(request), signal)
      const remainingMs = deadline - performance.now()
      await this.waitUntil(isFulfilled, Math.min(REQUEST_INTERVAL_MS, remainingMs), signal).catch((error: unknown) => {
        if (!(error instanceof MarketError) || error.code !== 'BEHIND' || remainingMs <= REQUEST_INTERVAL_MS)
          throw error
      })
    }
  }

  /** Sends a request to the owner. @throws MarketError `NOT_READY` while Redis is away */
  private async requestFromOwner(request: PairRequest): Promise<void> {
    const { commands, keys } = this.options
    try {
      await sendRequest(commands, keys, request)
    } catch (cause) {
      throw new MarketError('NOT_READY', 'the state bus cannot be asked for what is not known yet', { cause })
    }
  }

  /** Resolves when a state fulfills the condition. @throws MarketError `BEHIND` on timeout, `STOPPED` */
  private waitUntil(isFulfilled: () => boolean, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const timeoutError = () => {
      const newestNumber = this.states.at(-1)?.block.number
      const position = newestNumber === undefined ? 'not read yet' : `at block ${newestNumber}`
      return new MarketError('BEHIND', `chain ${this.chainId} is ${position}`)
    }
    return this.conditions.waitUntil(isFulfilled, timeoutMs, timeoutError, signal)
  }

  /** Returns the id of the newest entry; null if Redis does not reply at once. Concurrent callers share one command. */
  private headId(): Promise<string | null> {
    const { commands, keys } = this.options
    if (!this.headRequest) {
      this.headRequestAt = performance.now()
      this.headRequest = commands
        .call<string | null>('HGET', keys.head, 'id')
        .catch(() => null)
        .finally(() => {
          this.headRequest = null
        })
    }
    const remainingMs = HEAD_ID_TIMEOUT_MS - (performance.now() - this.headRequestAt)
    return remainingMs > 0 ? Promise.race([this.headRequest, sleep(remainingMs, null)]) : Promise.resolve(null)
  }

  private get freshMs(): number {
    return this.options.freshMs ?? Math.max(FRESH_BLOCKS * this.options.chain.blockTimeMs, MIN_FRESH_MS)
  }

  private staleReason(): string | null {
    const { confirmedMs } = this.follower
    if (confirmedMs !== null && performance.now() - confirmedMs <= this.freshMs) return null
    return this.failureReason() ?? `no indexer has reported chain ${this.chainId}`
  }

  /** Describes a failure of the bus; null while an owner confirms the chain's state. */
  private failureReason(): string | null {
    const { awaySince, confirmedMs } = this.follower
    const isoTime = (ms: number) => new Date(ms).toISOString()
    if (awaySince !== null) return `no state bus since ${isoTime(awaySince)}`
    if (confirmedMs === null || performance.now() - confirmedMs <= this.freshMs) return null
    const unixMs = Date.now() - (performance.now() - confirmedMs)
    return `no indexer has reported chain ${this.chainId} since ${isoTime(unixMs)}`
  }

  private recordUse(tokens: readonly Address[]): void {
    for (const token of tokens) if (this.usedTokens.size < MAX_USED_TOKENS) this.usedTokens.add(token)
  }

  /** Reports the tokens in use in batches, from a timer instead of from requests. */
  private reportUsedTokens(): void {
    const tokens = [...this.usedTokens]
    this.usedTokens = new Set()
    for (let i = 0; i < tokens.length; i += 100)
      void this.requestFromOwner({ tokens: tokens.slice(i, i + 100) }).catch(() => {})
  }
}
