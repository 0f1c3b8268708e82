/**
 * The market of an indexer on the synthetic chain: finds, remembers, and reverts pools like the real one, without a
 * node. Like the real one, it publishes nothing before its memory is restored.
 */
import type { Address } from '@sluice/chains'
import {
  type IndexedMarket,
  type MarketHealth,
  type Pool,
  PoolMap,
  type Snapshot,
  type Store,
  type StoreOpener,
  type TokenFacts,
} from '@sluice/liquidity'
import type { BlockHeader } from '@sluice/rpc'
import {
  FIRST_GROUPS,
  GROUPS,
  groupOf,
  groupOfToken,
  numberOfPool,
  POOLS,
  pairOf,
  poolAt,
  SyntheticChain,
  tokenOf,
} from './synthetic-chain.ts'

const POLL_MS = 10
/** Milliseconds to find the pools of a token. */
const FIND_MS = 30
const SAVE_MS = 500

type PoolVersion = { readonly version: number; readonly ticks: number; readonly pool: Pool }

export class SyntheticMarket implements IndexedMarket {
  readonly chainId = 1
  readonly tokens = null as unknown as TokenFacts
  private readonly chain: SyntheticChain
  private readonly place: StoreOpener
  private readonly listeners = new Set<(snapshot: Snapshot) => void>()
  private readonly timers: NodeJS.Timeout[] = []
  private groups = new Set<number>()
  private versions = new Map<number, PoolVersion>()
  private newest: Snapshot | null = null
  private store: Store | null = null
  private readonly restored = Promise.withResolvers<void>()

  constructor(startMs: number, place: StoreOpener) {
    this.chain = new SyntheticChain(startMs)
    this.place = place
  }

  get loadedPairKeys(): Iterable<string> {
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

  async searchPools(tokens: readonly Address[]): Promise<void> {
    await this.ensure(tokens)
  }

  /** Resolves at once, because nothing is discovered in the background. */
  async whenIdle(): Promise<Snapshot> {
    return this.snapshot()
  }

  async checkTokens(): Promise<void> {}

  async addFoundPools(): Promise<void> {}

  hasBlock(block: BlockHeader): boolean {
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

  cacheCounts(): Record<string, never> {
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

  /** Restores the pools that the previous owner has found, and no others. */
  private async restore(): Promise<void> {
    const firstGroups = Array.from({ length: FIRST_GROUPS }, (_, group) => group)
    try {
      this.store = await this.place(false)
      const groupsInMemory = new Set<number>(firstGroups)
      if (this.store.facts)
        for await (const { pools } of this.store.batches())
          for (const { pool } of pools) groupsInMemory.add(groupOf(numberOfPool.get(pool.id)!))
      this.groups = groupsInMemory
    } catch {
      this.groups = new Set(firstGroups)
    }
  }

  private async save(): Promise<void> {
    if (!this.store || !this.newest) return
    const { groups } = this
    const pools = [...this.newest.pools.values()]
    async function* parts() {
      yield { do: 'list', name: 'tokens', items: [...groups].map(tokenOf) } as const
      yield { do: 'list', name: 'pairs', items: [...groups].map(pairOf) } as const
      const newPools = pools.map((pool) => ({ pool: { ...pool, state: null }, dexRow: 0 }))
      yield { do: 'write', newPools, changedPools: [], goneIds: [] } as const
    }
    await this.store.save({ chainId: 1, block: this.newest.block, extra: {} }, parts())
  }

  /** Reads the changes since the last block, on any branch. @param hasNewPools - true if pools were added */
  private read(hasNewPools: boolean): void {
    const block = this.chain.tip()
    if (!hasNewPools && this.newest?.block.hash === block.hash) return
    const state = this.chain.at(block.hash)
    const changed: Pool[] = []
    const gone: string[] = []
    for (let n = 0; n < POOLS; n++) {
      if (!this.groups.has(groupOf(n))) continue
      const [version, ticks] = [state[2 * n]!, state[2 * n + 1]!]
      const old = this.versions.get(n)
      if (version < 0) {
        if (old) gone.push(old.pool.id)
        this.versions.delete(n)
      } else if (!old || old.version !== version || old.ticks !== ticks) {
        const pool = poolAt(n, state, old)
        this.versions.set(n, { version, ticks, pool })
        changed.push(pool)
      }
    }
    const before = (this.newest?.pools as PoolMap | undefined) ?? PoolMap.empty
    const ids = [...changed.map(({ id }) => id), ...gone]
    this.newest = { chainId: 1, block, pools: before.with(changed, gone), changedIds: this.newest && ids }
    for (const listener of this.listeners) listener(this.newest)
  }
}
