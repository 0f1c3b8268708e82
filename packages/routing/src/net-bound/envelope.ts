/**
 * Concave envelope of a pool with a fixed cost of use. It covers the output less that cost for any positive input, and
 * 0 for no input. It is a line from the origin to the point of tangency, then the curve itself. Trading on it gives the
 * prices of the Lagrangian relaxation of fixed costs.
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
  // Earnings of the whole piece and all before it, priced at its end, in the pool's own units.
  const earnedAtEnd = (of: number): number => {
    const end = sqrtPriceAt(curve, of + 1)
    return end > 0 ? outputBefore(curve, of + 1) - end ** 2 * inputBefore(curve, of + 1) : outputBefore(curve, of + 1)
  }
  while (piece < pieces && earnedAtEnd(piece) < fixedCost) piece++
  if (piece === pieces && !(outputBefore(curve, pieces) > fixedCost)) return null
  const touching = piece === pieces ? endOfPool(curve, fixedCost) : within(curve, piece, fixedCost)
  const { price, sold } = touching
  if (!(price > 0 && sold > 0)) return null
  // A straight line would not respond to prices; use a slightly bent one.
  const first = price * (1 + ENVELOPE_SLOPE)
  const depth = (sold * first * price) / (first - price)
  const end = Math.min(pieces, piece + ENVELOPE_PIECES)
  const prices = new Float64Array(end - piece + 2)
  const depths = new Float64Array(end - piece + 1)
  prices[0] = first
  prices[1] = price
  depths[0] = depth
  for (let k = piece; k < end; k++) {
    prices[k - piece + 2] = sqrtPriceAt(curve, k + 1)
    depths[k - piece + 1] = depthOf(curve, k)
  }
  const line = { sqrtPrice: prices, liquidity: depths, keepIn, keepOut, gasPerPiece, outputError }
  return {
    curve: compileCurve(repeats ? { ...line, repeats } : line),
    inputOfLine: sold / keepIn,
  }
}

type Touching = { readonly price: number; readonly sold: number }

/** Tangency at the end of the pool: the price at which its whole output earns the cost. */
function endOfPool(curve: CompiledCurve, fixedCost: number): Touching {
  const pieces = piecesOf(curve)
  const sold = inputBefore(curve, pieces)
  return { price: Math.sqrt((outputBefore(curve, pieces) - fixedCost) / sold), sold }
}

/** Tangency within a piece: the price down to which the pool earns the cost; the smaller root of a·q² − 2·l·q + c. */
function within(curve: CompiledCurve, piece: number, fixedCost: number): Touching {
  const [from, depth] = [sqrtPriceAt(curve, piece), depthOf(curve, piece)]
  const a = depth / from - inputBefore(curve, piece)
  const c = outputBefore(curve, piece) + depth * from - fixedCost
  const price = c / (depth + Math.sqrt(Math.max(0, depth * depth - a * c)))
  return { price, sold: inputBefore(curve, piece) + depth * (1 / price - 1 / from) }
}
