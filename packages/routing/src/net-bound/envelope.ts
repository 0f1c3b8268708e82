/**
 * Concave envelope of a pool with a fixed cost of use: the smallest concave curve that is at least the output less the
 * cost for any positive input, and at least 0 for no input. The envelope is a line from the origin to the point of
 * tangency, and then the curve itself. Trading on envelopes gives the prices of the Lagrangian relaxation of fixed
 * costs.
 */
import {
  type CompiledCurve,
  compileCurve,
  depthOf,
  inputBefore,
  outputBefore,
  piecesOf,
  sqrtPriceAt,
} from '../graph/price-curve.ts'
import { ENVELOPE_PIECES, ENVELOPE_SLOPE } from './tolerances.ts'

export type Envelope = {
  readonly curve: CompiledCurve
  /** Input at the point of tangency. A smaller input uses the pool fractionally. */
  readonly inputOfLine: number
}

/**
 * Computes the envelope; null for a pool that never earns its cost.
 *
 * @param cost - cost of use, in units of the output
 */
export function envelopeOf(curve: CompiledCurve, cost: number): Envelope | null {
  const { keepIn, keepOut, gasPerPiece, outputError, repeats } = curve
  const pieces = piecesOf(curve)
  const fixedCost = cost / keepOut
  let piece = 0
  // Returns the earnings of a piece and all earlier pieces at the end price of the piece, in the pool's units.
  const earnedAtEnd = (pieceIndex: number): number => {
    const end = sqrtPriceAt(curve, pieceIndex + 1)
    return end > 0
      ? outputBefore(curve, pieceIndex + 1) - end ** 2 * inputBefore(curve, pieceIndex + 1)
      : outputBefore(curve, pieceIndex + 1)
  }
  while (piece < pieces && earnedAtEnd(piece) < fixedCost) piece++
  if (piece === pieces && !(outputBefore(curve, pieces) > fixedCost)) return null
  const tangency = piece === pieces ? tangencyAtEnd(curve, fixedCost) : tangencyInPiece(curve, piece, fixedCost)
  const { price, input } = tangency
  if (!(price > 0 && input > 0)) return null
  // A straight line would not respond to prices; use a slightly bent one.
  const bentPrice = price * (1 + ENVELOPE_SLOPE)
  const depth = (input * bentPrice * price) / (bentPrice - price)
  const end = Math.min(pieces, piece + ENVELOPE_PIECES)
  const prices = new Float64Array(end - piece + 2)
  const depths = new Float64Array(end - piece + 1)
  prices[0] = bentPrice
  prices[1] = price
  depths[0] = depth
  for (let k = piece; k < end; k++) {
    prices[k - piece + 2] = sqrtPriceAt(curve, k + 1)
    depths[k - piece + 1] = depthOf(curve, k)
  }
  const linePieces = { sqrtPrice: prices, liquidity: depths, keepIn, keepOut, gasPerPiece, outputError }
  return {
    curve: compileCurve(repeats ? { ...linePieces, repeats } : linePieces),
    inputOfLine: input / keepIn,
  }
}

type Tangency = { readonly price: number; readonly input: number }

/** Returns the tangency at the end of the pool: the price at which its whole output earns the cost. */
function tangencyAtEnd(curve: CompiledCurve, fixedCost: number): Tangency {
  const pieces = piecesOf(curve)
  const input = inputBefore(curve, pieces)
  return { price: Math.sqrt((outputBefore(curve, pieces) - fixedCost) / input), input }
}

/**
 * Returns the tangency within a piece: the price down to which the pool earns the cost. It is the smaller root of a·q²
 * − 2·l·q + c.
 */
function tangencyInPiece(curve: CompiledCurve, piece: number, fixedCost: number): Tangency {
  const [from, depth] = [sqrtPriceAt(curve, piece), depthOf(curve, piece)]
  const squareTerm = depth / from - inputBefore(curve, piece)
  const constantTerm = outputBefore(curve, piece) + depth * from - fixedCost
  const price = constantTerm / (depth + Math.sqrt(Math.max(0, depth * depth - squareTerm * constantTerm)))
  return { price, input: inputBefore(curve, piece) + depth * (1 / price - 1 / from) }
}
