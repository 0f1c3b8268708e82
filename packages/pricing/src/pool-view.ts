/** Computes the price and the usable depth of one pool, as inputs of the token graph. */
import {
  type DexFamily,
  familyOf,
  nullIfRefused,
  outlineOfCurves,
  outputDownTo,
  type PairOutline,
  type Pool,
  type PriceCurve,
} from '@sluice/liquidity'

/** Relative price move, in either direction, over which depth is measured. */
const PRICE_BAND = 0.05
/** Share of its reserve that a constant-product pool pays out while its price falls by `PRICE_BAND`. */
const PRICE_BAND_SHARE = 1 - Math.sqrt(1 - PRICE_BAND)
/** Maximum fee of a pool that may price tokens. Above this fee, arbitrage does not restore the market price. */
const MAX_FEE = PRICE_BAND

/** Price and depth of one pool for two of its tokens. */
export type PairView = {
  /** Indices in `pool.tokens`. */
  readonly i: number
  readonly j: number
  /** Base units of j per base unit of i, before fee. */
  readonly midPrice: number
  /**
   * Virtual reserves behind `midPrice`, in base units of each token, at most the actual reserves. A constant-product
   * pool with these reserves resists a price move as well as this pool does in its weaker direction. Liquidity far from
   * the price, or on one side only, does not count.
   */
  readonly backingI: number
  readonly backingJ: number
}

/** Price data of one pool. */
export type PoolView = {
  /**
   * Base units in the order of `pool.tokens`. For a pool with ticks, the sum over all ticks, not the liquidity in
   * range.
   */
  readonly reserves: readonly number[]
  readonly pairs: readonly PairView[]
  /**
   * Fee as a share of the swap, the maximum over all pairs. The pool's price may differ from the market price by this
   * share before arbitrage corrects it.
   */
  readonly fee: number
}

/**
 * Reads the price data of a pool.
 *
 * @returns null for an unknown family (kind of pool), or a family whose curves are sampled by on-chain quotes
 */
export function viewPool(pool: Pool): PoolView | null {
  const family = familyOf(pool.family)
  // Sampled quotes come from code that anyone can deploy, so they must not set prices.
  return family === undefined || family.sampled ? null : readView(pool, family)
}

/** Returns the price curve between two tokens, given by index in `pool.tokens`; null if the pool refuses swaps. */
export function curveOf(pool: Pool, tokenIn: number, tokenOut: number): PriceCurve | null {
  return nullIfRefused(() => familyOf(pool.family)!.priceCurve(pool, pool.tokens[tokenIn]!, pool.tokens[tokenOut]!))
}

function readView(pool: Pool, family: DexFamily): PoolView {
  const { tokens } = pool
  if (tokens.length === 2) {
    const outline = nullIfRefused(() => family.outline?.(pool, PRICE_BAND) ?? outlineOf(pool, family))
    if (!outline) return { reserves: family.reserves(pool).map(Number), pairs: [], fee: 0 }
    const pair = pairViewOf(0, 1, outline)
    return { reserves: [outline.firstReserve, outline.secondReserve], pairs: pair ? [pair] : [], fee: outline.fee }
  }
  const reserves = family.reserves(pool).map(Number)
  const pairs: PairView[] = []
  let fee = 0
  for (let i = 0; i < tokens.length; i++)
    for (let j = i + 1; j < tokens.length; j++) {
      const [sellCurve, buyCurve] = [curveOf(pool, i, j), curveOf(pool, j, i)]
      if (!sellCurve || !buyCurve) continue
      const outline = outlineOfCurves(
        sellCurve,
        buyCurve,
        { firstReserve: reserves[i]!, secondReserve: reserves[j]! },
        PRICE_BAND,
      )
      const pair = pairViewOf(i, j, outline)
      if (pair === null) continue
      pairs.push(pair)
      fee = Math.max(fee, outline.fee)
    }
  return { reserves, pairs, fee }
}

function outlineOf(pool: Pool, family: DexFamily): PairOutline | null {
  const [sellCurve, buyCurve] = [curveOf(pool, 0, 1), curveOf(pool, 1, 0)]
  return (
    sellCurve &&
    buyCurve &&
    outlineOfCurves(
      sellCurve,
      buyCurve,
      reservesFromCurves(sellCurve, buyCurve) ?? reservesFromPool(pool, family),
      PRICE_BAND,
    )
  )
}

/** Derives the reserves from tick-based curves, which is cheaper than exact integers; null for other curves. */
function reservesFromCurves(sellCurve: PriceCurve, buyCurve: PriceCurve) {
  if (sellCurve.gasPerPiece === undefined || buyCurve.gasPerPiece === undefined) return null
  return { firstReserve: outputDownTo(buyCurve, 0), secondReserve: outputDownTo(sellCurve, 0) }
}

function reservesFromPool(pool: Pool, family: DexFamily) {
  const [first, second] = family.reserves(pool)
  return { firstReserve: Number(first), secondReserve: Number(second) }
}

/** Converts the outline of two tokens to a pair view; null if the pool must not price these tokens. */
function pairViewOf(i: number, j: number, outline: PairOutline): PairView | null {
  const { price: midPrice, fee, firstDepth, secondDepth, firstReserve, secondReserve } = outline
  if (fee > MAX_FEE) return null
  // The depths are the amounts that the pool pays within the price band. A constant-product pool pays
  // `PRICE_BAND_SHARE` of its reserve in the same band.
  const virtualReserveJ = Math.min(secondDepth, firstDepth * midPrice) / PRICE_BAND_SHARE
  // Skip an overflow, an empty side, and a zero price.
  if (!(Number.isFinite(midPrice) && midPrice > 0 && Number.isFinite(virtualReserveJ) && virtualReserveJ > 0))
    return null
  return {
    i,
    j,
    midPrice,
    backingI: Math.min(firstReserve, virtualReserveJ / midPrice),
    backingJ: Math.min(secondReserve, virtualReserveJ),
  }
}
