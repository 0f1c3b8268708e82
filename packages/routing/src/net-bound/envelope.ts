/**
 * The concave envelope of a pool whose use costs something: of its output less that cost from the first unit on, or nothing. It
 * is a straight line from the origin to where it touches the curve, and the curve itself from there on. Prices at which it is
 * traded are those of the Lagrangian relaxation of fixed costs.
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
  /** The input up to which the line goes: less is used in part only. */
  readonly inputOfLine: number
}

/**
 * Null of a pool that never earns the cost.
 *
 * @param cost - of using it at all, in what it pays
 */
export function envelopeOf(curve: CompiledCurve, cost: number): Envelope | null {
  const { keepIn, keepOut, gasPerPiece, outputError } = curve
  const pieces = piecesOf(curve)
  const wanted = cost / keepOut
  let piece = 0
  // Earned up to a price, in the pool's own units: what was bought less what was sold at that price.
  const earnedAtEnd = (of: number): number => {
    const end = sqrtPriceAt(curve, of + 1)
    return end > 0 ? outputBefore(curve, of + 1) - end ** 2 * inputBefore(curve, of + 1) : outputBefore(curve, of + 1)
  }
  while (piece < pieces && earnedAtEnd(piece) < wanted) piece++
  if (piece === pieces && !(outputBefore(curve, pieces) > wanted)) return null
  const touching = piece === pieces ? endOfPool(curve, wanted) : within(curve, piece, wanted)
  const { price, sold } = touching
  if (!(price > 0 && sold > 0)) return null
  // A line would answer to no price; one that is all but straight does.
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
  return {
    curve: compileCurve({ sqrtPrice: prices, liquidity: depths, keepIn, keepOut, gasPerPiece, outputError }),
    inputOfLine: sold / keepIn,
  }
}

type Touching = { readonly price: number; readonly sold: number }

/** All that a pool has, at the price at which that earns as much. */
function endOfPool(curve: CompiledCurve, wanted: number): Touching {
  const pieces = piecesOf(curve)
  const sold = inputBefore(curve, pieces)
  return { price: Math.sqrt((outputBefore(curve, pieces) - wanted) / sold), sold }
}

/** The price within a piece down to which as much is earned: the smaller root of a·q² − 2·l·q + c. */
function within(curve: CompiledCurve, piece: number, wanted: number): Touching {
  const [from, depth] = [sqrtPriceAt(curve, piece), depthOf(curve, piece)]
  const a = depth / from - inputBefore(curve, piece)
  const c = outputBefore(curve, piece) + depth * from - wanted
  const price = c / (depth + Math.sqrt(Math.max(0, depth * depth - a * c)))
  return { price, sold: inputBefore(curve, piece) + depth * (1 / price - 1 / from) }
}
