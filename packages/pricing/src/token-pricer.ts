/** Computes token prices on request and caches them until a pool changes. */

import type { Pool } from '@sluice/liquidity'
import { weightedMedian } from './median.ts'
import { EDGE_FIELDS, type EdgeRate, type PricedToken, type PriceEdge, stableRate, type TokenPrice } from './token.ts'

/** Price observation of one pool: `value` in USD per base unit, `weight` in USD of liquidity behind it. */
export type PriceObservation = { readonly pool: Pool; readonly value: number; readonly weight: number }

const values: number[] = []
const weights: number[] = []

/** Lazy price computation over the token graph. */
export class TokenPricer {
  /** Prices of hubs and stables, in the order in which they were computed: each may use those before it. */
  private hubPrices: ReadonlyMap<PricedToken, TokenPrice> = new Map()
  private readonly floor: number
  private version = 0

  /** @param floor - USD liquidity below which a pool is ignored */
  constructor(floor: number) {
    this.floor = floor
  }

  /**
   * Invalidates cached prices.
   *
   * @param hubPrices - prices of hubs and stables
   */
  invalidate(hubPrices = this.hubPrices): void {
    this.hubPrices = hubPrices
    this.version++
  }

  /** Caches whether a token's market is deep enough, until a pool changes. */
  cachedIsDeep(token: PricedToken, computeIsDeep: (token: PricedToken) => boolean): boolean {
    if (token.deepVersion !== this.version) {
      token.isDeep = computeIsDeep(token)
      token.deepVersion = this.version
    }
    return token.isDeep
  }

  /**
   * Updates `price` and `evidence` of a token. They are NaN and 0 if the token has no price.
   *
   * A pool prices a token only through another token with a higher `order`. Its weight is the USD value of that token
   * in the pool, capped by the evidence of that token. So worthless pools of any claimed size give no price, and a
   * price is never better supported than the prices it derives from.
   *
   * Pools with a price jump count with their rate of the previous block, as long as another pool without a jump prices
   * the token.
   */
  update(token: PricedToken): PricedToken {
    if (token.version === this.version) return token
    token.version = this.version
    token.before = undefined
    token.best = -1
    // Only listed tokens can be hubs or stables, and most tokens are not listed.
    const hubPrice = token.isListed ? this.hubPrices.get(token) : undefined
    token.price = hubPrice?.price ?? Number.NaN
    token.evidence = hubPrice?.evidence ?? 0
    if (hubPrice || token.order === 0) return token
    const { otherTokens, order } = token
    for (let k = 0; k < otherTokens.length; k++) {
      const otherToken = otherTokens[k]!
      if (otherToken.order > order && otherToken.version !== this.version) this.update(otherToken)
    }
    // All tokens above have prices now; there is no recursion past this point.
    if (this.collectCurrent(token)) return setPrice(token, weightedPrice())
    const withJumps = weightedPrice()
    this.collectStable(token)
    const before = weightedPrice()
    if (this.hasStableAlternative(token)) return setPrice(token, before)
    token.before = before
    return setPrice(token, withJumps)
  }

  /** True if the cached price is valid. */
  isUpToDate(token: PricedToken): boolean {
    return token.version === this.version
  }

  /**
   * Returns the price observations of the pools of a token with a price. Hubs and stables use only each other's pools.
   */
  observations(token: PricedToken): readonly PriceObservation[] {
    this.update(token)
    const isCore = this.hubPrices.has(token)
    const usableTokens = isCore ? this.pricedBefore(token) : undefined
    const view = isCore || this.hasStableAlternative(token) ? stableView : currentView
    const observations: PriceObservation[] = []
    for (const edge of token.edges) {
      const { otherToken, pricedPool } = edge
      if (usableTokens ? !usableTokens.has(otherToken) : otherToken.order <= token.order) continue
      this.update(otherToken)
      const { rate, backing } = view.rateOf(edge)
      const { price, evidence } = view.priceOf(otherToken)
      const weight = Math.min(backing * price, evidence)
      if (weight >= this.floor) observations.push({ pool: pricedPool.pool, value: price * rate, weight })
    }
    return observations
  }

  private pricedBefore(token: PricedToken): ReadonlySet<PricedToken> {
    const order = [...this.hubPrices.keys()]
    const isAnchor = this.hubPrices.get(token)!.evidence === Number.POSITIVE_INFINITY
    return new Set(isAnchor ? order : order.slice(0, order.indexOf(token)))
  }

  /**
   * Collects the current observations of a token in `values` and `weights`.
   *
   * @returns false if any of them has a price jump
   */
  private collectCurrent(token: PricedToken): boolean {
    values.length = 0
    weights.length = 0
    const { edges, otherTokens, edgeData, order, jumpedEdges } = token
    let hasNoJumps = true
    let best = 0
    for (let k = 0; k < otherTokens.length; k++) {
      const otherToken = otherTokens[k]!
      if (otherToken.order <= order) continue
      if (otherToken.before !== undefined || (jumpedEdges > 0 && edges[k]!.rateBeforeJump !== undefined))
        hasNoJumps = false
      const { price } = otherToken
      const weight = Math.min(edgeData[EDGE_FIELDS * k + 1]! * price, otherToken.evidence)
      if (!(weight >= this.floor)) continue
      values.push(price * edgeData[EDGE_FIELDS * k]!)
      weights.push(weight)
      if (weight <= best) continue
      best = weight
      token.best = k
    }
    return hasNoJumps
  }

  /** Collects the observations of a token, with the rates of the previous block for those that jumped. */
  private collectStable(token: PricedToken): void {
    values.length = 0
    weights.length = 0
    for (const edge of token.edges) {
      const { otherToken } = edge
      if (otherToken.order <= token.order) continue
      const { rate, backing } = stableView.rateOf(edge)
      const { price, evidence } = stableView.priceOf(otherToken)
      const weight = Math.min(backing * price, evidence)
      if (!(weight >= this.floor)) continue
      values.push(price * rate)
      weights.push(weight)
    }
  }

  /** True if some observations jumped and at least one other did not. */
  private hasStableAlternative(token: PricedToken): boolean {
    let hasJump = false
    let hasStable = false
    for (const edge of token.edges) {
      const { otherToken, backing } = edge
      if (otherToken.order <= token.order) continue
      if (edge.rateBeforeJump !== undefined || otherToken.before !== undefined) hasJump = true
      else if (Math.min(backing * otherToken.price, otherToken.evidence) >= this.floor) hasStable = true
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
const stableView: PriceView = { rateOf: stableRate, priceOf: (token) => token.before ?? token }

function setPrice(token: PricedToken, { price, evidence }: TokenPrice): PricedToken {
  token.price = price
  token.evidence = evidence
  return token
}

function weightedPrice(): TokenPrice {
  let evidence = 0
  for (const weight of weights) if (weight > evidence) evidence = weight
  return { price: weightedMedian(values, weights), evidence }
}
