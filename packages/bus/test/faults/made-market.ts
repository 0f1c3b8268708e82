/**
 * The market of an indexer on the made-up chain: finds, remembers and undoes like the real one, without a node. Like that, it shows
 * nothing before what it remembers is in, whoever asks.
 */
import type { Address } from '@sluice/chains'
import {
  type IndexedMarket,
  type MarketHealth,
  type Pool,
  PoolMap,
  type Snapshot,
  type Store,
  type StorePlace,
  type TokenFacts,
} from '@sluice/liquidity'
import type { BlockHeader } from '@sluice/rpc'
import {
  FIRST_GROUPS,
  GROUPS,
  groupOf,
  groupOfToken,
  MadeChain,
  numberOfPool,
  POOLS,
  pairOf,
  poolAt,
  tokenOf,
} from './made-chain.ts'

const POLL_MS = 10
/** Milliseconds that it takes to find the pools of a token. */
const FIND_MS = 30
const SAVE_MS = 500

type Made = { readonly version: number; readonly ticks: number; readonly pool: Pool }

export class MadeMarket implements IndexedMarket {
  readonly chainId = 1
  readonly tokens = null as unknown as TokenFacts
  private readonly chain: MadeChain
  private readonly place: StorePlace
  private readonly listeners = new Set<(snapshot: Snapshot) => void>()
  private readonly timers: NodeJS.Timeout[] = []
  private groups = new Set<number>()
  private made = new Map<number, Made>()
  private newest: Snapshot | null = null
  private store: Store | null = null
  private readonly restored = Promise.withResolvers<void>()

  constructor(startMs: number, place: StorePlace) {
    this.chain = new MadeChain(startMs)
    this.place = place
  }

  get pairs(): Iterable<string> {
    return [...this.groups].map(pairOf)
  }

  snapshot(): Snapshot {
    if (!this.newest) throw new Error('no block yet')
    return this.newest
  }

  async ensure(tokens: readonly Address[]): Promise<Snapshot> {
    return this.ensureGroups([tokens])
  }

  async ensureGroups(groups: readonly (readonly Address[])[]): Promise<Snapshot> {
    await this.restored.promise
    await new Promise((resolve) => setTimeout(resolve, FIND_MS))
    for (const token of groups.flat()) if (groupOfToken(token) < GROUPS) this.groups.add(groupOfToken(token))
    this.read(true)
    return this.snapshot()
  }

  async seek(tokens: readonly Address[]): Promise<void> {
    await this.ensure(tokens)
  }

  /** Nothing is found but what was asked for. */
  async settled(): Promise<Snapshot> {
    return this.snapshot()
  }

  async look(): Promise<void> {}

  async take(): Promise<void> {}

  has(block: BlockHeader): boolean {
    return this.newest !== null && this.chain.stands(block, this.newest.block)
  }

  async sync(): Promise<Snapshot> {
    await this.restored.promise
    this.read(false)
    return this.snapshot()
  }

  async waitForBlock(): Promise<Snapshot> {
    return this.sync()
  }

  onSnapshot(listener: (snapshot: Snapshot) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  health(): MarketHealth {
    const head = this.newest?.block ?? null
    return { head, lagMs: head ? 0 : null, error: null, scan: null, audit: { checked: 0, repaired: 0 } }
  }

  evict(): void {}

  state(): Record<string, never> {
    return {}
  }

  start(): void {
    void this.restore().then(() => {
      this.restored.resolve()
      this.timers.push(setInterval(() => this.read(false), POLL_MS))
      this.timers.push(setInterval(() => void this.save().catch(() => {}), SAVE_MS))
    })
  }

  async stop(): Promise<void> {
    await this.restored.promise
    for (const timer of this.timers) clearInterval(timer)
    await this.save().catch(() => {})
  }

  /** Restores what the owner before has found: the pools that the bus remembers, and no others. */
  private async restore(): Promise<void> {
    const fresh = Array.from({ length: FIRST_GROUPS }, (_, group) => group)
    try {
      this.store = await this.place(false)
      const known = new Set<number>(fresh)
      if (this.store.facts)
        for await (const { pools } of this.store.batches())
          for (const { pool } of pools) known.add(groupOf(numberOfPool.get(pool.id)!))
      this.groups = known
    } catch {
      this.groups = new Set(fresh)
    }
  }

  private async save(): Promise<void> {
    if (!this.store || !this.newest) return
    const { groups } = this
    const pools = [...this.newest.pools.values()]
    async function* parts() {
      yield { do: 'list', name: 'tokens', items: [...groups].map(tokenOf) } as const
      yield { do: 'list', name: 'pairs', items: [...groups].map(pairOf) } as const
      const known = pools.map((pool) => ({ pool: { ...pool, state: null }, dexRow: 0 }))
      yield { do: 'write', known, changed: [], gone: [] } as const
    }
    await this.store.save({ chainId: 1, block: this.newest.block, extra: {} }, parts())
  }

  /** Reads what has changed since, on whatever branch. @param found - there are other pools, too */
  private read(found: boolean): void {
    const block = this.chain.tip()
    if (!found && this.newest?.block.hash === block.hash) return
    const state = this.chain.at(block.hash)
    const changed: Pool[] = []
    const gone: string[] = []
    for (let n = 0; n < POOLS; n++) {
      if (!this.groups.has(groupOf(n))) continue
      const [version, ticks] = [state[2 * n]!, state[2 * n + 1]!]
      const old = this.made.get(n)
      if (version < 0) {
        if (old) gone.push(old.pool.id)
        this.made.delete(n)
      } else if (!old || old.version !== version || old.ticks !== ticks) {
        const pool = poolAt(n, state, old)
        this.made.set(n, { version, ticks, pool })
        changed.push(pool)
      }
    }
    const before = (this.newest?.pools as PoolMap | undefined) ?? PoolMap.empty
    const ids = [...changed.map(({ id }) => id), ...gone]
    this.newest = { chainId: 1, block, pools: before.with(changed, gone), changed: this.newest && ids }
    for (const listener of this.listeners) listener(this.newest)
  }
}
