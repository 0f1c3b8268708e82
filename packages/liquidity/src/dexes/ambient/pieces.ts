/** A pool of Ambient as the float search sees it, and what it holds. */
import type { PriceCurve } from '../../family.ts'
import { between, liquidityOf, MAX_ROOT, MIN_ROOT, rootAtTick } from './curve.ts'
import type { AmbientLevel, AmbientState } from './types.ts'

const ONE = 2 ** 64
const FEE_UNIT = 1e6
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

/** The fee is counted from what is bought, and put into the pool before: what that moves is less than it. */
export function curveOf(state: AmbientState, isBuy: boolean): PriceCurve {
  const rootOf = (root: bigint) => (isBuy ? ONE / Number(root) : Number(root) / ONE)
  const sqrtPrice = [rootOf(state.priceRoot)]
  const liquidity: number[] = []
  for (const piece of piecesOf(state, isBuy)) {
    const to = rootOf(piece.to)
    if (to >= sqrtPrice.at(-1)!) continue
    sqrtPrice.push(to)
    liquidity.push(Number(piece.liquidity))
  }
  const keepOut = 1 - Number(state.feeRate) / FEE_UNIT
  return { sqrtPrice: Float64Array.from(sqrtPrice), liquidity: Float64Array.from(liquidity), keepIn: 1, keepOut }
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
