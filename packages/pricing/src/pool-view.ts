import {
  type DexFamily,
  familyOf,
  orRefused,
  outlineOfCurves,
  outputDownTo,
  type PairOutline,
  type Pool,
  type PriceCurve,
} from '@sluice/liquidity'

/** The part by which the price is moved, to either side, to see what stands behind it. */
const BAND = 0.05
/** The part that a constant-product pool gives of its reserve while its price falls by `BAND`. */
const BAND_SHARE = 1 - Math.sqrt(1 - BAND)
/** A pool that keeps more than this of a swap is no evidence: nobody trades its price back to the market's. */
const HIGHEST_FEE = BAND

/** Prices and depth of one pool for two of its tokens. */
export type PairView = {
  /** Positions in `pool.tokens`. */
  readonly i: number
  readonly j: number
  /** Base units of j per base unit of i, before fee. */
  readonly mid: number
  /**
   * The reserves behind `mid`, in base units of each: what a constant-product pool would hold on that side to resist a move of
   * the price as well as this pool does in its weaker direction, and never more than the pool really holds. Liquidity far
   * from the price, or on one side of it only, is worth nothing.
   */
  readonly backingI: number
  readonly backingJ: number
}

export type PoolView = {
  /** Base units, in the order of `pool.tokens`; from ticks where the pool has them, never derived from liquidity. */
  readonly reserves: readonly number[]
  readonly pairs: readonly PairView[]
  /** The part of a swap that it keeps, the most of all pairs: as far as its price may be off without anybody trading it back. */
  readonly fee: number
}

/** @returns null for a family that this build does not know */
export function viewPool(pool: Pool): PoolView | null {
  const family = familyOf(pool.family)
  return family === undefined ? null : readView(pool, family)
}

/** The pool's curve from one of its tokens to another, by position; null where the pool cannot swap. */
export function curveOf(pool: Pool, tokenIn: number, tokenOut: number): PriceCurve | null {
  return orRefused(() => familyOf(pool.family)!.priceCurve(pool, pool.tokens[tokenIn]!, pool.tokens[tokenOut]!))
}

function readView(pool: Pool, family: DexFamily): PoolView {
  const { tokens } = pool
  if (tokens.length === 2) {
    const outline = orRefused(() => family.outline?.(pool, BAND) ?? outlineOf(pool, family))
    if (!outline) return { reserves: family.reserves(pool).map(Number), pairs: [], fee: 0 }
    const pair = pairFrom(0, 1, outline)
    return { reserves: [outline.firstHeld, outline.secondHeld], pairs: pair ? [pair] : [], fee: outline.fee }
  }
  const reserves = family.reserves(pool).map(Number)
  const pairs: PairView[] = []
  let fee = 0
  for (let i = 0; i < tokens.length; i++)
    for (let j = i + 1; j < tokens.length; j++) {
      const [sell, buy] = [curveOf(pool, i, j), curveOf(pool, j, i)]
      if (!sell || !buy) continue
      const outline = outlineOfCurves(sell, buy, { firstHeld: reserves[i]!, secondHeld: reserves[j]! }, BAND)
      const pair = pairFrom(i, j, outline)
      if (pair === null) continue
      pairs.push(pair)
      fee = Math.max(fee, outline.fee)
    }
  return { reserves, pairs, fee }
}

function outlineOf(pool: Pool, family: DexFamily): PairOutline | null {
  const [sell, buy] = [curveOf(pool, 0, 1), curveOf(pool, 1, 0)]
  return sell && buy && outlineOfCurves(sell, buy, heldFrom(sell, buy) ?? heldIn(pool, family), BAND)
}

/**
 * The reserves between the ticks of a pool, where its curves are made of them: exact integers would cost more than all
 * the rest.
 */
function heldFrom(sell: PriceCurve, buy: PriceCurve) {
  if (sell.gasPerPiece === undefined || buy.gasPerPiece === undefined) return null
  return { firstHeld: outputDownTo(buy, 0), secondHeld: outputDownTo(sell, 0) }
}

function heldIn(pool: Pool, family: DexFamily) {
  const [first, second] = family.reserves(pool)
  return { firstHeld: Number(first), secondHeld: Number(second) }
}

function pairFrom(i: number, j: number, outline: PairOutline): PairView | null {
  const { price: mid, fee, firstNear, secondNear, firstHeld, secondHeld } = outline
  if (fee > HIGHEST_FEE) return null
  const resistance = Math.min(secondNear, firstNear * mid) / BAND_SHARE
  // Nothing usable comes of overflow, of an empty side or of a price of zero.
  if (!(Number.isFinite(mid) && mid > 0 && Number.isFinite(resistance) && resistance > 0)) return null
  return { i, j, mid, backingI: Math.min(firstHeld, resistance / mid), backingJ: Math.min(secondHeld, resistance) }
}
