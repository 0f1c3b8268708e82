/** A market that reads no chain: it shows what an indexer has published, and asks it for what it has not. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Address, Chain } from '@sluice/chains'
import type { Market, MarketHealth, PairScope, Snapshot, TokenFacts } from '@sluice/liquidity'
import { MarketError, pairKeysOf, pairScopeOf } from '@sluice/liquidity'
import { abortable, type BlockHeader, type Rpc, type Semaphore } from '@sluice/rpc'
import type { StateCount } from '@sluice/simulation'
import type { Commands } from './commands.ts'
import { type Fact, readFact } from './facts.ts'
import { Follower } from './follower.ts'
import { isAtOrAfter, type Shown, STANDING } from './head.ts'
import type { ChainKeys } from './keys.ts'
import { whyUnowned } from './roster.ts'
import { Waiting } from './waiting.ts'
import { putWant, type Want } from './wants.ts'

/** Milliseconds between two times that something is wanted which has not come: an owner that was killed has not heard it. */
const WANT_MS = 500
/** Longest that anything is waited for, whatever its caller's patience, in milliseconds. */
const LONGEST_MS = 30_000
/** Milliseconds that a chain's first state is waited for while nobody owns the chain. */
const OWNER_MS = 2_000
/** A state is quoted for so many block times, and milliseconds at least, after it was last said to be the chain's. */
const FRESH_BLOCKS = 3
const FRESH_MS = 15_000
/** Longest wait for a block that this process's node has told of and the indexer has not, in milliseconds. */
const AHEAD_MS = 250
/** Longest wait for Redis to name its head, in milliseconds, many times what it takes to answer: one that hangs holds up no quote. */
const HEAD_MS = 25
/** Longest wait for a state that Redis has named and that has not come, in milliseconds. */
const NAMED_MS = 500
/** Milliseconds between two times that the tokens in use are named, so that the owner goes on following them. */
const TOUCH_MS = 300_000
const MOST_TOUCHED = 5_000

export type FollowedOptions = {
  readonly chain: Chain
  readonly rpc: Rpc
  readonly facts: TokenFacts
  readonly url: string
  readonly keys: ChainKeys
  readonly joins: Semaphore
  readonly commands: Commands
  /** Milliseconds that a state is quoted for without a word of it; by the chain's block time when absent. */
  readonly freshMs?: number | undefined
  readonly onFact?: (fact: Fact) => void
  readonly onStop?: () => void
}

function ignoreBehind(error: unknown): void {
  if (!(error instanceof MarketError) || error.code !== 'BEHIND') throw error
}

export class FollowedMarket implements Market {
  readonly chainId: number
  readonly tokens: TokenFacts
  private readonly options: FollowedOptions
  private readonly scope: PairScope
  private readonly follower: Follower
  private readonly listeners = new Set<(snapshot: Snapshot) => void>()
  private readonly waiting = new Waiting()
  /** The last states that were shown, newest last. */
  private states: readonly Snapshot[] = []
  private touched = new Set<Address>()
  /** The highest block of this process's node that was waited for. */
  private awaited = -1
  private toucher: NodeJS.Timeout | undefined
  private asking: Promise<string | null> | null = null
  private askedAt = 0

  constructor(options: FollowedOptions) {
    const { chain, facts, url, keys, joins, onFact } = options
    this.options = options
    this.chainId = chain.chainId
    this.tokens = facts
    this.scope = pairScopeOf(chain)
    this.follower = new Follower({
      ...{ url, keys, joins },
      onShown: (shown, ids) => this.show(shown, ids),
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
    const stale = this.whyStale()
    if (stale) throw new MarketError('BEHIND', stale)
    return newest
  }

  ensure(tokens: readonly Address[], options: { readonly signal?: AbortSignal } = {}): Promise<Snapshot> {
    return this.ensureGroups([tokens], options)
  }

  async ensureGroups(
    groups: readonly (readonly Address[])[],
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<Snapshot> {
    await this.joined(signal)
    await this.look(groups.flat(), signal && { signal })
    const real = groups.map((tokens) => tokens.filter((token) => this.tokens.isToken(token) !== false))
    this.touch(real.flat())
    await this.wanted({ groups: real }, signal)
    return this.snapshot()
  }

  async look(addresses: readonly Address[], { signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const again = this.states.at(-1)?.block.hash
    const looking = this.tokens.look(addresses, this.options.rpc, { priority: 'lookup', ...(again && { again }) })
    await abortable(looking, signal)
  }

  async seek(tokens: readonly Address[]): Promise<void> {
    await this.joined()
    await this.look(tokens)
    const real = tokens.filter((token) => this.tokens.isToken(token) !== false)
    this.touch(real)
    await this.wanted({ tokens: real })
  }

  /** The owner's affair. */
  evict(): void {}

  has({ hash }: BlockHeader): boolean {
    return this.follower.shown?.stands.includes(hash) ?? false
  }

  before({ number }: BlockHeader): Snapshot | undefined {
    return this.states.findLast(({ block }) => block.number < number && this.has(block))
  }

  state(): Readonly<Record<string, StateCount>> {
    const { shown } = this.follower
    const count = (entries: number) => ({ entries, evicted: 0 })
    return {
      facts: this.tokens.count,
      pools: count(shown?.pools.size ?? 0),
      pairs: count(shown?.pairs.size ?? 0),
      touched: count(this.touched.size),
    }
  }

  /** Asks Redis, never a node; but where this process's node is known to be ahead, its block is waited for a little. */
  async sync({ signal }: { readonly signal?: AbortSignal } = {}): Promise<Snapshot> {
    await this.joined(signal)
    const id = await abortable(this.headId(), signal)
    const isThere = () => id === null || isAtOrAfter(this.follower.shown!.id, id)
    // Redis may hang before the state itself comes: the last one is quoted then.
    if (!isThere()) await this.until(isThere, NAMED_MS, signal).catch(ignoreBehind)
    const { blockTimeMs } = this.options.chain
    const ahead = this.options.rpc.health().head?.number ?? 0
    if (ahead > Math.max(this.snapshot().block.number, this.awaited)) {
      // Once: where indexers are behind for long, not every request waits for them.
      this.awaited = ahead
      await this.waitForBlock(ahead, Math.min(blockTimeMs / 4, AHEAD_MS), signal).catch(ignoreBehind)
    }
    return this.snapshot()
  }

  async waitForBlock(number: number, timeoutMs: number, signal?: AbortSignal): Promise<Snapshot> {
    const isThere = () => (this.states.at(-1)?.block.number ?? -1) >= number
    if (!isThere()) {
      void this.want({ block: number }).catch(() => {})
      await this.until(isThere, timeoutMs, signal)
    }
    return this.snapshot()
  }

  onSnapshot(listener: (snapshot: Snapshot) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  health(): MarketHealth {
    const { confirmedMs } = this.follower
    const reason = this.whyAway()
    return {
      head: this.states.at(-1)?.block ?? null,
      lagMs: confirmedMs === null ? null : Date.now() - confirmedMs,
      error: reason,
      ...(reason !== null && { reason }),
      audit: { checked: 0, repaired: 0 },
      scan: this.follower.scan,
    }
  }

  start(): void {
    this.follower.start()
    this.toucher ??= setInterval(() => this.tellTouched(), TOUCH_MS).unref()
  }

  async stop(): Promise<void> {
    clearInterval(this.toucher)
    this.options.onStop?.()
    this.waiting.stop(new MarketError('STOPPED', `the market of chain ${this.chainId} was stopped`))
    await this.follower.stop()
  }

  private show(shown: Shown, ids: readonly string[] | null): void {
    const { block, pools } = shown
    const changed = this.states.length > 0 ? ids : null
    const snapshot = { chainId: this.chainId, block, pools, changed }
    this.states = [...this.states, snapshot].slice(-STANDING)
    for (const listener of this.listeners) listener(snapshot)
    this.waiting.look()
  }

  private hasPairs(wanted: Pick<Want, 'groups' | 'tokens'>): boolean {
    const pairs = this.follower.shown?.pairs
    return pairs !== undefined && pairKeysOf(wanted, this.scope).every((pair) => pairs.has(pair))
  }

  /** @throws MarketError `NOT_READY` where nobody publishes the chain */
  private async joined(signal?: AbortSignal): Promise<void> {
    if (this.states.length > 0) return
    const { commands, keys } = this.options
    const isThere = () => this.states.length > 0
    await this.until(isThere, OWNER_MS, signal).catch(async (error: unknown) => {
      if (!(error instanceof MarketError) || error.code !== 'BEHIND') throw error
      const why = await whyUnowned(commands, this.chainId, keys).catch(() => this.whyAway() ?? 'no state bus')
      if (why) throw new MarketError('NOT_READY', why)
      await this.until(isThere, LONGEST_MS, signal)
    })
  }

  /** Resolves when the pairs are in the state that is shown. */
  private async wanted(want: Pick<Want, 'groups' | 'tokens'>, signal?: AbortSignal): Promise<void> {
    const isThere = () => this.hasPairs(want)
    const deadline = Date.now() + LONGEST_MS
    while (!isThere()) {
      await abortable(this.want(want), signal)
      const left = deadline - Date.now()
      await this.until(isThere, Math.min(WANT_MS, left), signal).catch((error: unknown) => {
        if (!(error instanceof MarketError) || error.code !== 'BEHIND' || left <= WANT_MS) throw error
      })
    }
  }

  /** @throws MarketError `NOT_READY` while Redis is away */
  private async want(want: Want): Promise<void> {
    const { commands, keys } = this.options
    try {
      await putWant(commands, keys, want)
    } catch (cause) {
      throw new MarketError('NOT_READY', 'the state bus cannot be asked for what is not known yet', { cause })
    }
  }

  /** Resolves when a state makes it so. @throws MarketError `BEHIND` at the time limit, `STOPPED` */
  private until(isThere: () => boolean, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const late = () => {
      const at = this.states.at(-1)?.block.number
      const standing = at === undefined ? 'not read yet' : `at block ${at}`
      return new MarketError('BEHIND', `chain ${this.chainId} is ${standing}`)
    }
    return this.waiting.until(isThere, timeoutMs, late, signal)
  }

  /** The newest entry's id, asked for once by all who want it now; null where Redis does not name it at once. */
  private headId(): Promise<string | null> {
    const { commands, keys } = this.options
    if (!this.asking) {
      this.askedAt = Date.now()
      this.asking = commands
        .call<string | null>('HGET', keys.head, 'id')
        .catch(() => null)
        .finally(() => {
          this.asking = null
        })
    }
    const left = HEAD_MS - (Date.now() - this.askedAt)
    return left > 0 ? Promise.race([this.asking, sleep(left, null)]) : Promise.resolve(null)
  }

  private get freshMs(): number {
    return this.options.freshMs ?? Math.max(FRESH_BLOCKS * this.options.chain.blockTimeMs, FRESH_MS)
  }

  private whyStale(): string | null {
    const { confirmedMs } = this.follower
    if (confirmedMs !== null && Date.now() - confirmedMs <= this.freshMs) return null
    return this.whyAway() ?? `no word of chain ${this.chainId}`
  }

  /** Fault of the bus; null while an owner tells of the chain. */
  private whyAway(): string | null {
    const { awaySince, confirmedMs } = this.follower
    const at = (ms: number) => new Date(ms).toISOString()
    if (awaySince !== null) return `no state bus since ${at(awaySince)}`
    if (confirmedMs === null || Date.now() - confirmedMs <= this.freshMs) return null
    return `no indexer has told of chain ${this.chainId} since ${at(confirmedMs)}`
  }

  private touch(tokens: readonly Address[]): void {
    for (const token of tokens) if (this.touched.size < MOST_TOUCHED) this.touched.add(token)
  }

  /** Not at once and not by a request: nobody waits for it. */
  private tellTouched(): void {
    const tokens = [...this.touched]
    this.touched = new Set()
    for (let i = 0; i < tokens.length; i += 100) void this.want({ tokens: tokens.slice(i, i + 100) }).catch(() => {})
  }
}
