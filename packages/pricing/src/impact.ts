/**
 * Computes the sell depth of a token: the amounts that can be sold at fixed levels of price impact.
 *
 * A price curve consists of pieces. Piece k spans the square roots of the price (output per input) from `sqrtPrice[k]`
 * down to `sqrtPrice[k + 1]` with the constant liquidity `liquidity[k]`. A swap from the root `startSqrt` to `endSqrt`
 * takes liquidity · (1 / endSqrt − 1 / startSqrt) of the input and pays liquidity · (startSqrt − endSqrt) of the
 * output.
 */
import type { Pool, PriceCurve } from '@sluice/liquidity'
import type { Steps } from '@sluice/rpc'
import { curveOf } from './pool-view.ts'
import { exactSum } from './sum.ts'
import type { PricedPool, PricedToken } from './token.ts'
import type { TokenPricer } from './token-pricer.ts'

/** Price impact levels, in percent. */
export const IMPACT_LEVELS = [0.5, 1, 2, 5, 10] as const

/** Amount of a token that can be sold at a price impact. */
export type DepthPoint = {
  /** Percent by which the average price of the swap, before fees, is below the token's price. */
  readonly impact: number
  /** USD of the token that can be sold within this impact. */
  readonly usd: number
}

/** Pool in which the token can be sold for another token. */
type Outlet = SummedCurve & {
  /** USD price of a base unit of the other token. */
  readonly priceOutUsd: number
  /** Maximum amount of the other token, in base units, that the pool can pay. */
  readonly maxOutput: number
}
/** Price curve with the amounts in base units that a swap sells and receives before each piece: see `prefixSums`. */
type SummedCurve = { readonly curve: PriceCurve; readonly sums: Float64Array }
/** Result of selling, in USD; `soldUsd` is valued at the token's price. */
type Sale = { readonly soldUsd: number; readonly receivedUsd: number }

/** Lowest final price that is searched, as a share of the token's price. */
const MIN_PRICE_SHARE = 2 ** -40
/** Maximum rounds of the search for the final price. */
const MAX_ROUNDS = 80
/** The search ends when the interval of the final price is this small, relative to the price: enough for six digits. */
const PRECISION = 1e-12
/** The search ends when the surplus (see `findSellableUsd`) is this small, relative to the amount sold. */
const MAX_SURPLUS_ERROR = 1e-10
/** Minimum share of the interval by which the tried price differs from either end. */
const MIN_STEP_SHARE = 1e-4
/** Number of pools that are processed between two yields. */
const POOLS_PER_SLICE = 1_000

/**
 * Computes the USD amount that the token's pools absorb at each impact level. The sale is split so that all pools end
 * at the same price. Counts the pools that pay a token of the chain's file (listed). If there are none, counts only the
 * pool whose other token has the most evidence (USD liquidity behind its price).
 */
export function* sellDepth(token: PricedToken, pricer: TokenPricer): Steps<readonly DepthPoint[]> {
  const { price } = pricer.updatePrice(token)
  const outlets = yield* outletsOf(token, pricer)
  const points: DepthPoint[] = []
  for (const impact of IMPACT_LEVELS) points.push({ impact, usd: yield* findSellableUsd(outlets, price, impact / 100) })
  return points
}

function* outletsOf(token: PricedToken, pricer: TokenPricer): Steps<readonly Outlet[]> {
  const outlets: Outlet[] = []
  let visitedCount = 0
  for (const pricedPool of token.listedPools ?? token.pricedPools.slice()) {
    for (const [k, otherToken] of pricedPool.tokens.entries()) {
      if (!otherToken.isListed || otherToken === token || !(pricer.updatePrice(otherToken).price > 0)) continue
      const outlet = outletOf(token, pricedPool, k)
      if (outlet) outlets.push(outlet)
    }
    if (++visitedCount % POOLS_PER_SLICE === 0) yield
  }
  return outlets.length > 0 ? outlets : yield* bestOutletOf(token, pricer)
}

/** Returns the pool whose other token has the most evidence; ties go to the lower id. */
function* bestOutletOf(token: PricedToken, pricer: TokenPricer): Steps<readonly Outlet[]> {
  let bestSoFar: { readonly outlet: Outlet; readonly evidence: number; readonly id: string } | undefined
  for (const pricedPool of token.pricedPools.slice()) {
    const { id } = pricedPool.pool
    for (const [k, otherToken] of pricedPool.tokens.entries()) {
      if (otherToken === token || !(pricer.updatePrice(otherToken).price > 0)) continue
      const { evidence } = otherToken
      const isBest =
        !bestSoFar || evidence > bestSoFar.evidence || (evidence === bestSoFar.evidence && id < bestSoFar.id)
      const outlet = isBest && outletOf(token, pricedPool, k)
      if (outlet) bestSoFar = { outlet, evidence, id }
    }
    yield
  }
  return bestSoFar ? [bestSoFar.outlet] : []
}

function outletOf(token: PricedToken, { pool, tokens, reserves }: PricedPool, indexOut: number): Outlet | null {
  const curve = cachedCurve(pool, tokens.indexOf(token), indexOut)
  return curve && { ...curve, priceOutUsd: tokens[indexOut]!.price, maxOutput: reserves[indexOut]! }
}

/** Cached curves of each pool object, by direction. A pool whose state changes becomes a new object. */
const curvesByPool = new WeakMap<Pool, Map<number, SummedCurve | null>>()

function cachedCurve(pool: Pool, indexIn: number, indexOut: number): SummedCurve | null {
  const byDirection = curvesByPool.get(pool) ?? new Map<number, SummedCurve | null>()
  curvesByPool.set(pool, byDirection)
  const direction = indexIn * pool.tokens.length + indexOut
  let cached = byDirection.get(direction)
  if (cached === undefined) {
    const curve = curveOf(pool, indexIn, indexOut)
    cached = curve && { curve, sums: prefixSums(curve) }
    byDirection.set(direction, cached)
  }
  return cached
}

/**
 * Returns the USD amount whose sale lowers the average price by `impact`, or all that the pools absorb if that is less.
 * The surplus of a sale is its proceeds minus the proceeds at that average price. Searches the final price at which the
 * surplus is 0 by false position. Prices are shares of the token's price. The search starts at the final price of an
 * x·y = k pool. A bisection step follows each step that did not halve the interval.
 */
function* findSellableUsd(outlets: readonly Outlet[], tokenPrice: number, impact: number): Steps<number> {
  const surplus = ({ soldUsd, receivedUsd }: Sale) => receivedUsd - (1 - impact) * soldUsd
  let highShare = 1
  let saleAtHigh = yield* sellDownTo(outlets, tokenPrice, tokenPrice)
  let lowShare = (1 - impact) ** 2
  let saleAtLow = yield* sellDownTo(outlets, tokenPrice, tokenPrice * lowShare)
  while (surplus(saleAtLow) >= 0) {
    if (lowShare <= MIN_PRICE_SHARE) return saleAtLow.soldUsd
    ;[highShare, saleAtHigh] = [lowShare, saleAtLow]
    lowShare = Math.max(lowShare ** 2, MIN_PRICE_SHARE)
    saleAtLow = yield* sellDownTo(outlets, tokenPrice, tokenPrice * lowShare)
  }
  let isSlow = false
  for (let round = 0; round < MAX_ROUNDS && highShare - lowShare > PRECISION * highShare; round++) {
    const [surplusHigh, surplusLow] = [surplus(saleAtHigh), surplus(saleAtLow)]
    const intervalShare = isSlow
      ? 0.5
      : Math.min(Math.max(surplusHigh / (surplusHigh - surplusLow), MIN_STEP_SHARE), 1 - MIN_STEP_SHARE)
    const width = highShare - lowShare
    const priceShare = highShare - width * intervalShare
    const sale = yield* sellDownTo(outlets, tokenPrice, tokenPrice * priceShare)
    if (Math.abs(surplus(sale)) <= MAX_SURPLUS_ERROR * sale.soldUsd) return sale.soldUsd
    if (surplus(sale) >= 0) [highShare, saleAtHigh] = [priceShare, sale]
    else [lowShare, saleAtLow] = [priceShare, sale]
    isSlow = !(highShare - lowShare <= width / 2)
  }
  return saleAtHigh.soldUsd
}

/** Sells into each pool until its marginal price falls to `lastPrice` USD per base unit. */
function* sellDownTo(outlets: readonly Outlet[], tokenPrice: number, lastPrice: number): Steps<Sale> {
  const soldUsdByOutlet = new Float64Array(outlets.length)
  const receivedUsdByOutlet = new Float64Array(outlets.length)
  for (let outletIndex = 0; outletIndex < outlets.length; outletIndex++) {
    const { curve, sums, priceOutUsd, maxOutput } = outlets[outletIndex]!
    const { sqrtPrice, liquidity } = curve
    const endSqrtPrice = Math.sqrt(lastPrice / priceOutUsd)
    const pieceCount = countPiecesAbove(sqrtPrice, endSqrtPrice)
    if (pieceCount > 0) {
      // The last piece is used only down to `endSqrtPrice`.
      const [startSqrt, endSqrt] = [sqrtPrice[pieceCount - 1]!, Math.max(sqrtPrice[pieceCount]!, endSqrtPrice)]
      const input = sums[2 * pieceCount - 2]! + liquidity[pieceCount - 1]! * (1 / endSqrt - 1 / startSqrt)
      const output = sums[2 * pieceCount - 1]! + liquidity[pieceCount - 1]! * (startSqrt - endSqrt)
      // A vault quotes any number of shares at a constant price. Count at most the shares that exist.
      const payableShare = output > maxOutput ? maxOutput / output : 1
      soldUsdByOutlet[outletIndex] = input * payableShare * tokenPrice
      receivedUsdByOutlet[outletIndex] = output * payableShare * priceOutUsd
    }
    if (outletIndex % POOLS_PER_SLICE === POOLS_PER_SLICE - 1) yield
  }
  return { soldUsd: exactSum(soldUsdByOutlet), receivedUsd: exactSum(receivedUsdByOutlet) }
}

/** Returns the number of pieces that start above a square root of the price. */
function countPiecesAbove(sqrtPrice: Float64Array, endSqrtPrice: number): number {
  let lowIndex = 0
  let highIndex = sqrtPrice.length - 1
  while (lowIndex < highIndex) {
    const middle = (lowIndex + highIndex) >> 1
    if (sqrtPrice[middle]! > endSqrtPrice) lowIndex = middle + 1
    else highIndex = middle
  }
  return lowIndex
}

/** Returns the base units that a swap sells (at index 2k) and receives (at index 2k + 1) before each piece k. */
function prefixSums({ sqrtPrice, liquidity }: PriceCurve): Float64Array {
  const sums = new Float64Array(2 * liquidity.length)
  for (let k = 0; k + 1 < liquidity.length; k++) {
    const [startSqrt, endSqrt] = [sqrtPrice[k]!, sqrtPrice[k + 1]!]
    sums[2 * k + 2] = sums[2 * k]! + liquidity[k]! * (1 / endSqrt - 1 / startSqrt)
    sums[2 * k + 3] = sums[2 * k + 1]! + liquidity[k]! * (startSqrt - endSqrt)
  }
  return sums
}
