/**
 * Pools and tokens of a chain, prepared for pricing, and updated with each snapshot (the pools at one block). A view is
 * the price data of one pool. Hubs are tokens with many pools. `book.ts` is the caller.
 */
import type { Address, Chain } from '@sluice/chains'
import { familyOf, type Pool, PoolMap, poolChangeSteps, type Snapshot } from '@sluice/liquidity'
import type { Steps } from '@sluice/rpc'
import { canonicalToken, hasOtherTokens, TokenGraph } from './graph.ts'
import { type DecimalsOf, HubPricer } from './hub-pricer.ts'
import { MissingBalances } from './missing-balances.ts'
import { type PoolView, viewPool } from './pool-view.ts'
import type { PricedToken } from './token.ts'
import { fixedLevelsOf, TokenLevels } from './token-levels.ts'
import { TokenPricer } from './token-pricer.ts'

/** Minimum evidence (USD liquidity behind a price) for a token to have a price. */
export const MIN_EVIDENCE_USD = 300

/** Work between two yields, in directed token pairs. A pool of n tokens counts n², so 32 are 8 pools of two tokens. */
const PAIRS_PER_SLICE = 32

type PricedMarketOptions = {
  readonly decimals: DecimalsOf
  /** Tokens with listed decimals. They and the hubs count as listed. */
  readonly tokensWithDecimals: Iterable<Address>
  readonly isUnsellable: (token: Address) => boolean
  readonly onFault: (pool: Pool, error: unknown) => void
}

/** Pools and tokens prepared for pricing. A new snapshot costs only the work of its changed pools. */
export class PricedMarket {
  readonly graph: TokenGraph
  readonly pricer = new TokenPricer(MIN_EVIDENCE_USD)
  private readonly hubPricer: HubPricer
  private readonly tokenLevels = new TokenLevels()
  private readonly missingBalances = new MissingBalances()
  private readonly onFault: PricedMarketOptions['onFault']
  /** Pools applied so far. Initially an empty `PoolMap`, so that differences between maps are found in small steps. */
  appliedPools: ReadonlyMap<string, Pool> = PoolMap.empty
  /** Hash of the last applied block. */
  private blockHash: string | undefined

  constructor(chain: Chain, { decimals, tokensWithDecimals, isUnsellable, onFault }: PricedMarketOptions) {
    const listedTokens = [...tokensWithDecimals, ...chain.hubs].map((address) => canonicalToken(address, chain))
    this.graph = new TokenGraph(chain, new Set(listedTokens), isUnsellable)
    this.hubPricer = new HubPricer(this.graph, chain, decimals)
    this.onFault = onFault
  }

  /** True if a stable has no decimals yet, so that its pools do not count. */
  get isMissingDecimals(): boolean {
    return this.hubPricer.isMissingDecimals
  }

  /**
   * Applies a snapshot.
   *
   * @param isServed - false while no snapshot was applied completely, so that nobody reads prices yet
   */
  *applySnapshot({ block, pools }: Snapshot, isServed: boolean): Steps<void> {
    if (isServed && block.hash !== this.blockHash) this.startBlock()
    this.blockHash = block.hash
    if (isServed) yield* this.applyChanges(pools)
    else yield* this.applyFirstSnapshot(pools)
    this.appliedPools = pools
    for (const token of this.graph.unsellableTokens) {
      this.applySellability(token)
      yield
    }
    this.updateHubPrices()
    yield* this.tokenLevels.assignLevels()
    this.pricer.invalidate()
  }

  /** Applies the first snapshot. Adds pools one by one, because nobody reads prices in between. */
  private *applyFirstSnapshot(pools: ReadonlyMap<string, Pool>): Steps<void> {
    const isGraphEmpty = this.appliedPools.size === 0
    let pairCount = 0
    for (const { changedPools, goneIds } of poolChangeSteps(this.appliedPools, pools)) {
      for (const pool of changedPools) {
        this.addOrUpdate(pool, this.viewOf(pool), isGraphEmpty)
        pairCount += pool.tokens.length ** 2
        if (pairCount >= PAIRS_PER_SLICE) yield
        pairCount %= PAIRS_PER_SLICE
      }
      for (const id of goneIds) this.remove(id)
    }
  }

  private *applyChanges(pools: ReadonlyMap<string, Pool>): Steps<void> {
    const updatedPools: Pool[] = []
    const views: (PoolView | null)[] = []
    const removedIds: string[] = []
    for (const { changedPools, goneIds } of poolChangeSteps(this.appliedPools, pools)) {
      for (const pool of changedPools) {
        updatedPools.push(pool)
        views.push(this.viewOf(pool))
        yield
      }
      removedIds.push(...goneIds)
    }
    // All views are computed at this point, so that the updates usually fit in one slice.
    for (const [k, pool] of updatedPools.entries()) {
      this.addOrUpdate(pool, views[k]!)
      yield
    }
    for (const id of removedIds) {
      this.remove(id)
      yield
    }
  }

  /** Starts a new block: the rates to which pools jumped in the last block now count. */
  startBlock(): void {
    for (const pricedPool of this.graph.startBlock()) {
      this.hubPricer.startBlock(pricedPool)
      this.tokenLevels.enqueuePool(pricedPool)
      this.pricer.invalidate()
    }
  }

  /** Updates the prices of hubs and stables, from which all other prices derive. @returns true if a price changed */
  updateHubPrices(): boolean {
    const prices = this.hubPricer.updatePrices(MIN_EVIDENCE_USD)
    if (!prices) return false
    this.tokenLevels.setFixedLevels(fixedLevelsOf(prices))
    this.pricer.invalidate(prices)
    return true
  }

  /** Updates whether a token can be sold. @returns true if that changed */
  applySellability(token: PricedToken): boolean {
    if (!this.graph.updateSellability(token)) return false
    this.tokenLevels.enqueueToken(token)
    this.pricer.invalidate()
    return true
  }

  /**
   * Records the amounts that a pool counts in its curve or reserves, but does not hold. `refreshPool` applies them.
   *
   * @param amounts - missing base units of each token, in the order of the pool's tokens
   * @returns true if the report differs from the last one
   */
  setMissing(id: string, amounts: readonly number[]): boolean {
    return this.missingBalances.set(id, amounts)
  }

  /** Computes the view of a pool again, after its missing balances changed. */
  refreshPool(id: string): void {
    const pricedPool = this.graph.findPool(id)
    const view = pricedPool && this.viewOf(pricedPool.pool)
    if (!view) return
    this.graph.correct(pricedPool, view)
    this.hubPricer.addOrUpdate(pricedPool, false)
    this.tokenLevels.enqueuePool(pricedPool)
    this.pricer.invalidate()
  }

  private addOrUpdate(pool: Pool, viewOrNull: PoolView | null, isNew = false): void {
    const existingPool = isNew ? undefined : this.graph.findPool(pool.id)
    const hasSameTokens = existingPool !== undefined && viewOrNull !== null && !hasOtherTokens(existingPool.pool, pool)
    if (existingPool && !hasSameTokens) this.remove(pool.id)
    if (viewOrNull === null) return
    const pricedPool = this.graph.addOrUpdate(pool, viewOrNull, hasSameTokens ? existingPool : undefined)
    this.hubPricer.addOrUpdate(pricedPool, !hasSameTokens)
    this.tokenLevels.enqueuePool(pricedPool)
    this.pricer.invalidate()
  }

  private remove(id: string): void {
    const pricedPool = this.graph.remove(id)
    if (!pricedPool) return
    this.hubPricer.remove(pricedPool)
    this.tokenLevels.enqueuePool(pricedPool)
    this.pricer.invalidate()
  }

  private viewOf(pool: Pool): PoolView | null {
    // The native token and the wrapped native token are one token in this package.
    if (familyOf(pool.family)?.wrapsNative) return null
    try {
      const view = viewPool(pool)
      return view && this.missingBalances.applyTo(pool.id, view)
    } catch (error) {
      this.onFault(pool, error)
      return null
    }
  }
}
