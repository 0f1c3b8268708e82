import { type Curve, type DexFamily, familyOf, orRefused, type Pool } from '@sluice/liquidity'

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

/** @returns null for a family that this build does not know */
export function viewPool(pool: Pool): PoolView | null {
  const known = views.get(pool)
  if (known !== undefined) return known
  const family = familyOf(pool.family)
  if (family === undefined) return null
  const view = readView(pool, family)
  views.set(pool, view)
  return view
}

/** The pool's curve from one of its tokens to another, by position; null where the pool cannot swap. */
export function curveOf(pool: Pool, tokenIn: number, tokenOut: number): Curve | null {
  return orRefused(() => familyOf(pool.family)!.curve(pool, pool.tokens[tokenIn]!, pool.tokens[tokenOut]!))
}

function readView(pool: Pool, family: DexFamily): PoolView {
  const reserves = family.reserves(pool).map(Number)
  const pairs: PairView[] = []
  for (let i = 0; i < pool.tokens.length; i++)
    for (let j = i + 1; j < pool.tokens.length; j++) {
      const pair = readPair(pool, i, j)
      if (pair !== null) pairs.push(pair)
    }
  return { reserves, pairs }
}

function readPair(pool: Pool, i: number, j: number): PairView | null {
  const sell = curveOf(pool, i, j)
  const buy = curveOf(pool, j, i)
  if (!sell || !buy || keeps(sell) > HIGHEST_FEE || keeps(buy) > HIGHEST_FEE) return null
  const mid = sell.sqrtPrice[0]! ** 2
  const outputOfJ = outputWithinBand(sell)
  const outputOfI = outputWithinBand(buy)
  const resistance = Math.min(outputOfJ, outputOfI * mid) / BAND_SHARE
  // Nothing usable comes of overflow, of an empty side or of a price of zero.
  return Number.isFinite(mid) && mid > 0 && Number.isFinite(resistance) && resistance > 0
    ? { i, j, mid, resistance }
    : null
}

/** Share of a swap that the pool keeps. */
const keeps = ({ keepIn, keepOut }: Curve) => 1 - keepIn * keepOut

function outputWithinBand({ sqrtPrice, liquidity }: Curve): number {
  const end = sqrtPrice[0]! * Math.sqrt(1 - BAND)
  let output = 0
  for (let k = 0; k < liquidity.length && sqrtPrice[k]! > end; k++)
    output += liquidity[k]! * (sqrtPrice[k]! - Math.max(sqrtPrice[k + 1]!, end))
  return output
}
