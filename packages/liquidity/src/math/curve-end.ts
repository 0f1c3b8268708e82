/** Cuts price curves at the largest input of their pools: as close to it as floats allow, and never above it. */
import type { PriceCurve } from '../family.ts'

/**
 * Relative margin by which a curve ends below the largest input of its pool. Exceeds the rounding errors of the sums
 * over all pieces.
 */
export const END_MARGIN = 4e-10
/**
 * Relative fall of √price along a piece, below which the piece is built from its input instead of from its two prices.
 * The difference of the two prices would lose too many digits.
 */
export const NARROW_FALL = 1e-6

/**
 * Converts the largest input of a pool to the total input of its curve, in base units after the fee. Subtracts the
 * margin.
 *
 * @param maxInput - base units before the fee
 * @param keepIn - fraction of the input that remains after the fee
 */
export const curveEnd = (maxInput: bigint, keepIn: number): number => Number(maxInput) * keepIn * (1 - END_MARGIN)

/** Returns √price after an input that ends within a piece. @param from - √price at the start of the piece */
const sqrtPriceAfter = (from: number, liquidity: number, input: number): number => 1 / (1 / from + input / liquidity)

/**
 * Returns the end √price and the liquidity of a piece that starts at √price `from` and takes `input`. If the √price
 * would fall by less than `NARROW_FALL`, returns a steeper piece with the same input.
 */
export function pieceOfInput(
  from: number,
  liquidity: number,
  input: number,
): readonly [endSqrtPrice: number, liquidity: number] {
  const endSqrtPrice = sqrtPriceAfter(from, liquidity, input)
  if (from - endSqrtPrice > NARROW_FALL * from) return [endSqrtPrice, liquidity]
  const steeperEnd = from * (1 - NARROW_FALL)
  return [steeperEnd, (input * from * steeperEnd) / (from - steeperEnd)]
}

/** Cuts the fraction `END_MARGIN` of the input from the end of a curve. Changes the arrays of the curve. */
export function applyEndMargin(curve: PriceCurve): PriceCurve {
  const { sqrtPrice, liquidity } = curve
  let totalInput = 0
  for (let k = 0; k < liquidity.length; k++) totalInput += inputOfPiece(curve, k)
  let inputToCut = totalInput * END_MARGIN
  for (let k = liquidity.length - 1; k >= 0 && inputToCut > 0; k--) {
    const input = inputOfPiece(curve, k)
    if (input > inputToCut) {
      const [endSqrtPrice, cutLiquidity] = pieceOfInput(sqrtPrice[k]!, liquidity[k]!, input - inputToCut)
      sqrtPrice[k + 1] = endSqrtPrice
      liquidity[k] = cutLiquidity
      return keepPieces(curve, k + 1)
    }
    inputToCut -= input
  }
  return keepPieces(curve, 0)
}

/** Returns the input of piece `k`, in base units after the fee. */
const inputOfPiece = ({ sqrtPrice, liquidity }: PriceCurve, k: number): number => {
  const [startSqrtPrice, endSqrtPrice, pieceLiquidity] = [sqrtPrice[k]!, sqrtPrice[k + 1]!, liquidity[k]!]
  return pieceLiquidity === 0 ? 0 : (pieceLiquidity * (startSqrtPrice - endSqrtPrice)) / (startSqrtPrice * endSqrtPrice)
}

/** Cuts a curve at an input. @param maxInput - base units before the fee; null leaves the curve unchanged */
export function endCurveAt(curve: PriceCurve, maxInput: bigint | null): PriceCurve {
  if (maxInput === null) return curve
  const { sqrtPrice, liquidity, keepIn } = curve
  let remainingInput = curveEnd(maxInput, keepIn)
  for (let k = 0; k < liquidity.length; k++) {
    const [startSqrtPrice, pieceLiquidity] = [sqrtPrice[k]!, liquidity[k]!]
    const input = inputOfPiece(curve, k)
    if (input < remainingInput) {
      remainingInput -= input
      continue
    }
    if (pieceLiquidity === 0 || !(remainingInput > 0)) return keepPieces(curve, k)
    const [endSqrtPrice, lastLiquidity] = pieceOfInput(startSqrtPrice, pieceLiquidity, remainingInput)
    const endedCurve = keepPieces(curve, k + 1)
    endedCurve.sqrtPrice[k + 1] = endSqrtPrice
    endedCurve.liquidity[k] = lastLiquidity
    return endedCurve
  }
  return curve
}

/** Returns a curve of the first `pieceCount` pieces. */
const keepPieces = (curve: PriceCurve, pieceCount: number): PriceCurve =>
  pieceCount === curve.liquidity.length
    ? curve
    : { ...curve, sqrtPrice: curve.sqrtPrice.slice(0, pieceCount + 1), liquidity: curve.liquidity.slice(0, pieceCount) }
