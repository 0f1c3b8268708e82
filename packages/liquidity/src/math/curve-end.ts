/** Ends price curves at the largest input of their pools: as close to it as floats allow, and never above it. */
import type { PriceCurve } from '../family.ts'

/**
 * Relative margin by which a curve ends below the largest input of its pool. Exceeds the rounding errors of the sums
 * over all pieces.
 */
export const END_MARGIN = 4e-10
/**
 * Relative fall of √price below which a piece is computed from its input, because the difference of its two prices
 * would lose too many digits.
 */
export const NARROW_FALL = 1e-6

/**
 * Converts the largest input of a pool to the end of its curve: after the fee, less the margin.
 *
 * @param maxInput - base units before the fee
 */
export const curveEnd = (maxInput: bigint, keepIn: number): number => Number(maxInput) * keepIn * (1 - END_MARGIN)

/** Returns √price after an input within a piece. @param from - √price at the start of the piece */
const sqrtPriceAfter = (from: number, liquidity: number, input: number): number => 1 / (1 / from + input / liquidity)

/**
 * Returns the end √price and the liquidity of a piece that starts at √price `from` and takes `input`. If the √price
 * would fall by less than `NARROW_FALL`, returns a steeper piece with the same input.
 */
export function pieceOfInput(from: number, liquidity: number, input: number): readonly [to: number, liquidity: number] {
  const to = sqrtPriceAfter(from, liquidity, input)
  if (from - to > NARROW_FALL * from) return [to, liquidity]
  const steeperEnd = from * (1 - NARROW_FALL)
  return [steeperEnd, (input * from * steeperEnd) / (from - steeperEnd)]
}

/** Ends a curve `END_MARGIN` before its total input. Changes the arrays of the curve. */
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

const inputOfPiece = ({ sqrtPrice, liquidity }: PriceCurve, k: number): number => {
  const [from, to, liquidityOfPiece] = [sqrtPrice[k]!, sqrtPrice[k + 1]!, liquidity[k]!]
  return liquidityOfPiece === 0 ? 0 : (liquidityOfPiece * (from - to)) / (from * to)
}

/** Cuts a curve at `maxInput`. @param maxInput - as `DexFamily.maxInput`; null leaves the curve unchanged */
export function endCurveAt(curve: PriceCurve, maxInput: bigint | null): PriceCurve {
  if (maxInput === null) return curve
  const { sqrtPrice, liquidity, keepIn } = curve
  let remainingInput = curveEnd(maxInput, keepIn)
  for (let k = 0; k < liquidity.length; k++) {
    const [from, pieceLiquidity] = [sqrtPrice[k]!, liquidity[k]!]
    const input = inputOfPiece(curve, k)
    if (input < remainingInput) {
      remainingInput -= input
      continue
    }
    if (pieceLiquidity === 0 || !(remainingInput > 0)) return keepPieces(curve, k)
    const [endSqrtPrice, lastLiquidity] = pieceOfInput(from, pieceLiquidity, remainingInput)
    const endedCurve = keepPieces(curve, k + 1)
    endedCurve.sqrtPrice[k + 1] = endSqrtPrice
    endedCurve.liquidity[k] = lastLiquidity
    return endedCurve
  }
  return curve
}

const keepPieces = (curve: PriceCurve, pieceCount: number): PriceCurve =>
  pieceCount === curve.liquidity.length
    ? curve
    : { ...curve, sqrtPrice: curve.sqrtPrice.slice(0, pieceCount + 1), liquidity: curve.liquidity.slice(0, pieceCount) }
