import { type Curve, type DexFamily, type Pool, PoolRefusal } from '@sluice/liquidity'

/** The part of a family that prices need. */
export type Valuation = Pick<DexFamily, 'curve' | 'reserves'>

/** How far the price is moved, to either side, to see what stands behind it. */
const BAND = 0.05
/** What a constant-product pool gives of its reserve while its price falls by `BAND`. */
const BAND_SHARE = 1 - Math.sqrt(1 - BAND)
/** A pool that keeps more than this of a swap is no evidence: nobody trades its price back to the market's. */
const HIGHEST_FEE = BAND

/** What one pool says about two of its tokens. */
export type PairView = {
  /** Positions in `pool.tokens`. */
  readonly i: number
  readonly j: number
  /** Base units of j per base unit of i, before fee. */
  readonly mid: number
  /**
   * Base units of j that a constant-product pool would hold on that side to resist a move of the price as well as this
   * pool does in its weaker direction. Liquidity far from the price, or on one side of it only, is worth nothing.
   */
  readonly resistance: number
}

export type PoolView = {
  /** Base units, in the order of `pool.tokens`; from ticks where the pool has them, never derived from liquidity. */
  readonly reserves: readonly number[]
  readonly pairs: readonly PairView[]
}

/** A pool never changes, a new state is a new object: what it says is worked out once. */
const views = new WeakMap<Pool, PoolView>()

export function viewPool(pool: Pool, family: Valuation): PoolView {
  let view = views.get(pool)
  if (view === undefined) {
    view = readView(pool, family)
    views.set(pool, view)
  }
  return view
}

function readView(pool: Pool, family: Valuation): PoolView {
  const reserves = family.reserves(pool).map(Number)
  const pairs: PairView[] = []
  for (let i = 0; i < pool.tokens.length; i++)
    for (let j = i + 1; j < pool.tokens.length; j++) {
      const pair = readPair(pool, family, i, j)
      if (pair !== null) pairs.push(pair)
    }
  return { reserves, pairs }
}

function readPair(pool: Pool, family: Valuation, i: number, j: number): PairView | null {
  const sell = curveOf(pool, family, i, j)
  const buy = curveOf(pool, family, j, i)
  if (sell === null || buy === null) return null
  const mid = sell.sqrtPrice[0]! ** 2
  const outputOfJ = outputWithinBand(sell)
  const outputOfI = outputWithinBand(buy)
  const resistance = Math.min(outputOfJ, outputOfI * mid) / BAND_SHARE
  // Nothing usable comes of overflow, of an empty side or of a price of zero.
  return Number.isFinite(mid) && mid > 0 && Number.isFinite(resistance) && resistance > 0
    ? { i, j, mid, resistance }
    : null
}

function curveOf(pool: Pool, family: Valuation, tokenIn: number, tokenOut: number): Curve | null {
  try {
    const curve = family.curve(pool, pool.tokens[tokenIn]!, pool.tokens[tokenOut]!)
    return curve.liquidity.length > 0 && curve.keepIn * curve.keepOut >= 1 - HIGHEST_FEE ? curve : null
  } catch (error) {
    if (error instanceof PoolRefusal) return null
    throw error
  }
}

function outputWithinBand({ sqrtPrice, liquidity }: Curve): number {
  const end = sqrtPrice[0]! * Math.sqrt(1 - BAND)
  let output = 0
  for (let k = 0; k < liquidity.length && sqrtPrice[k]! > end; k++)
    output += liquidity[k]! * (sqrtPrice[k]! - Math.max(sqrtPrice[k + 1]!, end))
  return output
}
