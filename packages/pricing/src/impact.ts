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
 * Pool in which the token can be sold. `priceOut` is the USD price per base unit of the token that it pays, and
 * `payable` the maximum base units that it can pay.
 */
type Outlet = Curve & { readonly priceOut: number; readonly payable: number }
/** Price curve with prefix sums of amounts sold and received before each piece. */
type Curve = { readonly curve: PriceCurve; readonly sums: Float64Array }
/** Result of selling, in USD; `sold` is valued at the token's price. */
type Sale = { readonly sold: number; readonly received: number }

/** Lowest price searched, as a share of the token's price. */
const LOWEST = 2 ** -40
/**
 * Maximum rounds of the search for the final price, and its relative precision: enough for six digits of the result.
 */
const ROUNDS = 80
const PRECISION = 1e-12
/** Accepted error of the surplus, relative to the amount sold. */
const NEGLIGIBLE = 1e-10
/** Minimum share of the interval that each round removes. */
const MIN_STEP = 1e-4
/** Pools processed between yields. */
const POOLS_PER_SLICE = 1_000

/**
 * Computes the USD amount that the token's pools absorb at each impact level, if the order is split so that all pools
 * end at the same price. Counts the pools that pay a listed token. If there are none, counts the pool whose other token
 * has the most evidence.
 */
export function* sellDepth(token: PricedToken, pricer: TokenPricer): Steps<readonly DepthPoint[]> {
  const { price } = pricer.update(token)
  const outlets = yield* outletsOf(token, pricer)
  const points: DepthPoint[] = []
  for (const impact of IMPACT_LEVELS) points.push({ impact, usd: yield* soldUpTo(outlets, price, impact / 100) })
  return points
}

function* outletsOf(token: PricedToken, pricer: TokenPricer): Steps<readonly Outlet[]> {
  const outlets: Outlet[] = []
  let visitedCount = 0
  for (const pricedPool of token.listedPools ?? token.pricedPools.slice()) {
    for (const [k, other] of pricedPool.tokens.entries()) {
      if (!other.isListed || other === token || !(pricer.update(other).price > 0)) continue
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
      if (other === token || !(pricer.update(other).price > 0)) continue
      const isBest = !best || other.evidence > best.backing || (other.evidence === best.backing && id < best.id)
      const outlet = isBest && outletOf(token, pricedPool, k)
      if (outlet) best = { outlet, backing: other.evidence, id }
    }
    yield
  }
  return best ? [best.outlet] : []
}

function outletOf(token: PricedToken, { pool, tokens, reserves }: PricedPool, k: number): Outlet | null {
  const curve = curveFrom(pool, tokens.indexOf(token), k)
  return curve && { ...curve, priceOut: tokens[k]!.price, payable: reserves[k]! }
}

/** Cached curves per pool version, by direction. */
const curves = new WeakMap<Pool, Map<number, Curve | null>>()

function curveFrom(pool: Pool, from: number, to: number): Curve | null {
  const byDirection = curves.get(pool) ?? new Map<number, Curve | null>()
  curves.set(pool, byDirection)
  const direction = from * pool.tokens.length + to
  let cached = byDirection.get(direction)
  if (cached === undefined) {
    const curve = curveOf(pool, from, to)
    cached = curve && { curve, sums: sumsOf(curve) }
    byDirection.set(direction, cached)
  }
  return cached
}

/**
 * Returns the USD sold when the average price has fallen by `impact`, or everything the pools absorb before. Searches
 * the final price as a share of the token's price. Starts below the final price of an x·y = k pool and continues by
 * false position. A bisection step follows each step that did not halve the interval.
 */
function* soldUpTo(outlets: readonly Outlet[], tokenPrice: number, impact: number): Steps<number> {
  const surplus = ({ sold, received }: Sale) => received - (1 - impact) * sold
  let high = 1
  let atHigh = yield* sellDownTo(outlets, tokenPrice, tokenPrice)
  let low = (1 - impact) ** 2
  let atLow = yield* sellDownTo(outlets, tokenPrice, tokenPrice * low)
  while (surplus(atLow) >= 0) {
    if (low <= LOWEST) return atLow.sold
    ;[high, atHigh] = [low, atLow]
    low = Math.max(low ** 2, LOWEST)
    atLow = yield* sellDownTo(outlets, tokenPrice, tokenPrice * low)
  }
  let isSlow = false
  for (let round = 0; round < ROUNDS && high - low > PRECISION * high; round++) {
    const [surplusHigh, surplusLow] = [surplus(atHigh), surplus(atLow)]
    const share = isSlow ? 0.5 : Math.min(Math.max(surplusHigh / (surplusHigh - surplusLow), MIN_STEP), 1 - MIN_STEP)
    const width = high - low
    const level = high - width * share
    const end = yield* sellDownTo(outlets, tokenPrice, tokenPrice * level)
    if (Math.abs(surplus(end)) <= NEGLIGIBLE * end.sold) return end.sold
    if (surplus(end) >= 0) [high, atHigh] = [level, end]
    else [low, atLow] = [level, end]
    isSlow = !(high - low <= width / 2)
  }
  return atHigh.sold
}

/** Sells into each pool until its marginal price falls to `lastPrice` USD per base unit. */
function* sellDownTo(outlets: readonly Outlet[], tokenPrice: number, lastPrice: number): Steps<Sale> {
  const soldUsd = new Float64Array(outlets.length)
  const receivedUsd = new Float64Array(outlets.length)
  for (let index = 0; index < outlets.length; index++) {
    const { curve, sums, priceOut, payable } = outlets[index]!
    const { sqrtPrice, liquidity } = curve
    const end = Math.sqrt(lastPrice / priceOut)
    const k = piecesAbove(sqrtPrice, end)
    if (k > 0) {
      // The last piece is used only down to `end`.
      const [from, to] = [sqrtPrice[k - 1]!, Math.max(sqrtPrice[k]!, end)]
      const input = sums[2 * k - 2]! + liquidity[k - 1]! * (1 / to - 1 / from)
      const output = sums[2 * k - 1]! + liquidity[k - 1]! * (from - to)
      // Vaults mint any number of shares at a constant price. They count up to the shares that exist.
      const share = output > payable ? payable / output : 1
      soldUsd[index] = input * share * tokenPrice
      receivedUsd[index] = output * share * priceOut
    }
    if (index % POOLS_PER_SLICE === POOLS_PER_SLICE - 1) yield
  }
  return { sold: exactSum(soldUsd), received: exactSum(receivedUsd) }
}

/** Returns the number of pieces that start above a square root of a price. */
function piecesAbove(sqrtPrice: Float64Array, end: number): number {
  let low = 0
  let high = sqrtPrice.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (sqrtPrice[middle]! > end) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns base units sold and received before each piece, as interleaved pairs. */
function sumsOf({ sqrtPrice, liquidity }: PriceCurve): Float64Array {
  const sums = new Float64Array(2 * liquidity.length)
  for (let k = 0; k + 1 < liquidity.length; k++) {
    const [from, to] = [sqrtPrice[k]!, sqrtPrice[k + 1]!]
    sums[2 * k + 2] = sums[2 * k]! + liquidity[k]! * (1 / to - 1 / from)
    sums[2 * k + 3] = sums[2 * k + 1]! + liquidity[k]! * (from - to)
  }
  return sums
}
