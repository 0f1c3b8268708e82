/**
 * Price curves. A curve describes one direction of a pool for the search in floats: output, marginal rate, and the
 * inverse of both.
 */
import { MAX_STRAIGHT_FALL, NEAR_FLAT, TICK_MARGIN } from '../tolerances.ts'
import type { SwapsCurve } from './repeated-swaps.ts'

/** A curve of pieces of x·y = k, in a layout for fast evaluation. */
export type CompiledCurve = {
  /**
   * Four numbers per piece: square root of the marginal price at its start (descending), total input after the input
   * fee up to its start, total output before an output fee up to its start, and its liquidity. The last three numbers
   * are the first three values at the end of the pool. A single array, since an array's header takes more memory than a
   * piece.
   */
  readonly pieces: Float64Array
  /** Fraction of the input that remains after fee and tax. */
  readonly keepIn: number
  /** Fraction of the output that remains after fee and tax. */
  readonly keepOut: number
  /** Gas of each further piece, for the tick crossed. */
  readonly gasPerPiece: number
  /** Relative amount by which the pool may pay more than the curve. */
  readonly outputError: number
  /** `outputError` for trades that end in each piece, by piece; null if only the maximum is known. */
  readonly outputErrors: Float64Array | null
  /** `outputError` for trades of several swaps, and the input from which a trade takes several swaps. */
  readonly repeats: { readonly minInput: number; readonly outputError: number } | null
}

const INPUT_OFFSET = 1
const OUTPUT_OFFSET = 2
const DEPTH_OFFSET = 3
/** Numbers per piece. */
const NUMBERS_PER_PIECE = 4

export const piecesOf = ({ pieces }: CompiledCurve): number => pieces.length >> 2

/**
 * Square root of the marginal price at the start of a piece. For the index after the last piece, the price at the end
 * of the pool.
 */
export const sqrtPriceAt = ({ pieces }: CompiledCurve, piece: number): number => pieces[NUMBERS_PER_PIECE * piece]!

export const inputBefore = ({ pieces }: CompiledCurve, piece: number): number =>
  pieces[NUMBERS_PER_PIECE * piece + INPUT_OFFSET]!

export const outputBefore = ({ pieces }: CompiledCurve, piece: number): number =>
  pieces[NUMBERS_PER_PIECE * piece + OUTPUT_OFFSET]!

export const depthOf = ({ pieces }: CompiledCurve, piece: number): number =>
  pieces[NUMBERS_PER_PIECE * piece + DEPTH_OFFSET]!

/** The trade of a pool at which its marginal rate has fallen to a given rate. */
export type CurvePoint = {
  input: number
  output: number
  /** Response of the input to the rate: −∂input / ∂ln rate. */
  conductance: number
}

export function compileCurve(curve: SwapsCurve): CompiledCurve {
  const {
    sqrtPrice,
    liquidity,
    keepIn,
    keepOut,
    gasPerPiece = 0,
    outputError = 0,
    outputErrors,
    repeats = null,
  } = curve
  // A gap at the current price is never part of a trade.
  let firstPiece = 0
  while (firstPiece < liquidity.length && liquidity[firstPiece] === 0) firstPiece++
  const count = liquidity.length - firstPiece
  const pieces = new Float64Array(NUMBERS_PER_PIECE * count + DEPTH_OFFSET)
  for (let piece = 0; piece < count; piece++) {
    const [from, to, depth] = [
      sqrtPrice[firstPiece + piece]!,
      sqrtPrice[firstPiece + piece + 1]!,
      liquidity[firstPiece + piece]!,
    ]
    const offset = NUMBERS_PER_PIECE * piece
    pieces[offset] = from
    pieces[offset + DEPTH_OFFSET] = depth
    // Computes both from the same difference, like `tradeTo`: on nearly flat pieces, earnings would otherwise be
    // rounding noise.
    pieces[offset + NUMBERS_PER_PIECE + INPUT_OFFSET] =
      pieces[offset + INPUT_OFFSET]! + (depth === 0 ? 0 : (depth * (from - to)) / (from * to))
    pieces[offset + NUMBERS_PER_PIECE + OUTPUT_OFFSET] = pieces[offset + OUTPUT_OFFSET]! + depth * (from - to)
  }
  pieces[NUMBERS_PER_PIECE * count] = sqrtPrice[liquidity.length]!
  return {
    pieces,
    keepIn,
    keepOut,
    gasPerPiece,
    outputError,
    outputErrors: outputErrors?.subarray(firstPiece) ?? null,
    repeats,
  }
}

export function withTax(curve: CompiledCurve, keptIn: number, keptOut: number): CompiledCurve {
  if (keptIn === 1 && keptOut === 1) return curve
  return { ...curve, keepIn: curve.keepIn * keptIn, keepOut: curve.keepOut * keptOut }
}

/** The curve, cut just before the tick at the end of a piece. */
export function upToPiece(curve: CompiledCurve, piece: number): CompiledCurve {
  const end = NUMBERS_PER_PIECE * (piece + 1)
  const pieces = curve.pieces.slice(0, end + DEPTH_OFFSET)
  const [from, depth] = [sqrtPriceAt(curve, piece), depthOf(curve, piece)]
  const to = pieces[end]! + TICK_MARGIN * (from - pieces[end]!)
  pieces[end] = to
  pieces[end + INPUT_OFFSET] = inputBefore(curve, piece) + (depth === 0 ? 0 : (depth * (from - to)) / (from * to))
  pieces[end + OUTPUT_OFFSET] = outputBefore(curve, piece) + depth * (from - to)
  return { ...curve, pieces }
}

/** The curve, cut after an input. */
export function upToInput(curve: CompiledCurve, amountIn: number): CompiledCurve {
  if (!(amountIn < capacityOf(curve))) return curve
  const piece = pieceOfInput(curve, amountIn)
  const [from, depth] = [sqrtPriceAt(curve, piece), depthOf(curve, piece)]
  const tradedAmount = amountIn * curve.keepIn
  const amountInPiece = tradedAmount - inputBefore(curve, piece)
  const to = depth === 0 ? from : 1 / (1 / from + amountInPiece / depth)
  const end = NUMBERS_PER_PIECE * (piece + 1)
  const pieces = curve.pieces.slice(0, end + DEPTH_OFFSET)
  pieces[end] = to
  pieces[end + INPUT_OFFSET] = tradedAmount
  pieces[end + OUTPUT_OFFSET] = outputBefore(curve, piece) + from * to * amountInPiece
  return { ...curve, pieces }
}

/** Returns true for the curve of a pool with a fixed rate. */
export function isStraight({ pieces }: CompiledCurve): boolean {
  const end = pieces[NUMBERS_PER_PIECE * (pieces.length >> 2)]!
  return pieces.length > NUMBERS_PER_PIECE && end < pieces[0]! && end > pieces[0]! * (1 - MAX_STRAIGHT_FALL)
}

/** The curve with a relative fall of its price that is larger by a factor. */
export function withSteeperFall(curve: CompiledCurve, factor: number): CompiledCurve {
  const count = piecesOf(curve)
  const first = sqrtPriceAt(curve, 0)
  const pieces = curve.pieces.slice()
  for (let piece = 1; piece <= count; piece++) {
    const offset = NUMBERS_PER_PIECE * piece
    const width = pieces[offset + INPUT_OFFSET]! - pieces[offset - NUMBERS_PER_PIECE + INPUT_OFFSET]!
    const from = pieces[offset - NUMBERS_PER_PIECE]!
    const to = first * (1 + factor * (pieces[offset]! / first - 1))
    pieces[offset] = to
    pieces[offset - NUMBERS_PER_PIECE + DEPTH_OFFSET] = (width * from * to) / (from - to)
    pieces[offset + OUTPUT_OFFSET] = pieces[offset - NUMBERS_PER_PIECE + OUTPUT_OFFSET]! + width * from * to
  }
  return { ...curve, pieces }
}

/** Output per unit of input for the first unit; 0 for an empty pool. */
export function firstRate({ pieces, keepIn, keepOut }: CompiledCurve): number {
  const rate = keepIn * keepOut * pieces[0]! ** 2
  return pieces.length > NUMBERS_PER_PIECE && Number.isFinite(rate) ? rate : 0
}

/** Conductance at zero input: the depth at the current price. */
export function firstConductance({ pieces, keepIn }: CompiledCurve): number {
  // A piece without liquidity is a price step, so the next piece counts.
  for (let offset = 0; offset + NUMBERS_PER_PIECE < pieces.length; offset += NUMBERS_PER_PIECE)
    if (pieces[offset + DEPTH_OFFSET]! > 0) return pieces[offset + DEPTH_OFFSET]! / (2 * pieces[offset]! * keepIn)
  return 0
}

/**
 * A range of rates within which a pool trades the same amount: a gap without liquidity, or everything below its end.
 * Rates are natural logarithms; `low` is −∞ at the end of a pool. The conductances are those of the adjacent pieces.
 */
export type Flat = {
  readonly highLogRate: number
  readonly conductanceAbove: number
  readonly lowLogRate: number
  readonly conductanceBelow: number
}

/** The flat range around a rate at which a pool trades but does not respond to the rate. */
export function flatAt(curve: CompiledCurve, rate: number): Flat {
  const { pieces, keepIn, keepOut } = curve
  const count = piecesOf(curve)
  const target = Math.sqrt(rate / (keepIn * keepOut))
  let pieceAfter = 0
  while (
    pieceAfter < count &&
    (pieces[NUMBERS_PER_PIECE * pieceAfter]! > target || pieces[NUMBERS_PER_PIECE * pieceAfter + DEPTH_OFFSET] === 0)
  )
    pieceAfter++
  let pieceBefore = pieceAfter
  while (pieceBefore > 0 && pieces[NUMBERS_PER_PIECE * (pieceBefore - 1) + DEPTH_OFFSET] === 0) pieceBefore--
  const logRate = (price: number) => Math.log(keepIn * keepOut * price * price)
  const conductance = (piece: number, price: number) =>
    pieces[NUMBERS_PER_PIECE * piece + DEPTH_OFFSET]! / (2 * price * keepIn)
  const [high, low] = [sqrtPriceAt(curve, pieceBefore), sqrtPriceAt(curve, pieceAfter)]
  return {
    highLogRate: logRate(high),
    conductanceAbove: pieceBefore > 0 && high > 0 ? conductance(pieceBefore - 1, high) : 0,
    lowLogRate: pieceAfter < count ? logRate(low) : Number.NEGATIVE_INFINITY,
    conductanceBelow: pieceAfter < count && low > 0 ? conductance(pieceAfter, low) : 0,
  }
}

/** Maximum input of a pool; ∞ if it never ends. */
export function capacityOf({ pieces, keepIn }: CompiledCurve): number {
  return pieces.length < NUMBERS_PER_PIECE ? 0 : pieces[pieces.length - DEPTH_OFFSET + INPUT_OFFSET]! / keepIn
}

/** Conductance at the deepest piece. */
export function maxConductance({ pieces, keepIn }: CompiledCurve): number {
  let max = 0
  for (let offset = DEPTH_OFFSET; offset < pieces.length; offset += NUMBERS_PER_PIECE)
    max = Math.max(max, pieces[offset]!)
  return max === 0 ? 0 : max / (2 * pieces[0]! * keepIn)
}

/** Output for an input. Input beyond the capacity buys nothing. */
export function outputOf(curve: CompiledCurve, amountIn: number): number {
  const { pieces, keepIn, keepOut } = curve
  if (!(amountIn > 0) || pieces.length < NUMBERS_PER_PIECE) return 0
  const offset = NUMBERS_PER_PIECE * pieceOfInput(curve, amountIn)
  const depth = pieces[offset + DEPTH_OFFSET]!
  const end = pieces[offset + NUMBERS_PER_PIECE]!
  const from = pieces[offset]!
  const amountInPiece = amountIn * keepIn - pieces[offset + INPUT_OFFSET]!
  const to = depth === 0 ? end : Math.max(end, 1 / (1 / from + amountInPiece / depth))
  // The difference of two nearly equal prices would lose the output of dust in a deep pool.
  const bought = to > end ? from * to * amountInPiece : depth * (from - to)
  return (pieces[offset + OUTPUT_OFFSET]! + bought) * keepOut
}

/** Output per unit of further input after an input; 0 at the end of the pool. */
export function marginalRate(curve: CompiledCurve, amountIn: number): number {
  const { pieces, keepIn, keepOut } = curve
  if (!(amountIn < capacityOf(curve))) return 0
  const offset = NUMBERS_PER_PIECE * pieceOfInput(curve, amountIn)
  const depth = pieces[offset + DEPTH_OFFSET]!
  const amountInPiece = amountIn * keepIn - pieces[offset + INPUT_OFFSET]!
  const price = depth === 0 ? pieces[offset + NUMBERS_PER_PIECE]! : 1 / (1 / pieces[offset]! + amountInPiece / depth)
  return keepIn * keepOut * price * price
}

/** Input for an output; ∞ if the pool cannot pay it. */
export function inputOf(curve: CompiledCurve, amountOut: number): number {
  const { keepIn, keepOut } = curve
  const tradedAmount = amountOut / keepOut
  const count = piecesOf(curve)
  if (count === 0 || !(tradedAmount <= outputBefore(curve, count))) return Number.POSITIVE_INFINITY
  let piece = 0
  while (outputBefore(curve, piece + 1) < tradedAmount) piece++
  const [from, depth] = [sqrtPriceAt(curve, piece), depthOf(curve, piece)]
  const amountInPiece = tradedAmount - outputBefore(curve, piece)
  const to = Math.max(sqrtPriceAt(curve, piece + 1), depth === 0 ? from : from - amountInPiece / depth)
  return (inputBefore(curve, piece) + (amountInPiece === 0 ? 0 : amountInPiece / (from * to))) / keepIn
}

/**
 * Returns the maximum input up to `reach` that stops before a range without liquidity (a gap or the end of the pool) at
 * or above `amountIn`. A swap that just reaches such a range would pay the gas of its tick for nothing.
 */
export function shortOfFlat(curve: CompiledCurve, amountIn: number, reach = amountIn): number {
  const { pieces, keepIn } = curve
  const end = NUMBERS_PER_PIECE * piecesOf(curve)
  let flatStart = pieces[end + INPUT_OFFSET]! / keepIn
  for (
    let offset = NUMBERS_PER_PIECE * pieceOfInput(curve, reach * (1 + NEAR_FLAT));
    offset >= 0;
    offset -= NUMBERS_PER_PIECE
  ) {
    const start = pieces[offset + INPUT_OFFSET]! / keepIn
    if (start < amountIn * (1 - NEAR_FLAT)) break
    if (pieces[offset + DEPTH_OFFSET] === 0) flatStart = start
  }
  return Math.min(reach, flatStart * (1 - NEAR_FLAT))
}

/** Returns true if a gap without liquidity, or the end of the pool, lies between two inputs. */
export function crossesFlat(curve: CompiledCurve, low: number, high: number): boolean {
  if (high >= capacityOf(curve)) return true
  const last = pieceOfInput(curve, high)
  for (let piece = pieceOfInput(curve, low); piece <= last; piece++) if (depthOf(curve, piece) === 0) return true
  return false
}

/** Number of pieces that an input uses up. */
export function piecesCrossed(curve: CompiledCurve, amountIn: number): number {
  return piecesOf(curve) === 0 ? 0 : pieceOfInput(curve, amountIn)
}

function pieceOfInput({ pieces, keepIn }: CompiledCurve, amountIn: number): number {
  const tradedAmount = amountIn * keepIn
  let low = 0
  let high = (pieces.length >> 2) - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (pieces[NUMBERS_PER_PIECE * middle + INPUT_OFFSET]! <= tradedAmount) low = middle
    else high = middle - 1
  }
  return low
}

/**
 * Computes the trade after which the marginal rate is `rate`. If the pool's rate never falls that far, the trade uses
 * the whole pool.
 */
export function tradeTo({ pieces, keepIn, keepOut }: CompiledCurve, rate: number, result: CurvePoint): void {
  const count = pieces.length >> 2
  const target = Math.sqrt(rate / (keepIn * keepOut))
  if (count === 0 || !(target < pieces[0]!)) {
    result.input = result.output = result.conductance = 0
    return
  }
  const end = pieces[NUMBERS_PER_PIECE * count]!
  const to = Math.max(target, end)
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (pieces[NUMBERS_PER_PIECE * middle]! > to) low = middle
    else high = middle - 1
  }
  const offset = NUMBERS_PER_PIECE * low
  const from = pieces[offset]!
  const depth = pieces[offset + DEPTH_OFFSET]!
  result.input = (pieces[offset + INPUT_OFFSET]! + (depth === 0 ? 0 : (depth * (from - to)) / (from * to))) / keepIn
  result.output = (pieces[offset + OUTPUT_OFFSET]! + depth * (from - to)) * keepOut
  result.conductance = target > end ? depth / (2 * to * keepIn) : 0
}

/**
 * Maximum earnings of trading with a pool, given the cost of a unit of its input (`sold`) and the value of a unit of
 * its output (`bought`).
 */
export function maxEarningsAt(curve: CompiledCurve, sold: number, bought: number): number {
  const { input, output } = pointAt(curve, sold / bought)
  return Math.max(0, output * bought - input * sold)
}

/**
 * Earnings that the curve does not show: the increase if the pool pays more than the curve by its output error.
 *
 * @param value - maximum value of the pool's input in any route
 */
export function hiddenEarnings(curve: CompiledCurve, sold: number, bought: number, value: number): number {
  const { repeats } = curve
  const isRepeated = repeats !== null && value > repeats.minInput * sold
  const outputError = isRepeated ? Math.max(curve.outputError, repeats.outputError) : curve.outputError
  if (outputError === 0) return 0
  const onCurve = maxEarningsAt(curve, sold, bought)
  const hidden = Math.min(
    maxEarningsAt(curve, sold, bought * (1 + outputError)) - onCurve,
    outputError * (value + onCurve),
  )
  if (isRepeated || curve.outputErrors === null || !(hidden > 0)) return hidden
  const maxInput = (value * (1 + outputError)) / sold
  return Math.min(hidden, maxEarningsByPiece(curve, { sold, bought, maxInput, onCurve }) - onCurve)
}

/**
 * Maximum earnings of a trade of at most `maxInput`, if each piece pays more by its own output error; at least the
 * earnings on the curve. Visits the pieces around the best trade on the curve. Stops at a piece where even the largest
 * output error cannot give higher earnings.
 */
function maxEarningsByPiece(
  curve: CompiledCurve,
  {
    sold,
    bought,
    maxInput,
    onCurve,
  }: { readonly sold: number; readonly bought: number; readonly maxInput: number; readonly onCurve: number },
): number {
  const { pieces, keepIn, keepOut, outputError, outputErrors } = curve
  const count = piecesOf(curve)
  let best = onCurve
  const inputAt = (piece: number) => inputBefore(curve, piece) / keepIn
  const isHopeless = (piece: number) =>
    outputBefore(curve, piece) * keepOut * bought * (1 + outputError) - inputAt(piece) * sold <= onCurve
  const visit = (piece: number) => {
    const offset = NUMBERS_PER_PIECE * piece
    const [from, depth, end] = [pieces[offset]!, pieces[offset + DEPTH_OFFSET]!, pieces[offset + NUMBERS_PER_PIECE]!]
    const value = bought * (1 + outputErrors![piece]!)
    const tradedAmount = maxInput * keepIn - pieces[offset + INPUT_OFFSET]!
    const farthest = depth > 0 ? Math.max(end, 1 / (1 / from + tradedAmount / depth)) : end
    const to = Math.max(farthest, Math.min(from, Math.sqrt(sold / (value * keepIn * keepOut))))
    const input = (pieces[offset + INPUT_OFFSET]! + (depth === 0 ? 0 : (depth * (from - to)) / (from * to))) / keepIn
    best = Math.max(best, (pieces[offset + OUTPUT_OFFSET]! + depth * (from - to)) * keepOut * value - input * sold)
  }
  const middle = pieceOfInput(curve, Math.min(pointAt(curve, sold / bought).input, maxInput))
  for (let piece = middle; piece >= 0; piece--) {
    visit(piece)
    if (isHopeless(piece)) break
  }
  for (let piece = middle + 1; piece < count && inputAt(piece) < maxInput && !isHopeless(piece); piece++) visit(piece)
  return best
}

/** Convenience form of `tradeTo` that allocates its result. */
export function pointAt(curve: CompiledCurve, rate: number): CurvePoint {
  const point = { input: 0, output: 0, conductance: 0 }
  tradeTo(curve, rate, point)
  return point
}
