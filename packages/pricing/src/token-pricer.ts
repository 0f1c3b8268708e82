/** Computes token prices on request and caches them until a pool changes. */

import type { Pool } from '@sluice/liquidity'
import { weightedMedian } from './median.ts'
import { EDGE_FIELDS, type EdgeRate, type PricedToken, type PriceEdge, stableRate, type TokenPrice } from './token.ts'

/** Price observation of one pool: `value` in USD per base unit, `weight` in USD of liquidity behind it. */
export type PriceObservation = { readonly pool: Pool; readonly value: number; readonly weight: number }

const valueBuffer: number[] = []
const weightBuffer: number[] = []

/** Lazy price computation over the token graph. */
export class TokenPricer {
  /** Prices of hubs and stables, in the order of computation: a price may depend only on earlier prices. */
  private hubPriceByToken: ReadonlyMap<PricedToken, TokenPrice> = new Map()
  private readonly minWeightUsd: number
  private currentVersion = 0

  /** @param floor - USD liquidity below which a pool is ignored */
  constructor(floor: number) {
    this.minWeightUsd = floor
  }

  /**
   * Invalidates cached prices.
   *
   * @param hubPriceByToken - prices of hubs and stables
   */
  invalidate(hubPrices = this.hubPriceByToken): void {
    this.hubPriceByToken = hubPrices
    this.currentVersion++
  }

  /** Caches whether a token's market is deep enough, until a pool changes. */
  cachedIsDeep(token: PricedToken, computeIsDeep: (token: PricedToken) => boolean): boolean {
    if (token.deepVersion !== this.currentVersion) {
      token.isDeep = computeIsDeep(token)
      token.deepVersion = this.currentVersion
    }
    return token.isDeep
  }

  /**
   * Updates `price` and `evidence` of a token. They are NaN and 0 if the token has no price.
   *
   * A pool prices a token only through another token with a higher `finalLevel`. The weight of the pool is the USD value
   * of the other token in the pool, at most the evidence of the other token. So worthless pools of any claimed size give
   * no price, and no price has more evidence than the prices from which it is derived.
   *
   * Pools with a price jump count with their rate of the previous block, as long as another pool without a jump prices
   * the token.
   */
  updatePrice(token: PricedToken): PricedToken {
    if (token.priceVersion === this.currentVersion) return token
    token.priceVersion = this.currentVersion
    token.priceBeforeJump = undefined
    token.bestEdgeIndex = -1
    // Only listed tokens can be hubs or stables, and most tokens are not listed.
    const hubPrice = token.isListed ? this.hubPriceByToken.get(token) : undefined
    token.price = hubPrice?.price ?? Number.NaN
    token.evidence = hubPrice?.evidence ?? 0
    if (hubPrice || token.finalLevel === 0) return token
    const { otherTokens, finalLevel } = token
    for (let k = 0; k < otherTokens.length; k++) {
      const otherToken = otherTokens[k]!
      if (otherToken.finalLevel > finalLevel && otherToken.priceVersion !== this.currentVersion)
        this.updatePrice(otherToken)
    }
    // All tokens of higher levels have prices now; there is no recursion past this point.
    if (this.collectCurrentObservations(token)) return setPrice(token, weightedPrice())
    const priceWithJumps = weightedPrice()
    this.collectStableObservations(token)
    const priceWithoutJumps = weightedPrice()
    if (this.hasStableAlternative(token)) return setPrice(token, priceWithoutJumps)
    token.priceBeforeJump = priceWithoutJumps
    return setPrice(token, priceWithJumps)
  }

  /** True if the cached price is valid. */
  isUpToDate(token: PricedToken): boolean {
    return token.priceVersion === this.currentVersion
  }

  /**
   * Returns the price observations of the pools of a token with a price. Hubs and stables use only each other's pools.
   */
  observationsOf(token: PricedToken): readonly PriceObservation[] {
    this.updatePrice(token)
    const isHubOrStable = this.hubPriceByToken.has(token)
    const usableTokens = isHubOrStable ? this.tokensPricedEarlier(token) : undefined
    const view = isHubOrStable || this.hasStableAlternative(token) ? stableView : currentView
    const observations: PriceObservation[] = []
    for (const edge of token.edges) {
      const { otherToken, pricedPool } = edge
      if (usableTokens ? !usableTokens.has(otherToken) : otherToken.finalLevel <= token.finalLevel) continue
      this.updatePrice(otherToken)
      const { rate, backing } = view.rateOf(edge)
      const { price, evidence } = view.priceOf(otherToken)
      const weight = Math.min(backing * price, evidence)
      if (weight >= this.minWeightUsd) observations.push({ pool: pricedPool.pool, value: price * rate, weight })
    }
    return observations
  }

  private tokensPricedEarlier(token: PricedToken): ReadonlySet<PricedToken> {
    const priceOrder = [...this.hubPriceByToken.keys()]
    const isAnchor = this.hubPriceByToken.get(token)!.evidence === Number.POSITIVE_INFINITY
    return new Set(isAnchor ? priceOrder : priceOrder.slice(0, priceOrder.indexOf(token)))
  }

  /**
   * Collects the current observations of a token in `values` and `weights`.
   *
   * @returns false if any of them has a price jump
   */
  private collectCurrentObservations(token: PricedToken): boolean {
    valueBuffer.length = 0
    weightBuffer.length = 0
    const { edges, otherTokens, edgeData, finalLevel, jumpedEdgeCount } = token
    let hasNoJumps = true
    let bestWeight = 0
    for (let k = 0; k < otherTokens.length; k++) {
      const otherToken = otherTokens[k]!
      if (otherToken.finalLevel <= finalLevel) continue
      if (otherToken.priceBeforeJump !== undefined || (jumpedEdgeCount > 0 && edges[k]!.rateBeforeJump !== undefined))
        hasNoJumps = false
      const { price } = otherToken
      const weight = Math.min(edgeData[EDGE_FIELDS * k + 1]! * price, otherToken.evidence)
      if (!(weight >= this.minWeightUsd)) continue
      valueBuffer.push(price * edgeData[EDGE_FIELDS * k]!)
      weightBuffer.push(weight)
      if (weight <= bestWeight) continue
      bestWeight = weight
      token.bestEdgeIndex = k
    }
    return hasNoJumps
  }

  /** Collects the observations of a token; a pool with a price jump counts with its rate of the previous block. */
  private collectStableObservations(token: PricedToken): void {
    valueBuffer.length = 0
    weightBuffer.length = 0
    for (const edge of token.edges) {
      const { otherToken } = edge
      if (otherToken.finalLevel <= token.finalLevel) continue
      const { rate, backing } = stableView.rateOf(edge)
      const { price, evidence } = stableView.priceOf(otherToken)
      const weight = Math.min(backing * price, evidence)
      if (!(weight >= this.minWeightUsd)) continue
      valueBuffer.push(price * rate)
      weightBuffer.push(weight)
    }
  }

  /** True if some observations jumped and at least one other did not. */
  private hasStableAlternative(token: PricedToken): boolean {
    let hasJump = false
    let hasStable = false
    for (const edge of token.edges) {
      const { otherToken, backing } = edge
      if (otherToken.finalLevel <= token.finalLevel) continue
      if (edge.rateBeforeJump !== undefined || otherToken.priceBeforeJump !== undefined) hasJump = true
      else if (Math.min(backing * otherToken.price, otherToken.evidence) >= this.minWeightUsd) hasStable = true
    }
    return hasJump && hasStable
  }
}

/** Rates of pools and prices of tokens at a point in time. */
type PriceView = {
  readonly rateOf: (edge: PriceEdge) => EdgeRate
  readonly priceOf: (token: PricedToken) => TokenPrice
}

const currentView: PriceView = { rateOf: (edge) => edge, priceOf: (token) => token }
const stableView: PriceView = { rateOf: stableRate, priceOf: (token) => token.priceBeforeJump ?? token }

function setPrice(token: PricedToken, { price, evidence }: TokenPrice): PricedToken {
  token.price = price
  token.evidence = evidence
  return token
}

function weightedPrice(): TokenPrice {
  let evidence = 0
  for (const weight of weightBuffer) if (weight > evidence) evidence = weight
  return { price: weightedMedian(valueBuffer, weightBuffer), evidence }
}
