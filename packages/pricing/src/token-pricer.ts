/**
 * Computes token prices on request and caches them until a pool changes. `HubPricer` prices hubs (tokens with many
 * pools) and stables (dollar tokens). Listed tokens are in the chain's file. A jump is a large move of a pool's rate in
 * the last block: see `pool-history.ts`.
 */

import type { Pool } from '@sluice/liquidity'
import { MIN_WEIGHT_SHARE, weightedMedian } from './median.ts'
import {
  BACKING,
  EDGE_FIELDS,
  type EdgeRate,
  type PricedToken,
  type PriceEdge,
  REVERSE_BACKING,
  rateWithoutJump,
  type TokenPrice,
} from './token.ts'

/** Price of a token in one pool: `value` in USD per base unit, and `weight`, the USD liquidity behind it. */
export type PriceObservation = { readonly pool: Pool; readonly value: number; readonly weight: number }

/** Maximum unlisted tokens on which a price may depend. */
export const MAX_INTERMEDIATES = 32

/** Observation with the token from whose price it derives. */
type DerivedObservation = PriceObservation & { readonly otherToken: PricedToken }

/** Values and weights of the observations of one token. Reused to avoid garbage. */
const valueBuffer: number[] = []
const weightBuffer: number[] = []

export class TokenPricer {
  /** Prices of hubs and stables, in the order of computation: a price may depend only on earlier prices. */
  private hubPriceByToken: ReadonlyMap<PricedToken, TokenPrice> = new Map()
  private readonly minWeightUsd: number
  private currentVersion = 0
  /** Results of `decidingTokens` at the current version. */
  private readonly decidingTokensByToken = new Map<PricedToken, readonly PricedToken[]>()

  /** @param minWeightUsd - minimum weight in USD of a price observation that counts */
  constructor(minWeightUsd: number) {
    this.minWeightUsd = minWeightUsd
  }

  /**
   * Invalidates cached prices.
   *
   * @param hubPrices - prices of hubs and stables, in the order of computation
   */
  invalidate(hubPrices = this.hubPriceByToken): void {
    this.hubPriceByToken = hubPrices
    this.currentVersion++
    // Clearing an empty map allocates memory, and each changed pool invalidates prices.
    if (this.decidingTokensByToken.size > 0) this.decidingTokensByToken.clear()
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
   * Updates `price` and `evidence` (USD liquidity behind the price) of a token; NaN and 0 if the token has no price.
   *
   * A pool prices a token only through another token with a higher `finalLevel`. The weight of the pool is the USD
   * value of the other token in the pool, at most the evidence of that token. So even a large pool of worthless tokens
   * gives no price, and no price has more evidence than the prices from which it derives.
   *
   * If only some of the token's pools jumped, these count with their rates before the jump. If all pools jumped, their
   * current rates count.
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
    // The level of a token that became unsellable changes later than its price.
    if (hubPrice || token.finalLevel === 0 || token.isUnsellable) return token
    const { otherTokens, finalLevel } = token
    for (let k = 0; k < otherTokens.length; k++) {
      const otherToken = otherTokens[k]!
      if (otherToken.finalLevel > finalLevel && otherToken.priceVersion !== this.currentVersion)
        this.updatePrice(otherToken)
    }
    // All tokens of higher levels have prices now; there is no recursion past this point.
    if (this.collectCurrentObservations(token)) return setPrice(token, weightedPrice())
    const priceWithJumps = weightedPrice()
    this.collectObservationsWithoutJumps(token)
    const priceWithoutJumps = weightedPrice()
    if (this.hasAlternativeWithoutJump(token)) return setPrice(token, priceWithoutJumps)
    token.priceBeforeJump = priceWithoutJumps
    return setPrice(token, priceWithJumps)
  }

  /** True if the cached price is valid. */
  isUpToDate(token: PricedToken): boolean {
    return token.priceVersion === this.currentVersion
  }

  /**
   * Returns the price observations of the pools of a token with a price. For hubs and stables, returns only the pools
   * between them.
   */
  observationsOf(token: PricedToken): readonly PriceObservation[] {
    return this.derivedObservationsOf(token)
  }

  /**
   * Returns the unlisted tokens that decide the price of a token. They are the other tokens of its heaviest pools,
   * which together have more than half of the weight. Lighter pools cannot move the median out of the price range of
   * these pools. Also returns the unsellable token whose pool holds most of the token, because this pool counts again
   * once its other token can be sold. Empty for hubs and stables. Stops after `MAX_INTERMEDIATES` + 1 tokens.
   */
  decidingTokens(token: PricedToken): readonly PricedToken[] {
    if (token.isUnsellable || this.hubPriceByToken.has(token)) return []
    const cached = this.decidingTokensByToken.get(token)
    if (cached) return cached
    const decidingTokens = new Set<PricedToken>()
    const observations = this.derivedObservationsOf(token).toSorted((a, b) => b.weight - a.weight)
    const minWeight = (observations[0]?.weight ?? 0) * MIN_WEIGHT_SHARE
    const countedObservations = observations.filter(({ weight }) => weight >= minWeight)
    let totalWeight = 0
    for (const { weight } of countedObservations) totalWeight += weight
    let reachedWeight = 0
    for (const { weight, otherToken } of countedObservations) {
      if (reachedWeight > totalWeight / 2 || decidingTokens.size > MAX_INTERMEDIATES) break
      reachedWeight += weight
      if (!otherToken.isListed) decidingTokens.add(otherToken)
    }
    const unsellableToken = mainUnsellableToken(token)
    if (unsellableToken) decidingTokens.add(unsellableToken)
    const result = [...decidingTokens]
    this.decidingTokensByToken.set(token, result)
    return result
  }

  /**
   * Returns the pools that decide the price of a token: the heaviest pool, which is the evidence of the price, and the
   * pool with the median price. Both may be the same pool. Empty for hubs and stables, and for a token without
   * observations.
   */
  decidingPools(token: PricedToken): readonly Pool[] {
    if (this.hubPriceByToken.has(token)) return []
    const observations = this.derivedObservationsOf(token)
    if (observations.length === 0) return []
    const heaviestObservation = observations.reduce((a, b) => (b.weight > a.weight ? b : a))
    const countedObservations = observations
      .filter(({ weight }) => weight >= heaviestObservation.weight * MIN_WEIGHT_SHARE)
      .sort((a, b) => a.value - b.value || a.weight - b.weight)
    let totalWeight = 0
    for (const { weight } of countedObservations) totalWeight += weight
    let reachedWeight = 0
    const medianObservation = countedObservations.find(({ weight }) => {
      reachedWeight += weight
      return reachedWeight >= totalWeight / 2
    })
    return [...new Set([heaviestObservation.pool, medianObservation!.pool])]
  }

  private derivedObservationsOf(token: PricedToken): readonly DerivedObservation[] {
    this.updatePrice(token)
    const isHubOrStable = this.hubPriceByToken.has(token)
    const usableTokens = isHubOrStable ? this.tokensPricedEarlier(token) : undefined
    const view = isHubOrStable || this.hasAlternativeWithoutJump(token) ? viewWithoutJumps : currentView
    const observations: DerivedObservation[] = []
    for (const edge of token.edges) {
      const { otherToken, pricedPool } = edge
      if (usableTokens ? !usableTokens.has(otherToken) : otherToken.finalLevel <= token.finalLevel) continue
      this.updatePrice(otherToken)
      const { rate, backing } = view.rateOf(edge)
      const { price, evidence } = view.priceOf(otherToken)
      const weight = Math.min(backing * price, evidence)
      if (weight >= this.minWeightUsd)
        observations.push({ pool: pricedPool.pool, value: price * rate, weight, otherToken })
    }
    return observations
  }

  private tokensPricedEarlier(token: PricedToken): ReadonlySet<PricedToken> {
    const tokensInPriceOrder = [...this.hubPriceByToken.keys()]
    const isAnchor = this.hubPriceByToken.get(token)!.evidence === Number.POSITIVE_INFINITY
    return new Set(isAnchor ? tokensInPriceOrder : tokensInPriceOrder.slice(0, tokensInPriceOrder.indexOf(token)))
  }

  /**
   * Collects the observations of a token at current rates in `valueBuffer` and `weightBuffer`.
   *
   * @returns false if an observation has a price jump
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
      const weight = Math.min(edgeData[EDGE_FIELDS * k + BACKING]! * price, otherToken.evidence)
      if (!(weight >= this.minWeightUsd)) continue
      valueBuffer.push(price * edgeData[EDGE_FIELDS * k]!)
      weightBuffer.push(weight)
      if (weight <= bestWeight) continue
      bestWeight = weight
      token.bestEdgeIndex = k
    }
    return hasNoJumps
  }

  /**
   * Collects the observations of a token in the buffers; a pool with a price jump counts with its rate before the jump.
   */
  private collectObservationsWithoutJumps(token: PricedToken): void {
    valueBuffer.length = 0
    weightBuffer.length = 0
    for (const edge of token.edges) {
      const { otherToken } = edge
      if (otherToken.finalLevel <= token.finalLevel) continue
      const { rate, backing } = viewWithoutJumps.rateOf(edge)
      const { price, evidence } = viewWithoutJumps.priceOf(otherToken)
      const weight = Math.min(backing * price, evidence)
      if (!(weight >= this.minWeightUsd)) continue
      valueBuffer.push(price * rate)
      weightBuffer.push(weight)
    }
  }

  /** True if some observations of the token jumped and at least one did not. */
  private hasAlternativeWithoutJump(token: PricedToken): boolean {
    let hasJump = false
    let hasObservationWithoutJump = false
    for (const edge of token.edges) {
      const { otherToken, backing } = edge
      if (otherToken.finalLevel <= token.finalLevel) continue
      if (edge.rateBeforeJump !== undefined || otherToken.priceBeforeJump !== undefined) hasJump = true
      else if (Math.min(backing * otherToken.price, otherToken.evidence) >= this.minWeightUsd)
        hasObservationWithoutJump = true
    }
    return hasJump && hasObservationWithoutJump
  }
}

/** Returns the unsellable token in whose pool the most base units of a token are, if any. */
function mainUnsellableToken({ otherTokens, edgeData }: PricedToken): PricedToken | undefined {
  let mainToken: PricedToken | undefined
  let maxBacking = 0
  for (let k = 0; k < otherTokens.length; k++) {
    const tokenBacking = edgeData[EDGE_FIELDS * k + REVERSE_BACKING]!
    if (!otherTokens[k]!.isUnsellable || tokenBacking <= maxBacking) continue
    mainToken = otherTokens[k]!
    maxBacking = tokenBacking
  }
  return mainToken
}

/** Reads rates of pools and prices of tokens: the current values, or the values before the jumps of the last block. */
type PriceView = {
  readonly rateOf: (edge: PriceEdge) => EdgeRate
  readonly priceOf: (token: PricedToken) => TokenPrice
}

const currentView: PriceView = { rateOf: (edge) => edge, priceOf: (token) => token }
const viewWithoutJumps: PriceView = { rateOf: rateWithoutJump, priceOf: (token) => token.priceBeforeJump ?? token }

function setPrice(token: PricedToken, { price, evidence }: TokenPrice): PricedToken {
  token.price = price
  token.evidence = evidence
  return token
}

/** Returns the weighted median of the observations in the buffers. */
function weightedPrice(): TokenPrice {
  let evidence = 0
  for (const weight of weightBuffer) if (weight > evidence) evidence = weight
  return { price: weightedMedian(valueBuffer, weightBuffer), evidence }
}
