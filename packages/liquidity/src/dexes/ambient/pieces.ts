/** Price curves and reserves of Ambient pools. */
import type { PriceCurve } from '../../family.ts'
import { CurveBuilder } from '../../math/curve-builder.ts'
import { liquidityOf, MAX_ROOT, MIN_ROOT, rootAtTick, tokensBetween } from './curve.ts'
import { legsOf } from './math.ts'
import type { AmbientLevel, AmbientState } from './types.ts'

const ONE = 2 ** 64
const FEE_UNIT = 1e6
const TAKE_UNIT = 256
/** Returns the liquidity that a level adds when the price rises. The lowest bit of a lot count is a flag. */
export const netOf = ([, bidLots, askLots]: AmbientLevel): bigint => ((bidLots & ~1n) - (askLots & ~1n)) << 10n

/** Price range with constant liquidity. */
type Piece = { readonly from: bigint; readonly to: bigint; readonly liquidity: bigint }

/** Returns the pieces in one direction, from the price to the end of the price range. */
function piecesOf(state: AmbientState, isBuy: boolean): readonly Piece[] {
  const { priceRoot, levels } = state
  const pieces: Piece[] = []
  let from = priceRoot
  let liquidity = liquidityOf(state)
  for (const level of isBuy ? levels : levels.toReversed()) {
    const root = rootAtTick(level[0])
    if (isBuy ? root <= priceRoot : root > priceRoot) continue
    pieces.push({ from, to: root, liquidity })
    liquidity += isBuy ? netOf(level) : -netOf(level)
    from = root
  }
  return [...pieces, { from, to: isBuy ? MAX_ROOT : MIN_ROOT, liquidity }]
}

/** Minimum output in base units at which rounding does not matter. */
const SMOOTH_OUTPUT = 1e9
/** Maximum pieces of a leg, in proportion to the part of its reserve that it buys. */
const MAX_PIECES_PER_LEG = 20

/**
 * Builds the curve from the legs of a swap. The fee is computed from the output of a leg without a fee: y = R·u with u
 * = x / (X + x). Most of the fee is added to the pool before the swap, so the leg pays y·(1 − fee + retained·u).
 * `keepOut` of the curve contains the fee, and the pieces contain the retained part.
 */
export function curveOf(state: AmbientState, isBuy: boolean, gasPerLevel: number): PriceCurve {
  const fee = Number(state.feeRate) / FEE_UNIT
  const retainedFee = (fee / (1 - fee)) * (1 - Number(state.protocolTake) / TAKE_UNIT)
  const builder = new CurveBuilder()
  let [sold, paid] = [0n, 0n]
  const legs = legsOf(state, isBuy)
  for (const leg of legs) {
    const root = isBuy ? ONE / Number(leg.priceRoot) : Number(leg.priceRoot) / ONE
    const [input, output] = [Number(leg.sold - sold), Number(leg.paid - paid) / (1 - fee)]
    ;({ sold, paid } = leg)
    const reserveIn = Number(leg.liquidity) / root
    if (!(input > 0 && output > 0 && reserveIn > 0)) continue
    const last = input / (reserveIn + input)
    const count = Math.max(1, Math.ceil(MAX_PIECES_PER_LEG * last))
    // In small legs, the rounding buffer matters, so the reserve is used instead of the output.
    const scale = output > SMOOTH_OUTPUT ? output / (last * (1 + retainedFee * last)) : reserveIn * root ** 2
    const paidAt = (u: number) => scale * u * (1 + retainedFee * u)
    for (let k = 0; k < count; k++) {
      const [u, nextU] = [(last * k) / count, (last * (k + 1)) / count]
      const pieceInput = reserveIn * (nextU / (1 - nextU) - u / (1 - u))
      const mean = Math.sqrt((paidAt(nextU) - paidAt(u)) / pieceInput)
      // Both prices have the same ratio to the mean as in the pool.
      const priceFactor = ((1 - nextU) / (1 - u)) * Math.sqrt((1 + 2 * retainedFee * nextU) / (1 + 2 * retainedFee * u))
      builder.addHyperbola(mean / Math.sqrt(priceFactor), mean * Math.sqrt(priceFactor), 1, pieceInput)
    }
  }
  const curve = builder.build(1, 1 - fee)
  const crossedLevels = levelsBetween(state, legs.at(-1)?.priceRoot ?? state.priceRoot)
  // There are more pieces than levels, so each piece gets a share of the levels' gas.
  return { ...curve, gasPerPiece: (gasPerLevel * crossedLevels) / Math.max(1, curve.liquidity.length - 1) }
}

function levelsBetween({ priceRoot, levels }: AmbientState, end: bigint): number {
  const [low, high] = priceRoot < end ? [priceRoot, end] : [end, priceRoot]
  return levels.filter(([tick]) => low <= rootAtTick(tick) && rootAtTick(tick) <= high).length
}

/** Returns the base units that the pool can pay out: quote tokens above the price, base tokens below it. */
export function reservesOf(state: AmbientState): readonly [base: bigint, quote: bigint] {
  const reserveOf = (isBuy: boolean) =>
    piecesOf(state, isBuy).reduce(
      (sum, { from, to, liquidity }) => sum + tokensBetween(liquidity < 0n ? 0n : liquidity, from, to, !isBuy),
      0n,
    )
  return [reserveOf(false), reserveOf(true)]
}
