/** Price details: sources, confidence, and reasons for a missing price. */
import type { Pool } from '@sluice/liquidity'
import { MIN_WEIGHT_SHARE } from './median.ts'
import type { PricedToken, TokenPrice } from './token.ts'
import type { PriceObservation } from './token-pricer.ts'

/** Reason why a token has no price. `pending`: pools are still being discovered or applied. */
export type NoPrice = 'unknown' | 'no-decimals' | 'below-floor' | 'no-anchor' | 'unsellable' | 'pending'

/** Pool that contributed to a price. */
export type PriceSource = {
  readonly pool: Pool
  /** Price from this pool alone, in USD per whole token. */
  readonly usd: number
  /** Share of the total weight, 0 to 1. */
  readonly weight: number
}

/** Price of a token with its sources, or the reason why there is none. */
export type PriceDetail =
  | {
      readonly usd: number
      readonly depthUsd: number
      /** Confidence from 0 to 1: see `confidenceOf`. */
      readonly confidence: number
      /** Sources by decreasing weight, at most `MAX_SOURCES`. */
      readonly sources: readonly PriceSource[]
      readonly reason: null
    }
  | {
      readonly usd: null
      readonly depthUsd: null
      readonly confidence: 0
      readonly sources: readonly []
      readonly reason: NoPrice
    }

const MAX_SOURCES = 3
/** USD behind a price at which confidence is half of its maximum. */
const HALF_CONFIDENCE_USD = 10_000
/** Relative spread between pools at which confidence is 0. */
const NO_CONFIDENCE_SPREAD = 0.05

/**
 * Returns `d / (d + 10,000) × max(0, 1 − s / 5 %)`. `d` is the USD behind the price, and `s` the weighted mean relative
 * distance of its pools from it.
 */
function confidenceOf(dollars: number, spread: number): number {
  return (dollars / (dollars + HALF_CONFIDENCE_USD)) * Math.max(0, 1 - spread / NO_CONFIDENCE_SPREAD)
}

/** Returns the details of a missing price. */
export function noPrice(reason: NoPrice): PriceDetail {
  return { usd: null, depthUsd: null, confidence: 0, sources: [], reason }
}

/**
 * Returns the details of a price.
 *
 * @param scale - base units of one whole token
 */
export function detailOf(
  { price, evidence }: TokenPrice,
  observations: readonly PriceObservation[],
  scale: number,
  depthUsd: number,
): PriceDetail {
  const shownObservations = relevant(observations)
  let total = 0
  for (const { weight } of shownObservations) total += weight
  let spread = 0
  for (const { value, weight } of shownObservations) spread += (Math.abs(value - price) / price) * (weight / total)
  const sources = shownObservations.slice(0, MAX_SOURCES).map(({ pool, value, weight }) => {
    return { pool, usd: value * scale, weight: weight / total }
  })
  const dollars = Math.min(evidence, depthUsd)
  return { usd: price * scale, depthUsd, confidence: confidenceOf(dollars, spread), sources, reason: null }
}

/**
 * Returns the observations with enough weight, the heaviest first. Ties are broken by value and pool id, so that the
 * order of arrival does not matter.
 */
function relevant(observations: readonly PriceObservation[]): readonly PriceObservation[] {
  const best = Math.max(0, ...observations.map(({ weight }) => weight))
  return observations
    .filter(({ weight }) => weight >= best * MIN_WEIGHT_SHARE)
    .sort((a, b) => b.weight - a.weight || a.value - b.value || (a.pool.id < b.pool.id ? -1 : 1))
}

/** Returns the reason why a known token has no price: whether it, or a token that it is traded with, has a level. */
export function noPriceReason({ pricedPools }: PricedToken): NoPrice {
  return pricedPools.some(({ tokens }) => tokens.some(({ order }) => order > 0)) ? 'below-floor' : 'no-anchor'
}
