/** Cuts price curves where their pools end: as close as floats allow, and never past it. */
import type { PriceCurve } from '../family.ts'

/** Relative margin by which a curve ends before its pool; exceeds the rounding errors of the sums. */
export const END_MARGIN = 4e-10
/**
 * Below this relative fall of √price a piece is computed from its input: the difference of two prices would lose too
 * many digits.
 */
export const NARROW_FALL = 1e-6

/**
 * Converts the end of a pool to the curve's units, after the fee and with the margin.
 *
 * @param maxInput - base units before the fee
 */
export const curveEnd = (maxInput: bigint, keepIn: number): number => Number(maxInput) * keepIn * (1 - END_MARGIN)

/** Returns √price after an input within a piece. */
const sqrtPriceAfter = (from: number, liquidity: number, input: number): number => 1 / (1 / from + input / liquidity)

/**
 * Returns the end price and the liquidity of a piece for an input. If the pool's own price fall is too small for
 * floats, returns a slightly steeper piece with the same amounts.
 */
export function pieceOfInput(from: number, liquidity: number, input: number): readonly [to: number, liquidity: number] {
  const to = sqrtPriceAfter(from, liquidity, input)
  if (from - to > NARROW_FALL * from) return [to, liquidity]
  const steeper = from * (1 - NARROW_FALL)
  return [steeper, (input * from * steeper) / (from - steeper)]
}

/** Applies the end margin to a curve, in place. */
export function withMargin(curve: PriceCurve): PriceCurve {
  const { sqrtPrice, liquidity } = curve
  let total = 0
  for (let k = 0; k < liquidity.length; k++) total += inputOfPiece(curve, k)
  let cut = total * END_MARGIN
  for (let k = liquidity.length - 1; k >= 0 && cut > 0; k--) {
    const input = inputOfPiece(curve, k)
    if (input > cut) {
      const [end, depth] = pieceOfInput(sqrtPrice[k]!, liquidity[k]!, input - cut)
      sqrtPrice[k + 1] = end
      liquidity[k] = depth
      return cutBefore(curve, k + 1)
    }
    cut -= input
  }
  return cutBefore(curve, 0)
}

const inputOfPiece = ({ sqrtPrice, liquidity }: PriceCurve, k: number): number => {
  const [from, to, depth] = [sqrtPrice[k]!, sqrtPrice[k + 1]!, liquidity[k]!]
  return depth === 0 ? 0 : (depth * (from - to)) / (from * to)
}

/** Cuts a curve where its pool ends. @param maxInput - as `DexFamily.maxInput`; null leaves the curve unchanged */
export function endingAt(curve: PriceCurve, maxInput: bigint | null): PriceCurve {
  if (maxInput === null) return curve
  const { sqrtPrice, liquidity, keepIn } = curve
  let remaining = curveEnd(maxInput, keepIn)
  for (let k = 0; k < liquidity.length; k++) {
    const [from, depth] = [sqrtPrice[k]!, liquidity[k]!]
    const input = inputOfPiece(curve, k)
    if (input < remaining) {
      remaining -= input
      continue
    }
    if (depth === 0 || !(remaining > 0)) return cutBefore(curve, k)
    const [end, lastDepth] = pieceOfInput(from, depth, remaining)
    const endedCurve = cutBefore(curve, k + 1)
    endedCurve.sqrtPrice[k + 1] = end
    endedCurve.liquidity[k] = lastDepth
    return endedCurve
  }
  return curve
}

const cutBefore = (curve: PriceCurve, piece: number): PriceCurve =>
  piece === curve.liquidity.length
    ? curve
    : { ...curve, sqrtPrice: curve.sqrtPrice.slice(0, piece + 1), liquidity: curve.liquidity.slice(0, piece) }
