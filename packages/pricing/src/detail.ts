/** Builds the details of a price: sources and confidence, or the reason for a missing price. */
import type { Pool } from '@sluice/liquidity'
import { MIN_WEIGHT_SHARE } from './median.ts'
import type { PricedToken, TokenPrice } from './token.ts'
import type { PriceObservation } from './token-pricer.ts'

/**
 * Reason why a token has no price. `pending`: pools are still being discovered or applied. `below-floor`: too little
 * liquidity. `no-anchor`: no path of pools leads to an anchor (a stable that counts as one dollar).
 */
export type NoPrice = 'unknown' | 'no-decimals' | 'below-floor' | 'no-anchor' | 'unsellable' | 'pending'

/** Pool from which a price derives. */
export type PriceSource = {
  readonly pool: Pool
  /** Price from this pool alone, in USD per whole token. */
  readonly usd: number
  /** Share of the total weight of all counted pools, 0 to 1. */
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

/** Maximum sources in the details of a price. */
const MAX_SOURCES = 3
/** USD liquidity behind a price at which confidence is half of its maximum. */
const HALF_CONFIDENCE_USD = 10_000
/** Relative spread between pools at which confidence is 0. */
const NO_CONFIDENCE_SPREAD = 0.05

/**
 * Returns the confidence in a price, from 0 to 1.
 *
 * @param backingUsd - USD liquidity behind the price
 * @param spread - weighted mean of the relative distances between the pools' own prices and the price
 */
function confidenceOf(backingUsd: number, spread: number): number {
  return (backingUsd / (backingUsd + HALF_CONFIDENCE_USD)) * Math.max(0, 1 - spread / NO_CONFIDENCE_SPREAD)
}

/** Returns the details of a missing price. */
export function noPrice(reason: NoPrice): PriceDetail {
  return { usd: null, depthUsd: null, confidence: 0, sources: [], reason }
}

/**
 * Returns the details of a price.
 *
 * @param observations - prices of the token in its pools, per base unit
 * @param unitsPerToken - base units of one whole token
 */
export function detailOf(
  { price, evidence }: TokenPrice,
  observations: readonly PriceObservation[],
  unitsPerToken: number,
  depthUsd: number,
): PriceDetail {
  const countedObservations = sortedHeavyObservations(observations)
  let totalWeight = 0
  for (const { weight } of countedObservations) totalWeight += weight
  let spread = 0
  for (const { value, weight } of countedObservations)
    spread += (Math.abs(value - price) / price) * (weight / totalWeight)
  const sources = countedObservations.slice(0, MAX_SOURCES).map(({ pool, value, weight }) => {
    return { pool, usd: value * unitsPerToken, weight: weight / totalWeight }
  })
  const backingUsd = Math.min(evidence, depthUsd)
  return { usd: price * unitsPerToken, depthUsd, confidence: confidenceOf(backingUsd, spread), sources, reason: null }
}

/**
 * Returns the observations with enough weight, the heaviest first. Ties are broken by value and pool id, so that the
 * order of arrival does not matter.
 */
function sortedHeavyObservations(observations: readonly PriceObservation[]): readonly PriceObservation[] {
  const maxWeight = Math.max(0, ...observations.map(({ weight }) => weight))
  return observations
    .filter(({ weight }) => weight >= maxWeight * MIN_WEIGHT_SHARE)
    .sort((a, b) => b.weight - a.weight || a.value - b.value || (a.pool.id < b.pool.id ? -1 : 1))
}

/**
 * Returns the reason why a known token has no price. A token has a level above 0 if a path of pools leads from it to an
 * anchor.
 */
export function noPriceReason({ pricedPools }: PricedToken): NoPrice {
  return pricedPools.some(({ tokens }) => tokens.some(({ finalLevel }) => finalLevel > 0)) ? 'below-floor' : 'no-anchor'
}
