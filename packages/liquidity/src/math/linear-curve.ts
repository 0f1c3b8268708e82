/** Builds price curves of pools with a fixed rate: wrappers, vaults, fixed-price modules. */
import type { PriceCurve } from '../family.ts'
import { UNLIMITED_INPUT } from './capacity.ts'
import { curveEnd } from './curve-end.ts'
import { emptyCurve } from './curves.ts'

/**
 * Relative fall of √price per piece. The search needs strictly falling prices, so the line is bent by this much. The
 * price starts at the exact rate, so the curve never pays more than this rate.
 */
const PIECE_FALL = 1e-9
/** Input of the first piece, in base units. */
const FIRST_INPUT = 1000
/**
 * Ratio of the total inputs at the ends of two consecutive pieces. The pieces grow, so that an amount ends on a piece
 * of about its own size. On a much larger piece, the amount would change the price by less than a float can resolve.
 */
const PIECE_GROWTH = 8

/** One direction of a pool with a constant rate. */
export type FixedRate = {
  /** Output per unit of input after fees, in base units. */
  readonly rate: number
  /** Largest input in base units; null for no limit. */
  readonly maxInput: bigint | null
}

/** Returns a nearly straight price curve that ends just below `maxInput`. */
export function linearCurve({ rate, maxInput }: FixedRate): PriceCurve {
  if (!(rate > 0) || maxInput === 0n) return emptyCurve(1)
  const end = curveEnd(maxInput ?? UNLIMITED_INPUT, 1)
  const sqrtPrice = [Math.sqrt(rate)]
  const liquidity: number[] = []
  let reachedInput = 0
  for (let pieceEnd = FIRST_INPUT; reachedInput < end; pieceEnd *= PIECE_GROWTH) {
    const cappedEnd = Math.min(pieceEnd, end)
    const startSqrtPrice = sqrtPrice.at(-1)!
    const endSqrtPrice = startSqrtPrice * (1 - PIECE_FALL)
    const pieceInput = cappedEnd - reachedInput
    liquidity.push((pieceInput * startSqrtPrice * endSqrtPrice) / (startSqrtPrice - endSqrtPrice))
    sqrtPrice.push(endSqrtPrice)
    reachedInput = cappedEnd
  }
  return {
    sqrtPrice: Float64Array.from(sqrtPrice),
    liquidity: Float64Array.from(liquidity),
    keepIn: 1,
    keepOut: 1,
    outputError: 2 * PIECE_FALL * liquidity.length,
  }
}
