/** A pool of Ambient as the float search sees it, and what it holds. */
import type { PriceCurve } from '../../family.ts'
import { CurveBuilder } from '../../math/curve-builder.ts'
import { between, liquidityOf, MAX_ROOT, MIN_ROOT, rootAtTick } from './curve.ts'
import { legsOf } from './math.ts'
import type { AmbientLevel, AmbientState } from './types.ts'

const ONE = 2 ** 64
const FEE_UNIT = 1e6
const TAKE_UNIT = 256
/** Liquidity of a lot; the lowest bit of their number is a flag. */
const netOf = ([, bidLots, askLots]: AmbientLevel): bigint => ((bidLots & ~1n) - (askLots & ~1n)) << 10n

/** Prices between which liquidity is the same. */
type Piece = { readonly from: bigint; readonly to: bigint; readonly liquidity: bigint }

/** Pieces from the price on in one direction, to the end of prices. */
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

/** Base units of output from which on roundings do not show. */
const SMOOTH_OUTPUT = 1e9
/** Pieces of a leg that sells as much as is in range; shorter ones have fewer. */
const PIECES = 20

/**
 * The legs of a swap, with their amounts. The fee is counted from what a leg would buy, y = R·u with u = x / (X + x), and most of it is
 * put into the pool before: y·(1 − fee + kept·u) is paid. The fee is the curve's, and pieces follow what comes back of it.
 */
export function curveOf(state: AmbientState, isBuy: boolean, gasPerLevel: number): PriceCurve {
  const fee = Number(state.feeRate) / FEE_UNIT
  const kept = (fee / (1 - fee)) * (1 - Number(state.protocolTake) / TAKE_UNIT)
  const builder = new CurveBuilder()
  let [sold, paid] = [0n, 0n]
  const legs = legsOf(state, isBuy)
  for (const leg of legs) {
    const root = isBuy ? ONE / Number(leg.priceRoot) : Number(leg.priceRoot) / ONE
    const [input, output] = [Number(leg.sold - sold), Number(leg.paid - paid) / (1 - fee)]
    ;({ sold, paid } = leg)
    const held = Number(leg.liquidity) / root
    if (!(input > 0 && output > 0 && held > 0)) continue
    const last = input / (held + input)
    const count = Math.max(1, Math.ceil(PIECES * last))
    // What is kept back of every leg shows in small ones.
    const scale = output > SMOOTH_OUTPUT ? output / (last * (1 + kept * last)) : held * root ** 2
    const paidAt = (u: number) => scale * u * (1 + kept * u)
    for (let k = 0; k < count; k++) {
      const [u, next] = [(last * k) / count, (last * (k + 1)) / count]
      const part = held * (next / (1 - next) - u / (1 - u))
      const mean = Math.sqrt((paidAt(next) - paidAt(u)) / part)
      // Both prices lie about the mean as those of the pool do.
      const fall = ((1 - next) / (1 - u)) * Math.sqrt((1 + 2 * kept * next) / (1 + 2 * kept * u))
      builder.hyperbola(mean / Math.sqrt(fall), mean * Math.sqrt(fall), 1, part)
    }
  }
  const curve = builder.build(1, 1 - fee)
  const crossed = levelsBetween(state, legs.at(-1)?.priceRoot ?? state.priceRoot)
  // Pieces are more than levels: each bears its part of their gas.
  return { ...curve, gasPerPiece: (gasPerLevel * crossed) / Math.max(1, curve.liquidity.length - 1) }
}

function levelsBetween({ priceRoot, levels }: AmbientState, end: bigint): number {
  const [low, high] = priceRoot < end ? [priceRoot, end] : [end, priceRoot]
  return levels.filter(([tick]) => low <= rootAtTick(tick) && rootAtTick(tick) <= high).length
}

/** Base units that the pool can give: the quote above the price, the base below it. */
export function reservesOf(state: AmbientState): readonly [base: bigint, quote: bigint] {
  const held = (isBuy: boolean) =>
    piecesOf(state, isBuy).reduce(
      (sum, { from, to, liquidity }) => sum + between(liquidity < 0n ? 0n : liquidity, from, to, !isBuy),
      0n,
    )
  return [held(false), held(true)]
}
