/** Sell depth of a token at fixed levels of price impact. */
import type { Pool, PriceCurve } from '@sluice/liquidity'
import type { Steps } from '@sluice/rpc'
import { curveOf } from './pool-view.ts'
import { exactSum } from './sum.ts'
import type { PricedPool, PricedToken } from './token.ts'
import type { TokenPricer } from './token-pricer.ts'

/** Price impact levels, in percent. */
export const IMPACT_LEVELS = [0.5, 1, 2, 5, 10] as const

/** Amount of a token that can be sold within a price impact. */
export type DepthPoint = {
  /** Percent by which the average price of the swap, before fees, is below the token's price. */
  readonly impact: number
  /** USD of the token that can be sold within this impact. */
  readonly usd: number
}

/**
 * Pool in which the token can be sold for another token. `priceOut` is the USD price per base unit of the other token.
 * `payable` is the maximum base units of the other token that the pool can pay.
 */
type Outlet = SummedCurve & { readonly priceOut: number; readonly payable: number }
/** Price curve with prefix sums of amounts sold and received before each piece. */
type SummedCurve = { readonly curve: PriceCurve; readonly sums: Float64Array }
/** Result of selling, in USD; `sold` is valued at the token's price. */
type Sale = { readonly sold: number; readonly received: number }

/** Lowest price searched, as a share of the token's price. */
const MIN_PRICE_SHARE = 2 ** -40
/**
 * Maximum rounds of the search for the final price, and its relative precision: enough for six digits of the result.
 */
const MAX_ROUNDS = 80
const PRECISION = 1e-12
/** Accepted error of the surplus, relative to the amount sold. */
const MAX_SURPLUS_ERROR = 1e-10
/** Minimum share of the interval that each round removes. */
const MIN_STEP_SHARE = 1e-4
/** Pools processed between yields. */
const POOLS_PER_SLICE = 1_000

/**
 * Computes the USD amount that the token's pools absorb at each impact level, if the order is split so that all pools
 * end at the same price. Counts the pools that pay a listed token. If no pool does, counts the pool whose other token
 * has the most evidence.
 */
export function* sellDepth(token: PricedToken, pricer: TokenPricer): Steps<readonly DepthPoint[]> {
  const { price } = pricer.updatePrice(token)
  const outlets = yield* outletsOf(token, pricer)
  const points: DepthPoint[] = []
  for (const impact of IMPACT_LEVELS) points.push({ impact, usd: yield* soldUpTo(outlets, price, impact / 100) })
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
  let best: { readonly outlet: Outlet; readonly backing: number; readonly id: string } | undefined
  for (const pricedPool of token.pricedPools.slice()) {
    const { id } = pricedPool.pool
    for (const [k, other] of pricedPool.tokens.entries()) {
      if (other === token || !(pricer.updatePrice(other).price > 0)) continue
      const isBest = !best || other.evidence > best.backing || (other.evidence === best.backing && id < best.id)
      const outlet = isBest && outletOf(token, pricedPool, k)
      if (outlet) best = { outlet, backing: other.evidence, id }
    }
    yield
  }
  return best ? [best.outlet] : []
}

function outletOf(token: PricedToken, { pool, tokens, reserves }: PricedPool, k: number): Outlet | null {
  const curve = cachedCurve(pool, tokens.indexOf(token), k)
  return curve && { ...curve, priceOut: tokens[k]!.price, payable: reserves[k]! }
}

/** Cached curves per pool version, by direction. */
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
 * Returns the USD sold when the average price has fallen by `impact`, or the total USD that the pools absorb if that is
 * less. Searches the final price as a share of the token's price by false position, starting at the final price of an
 * x·y = k pool. A bisection step follows each step that did not halve the interval.
 */
function* soldUpTo(outlets: readonly Outlet[], tokenPrice: number, impact: number): Steps<number> {
  const surplus = ({ sold, received }: Sale) => received - (1 - impact) * sold
  let highShare = 1
  let saleAtHigh = yield* sellDownTo(outlets, tokenPrice, tokenPrice)
  let lowShare = (1 - impact) ** 2
  let saleAtLow = yield* sellDownTo(outlets, tokenPrice, tokenPrice * lowShare)
  while (surplus(saleAtLow) >= 0) {
    if (lowShare <= MIN_PRICE_SHARE) return saleAtLow.sold
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
    if (Math.abs(surplus(sale)) <= MAX_SURPLUS_ERROR * sale.sold) return sale.sold
    if (surplus(sale) >= 0) [highShare, saleAtHigh] = [priceShare, sale]
    else [lowShare, saleAtLow] = [priceShare, sale]
    isSlow = !(highShare - lowShare <= width / 2)
  }
  return saleAtHigh.sold
}

/** Sells into each pool until its marginal price falls to `lastPrice` USD per base unit. */
function* sellDownTo(outlets: readonly Outlet[], tokenPrice: number, lastPrice: number): Steps<Sale> {
  const soldUsd = new Float64Array(outlets.length)
  const receivedUsd = new Float64Array(outlets.length)
  for (let index = 0; index < outlets.length; index++) {
    const { curve, sums, priceOut, payable } = outlets[index]!
    const { sqrtPrice, liquidity } = curve
    const endSqrtPrice = Math.sqrt(lastPrice / priceOut)
    const pieceCount = piecesAbove(sqrtPrice, endSqrtPrice)
    if (pieceCount > 0) {
      // The last piece is used only down to `end`.
      const [startSqrt, endSqrt] = [sqrtPrice[pieceCount - 1]!, Math.max(sqrtPrice[pieceCount]!, endSqrtPrice)]
      const input = sums[2 * pieceCount - 2]! + liquidity[pieceCount - 1]! * (1 / endSqrt - 1 / startSqrt)
      const output = sums[2 * pieceCount - 1]! + liquidity[pieceCount - 1]! * (startSqrt - endSqrt)
      // Vaults mint any number of shares at a constant price. They count up to the shares that exist.
      const payableShare = output > payable ? payable / output : 1
      soldUsd[index] = input * payableShare * tokenPrice
      receivedUsd[index] = output * payableShare * priceOut
    }
    if (index % POOLS_PER_SLICE === POOLS_PER_SLICE - 1) yield
  }
  return { sold: exactSum(soldUsd), received: exactSum(receivedUsd) }
}

/** Returns the number of pieces that start above a √price. */
function piecesAbove(sqrtPrice: Float64Array, endSqrtPrice: number): number {
  let lowIndex = 0
  let highIndex = sqrtPrice.length - 1
  while (lowIndex < highIndex) {
    const middle = (lowIndex + highIndex) >> 1
    if (sqrtPrice[middle]! > endSqrtPrice) lowIndex = middle + 1
    else highIndex = middle
  }
  return lowIndex
}

/** Returns base units sold and received before each piece, as interleaved pairs. */
function prefixSums({ sqrtPrice, liquidity }: PriceCurve): Float64Array {
  const sums = new Float64Array(2 * liquidity.length)
  for (let k = 0; k + 1 < liquidity.length; k++) {
    const [startSqrt, endSqrt] = [sqrtPrice[k]!, sqrtPrice[k + 1]!]
    sums[2 * k + 2] = sums[2 * k]! + liquidity[k]! * (1 / endSqrt - 1 / startSqrt)
    sums[2 * k + 3] = sums[2 * k + 1]! + liquidity[k]! * (startSqrt - endSqrt)
  }
  return sums
}
