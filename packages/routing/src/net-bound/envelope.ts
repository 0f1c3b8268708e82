/**
 * Concave envelope of a pool with a fixed cost of use. It is the smallest concave curve that is at least `output −
 * cost` for every input above 0, and at least 0 for the input 0. It begins as a line from the origin that touches
 * `output − cost` at the point of tangency. Beyond this point, it follows `output − cost`. The only caller,
 * `relaxation.ts`, computes an allocation (a flow with token prices) in which pools trade on their envelopes. At the
 * prices of this allocation, the Lagrangian bound of `net-bound.ts` is tight.
 */
import {
  type CompiledCurve,
  compileCurve,
  inputBefore,
  liquidityOf,
  outputBefore,
  pieceCountOf,
  sqrtPriceAt,
} from '../graph/price-curve.ts'
import { ENVELOPE_SLOPE, MAX_ENVELOPE_PIECES } from './tolerances.ts'

export type Envelope = {
  /** The envelope as a price curve. Its line is slightly bent. */
  readonly curve: CompiledCurve
  /**
   * Input at the end of the line, the point of tangency. With a smaller input, the relaxation counts only a part of the
   * cost.
   */
  readonly lineEndInput: number
}

/**
 * Returns the envelope of a price curve; null for a pool that never earns its cost.
 *
 * @param cost - cost of use, in units of the output
 */
export function envelopeOf(curve: CompiledCurve, cost: number): Envelope | null {
  const { keepIn, keepOut, gasPerPiece, outputError, multiSwap } = curve
  const pieces = pieceCountOf(curve)
  const costBeforeFee = cost / keepOut
  let piece = 0
  // Returns the earnings of a trade that ends at the end of a piece, if its input is valued at the marginal price
  // there. The earnings are in units of the output, before the fee.
  const earnedAtEnd = (pieceIndex: number): number => {
    const endSqrtPrice = sqrtPriceAt(curve, pieceIndex + 1)
    return endSqrtPrice > 0
      ? outputBefore(curve, pieceIndex + 1) - endSqrtPrice ** 2 * inputBefore(curve, pieceIndex + 1)
      : outputBefore(curve, pieceIndex + 1)
  }
  while (piece < pieces && earnedAtEnd(piece) < costBeforeFee) piece++
  if (piece === pieces && !(outputBefore(curve, pieces) > costBeforeFee)) return null
  const tangency = piece === pieces ? tangencyAtEnd(curve, costBeforeFee) : tangencyInPiece(curve, piece, costBeforeFee)
  const { sqrtPrice, input } = tangency
  if (!(sqrtPrice > 0 && input > 0)) return null
  // On a straight line, the input would jump at one price, so the line is slightly bent.
  const bentSqrtPrice = sqrtPrice * (1 + ENVELOPE_SLOPE)
  const liquidity = (input * bentSqrtPrice * sqrtPrice) / (bentSqrtPrice - sqrtPrice)
  const endPiece = Math.min(pieces, piece + MAX_ENVELOPE_PIECES)
  const sqrtPrices = new Float64Array(endPiece - piece + 2)
  const liquidities = new Float64Array(endPiece - piece + 1)
  sqrtPrices[0] = bentSqrtPrice
  sqrtPrices[1] = sqrtPrice
  liquidities[0] = liquidity
  for (let k = piece; k < endPiece; k++) {
    sqrtPrices[k - piece + 2] = sqrtPriceAt(curve, k + 1)
    liquidities[k - piece + 1] = liquidityOf(curve, k)
  }
  const envelopeCurve = { sqrtPrice: sqrtPrices, liquidity: liquidities, keepIn, keepOut, gasPerPiece, outputError }
  return {
    curve: compileCurve(multiSwap ? { ...envelopeCurve, multiSwap } : envelopeCurve),
    lineEndInput: input / keepIn,
  }
}

/** Point at which the line touches the curve. The input is after the input fee. */
type Tangency = { readonly sqrtPrice: number; readonly input: number }

/** Returns the tangency at the end of the pool: the price at which a trade of the whole pool just earns the cost. */
function tangencyAtEnd(curve: CompiledCurve, costBeforeFee: number): Tangency {
  const pieces = pieceCountOf(curve)
  const input = inputBefore(curve, pieces)
  return { sqrtPrice: Math.sqrt((outputBefore(curve, pieces) - costBeforeFee) / input), input }
}

/**
 * Returns the tangency within a piece: the marginal price at which a trade that ends there just earns the cost. Its
 * square root is the smaller root s of squareTerm·s² − 2·liquidity·s + constantTerm.
 */
function tangencyInPiece(curve: CompiledCurve, piece: number, costBeforeFee: number): Tangency {
  const [startSqrtPrice, liquidity] = [sqrtPriceAt(curve, piece), liquidityOf(curve, piece)]
  const squareTerm = liquidity / startSqrtPrice - inputBefore(curve, piece)
  const constantTerm = outputBefore(curve, piece) + liquidity * startSqrtPrice - costBeforeFee
  const sqrtPrice =
    constantTerm / (liquidity + Math.sqrt(Math.max(0, liquidity * liquidity - squareTerm * constantTerm)))
  return { sqrtPrice, input: inputBefore(curve, piece) + liquidity * (1 / sqrtPrice - 1 / startSqrtPrice) }
}
