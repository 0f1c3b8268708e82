/**
 * Observes block by block which tokens and pools of a chain earn trust. Does no I/O: `packages/quoting` passes each
 * snapshot and the results of token measurements (simulated swaps and transfers that reveal a tax, for example).
 *
 * A token is named if it is in the chain's file. A watched item is a token or pool that is not trusted by name. The
 * depth of a watched pool is the USD value of its named tokens. The depth of a watched token is the sum of these values
 * over the trusted pools in which it is the only unnamed token. `record.ts` contains the rules.
 */
import type { Address, Chain } from '@sluice/chains'
import { atOnce, type Steps } from '@sluice/rpc'
import { familyOf } from '../dexes/index.ts'
import { nullIfRefused, type Pool } from '../family.ts'
import type { Snapshot } from '../snapshot.ts'
import {
  hasEarned,
  isDueForMeasurement,
  recordBreach,
  recordLiquidity,
  recordMeasurement,
  standingOf,
  type TokenStanding,
  type TrustTerms,
  UNOBSERVED,
} from './record.ts'
import { isTrustedPool, namedTrust, type Trust } from './trust.ts'
import { liquidityOf, type PoolContribution, type WatchedItem } from './watched-item.ts'

/** Maximum watched tokens, and maximum watched pools. When full, the item with the least depth is evicted. */
const MAX_WATCHED = 512
/**
 * Maximum pools that contribute to a token. The first 64 pools count, even if a later pool is deeper: 64 suffice to
 * earn trust.
 */
const MAX_POOLS_OF_TOKEN = 64
/**
 * Maximum blocks between two observations. A longer gap resets the ledger, because the blocks in it were not observed.
 */
const MAX_GAP_BLOCKS = 64
/** Maximum evictions per block, because each eviction scans all items. */
const MAX_EVICTIONS = 32
/** Pools processed per block after a snapshot in which all pools may have changed. */
const BACKLOG_PER_BLOCK = 500
/** Items revalued per block, in rotation, because prices move even if pools do not change. */
const REVALUED_PER_BLOCK = 16
/**
 * Maximum relative change of a pool's price between two states without a trade, which allows for accrued interest.
 * Interest for one minute is less than a millionth.
 */
const MAX_DRIFT = 1e-5

/** Trust ledger of one chain. */
export class TrustLedger {
  /** Trust that the chain's file grants. */
  readonly named: Trust
  private trustWithEarned: Trust
  private readonly terms: TrustTerms
  private readonly itemByToken = new Map<Address, WatchedItem>()
  private readonly itemByPoolId = new Map<string, WatchedItem>()
  private lastBlock: number | null = null
  /** Rotation index of the next item that `revalue` processes. */
  private nextRevaluedIndex = 0
  /** Number of times the items were cleared: an `observeInSteps` generator that started before must stop. */
  private clearCount = 0
  /** Evictions still allowed in the current block. */
  private evictionsLeft = MAX_EVICTIONS
  /** Ids of pools that have not been processed yet. */
  private backlog: Iterator<string> | null = null
  /** Pools of the newest block that `observeInSteps` has compared with the block before. */
  private lastPools: Snapshot['pools'] = new Map()
  private usdOf: (token: Address, amount: bigint) => number = () => 0

  constructor(chain: Chain, terms: TrustTerms) {
    this.terms = terms
    this.named = namedTrust(chain)
    this.trustWithEarned = { ...this.named, level: 'earned' }
  }

  /** Trust including everything earned. Returns the same object while its content is unchanged. */
  get earned(): Trust {
    return this.trustWithEarned
  }

  /** Sets the price source. @param usdOf - USD of an amount of a named token; 0 if it has no price */
  setPriceSource(usdOf: (token: Address, amount: bigint) => number): void {
    this.usdOf = usdOf
  }

  /** Processes a block at once. */
  observe(snapshot: Snapshot): void {
    atOnce(this.observeInSteps(snapshot))
  }

  /**
   * Processes a block in steps; call it once per block, in order. The cost depends on the number of changes and of
   * watched items.
   */
  *observeInSteps({ block, pools, changedIds }: Snapshot): Steps<void> {
    const { number: blockNumber } = block
    if (this.lastBlock !== null && Math.abs(blockNumber - this.lastBlock) > MAX_GAP_BLOCKS) this.reset()
    this.lastBlock = blockNumber
    this.evictionsLeft = MAX_EVICTIONS
    // Process all pools over the next blocks. The delay does no harm, because earning trust takes many more blocks.
    if (changedIds === null) {
      this.clearItems()
      this.backlog = pools.keys()
    }
    const { clearCount } = this
    for (const id of changedIds ?? []) {
      const pool = pools.get(id)
      if (!pool) this.removePool(this.lastPools.get(id))
      else {
        this.watch(pool)
        this.checkDrift(pool)
      }
      yield
      if (this.clearCount !== clearCount) return
    }
    this.lastPools = pools
    for (const steps of [this.processBacklog(), this.revalue(), this.recordAll(blockNumber)])
      for (const _ of steps) {
        yield
        if (this.clearCount !== clearCount) return
      }
    this.updateEarnedTrust()
  }

  /** Resets all observations, and with them all earned trust. */
  reset(): void {
    this.clearItems()
    this.lastBlock = null
    this.updateEarnedTrust()
  }

  /** A watched token that is due for a measurement; undefined if there is none. */
  get tokenDueForMeasurement(): Address | undefined {
    for (const [token, { record }] of this.itemByToken) if (isDueForMeasurement(record, this.terms)) return token
    return undefined
  }

  /** Moves a token behind the other tokens that are due for a measurement, because its measurement failed. */
  postponeMeasurement(token: Address): void {
    const item = this.itemByToken.get(token)
    if (!item) return
    this.itemByToken.delete(token)
    this.itemByToken.set(token, item)
  }

  /** Records a measurement. @param fault - the fault that was measured; null for a clean report */
  reportMeasurement(token: Address, fault: string | null): void {
    const item = this.itemByToken.get(token)
    if (!item || this.lastBlock === null) return
    item.record = recordMeasurement(item.record, fault, this.lastBlock)
    this.updateEarnedTrust()
  }

  /** Records that a token or pool broke its trust. Named tokens stay named. */
  reportBreach(id: string, fault: string): void {
    const item = this.itemByToken.get(id as Address) ?? this.itemByPoolId.get(id)
    if (!item) return
    item.record = recordBreach(item.record, fault)
    this.updateEarnedTrust()
  }

  standingOfToken(token: Address): TokenStanding {
    if (this.named.tokens.has(token)) return { standing: 'named', reason: "the chain's file names it" }
    return standingOf(this.itemByToken.get(token)?.record ?? UNOBSERVED, this.terms)
  }

  get counts(): { readonly watched: number; readonly earnedTokens: number; readonly earnedPools: number } {
    const { tokens, pools } = this.trustWithEarned
    return {
      watched: this.itemByToken.size + this.itemByPoolId.size,
      earnedTokens: tokens.size - this.named.tokens.size,
      earnedPools: pools.size,
    }
  }

  private clearItems(): void {
    this.clearCount++
    this.itemByToken.clear()
    this.itemByPoolId.clear()
    this.lastPools = new Map()
    this.backlog = null
  }

  private *processBacklog(): Steps<void> {
    for (let k = 0; this.backlog !== null && k < BACKLOG_PER_BLOCK; k++) {
      const { done, value } = this.backlog.next()
      const pool = done ? undefined : this.lastPools.get(value)
      if (done) this.backlog = null
      else if (pool) this.watch(pool)
      yield
    }
  }

  /**
   * Adds a pool's contribution. An untrusted pool of named tokens contributes to itself. A trusted pool with one
   * unnamed token contributes to that token.
   */
  private watch(pool: Pool): void {
    const { named } = this
    const untrustedTokens = pool.tokens.filter((token) => !named.tokens.has(token))
    if (untrustedTokens.length === 0 && !isTrustedPool(pool, named))
      this.addContribution(this.itemByPoolId, pool.id, pool)
    // A token gets no credit for pools that are not trusted.
    if (untrustedTokens.length === 1 && pool.tokens.length > 1 && isTrustedPool(pool, named))
      this.addContribution(this.itemByToken, untrustedTokens[0]!, pool)
  }

  private addContribution<K>(watchedItems: Map<K, WatchedItem>, key: K, pool: Pool): void {
    const existingItem = watchedItems.get(key)
    if (existingItem) {
      if (existingItem.contributionByPoolId.has(pool.id) || existingItem.contributionByPoolId.size < MAX_POOLS_OF_TOKEN)
        this.revalueContribution(existingItem, pool)
      return
    }
    const isFull = watchedItems.size >= MAX_WATCHED
    if (isFull && this.evictionsLeft-- <= 0) return
    const contribution = this.contributionOf(pool)
    const { depthUsd } = contribution
    if (isFull) {
      let shallowestKey: K | undefined
      let minDepthUsd = depthUsd
      for (const [otherKey, { record }] of watchedItems)
        if (record.depthUsd < minDepthUsd) {
          shallowestKey = otherKey
          minDepthUsd = record.depthUsd
        }
      if (shallowestKey === undefined) return
      watchedItems.delete(shallowestKey)
    }
    watchedItems.set(key, {
      record: { ...UNOBSERVED, depthUsd },
      contributionByPoolId: new Map([[pool.id, contribution]]),
      liquidity: null,
    })
  }

  private removePool(pool: Pool | undefined): void {
    if (!pool) return
    this.itemByPoolId.delete(pool.id)
    for (const token of pool.tokens) {
      const item = this.itemByToken.get(token)
      if (item?.contributionByPoolId.delete(pool.id)) item.liquidity = null
    }
  }

  /** Revalues a few watched items per block, in rotation. */
  private *revalue(): Steps<void> {
    const watchedItems = [...this.itemByToken.values(), ...this.itemByPoolId.values()]
    for (let k = 0; k < Math.min(REVALUED_PER_BLOCK, watchedItems.length); k++) {
      const item = watchedItems[this.nextRevaluedIndex++ % watchedItems.length]!
      for (const id of item.contributionByPoolId.keys()) {
        const pool = this.lastPools.get(id)
        if (pool) this.revalueContribution(item, pool)
        yield
      }
    }
  }

  private revalueContribution(item: WatchedItem, pool: Pool): void {
    item.contributionByPoolId.set(pool.id, this.contributionOf(pool))
    item.liquidity = null
  }

  private *recordAll(blockNumber: number): Steps<void> {
    for (const item of this.itemByToken.values()) {
      item.record = recordLiquidity(item.record, liquidityOf(item), blockNumber, this.terms)
      yield
    }
    // Only the pool itself contributes to its depth, so the terms require one pool, with two named tokens. There is no
    // token to measure, so each due measurement counts as clean.
    const terms = { ...this.terms, pools: 1, namedTokens: 2 }
    for (const item of this.itemByPoolId.values()) {
      item.record = recordLiquidity(item.record, liquidityOf(item), blockNumber, terms)
      if (isDueForMeasurement(item.record, this.terms)) item.record = recordMeasurement(item.record, null, blockNumber)
      yield
    }
  }

  private contributionOf(pool: Pool): PoolContribution {
    const namedPartners = pool.tokens.filter((token) => this.named.tokens.has(token))
    return { depthUsd: this.depthOf(pool), namedPartners }
  }

  /** Returns the USD value of the named tokens in a pool. */
  private depthOf(pool: Pool): number {
    const reserves = familyOf(pool.family)?.reserves(pool) ?? []
    return pool.tokens.reduce(
      (sum, token, k) => sum + (this.named.tokens.has(token) ? this.usdOf(token, reserves[k] ?? 0n) : 0),
      0,
    )
  }

  /** Records a breach if a pool's quotes changed without a trade: its owner changed a price or fee. */
  private checkDrift(pool: Pool): void {
    const item = this.itemByPoolId.get(pool.id)
    const previousPool = this.lastPools.get(pool.id)
    if (!item || !previousPool || previousPool === pool) return
    const family = familyOf(pool.family)!
    // A text that changes with each trade.
    const tradeStampOf = (observedPool: Pool) =>
      family.sampled?.stampOf(observedPool) ?? family.reserves(observedPool).join()
    if (tradeStampOf(previousPool) !== tradeStampOf(pool)) return
    const curveOf = (observedPool: Pool) =>
      nullIfRefused(() => family.priceCurve(observedPool, observedPool.tokens[0]!, observedPool.tokens[1]!))
    const [curveBefore, curveAfter] = [curveOf(previousPool), curveOf(pool)]
    const marginalPrice = (curve: typeof curveBefore) =>
      curve ? curve.sqrtPrice[0]! ** 2 * curve.keepIn * curve.keepOut : 0
    if (!(Math.abs(marginalPrice(curveAfter) / marginalPrice(curveBefore) - 1) <= MAX_DRIFT))
      item.record = recordBreach(item.record, 'a price or fee that changed without a trade')
  }

  private updateEarnedTrust(): void {
    const earnedKeysOf = (items: Map<string, WatchedItem>) =>
      [...items].flatMap(([key, { record }]) => (hasEarned(record, this.terms) ? [key] : []))
    const tokens = earnedKeysOf(this.itemByToken) as Address[]
    const pools = earnedKeysOf(this.itemByPoolId)
    const isUnchanged =
      tokens.length === this.trustWithEarned.tokens.size - this.named.tokens.size &&
      pools.length === this.trustWithEarned.pools.size &&
      tokens.every((token) => this.trustWithEarned.tokens.has(token)) &&
      pools.every((id) => this.trustWithEarned.pools.has(id))
    if (isUnchanged) return
    const { accounts } = this.named
    this.trustWithEarned = {
      level: 'earned',
      tokens: new Set([...this.named.tokens, ...tokens]),
      accounts,
      pools: new Set(pools),
    }
  }
}
