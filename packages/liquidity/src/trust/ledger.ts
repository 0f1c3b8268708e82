/** Observes block by block which tokens and pools of a chain earn trust. Does no I/O. */
import type { Address, Chain } from '@sluice/chains'
import { atOnce, type Steps } from '@sluice/rpc'
import { familyOf } from '../dexes/index.ts'
import { orRefused, type Pool } from '../family.ts'
import type { Snapshot } from '../snapshot.ts'
import {
  brokenRecord,
  hasEarned,
  isDueForReport,
  recordLiquidity,
  recordMeasurement,
  type Standing,
  standingOf,
  type Terms,
  UNOBSERVED,
} from './record.ts'
import { isTrustedPool, namedTrust, type Trust } from './trust.ts'
import { liquidityOf, type PoolContribution, type WatchedItem } from './watched-item.ts'

/** Maximum watched tokens, and maximum watched pools. When full, the entry with the least depth is evicted. */
const MAX_WATCHED = 512
/** Maximum pools that count for a token. They need not include its deepest pool; this many suffice to earn trust. */
const MAX_POOLS_OF_TOKEN = 64
/**
 * Maximum blocks between two observations. A longer gap resets the ledger, because the blocks in it were not observed.
 */
const MAX_GAP = 64
/** Maximum evictions per block: each one scans all entries. */
const MAX_EVICTIONS = 32
/** Pools processed per block after a snapshot in which all pools may have changed. */
const BACKLOG_PER_BLOCK = 500
/** Entries revalued per block, in rotation, because prices move even if pools do not. */
const VALUED_PER_BLOCK = 16
/** Maximum relative price move without a trade; one minute of interest is less than a millionth. */
const MAX_DRIFT = 1e-5

/** Trust ledger of one chain. */
export class TrustLedger {
  readonly named: Trust
  private current: Trust
  private readonly terms: Terms
  private readonly tokens = new Map<Address, WatchedItem>()
  private readonly pools = new Map<string, WatchedItem>()
  private block: number | null = null
  private nextIndex = 0
  /** Number of resets: an `observeInSteps` generator that started before a reset must stop. */
  private resets = 0
  private evictions = MAX_EVICTIONS
  /** Ids of pools that have not been processed yet. */
  private backlog: Iterator<string> | null = null
  private knownPools: Snapshot['pools'] = new Map()
  private usd: (token: Address, amount: bigint) => number = () => 0

  constructor(chain: Chain, terms: Terms) {
    this.terms = terms
    this.named = namedTrust(chain)
    this.current = { ...this.named, level: 'earned' }
  }

  /** Trust including everything earned. The same object as long as its content is unchanged. */
  get earned(): Trust {
    return this.current
  }

  /** Sets the price source. @param usd - USD of an amount of a named token; 0 if it has no price */
  setPriceSource(usd: (token: Address, amount: bigint) => number): void {
    this.usd = usd
  }

  /** Processes a block at once. */
  observe(snapshot: Snapshot): void {
    atOnce(this.observeInSteps(snapshot))
  }

  /**
   * Processes a block in steps; call it once per block, in order. The cost depends on the number of changes and of
   * watched entries.
   */
  *observeInSteps({ block, pools, changedIds }: Snapshot): Steps<void> {
    const { number } = block
    if (this.block !== null && Math.abs(number - this.block) > MAX_GAP) this.forget()
    this.block = number
    this.evictions = MAX_EVICTIONS
    // Process all pools over the next blocks; earning trust takes longer than that.
    if (changedIds === null) {
      this.forgetSeenPools()
      this.backlog = pools.keys()
    }
    const { resets } = this
    for (const id of changedIds ?? []) {
      const pool = pools.get(id)
      if (!pool) this.drop(this.knownPools.get(id))
      else {
        this.watch(pool)
        this.checkDrift(pool)
      }
      yield
      if (this.resets !== resets) return
    }
    this.knownPools = pools
    for (const step of [this.processBacklog(), this.revalue(), this.observeAll(number)])
      for (const _ of step) {
        yield
        if (this.resets !== resets) return
      }
    this.promote()
  }

  /** Resets all observations, and with them all earned trust. */
  forget(): void {
    this.forgetSeenPools()
    this.block = null
    this.promote()
  }

  /** A watched token that is due for a measurement; undefined if there is none. */
  get due(): Address | undefined {
    for (const [token, { record }] of this.tokens) if (isDueForReport(record, this.terms)) return token
    return undefined
  }

  /** Records a measurement. @param fault - the fault that was measured; null for a clean report */
  report(token: Address, fault: string | null): void {
    const item = this.tokens.get(token)
    if (!item || this.block === null) return
    item.record = recordMeasurement(item.record, fault, this.block)
    this.promote()
  }

  /** Records that a token or pool broke its trust. Named tokens stay named. */
  breach(id: string, fault: string): void {
    const item = this.tokens.get(id as Address) ?? this.pools.get(id)
    if (!item) return
    item.record = brokenRecord(item.record, fault)
    this.promote()
  }

  /** Returns the trust level of a token. */
  standingOfToken(token: Address): Standing {
    if (this.named.tokens.has(token)) return { standing: 'named', reason: "the chain's file names it" }
    return standingOf(this.tokens.get(token)?.record ?? UNOBSERVED, this.terms)
  }

  get counts(): { readonly watched: number; readonly earnedTokens: number; readonly earnedPools: number } {
    const { tokens, pools } = this.current
    return {
      watched: this.tokens.size + this.pools.size,
      earnedTokens: tokens.size - this.named.tokens.size,
      earnedPools: pools.size,
    }
  }

  private forgetSeenPools(): void {
    this.resets++
    this.tokens.clear()
    this.pools.clear()
    this.knownPools = new Map()
    this.backlog = null
  }

  private *processBacklog(): Steps<void> {
    for (let k = 0; this.backlog !== null && k < BACKLOG_PER_BLOCK; k++) {
      const { done, value } = this.backlog.next()
      const pool = done ? undefined : this.knownPools.get(value)
      if (done) this.backlog = null
      else if (pool) this.watch(pool)
      yield
    }
  }

  private watch(pool: Pool): void {
    const { named } = this
    const untrustedTokens = pool.tokens.filter((token) => !named.tokens.has(token))
    if (untrustedTokens.length === 0 && !isTrustedPool(pool, named)) this.admit(this.pools, pool.id, pool)
    // A token gets no credit for pools that are not trusted.
    if (untrustedTokens.length === 1 && pool.tokens.length > 1 && isTrustedPool(pool, named))
      this.admit(this.tokens, untrustedTokens[0]!, pool)
  }

  private admit<K>(watchedItems: Map<K, WatchedItem>, key: K, pool: Pool): void {
    const existingItem = watchedItems.get(key)
    if (existingItem) {
      if (existingItem.pools.has(pool.id) || existingItem.pools.size < MAX_POOLS_OF_TOKEN)
        this.value(existingItem, pool)
      return
    }
    const isFull = watchedItems.size >= MAX_WATCHED
    if (isFull && this.evictions-- <= 0) return
    const contribution = this.contributionOf(pool)
    const { depthUsd } = contribution
    if (isFull) {
      let shallowest: K | undefined
      let depth = depthUsd
      for (const [otherKey, { record }] of watchedItems)
        if (record.depthUsd < depth) {
          shallowest = otherKey
          depth = record.depthUsd
        }
      if (shallowest === undefined) return
      watchedItems.delete(shallowest)
    }
    watchedItems.set(key, {
      record: { ...UNOBSERVED, depthUsd },
      pools: new Map([[pool.id, contribution]]),
      liquidity: null,
    })
  }

  private drop(pool: Pool | undefined): void {
    if (!pool) return
    this.pools.delete(pool.id)
    for (const token of pool.tokens) {
      const item = this.tokens.get(token)
      if (item?.pools.delete(pool.id)) item.liquidity = null
    }
  }

  /** Revalues a few entries per block, in rotation. */
  private *revalue(): Steps<void> {
    const watchedItems = [...this.tokens.values(), ...this.pools.values()]
    for (let k = 0; k < Math.min(VALUED_PER_BLOCK, watchedItems.length); k++) {
      const item = watchedItems[this.nextIndex++ % watchedItems.length]!
      for (const id of item.pools.keys()) {
        const pool = this.knownPools.get(id)
        if (pool) this.value(item, pool)
        yield
      }
    }
  }

  private value(item: WatchedItem, pool: Pool): void {
    item.pools.set(pool.id, this.contributionOf(pool))
    item.liquidity = null
  }

  private *observeAll(number: number): Steps<void> {
    for (const item of this.tokens.values()) {
      item.record = recordLiquidity(item.record, liquidityOf(item), number, this.terms)
      yield
    }
    // A pool earns trust only for itself, by its own trades: there is no token to measure.
    const terms = { ...this.terms, pools: 1, namedTokens: 2 }
    for (const item of this.pools.values()) {
      item.record = recordLiquidity(item.record, liquidityOf(item), number, terms)
      if (isDueForReport(item.record, this.terms)) item.record = recordMeasurement(item.record, null, number)
      yield
    }
  }

  private contributionOf(pool: Pool): PoolContribution {
    const partners = pool.tokens.filter((token) => this.named.tokens.has(token))
    return { depthUsd: this.depthOf(pool), partners }
  }

  /** Returns the USD value of the named tokens in a pool. */
  private depthOf(pool: Pool): number {
    const reserves = familyOf(pool.family)?.reserves(pool) ?? []
    return pool.tokens.reduce(
      (sum, token, k) => sum + (this.named.tokens.has(token) ? this.usd(token, reserves[k] ?? 0n) : 0),
      0,
    )
  }

  /** Records a breach if a pool's quotes changed without a trade, because its owner changed a price or fee. */
  private checkDrift(pool: Pool): void {
    const item = this.pools.get(pool.id)
    const before = this.knownPools.get(pool.id)
    if (!item || !before || before === pool) return
    const family = familyOf(pool.family)!
    const traceOf = (observedPool: Pool) =>
      family.sampled?.stampOf(observedPool) ?? family.reserves(observedPool).join()
    if (traceOf(before) !== traceOf(pool)) return
    const firstCurve = (observedPool: Pool) =>
      orRefused(() => family.priceCurve(observedPool, observedPool.tokens[0]!, observedPool.tokens[1]!))
    const [curveBefore, curveAfter] = [firstCurve(before), firstCurve(pool)]
    const marginalPrice = (curve: typeof curveBefore) =>
      curve ? curve.sqrtPrice[0]! ** 2 * curve.keepIn * curve.keepOut : 0
    if (!(Math.abs(marginalPrice(curveAfter) / marginalPrice(curveBefore) - 1) <= MAX_DRIFT))
      item.record = brokenRecord(item.record, 'a price or fee set anew without a trade')
  }

  private promote(): void {
    const earnedFrom = (items: Map<string, WatchedItem>) =>
      [...items].flatMap(([key, { record }]) => (hasEarned(record, this.terms) ? [key] : []))
    const tokens = earnedFrom(this.tokens) as Address[]
    const pools = earnedFrom(this.pools)
    const isUnchanged =
      tokens.length === this.current.tokens.size - this.named.tokens.size &&
      pools.length === this.current.pools.size &&
      tokens.every((token) => this.current.tokens.has(token)) &&
      pools.every((id) => this.current.pools.has(id))
    if (isUnchanged) return
    const { accounts } = this.named
    this.current = {
      level: 'earned',
      tokens: new Set([...this.named.tokens, ...tokens]),
      accounts,
      pools: new Set(pools),
    }
  }
}
