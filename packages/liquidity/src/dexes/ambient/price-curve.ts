/** Computes price curves and reserves of Ambient pools. A root is a √price with 64 fractional bits. */
import type { PriceCurve } from '../../family.ts'
import { CurveBuilder } from '../../math/curve-builder.ts'
import { liquidityNetOf, liquidityOf, MAX_ROOT, MIN_ROOT, rootAtTick, tokensBetween } from './curve.ts'
import { FEE_UNIT, legsOf, TAKE_UNIT } from './math.ts'
import type { AmbientState } from './types.ts'

/** Fixed-point one of √prices. */
const ONE = 2 ** 64

/** Range of √prices with constant liquidity. */
type LiquidityRange = { readonly from: bigint; readonly to: bigint; readonly liquidity: bigint }

/** Returns the ranges from the current price to the last price that the contract supports, in one direction. */
function rangesOf(state: AmbientState, isBuy: boolean): readonly LiquidityRange[] {
  const { priceRoot, levels } = state
  const ranges: LiquidityRange[] = []
  let from = priceRoot
  let liquidity = liquidityOf(state)
  for (const level of isBuy ? levels : levels.toReversed()) {
    const root = rootAtTick(level[0])
    if (isBuy ? root <= priceRoot : root > priceRoot) continue
    ranges.push({ from, to: root, liquidity })
    liquidity += isBuy ? liquidityNetOf(level) : -liquidityNetOf(level)
    from = root
  }
  return [...ranges, { from, to: isBuy ? MAX_ROOT : MIN_ROOT, liquidity }]
}

/** Output of a leg, in base units, above which the contract's rounding is negligible. */
const SMOOTH_OUTPUT = 1e9
/**
 * Number of pieces of a leg that buys its whole virtual reserve. A leg that buys a fraction of the reserve gets this
 * fraction of the pieces, rounded up.
 */
const MAX_PIECES_PER_LEG = 20

/**
 * Builds the curve from the legs of the largest swap. A leg is the part of a swap between two levels or ends of bitmap
 * words.
 *
 * Let a leg have the virtual reserves `reserveIn` and `reserveOut`, and let u = input / (reserveIn + input). Without a
 * fee, the leg would pay reserveOut·u. The fee is a fraction of this output. The protocol takes the fraction `take` of
 * the fee. The rest, kept = fee·(1 − take), becomes liquidity before the leg trades. So the leg pays reserveOut·u·(1 −
 * fee + kept·u). This equals (1 − fee)·reserveOut·u·(1 + keptPerOutput·u), where keptPerOutput = kept / (1 − fee).
 *
 * The curve's `keepOut` contains the factor 1 − fee. The prices of the pieces contain the other factors.
 */
export function curveOf(state: AmbientState, isBuy: boolean, gasPerLevel: number): PriceCurve {
  const fee = Number(state.feeRate) / Number(FEE_UNIT)
  const keptPerOutput = (fee / (1 - fee)) * (1 - Number(state.protocolTake) / Number(TAKE_UNIT))
  const builder = new CurveBuilder()
  let [sold, paid] = [0n, 0n]
  const legs = legsOf(state, isBuy)
  for (const leg of legs) {
    const outputPerInputRoot = isBuy ? ONE / Number(leg.priceRoot) : Number(leg.priceRoot) / ONE
    const [input, output] = [Number(leg.totalSold - sold), Number(leg.totalPaid - paid) / (1 - fee)]
    ;({ totalSold: sold, totalPaid: paid } = leg)
    const reserveIn = Number(leg.liquidity) / outputPerInputRoot
    if (!(input > 0 && output > 0 && reserveIn > 0)) continue
    const endU = input / (reserveIn + input)
    const count = Math.max(1, Math.ceil(MAX_PIECES_PER_LEG * endU))
    // Ambient subtracts a few units from every output, which distorts small outputs. The reserve of a leg with a small
    // output is computed from the liquidity instead.
    const reserveOut =
      output > SMOOTH_OUTPUT ? output / (endU * (1 + keptPerOutput * endU)) : reserveIn * outputPerInputRoot ** 2
    const outputAt = (u: number) => reserveOut * u * (1 + keptPerOutput * u)
    for (let k = 0; k < count; k++) {
      const [u, nextU] = [(endU * k) / count, (endU * (k + 1)) / count]
      const pieceInput = reserveIn * (nextU / (1 - nextU) - u / (1 - u))
      const meanPriceRoot = Math.sqrt((outputAt(nextU) - outputAt(u)) / pieceInput)
      // The √price at the end of the piece, divided by the √price at its start. `meanPriceRoot` is their geometric
      // mean.
      const rootRatio =
        ((1 - nextU) / (1 - u)) * Math.sqrt((1 + 2 * keptPerOutput * nextU) / (1 + 2 * keptPerOutput * u))
      builder.addHyperbola(meanPriceRoot / Math.sqrt(rootRatio), meanPriceRoot * Math.sqrt(rootRatio), 1, pieceInput)
    }
  }
  const curve = builder.build(1, 1 - fee)
  const crossedLevels = countLevelsTo(state, legs.at(-1)?.priceRoot ?? state.priceRoot)
  // Pieces do not end at levels, so the gas of crossing all levels is spread evenly over the pieces.
  return { ...curve, gasPerPiece: (gasPerLevel * crossedLevels) / Math.max(1, curve.liquidity.length - 1) }
}

/** Returns the number of levels between the current price and another √price. */
function countLevelsTo({ priceRoot, levels }: AmbientState, end: bigint): number {
  const [low, high] = priceRoot < end ? [priceRoot, end] : [end, priceRoot]
  return levels.filter(([tick]) => low <= rootAtTick(tick) && rootAtTick(tick) <= high).length
}

/**
 * Returns the amounts that the pool can pay out: the base tokens below the price, and the quote tokens above the price.
 */
export function reservesOf(state: AmbientState): readonly [base: bigint, quote: bigint] {
  const reserveOf = (isBuy: boolean) =>
    rangesOf(state, isBuy).reduce(
      (sum, { from, to, liquidity }) => sum + tokensBetween(liquidity < 0n ? 0n : liquidity, from, to, !isBuy),
      0n,
    )
  return [reserveOf(false), reserveOf(true)]
}
