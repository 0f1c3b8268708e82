/** USD liquidity of a token over all its pools. */
import { atOnce, type Steps } from '@sluice/rpc'
import { exactSum } from './sum.ts'
import { EDGE_FIELDS, type PricedPool, type PricedToken } from './token.ts'
import type { TokenPricer } from './token-pricer.ts'

/** Relative tolerance above the rounding error of a plain sum. */
const ROUNDING = 1e-6

/**
 * Relative error by which prices may be too high. The liquidity against unlisted tokens is discounted by it, so that no
 * token counts for more than twice the value locked against it.
 */
const PRICE_ERROR = 0.02

/**
 * Computes the USD liquidity in all pools that hold a token.
 *
 * Each side of a pool counts with its reserves at the token's price, up to that token's evidence. In a pool without two
 * listed tokens, a side counts at most as much as the rest of the pool: tokens minted against ten dollars add ten
 * dollars. Pools without another listed token count in total at most twice the token's evidence. So worthless tokens
 * paired among themselves do not add up.
 */
export function* depthOf(token: PricedToken, pricer: TokenPricer): Steps<number> {
  const { evidence } = pricer.update(token)
  const listedUsd: number[] = []
  const unlistedUsd: number[] = []
  // Iterate over a copy, because the list may change between slices.
  for (const pricedPool of token.pricedPools.slice()) {
    const { usd, isAgainstListed } = contributionOf(token, pricedPool, pricer)
    const amounts = isAgainstListed ? listedUsd : unlistedUsd
    amounts.push(usd)
    yield
  }
  return combinedDepth(exactSum(listedUsd), exactSum(unlistedUsd), evidence) * discountFor(token)
}

const discountFor = ({ isListed }: PricedToken) => (isListed ? 1 : 1 / (1 + PRICE_ERROR))

/**
 * True if the depth reaches a USD amount. Usually one pool that sufficed before, or a few whose prices are cached,
 * decide it.
 */
export function isAsDeepAs(token: PricedToken, pricer: TokenPricer, usd: number): boolean {
  const { evidence } = pricer.update(token)
  const requiredUsd = (usd * (1 + ROUNDING)) / discountFor(token)
  if (2 * lowerBoundUsd(token) > requiredUsd) return true
  const { proof: sufficientPool } = token
  if (sufficientPool && depthIn(token, sufficientPool, pricer, evidence) > requiredUsd) return true
  let listedUsd = 0
  let unlistedUsd = 0
  for (const pricedPool of token.pricedPools) {
    if (!pricedPool.tokens.every((sideToken) => pricer.isUpToDate(sideToken))) continue
    const { usd, isAgainstListed } = contributionOf(token, pricedPool, pricer)
    if (isAgainstListed) listedUsd += usd
    else unlistedUsd += usd
    if (usd > requiredUsd) token.proof = pricedPool
    if (combinedDepth(listedUsd, unlistedUsd, evidence) > requiredUsd) return true
  }
  return atOnce(depthOf(token, pricer)) >= usd
}

/** Returns a lower bound of the USD on either side of the pool with the most weight. */
function lowerBoundUsd({ best, otherTokens, edgeData, price, evidence }: PricedToken): number {
  if (best === -1) return 0
  const otherToken = otherTokens[best]!
  return Math.min(
    edgeData[EDGE_FIELDS * best + 1]! * otherToken.price,
    otherToken.evidence,
    edgeData[EDGE_FIELDS * best + 2]! * price,
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

/** Returns the depth that a pool contributes, and whether it holds another listed token. */
function contributionOf(token: PricedToken, { tokens, reserves }: PricedPool, pricer: TokenPricer) {
  let totalUsd = 0
  let listedCount = 0
  for (let k = 0; k < tokens.length; k++) {
    const sideToken = pricer.update(tokens[k]!)
    const { price } = sideToken
    const side = price > 0 ? Math.min(reserves[k]! * price, sideToken.evidence) : 0
    sides[k] = side
    totalUsd += side
    if (isPricedListed(sideToken)) listedCount++
  }
  let countedUsd = 0
  for (let k = 0; k < tokens.length; k++) {
    const side = sides[k]!
    countedUsd += listedCount > 1 && tokens[k]!.isListed ? side : Math.min(side, totalUsd - side)
  }
  return { usd: countedUsd, isAgainstListed: token.isListed || listedCount - (isPricedListed(token) ? 1 : 0) > 0 }
}

/** USD on each side of a pool. Reused to avoid garbage. */
const sides: number[] = []

const isPricedListed = ({ isListed, price }: PricedToken) => isListed && price > 0
