/**
 * USD prices and market depth of a chain's tokens. A snapshot is the state of all pools at one block. `Prices` is
 * updated with each new snapshot, and `priceTokens` prices a single snapshot.
 *
 * Terms: Hubs are the tokens of the chain's file with many pools, and stables are its dollar tokens. The prices of all
 * tokens derive from the stables that keep their peg (anchors). The evidence of a price is the USD liquidity behind it.
 */
import type { Address, Chain } from '@sluice/chains'
import type { Pool, Snapshot } from '@sluice/liquidity'
import { atOnce, inSlices, type Steps } from '@sluice/rpc'
import { depthOf, isAsDeepAs } from './depth.ts'
import { detailOf, noPrice, noPriceReason, type PriceDetail } from './detail.ts'
import type { DecimalsOf } from './hub-pricer.ts'
import { type DepthPoint, IMPACT_LEVELS, sellDepth } from './impact.ts'
import { listedDecimals, pricedTokenOf } from './listed-tokens.ts'
import { MIN_EVIDENCE_USD, PricedMarket } from './priced-market.ts'
import { observationOf, type RedemptionPrice, type RedemptionReadings, SharePricer } from './shares.ts'
import type { PricedToken, TokenPrice } from './token.ts'
import { MAX_INTERMEDIATES } from './token-pricer.ts'

/**
 * USD prices of a chain's tokens. An unknown price is null, never 0 and never an estimate. NATIVE has the price of the
 * wrapped native token.
 */
export interface PriceBook {
  /** Returns the USD price of one whole token; null if the price or the decimals are unknown. */
  usd(token: Address): number | null
  /** Returns the price with its sources and confidence, or the reason why there is none. */
  detail(token: Address): Promise<PriceDetail>
  /** Returns the USD liquidity of all pools that hold the token, including the other tokens in these pools. */
  depthUsd(token: Address): Promise<number | null>
  /** Returns the USD amounts of the token that can be sold at 0.5, 1, 2, 5, and 10 % price impact. */
  depthCurve(token: Address): Promise<readonly DepthPoint[] | null>
}

/** Options of a price book. */
export type PricingOptions = {
  /** Returns decimals of tokens, which override the chain's file. Unknown decimals may become known later. */
  readonly decimals?: DecimalsOf
  /**
   * True for tokens that cannot be sold: they have no price, and price no other token. Listed tokens always count as
   * sellable. After a change to true, call `Prices.updateSellability`; a change to false is found in the next block.
   */
  readonly isUnsellable?: (token: Address) => boolean
  /** Redemption readings of share tokens, such as vault shares and LP tokens. */
  readonly redemptions?: RedemptionReadings
  /** Called when the price computation of a pool throws an unexpected error; the pool is then ignored. */
  readonly onFault?: (pool: Pool, error: unknown) => void
}

/** Prices the tokens of one snapshot. */
export function priceTokens(snapshot: Snapshot, chain: Chain, options: PricingOptions = {}): PriceBook {
  const prices = new Prices(chain, options)
  prices.applyNow(snapshot)
  return prices
}

/**
 * USD prices and depth, anchored at the chain's stables. A new snapshot costs only the work of its changed pools;
 * prices are computed on request. Except for price jumps of the last block, results do not depend on earlier snapshots:
 * a new instance computes the same results bit for bit.
 */
export class Prices implements PriceBook {
  private readonly chain: Chain
  private readonly decimals: DecimalsOf
  private readonly market: PricedMarket
  private readonly sharePricer: SharePricer | undefined
  /** Ids of pools whose missing balances were reported while a snapshot was being applied. */
  private readonly poolIdsToRefresh = new Set<string>()
  private newestSnapshot: Snapshot | undefined
  private pendingFollow: Promise<void> = Promise.resolve()
  private isApplying = false
  /** False until the first snapshot is fully applied; until then no token has a price. */
  private isReady = false

  constructor(chain: Chain, options: PricingOptions = {}) {
    const { decimals, isUnsellable = () => false, redemptions, onFault = () => {} } = options
    const decimalsByToken = listedDecimals(chain)
    this.chain = chain
    this.decimals = (token) => decimals?.(token) ?? decimalsByToken.get(token)
    this.market = new PricedMarket(chain, {
      decimals: this.decimals,
      tokensWithDecimals: decimalsByToken.keys(),
      isUnsellable,
      onFault,
    })
    const { graph, pricer } = this.market
    const sharePricerOptions = {
      chain,
      graph,
      pricer,
      decimals: this.decimals,
      isUnsellable,
      findPriced: (address: Address) => this.findPricedToken(address),
    }
    this.sharePricer =
      redemptions && new SharePricer({ ...sharePricerOptions, redemptions, minEvidenceUsd: MIN_EVIDENCE_USD })
  }

  /** True if the newest snapshot is applied. While the first snapshot is being applied, all prices are null. */
  get isCurrent(): boolean {
    return this.isReady && !this.isApplying
  }

  /**
   * False if a pool's price jumped in the last block. Prices may then change without a new snapshot: see `acceptJumps`.
   */
  get hasNoPendingJumps(): boolean {
    return this.market.graph.hasNoJumps
  }

  /** Resolves when the newest snapshot is applied. */
  async whenCurrent(): Promise<void> {
    await this.pendingFollow
  }

  /**
   * Applies a snapshot in time slices. The first slice runs synchronously, so a block with few changes is applied on
   * return. Resolves when this snapshot, or a newer one that was passed in the meantime, is applied.
   */
  follow(snapshot: Snapshot): Promise<void> {
    this.newestSnapshot = snapshot
    if (!this.isApplying) this.pendingFollow = inSlices('prices', this.applyNewest())
    return this.pendingFollow
  }

  /** Applies a snapshot synchronously. Must not be called while `follow` is running. */
  applyNow(snapshot: Snapshot): void {
    this.newestSnapshot = snapshot
    atOnce(this.applyNewest())
  }

  /** Accepts the price jumps of the last block, as the next block would. Called if no block arrives for a long time. */
  async acceptJumps(): Promise<void> {
    const { newestSnapshot } = this
    await this.pendingFollow
    if (!this.isReady || this.isApplying || newestSnapshot !== this.newestSnapshot) return
    this.market.startBlock()
    await this.follow(this.newestSnapshot!)
  }

  usd(address: Address): number | null {
    const price = this.priceOf(address)
    const decimals = price && this.decimals(pricedTokenOf(address, this.chain))
    return decimals === undefined ? null : price!.price * 10 ** decimals
  }

  async detail(address: Address): Promise<PriceDetail> {
    if (!this.isReady) return noPrice('pending')
    const token = this.findPricedToken(address)
    const decimals = this.decimals(pricedTokenOf(address, this.chain))
    const price = this.priceOf(address)
    if (price && decimals !== undefined) {
      const redemption = this.redemptionPrice(address)
      const observations = [
        ...(token ? this.market.pricer.observationsOf(token) : []),
        ...(redemption ? [observationOf(redemption)] : []),
      ]
      return detailOf(price, observations, 10 ** decimals, (await this.depthUsd(address)) ?? 0)
    }
    const knownToken = token ?? this.market.graph.findToken(pricedTokenOf(address, this.chain))
    if (!knownToken) return noPrice(this.sharePricer?.isShare(address) ? 'below-floor' : 'unknown')
    if (knownToken.isUnsellable) return noPrice('unsellable')
    return noPrice(decimals === undefined ? 'no-decimals' : noPriceReason(knownToken))
  }

  async depthUsd(address: Address): Promise<number | null> {
    const [token, redemption] = [this.findPricedToken(address), this.redemptionPrice(address)]
    if (!token) return redemption?.redeemableUsd ?? null
    return (await inSlices('depth', depthOf(token, this.market.pricer))) + (redemption?.redeemableUsd ?? 0)
  }

  async depthCurve(address: Address): Promise<readonly DepthPoint[] | null> {
    const [token, redemption] = [this.findPricedToken(address), this.redemptionPrice(address)]
    if (!token) return redemption ? IMPACT_LEVELS.map((impact) => ({ impact, usd: redemption.redeemableUsd })) : null
    const points = await inSlices('depth', sellDepth(token, this.market.pricer))
    return redemption ? points.map(({ impact, usd }) => ({ impact, usd: usd + redemption.redeemableUsd })) : points
  }

  /** True if the token cannot be sold, as of the last update. */
  isUnsellable(address: Address): boolean {
    return this.market.graph.findToken(address)?.isUnsellable ?? false
  }

  /** Applies a change of `isUnsellable` for one token. Resolves when all prices that depend on the token are updated. */
  async updateSellability(address: Address): Promise<void> {
    const token = this.market.graph.findToken(address)
    if (!token || !this.market.applySellability(token) || !this.isReady) return
    await (this.isApplying ? this.pendingFollow : this.follow(this.newestSnapshot!))
  }

  /**
   * Returns the unlisted tokens on which the price of a token depends, the nearest first. A token depends on the tokens
   * that decide its price (`TokenPricer.decidingTokens`), and on their dependencies. A share also depends on its
   * components. The price is wrong if one of the returned tokens cannot be sold.
   *
   * @returns null if there are more than `MAX_INTERMEDIATES`
   */
  intermediatesOf(address: Address): readonly Address[] | null {
    const token = pricedTokenOf(address, this.chain)
    const visitedTokens = new Set([token])
    // The loop also visits the tokens that it adds.
    for (const visitedToken of visitedTokens) {
      for (const dependency of this.dependenciesOf(visitedToken)) visitedTokens.add(dependency)
      if (visitedTokens.size > 1 + MAX_INTERMEDIATES) return null
    }
    visitedTokens.delete(token)
    return [...visitedTokens]
  }

  /** True if the price of a token depends only on listed tokens. Ignores unsellable tokens, which price no token. */
  isPricedByListedTokens(address: Address): boolean {
    return this.intermediatesOf(address)?.every((token) => this.isUnsellable(token)) ?? false
  }

  private dependenciesOf(address: Address): readonly Address[] {
    const token = this.market.graph.tokens.get(address)
    const decidingTokens = token ? this.market.pricer.decidingTokens(token) : []
    const components = this.sharePricer?.componentsOf(address) ?? []
    return [
      ...decidingTokens.map((decidingToken) => decidingToken.address),
      ...components.filter((component) => !this.market.graph.isListed(component)),
    ]
  }

  /**
   * Returns the pools that decide the price of an unlisted token (`TokenPricer.decidingPools`). For an unsellable
   * token, returns the pools that would decide its price.
   */
  decidingPoolsOf(address: Address): readonly Pool[] {
    const token = this.isReady ? this.market.graph.findToken(address) : undefined
    return token ? this.market.pricer.decidingPools(token) : []
  }

  /** Returns the pools that hold a token. */
  poolsOf(address: Address): readonly Pool[] {
    return this.market.graph.findToken(address)?.pricedPools.map(({ pool }) => pool) ?? []
  }

  /** Returns an account that holds the token: the address of one of its pools. */
  holderOf(address: Address): Address | undefined {
    return this.market.graph.findToken(address)?.pricedPools[0]?.pool.address
  }

  /**
   * Records the amounts that a pool counts in its curve or reserves, but does not hold. Until the next report, the pool
   * counts only with the amounts that it can pay.
   *
   * @param amounts - missing base units of each token, in the order of the pool's tokens
   * @returns true if the report differs from the last one
   */
  setMissing(id: string, amounts: readonly number[]): boolean {
    if (!this.market.setMissing(id, amounts)) return false
    this.refreshPoolWhenIdle(id)
    return true
  }

  private refreshPoolWhenIdle(id: string): void {
    if (this.isApplying) this.poolIdsToRefresh.add(id)
    else this.market.refreshPool(id)
  }

  /**
   * Returns the price of a token from its pools, and for a share also from its redemption value; undefined if unknown.
   */
  private priceOf(address: Address): TokenPrice | undefined {
    const [token, redemption] = [this.findPricedToken(address), this.redemptionPrice(address)]
    return redemption
      ? this.sharePricer!.combine(redemption, token ? this.market.pricer.observationsOf(token) : [])
      : token
  }

  private redemptionPrice(address: Address): RedemptionPrice | undefined {
    return this.isReady ? this.sharePricer?.redemptionPrice(address) : undefined
  }

  private readonly hasMinDepthUsd = (token: PricedToken) => isAsDeepAs(token, this.market.pricer, MIN_EVIDENCE_USD)

  /** Returns the token if it has a price. */
  private findPricedToken(address: Address): PricedToken | undefined {
    if (!this.isReady) return undefined
    // Decimals of a stable may have become known since the last block.
    if (this.market.isMissingDecimals && this.market.updateHubPrices() && !this.isApplying)
      void this.follow(this.newestSnapshot!)
    const token = this.market.graph.tokens.get(pricedTokenOf(address, this.chain))
    if (!token || !(this.market.pricer.updatePrice(token).price > 0)) return undefined
    return this.market.pricer.cachedIsDeep(token, this.hasMinDepthUsd) ? token : undefined
  }

  private *applyNewest(): Steps<void> {
    this.isApplying = true
    try {
      do yield* this.market.applySnapshot(this.newestSnapshot!, this.isReady)
      while (this.market.appliedPools !== this.newestSnapshot!.pools)
      this.isReady = true
      for (const id of this.poolIdsToRefresh) this.market.refreshPool(id)
      this.poolIdsToRefresh.clear()
    } finally {
      this.isApplying = false
    }
  }
}
