/** USD liquidity of a token over all its pools. */
import { atOnce, type Steps } from '@sluice/rpc'
import { exactSum } from './sum.ts'
import { EDGE_FIELDS, type Holding, type PricedToken } from './token.ts'
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
 * Each side of a pool counts with its reserves at the token's price, up to that token's evidence. Unless two listed
 * tokens are in the pool, a side counts at most as much as the rest of the pool: tokens minted against ten dollars add
 * ten dollars. Pools without another listed token count in total up to twice the token's evidence, so that worthless
 * tokens paired among themselves do not add up.
 */
export function* depthOf(token: PricedToken, pricer: TokenPricer): Steps<number> {
  const { evidence } = pricer.update(token)
  const inside: number[] = []
  const outside: number[] = []
  // Iterate over a copy, because the list may change between slices.
  for (const holding of token.holdings.slice()) {
    const { counted, isInside } = count(token, holding, pricer)
    const kind = isInside ? inside : outside
    kind.push(counted)
    yield
  }
  return combinedDepth(exactSum(inside), exactSum(outside), evidence) * discountFor(token)
}

const discountFor = ({ isListed }: PricedToken) => (isListed ? 1 : 1 / (1 + PRICE_ERROR))

/**
 * True if the depth reaches a USD amount. Usually decided by one pool that sufficed before, or by a few whose prices
 * are cached.
 */
export function isAsDeepAs(token: PricedToken, pricer: TokenPricer, usd: number): boolean {
  const { evidence } = pricer.update(token)
  const enough = (usd * (1 + ROUNDING)) / discountFor(token)
  if (2 * lowerBoundUsd(token) > enough) return true
  const { proof } = token
  if (proof && depthIn(token, proof, pricer, evidence) > enough) return true
  let inside = 0
  let outside = 0
  for (const holding of token.holdings) {
    if (!holding.tokens.every((each) => pricer.isUpToDate(each))) continue
    const { counted, isInside } = count(token, holding, pricer)
    if (isInside) inside += counted
    else outside += counted
    if (counted > enough) token.proof = holding
    if (combinedDepth(inside, outside, evidence) > enough) return true
  }
  return atOnce(depthOf(token, pricer)) >= usd
}

/** Returns a lower bound of the USD on either side of the pool with the most weight. */
function lowerBoundUsd({ best, others, edgeData, price, evidence }: PricedToken): number {
  if (best === -1) return 0
  const other = others[best]!
  return Math.min(
    edgeData[EDGE_FIELDS * best + 1]! * other.price,
    other.evidence,
    edgeData[EDGE_FIELDS * best + 2]! * price,
    evidence,
  )
}

/** Returns the depth of one pool alone, a lower bound of the total. */
function depthIn(token: PricedToken, holding: Holding, pricer: TokenPricer, evidence: number): number {
  const { counted, isInside } = count(token, holding, pricer)
  return isInside ? counted : Math.min(counted, 2 * evidence)
}

function combinedDepth(inside: number, outside: number, evidence: number): number {
  return Math.max(inside, Math.min(inside + outside, 2 * evidence))
}

/** Returns the depth that a pool contributes, and whether it holds another listed token. */
function count(token: PricedToken, { tokens, reserves }: Holding, pricer: TokenPricer) {
  let totalUsd = 0
  let listedCount = 0
  for (let k = 0; k < tokens.length; k++) {
    const each = pricer.update(tokens[k]!)
    const { price } = each
    const side = price > 0 ? Math.min(reserves[k]! * price, each.evidence) : 0
    sides[k] = side
    totalUsd += side
    if (isPricedListed(each)) listedCount++
  }
  let countedUsd = 0
  for (let k = 0; k < tokens.length; k++) {
    const side = sides[k]!
    countedUsd += listedCount > 1 && tokens[k]!.isListed ? side : Math.min(side, totalUsd - side)
  }
  return { counted: countedUsd, isInside: token.isListed || listedCount - (isPricedListed(token) ? 1 : 0) > 0 }
}

/** USD on each side of a pool. Reused to avoid garbage. */
const sides: number[] = []

const isPricedListed = ({ isListed, price }: PricedToken) => isListed && price > 0
