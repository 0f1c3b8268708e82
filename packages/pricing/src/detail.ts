/** Grounds of a price. */
import type { Pool } from '@sluice/liquidity'
import { SHARE_OF_BEST } from './median.ts'
import type { Known, Token } from './token.ts'
import type { Opinion } from './worth.ts'

/** Why there is no price: `pending` where pools are still being looked for or taken in. */
export type NoPrice = 'unknown' | 'no-decimals' | 'below-floor' | 'no-anchor' | 'unsellable' | 'pending'

export type PriceSource = {
  readonly pool: Pool
  /** Price by this pool alone, in dollars for one whole token. */
  readonly usd: number
  /** Share of the say that all pools have together, 0 to 1. */
  readonly weight: number
}

export type PriceDetail =
  | {
      readonly usd: number
      readonly depthUsd: number
      /** 0 to 1: see `confidenceOf`. */
      readonly confidence: number
      /** The heaviest first, `MOST_SOURCES` at most. */
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

const MOST_SOURCES = 3
/** Dollars behind a price at which confidence is half of what it could be. */
const HALF_CONFIDENCE_USD = 10_000
/** Spread between pools at which there is none. */
const NO_CONFIDENCE_SPREAD = 0.05

/**
 * Confidence in a price: `d / (d + 10,000) × max(0, 1 − s / 5 %)`, where `d` are the dollars behind it and `s` is the mean
 * distance of its pools from it, weighted as they are, as a share of the price.
 */
function confidenceOf(dollars: number, spread: number): number {
  return (dollars / (dollars + HALF_CONFIDENCE_USD)) * Math.max(0, 1 - spread / NO_CONFIDENCE_SPREAD)
}

export function noPrice(reason: NoPrice): PriceDetail {
  return { usd: null, depthUsd: null, confidence: 0, sources: [], reason }
}

/** @param scale - base units of one whole token */
export function detailOf(
  { price, evidence }: Known,
  opinions: readonly Opinion[],
  scale: number,
  depthUsd: number,
): PriceDetail {
  const said = heard(opinions)
  let total = 0
  for (const { weight } of said) total += weight
  let spread = 0
  for (const { value, weight } of said) spread += (Math.abs(value - price) / price) * (weight / total)
  const sources = said.slice(0, MOST_SOURCES).map(({ pool, value, weight }) => {
    return { pool, usd: value * scale, weight: weight / total }
  })
  const dollars = Math.min(evidence, depthUsd)
  return { usd: price * scale, depthUsd, confidence: confidenceOf(dollars, spread), sources, reason: null }
}

/** Those that have a say, the heaviest first; equal ones by what they say and then by pool, so that no order of arrival shows. */
function heard(opinions: readonly Opinion[]): readonly Opinion[] {
  const best = Math.max(0, ...opinions.map(({ weight }) => weight))
  return opinions
    .filter(({ weight }) => weight >= best * SHARE_OF_BEST)
    .sort((a, b) => b.weight - a.weight || a.value - b.value || (a.pool.id < b.pool.id ? -1 : 1))
}

/** Reason for a token that is known but has no price. */
export function whyNot(token: Token): NoPrice {
  if (token.order > 0) return 'below-floor'
  for (const { tokens } of token.holdings) if (tokens.some((other) => other.order > 0)) return 'below-floor'
  return 'no-anchor'
}
