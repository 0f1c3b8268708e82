/**
 * Computes the depth of a token: the USD liquidity in all its pools. A token is listed if it is in the chain's file.
 */
import { atOnce, type Steps } from '@sluice/rpc'
import { exactSum } from './sum.ts'
import { BACKING, EDGE_FIELDS, type PricedPool, type PricedToken, REVERSE_BACKING } from './token.ts'
import type { TokenPricer } from './token-pricer.ts'

/** Relative tolerance of a comparison, above the rounding error of a plain sum. */
const ROUNDING = 1e-6

/**
 * Maximum relative error by which a price may be too high. The depth of an unlisted token is divided by 1 plus this
 * error. So even with such a price, the depth is at most twice the value of the other tokens in the pools.
 */
const PRICE_ERROR = 0.02

/**
 * Computes the USD liquidity in all pools that hold a token.
 *
 * A side of a pool is the reserve of one token, valued at the token's price. It counts at most the evidence (USD
 * liquidity behind the price) of that token. In a pool without two listed tokens, a side counts at most as much as all
 * other sides together. So any number of minted tokens in a pool with ten dollars counts as ten dollars. All pools
 * without another listed token together count at most twice the evidence of `token`, so pools between worthless tokens
 * do not add up.
 */
export function* depthOf(token: PricedToken, pricer: TokenPricer): Steps<number> {
  const { evidence } = pricer.updatePrice(token)
  const listedUsd: number[] = []
  const unlistedUsd: number[] = []
  // Iterate over a copy, because the list may change between slices.
  for (const pricedPool of token.pricedPools.slice()) {
    const { usd, isAgainstListed } = contributionOf(token, pricedPool, pricer)
    const contributions = isAgainstListed ? listedUsd : unlistedUsd
    contributions.push(usd)
    yield
  }
  return combinedDepth(exactSum(listedUsd), exactSum(unlistedUsd), evidence) * discountFor(token)
}

const discountFor = ({ isListed }: PricedToken) => (isListed ? 1 : 1 / (1 + PRICE_ERROR))

/**
 * True if the depth is at least `minUsd`. Tries cheap lower bounds first: the pool with the most weight, the pool that
 * sufficed last time, and the pools whose tokens have cached prices.
 */
export function isAsDeepAs(token: PricedToken, pricer: TokenPricer, minUsd: number): boolean {
  const { evidence } = pricer.updatePrice(token)
  const requiredUsd = (minUsd * (1 + ROUNDING)) / discountFor(token)
  if (2 * lowerBoundUsd(token) > requiredUsd) return true
  const { sufficientPool } = token
  if (sufficientPool && depthIn(token, sufficientPool, pricer, evidence) > requiredUsd) return true
  let listedUsd = 0
  let unlistedUsd = 0
  for (const pricedPool of token.pricedPools) {
    if (!pricedPool.tokens.every((sideToken) => pricer.isUpToDate(sideToken))) continue
    const { usd, isAgainstListed } = contributionOf(token, pricedPool, pricer)
    if (isAgainstListed) listedUsd += usd
    else unlistedUsd += usd
    if (usd > requiredUsd) token.sufficientPool = pricedPool
    if (combinedDepth(listedUsd, unlistedUsd, evidence) > requiredUsd) return true
  }
  return atOnce(depthOf(token, pricer)) >= minUsd
}

/** Returns a lower bound of the USD on either side of the pool with the most weight. */
function lowerBoundUsd({ bestEdgeIndex, otherTokens, edgeData, price, evidence }: PricedToken): number {
  if (bestEdgeIndex === -1) return 0
  const otherToken = otherTokens[bestEdgeIndex]!
  return Math.min(
    edgeData[EDGE_FIELDS * bestEdgeIndex + BACKING]! * otherToken.price,
    otherToken.evidence,
    edgeData[EDGE_FIELDS * bestEdgeIndex + REVERSE_BACKING]! * price,
    evidence,
  )
}

/** Returns the depth of one pool alone, a lower bound of the total. */
function depthIn(token: PricedToken, pricedPool: PricedPool, pricer: TokenPricer, evidence: number): number {
  const { usd, isAgainstListed } = contributionOf(token, pricedPool, pricer)
  return isAgainstListed ? usd : Math.min(usd, 2 * evidence)
}

function combinedDepth(listedUsd: number, unlistedUsd: number, evidence: number): number {
  return Math.max(listedUsd, Math.min(listedUsd + unlistedUsd, 2 * evidence))
}

/**
 * Returns the USD that a pool contributes to the depth of a token. `isAgainstListed` is true if the token itself, or
 * another token of the pool, is listed and has a price.
 */
function contributionOf(token: PricedToken, { tokens, reserves }: PricedPool, pricer: TokenPricer) {
  let totalUsd = 0
  let listedCount = 0
  for (let k = 0; k < tokens.length; k++) {
    const sideToken = pricer.updatePrice(tokens[k]!)
    const { price } = sideToken
    const sideUsd = price > 0 ? Math.min(reserves[k]! * price, sideToken.evidence) : 0
    sideUsdBuffer[k] = sideUsd
    totalUsd += sideUsd
    if (isPricedListed(sideToken)) listedCount++
  }
  let countedUsd = 0
  for (let k = 0; k < tokens.length; k++) {
    const sideUsd = sideUsdBuffer[k]!
    countedUsd += listedCount > 1 && tokens[k]!.isListed ? sideUsd : Math.min(sideUsd, totalUsd - sideUsd)
  }
  return { usd: countedUsd, isAgainstListed: token.isListed || listedCount - (isPricedListed(token) ? 1 : 0) > 0 }
}

/** USD on each side of the pool in `contributionOf`. Reused to avoid garbage. */
const sideUsdBuffer: number[] = []

const isPricedListed = ({ isListed, price }: PricedToken) => isListed && price > 0
