/**
 * Price curves. A curve describes one direction of a pool for the search, in floats. It gives the output and the
 * marginal rate as functions of the input, and the inverses of both. A curve consists of pieces of x·y = k, each with
 * constant liquidity; a piece without liquidity is a gap. In this file, `from`, `to`, and `end` are square roots of
 * marginal prices (output per input). `from` is the price at the start of a piece, `to` at the end of a trade, and
 * `end` at the end of a piece. Prices are before fees and taxes.
 */
import { MAX_STRAIGHT_FALL, NEAR_FLAT, TICK_MARGIN } from '../tolerances.ts'
import type { SwapsCurve } from './repeated-swaps.ts'

/** A curve of pieces of x·y = k, in a layout for fast evaluation. */
export type CompiledCurve = {
  /**
   * Four numbers per piece. The first is √price at its start. The next two are the total input (after the input fee)
   * and the total output (before the output fee) of all pieces before it. The last is its liquidity. √price falls from
   * piece to piece. After the last piece, the first three numbers follow once more, for the end of the pool. All
   * numbers are in one array, since the header of an array takes more memory than a piece.
   */
  readonly pieces: Float64Array
  /** Fraction of the input that remains after fee and tax. */
  readonly keepIn: number
  /** Fraction of the output that remains after fee and tax. */
  readonly keepOut: number
  /** Gas of each piece after the first, for the tick that is crossed. */
  readonly gasPerPiece: number
  /** Maximum fraction by which the pool may pay more than the curve. */
  readonly outputError: number
  /** By piece: `outputError` of the trades that end in the piece. Null if only the maximum over all pieces is known. */
  readonly outputErrors: Float64Array | null
  /**
   * If the pool limits each swap: the input above which a trade takes several swaps, and `outputError` of such trades.
   * Null for other pools.
   */
  readonly multiSwap: { readonly minInput: number; readonly outputError: number } | null
}

// Positions of the numbers of a piece; √price is at position 0.
const INPUT_OFFSET = 1
const OUTPUT_OFFSET = 2
const LIQUIDITY_OFFSET = 3
const NUMBERS_PER_PIECE = 4
/** Numbers after the last piece. */
const END_NUMBERS = 3

export const pieceCountOf = ({ pieces }: CompiledCurve): number => pieces.length >> 2

/**
 * Square root of the marginal price at the start of a piece. For the index after the last piece, the price at the end
 * of the pool.
 */
export const sqrtPriceAt = ({ pieces }: CompiledCurve, piece: number): number => pieces[NUMBERS_PER_PIECE * piece]!

/** Total input of the pieces before a piece, after the input fee. */
export const inputBefore = ({ pieces }: CompiledCurve, piece: number): number =>
  pieces[NUMBERS_PER_PIECE * piece + INPUT_OFFSET]!

/** Total output of the pieces before a piece, before the output fee. */
export const outputBefore = ({ pieces }: CompiledCurve, piece: number): number =>
  pieces[NUMBERS_PER_PIECE * piece + OUTPUT_OFFSET]!

/** Liquidity of a piece; 0 in a gap. */
export const liquidityOf = ({ pieces }: CompiledCurve, piece: number): number =>
  pieces[NUMBERS_PER_PIECE * piece + LIQUIDITY_OFFSET]!

/** The trade of a pool after which its marginal rate has fallen to a given rate. */
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
    multiSwap = null,
  } = curve
  // A gap at the current price is never part of a trade.
  let firstPiece = 0
  while (firstPiece < liquidity.length && liquidity[firstPiece] === 0) firstPiece++
  const count = liquidity.length - firstPiece
  const pieces = new Float64Array(NUMBERS_PER_PIECE * count + END_NUMBERS)
  for (let piece = 0; piece < count; piece++) {
    const [from, to, pieceLiquidity] = [
      sqrtPrice[firstPiece + piece]!,
      sqrtPrice[firstPiece + piece + 1]!,
      liquidity[firstPiece + piece]!,
    ]
    const offset = NUMBERS_PER_PIECE * piece
    pieces[offset] = from
    pieces[offset + LIQUIDITY_OFFSET] = pieceLiquidity
    // Input and output use the same difference `from − to`, as in `tradeTo`. If they were rounded separately, the
    // earnings of nearly flat pieces would be rounding noise.
    pieces[offset + NUMBERS_PER_PIECE + INPUT_OFFSET] =
      pieces[offset + INPUT_OFFSET]! + (pieceLiquidity === 0 ? 0 : (pieceLiquidity * (from - to)) / (from * to))
    pieces[offset + NUMBERS_PER_PIECE + OUTPUT_OFFSET] = pieces[offset + OUTPUT_OFFSET]! + pieceLiquidity * (from - to)
  }
  pieces[NUMBERS_PER_PIECE * count] = sqrtPrice[liquidity.length]!
  return {
    pieces,
    keepIn,
    keepOut,
    gasPerPiece,
    outputError,
    outputErrors: outputErrors?.subarray(firstPiece) ?? null,
    multiSwap,
  }
}

/**
 * The curve with a tax on the input or the output. `keptIn` and `keptOut` are the fractions that remain after the tax.
 */
export function withTax(curve: CompiledCurve, keptIn: number, keptOut: number): CompiledCurve {
  if (keptIn === 1 && keptOut === 1) return curve
  return { ...curve, keepIn: curve.keepIn * keptIn, keepOut: curve.keepOut * keptOut }
}

/** The curve up to and including a piece, cut just before the tick at the end of this piece. */
export function upToPiece(curve: CompiledCurve, piece: number): CompiledCurve {
  const endOffset = NUMBERS_PER_PIECE * (piece + 1)
  const pieces = curve.pieces.slice(0, endOffset + END_NUMBERS)
  const [from, liquidity] = [sqrtPriceAt(curve, piece), liquidityOf(curve, piece)]
  const to = pieces[endOffset]! + TICK_MARGIN * (from - pieces[endOffset]!)
  pieces[endOffset] = to
  pieces[endOffset + INPUT_OFFSET] =
    inputBefore(curve, piece) + (liquidity === 0 ? 0 : (liquidity * (from - to)) / (from * to))
  pieces[endOffset + OUTPUT_OFFSET] = outputBefore(curve, piece) + liquidity * (from - to)
  return { ...curve, pieces }
}

/** The curve, cut at an input: the pool then takes at most this input. */
export function upToInput(curve: CompiledCurve, amountIn: number): CompiledCurve {
  if (!(amountIn < capacityOf(curve))) return curve
  const piece = pieceOfInput(curve, amountIn)
  const [from, liquidity] = [sqrtPriceAt(curve, piece), liquidityOf(curve, piece)]
  const inputAfterFee = amountIn * curve.keepIn
  const amountInPiece = inputAfterFee - inputBefore(curve, piece)
  const to = liquidity === 0 ? from : 1 / (1 / from + amountInPiece / liquidity)
  const endOffset = NUMBERS_PER_PIECE * (piece + 1)
  const pieces = curve.pieces.slice(0, endOffset + END_NUMBERS)
  pieces[endOffset] = to
  pieces[endOffset + INPUT_OFFSET] = inputAfterFee
  pieces[endOffset + OUTPUT_OFFSET] = outputBefore(curve, piece) + from * to * amountInPiece
  return { ...curve, pieces }
}

/** Returns true for the curve of a pool with a fixed rate, whose price falls by almost nothing. */
export function isStraight({ pieces }: CompiledCurve): boolean {
  const end = pieces[NUMBERS_PER_PIECE * (pieces.length >> 2)]!
  return pieces.length > NUMBERS_PER_PIECE && end < pieces[0]! && end > pieces[0]! * (1 - MAX_STRAIGHT_FALL)
}

/** The curve with a price that falls more steeply: the relative fall of its √price is multiplied by a factor. */
export function withSteeperFall(curve: CompiledCurve, factor: number): CompiledCurve {
  const count = pieceCountOf(curve)
  const startSqrtPrice = sqrtPriceAt(curve, 0)
  const pieces = curve.pieces.slice()
  for (let piece = 1; piece <= count; piece++) {
    const offset = NUMBERS_PER_PIECE * piece
    const width = pieces[offset + INPUT_OFFSET]! - pieces[offset - NUMBERS_PER_PIECE + INPUT_OFFSET]!
    const from = pieces[offset - NUMBERS_PER_PIECE]!
    const to = startSqrtPrice * (1 + factor * (pieces[offset]! / startSqrtPrice - 1))
    pieces[offset] = to
    pieces[offset - NUMBERS_PER_PIECE + LIQUIDITY_OFFSET] = (width * from * to) / (from - to)
    pieces[offset + OUTPUT_OFFSET] = pieces[offset - NUMBERS_PER_PIECE + OUTPUT_OFFSET]! + width * from * to
  }
  return { ...curve, pieces }
}

/** Output per unit of input for the first unit; 0 for an empty pool. */
export function firstRate({ pieces, keepIn, keepOut }: CompiledCurve): number {
  const rate = keepIn * keepOut * pieces[0]! ** 2
  return pieces.length > NUMBERS_PER_PIECE && Number.isFinite(rate) ? rate : 0
}

/** Conductance (see `CurvePoint`) at zero input. */
export function firstConductance({ pieces, keepIn }: CompiledCurve): number {
  // A piece without liquidity is a price step, so the next piece counts.
  for (let offset = 0; offset + NUMBERS_PER_PIECE < pieces.length; offset += NUMBERS_PER_PIECE)
    if (pieces[offset + LIQUIDITY_OFFSET]! > 0)
      return pieces[offset + LIQUIDITY_OFFSET]! / (2 * pieces[offset]! * keepIn)
  return 0
}

/**
 * A range of rates within which a pool trades the same amount: at a gap, or at the end of the pool. Rates are natural
 * logarithms.
 */
export type FlatRange = {
  readonly highLogRate: number
  /** Conductance just above the range; 0 if there is no piece above. */
  readonly conductanceAbove: number
  /** −∞ at the end of the pool. */
  readonly lowLogRate: number
  /** Conductance just below the range; 0 if there is no piece below. */
  readonly conductanceBelow: number
}

/** The flat range that contains a rate. The rate must lie in such a range. */
export function flatAt(curve: CompiledCurve, rate: number): FlatRange {
  const { pieces, keepIn, keepOut } = curve
  const count = pieceCountOf(curve)
  const targetSqrtPrice = Math.sqrt(rate / (keepIn * keepOut))
  let pieceAfter = 0
  while (
    pieceAfter < count &&
    (pieces[NUMBERS_PER_PIECE * pieceAfter]! > targetSqrtPrice ||
      pieces[NUMBERS_PER_PIECE * pieceAfter + LIQUIDITY_OFFSET] === 0)
  )
    pieceAfter++
  let pieceBefore = pieceAfter
  while (pieceBefore > 0 && pieces[NUMBERS_PER_PIECE * (pieceBefore - 1) + LIQUIDITY_OFFSET] === 0) pieceBefore--
  const logRate = (sqrtPrice: number) => Math.log(keepIn * keepOut * sqrtPrice * sqrtPrice)
  const conductance = (piece: number, sqrtPrice: number) =>
    pieces[NUMBERS_PER_PIECE * piece + LIQUIDITY_OFFSET]! / (2 * sqrtPrice * keepIn)
  const [high, low] = [sqrtPriceAt(curve, pieceBefore), sqrtPriceAt(curve, pieceAfter)]
  return {
    highLogRate: logRate(high),
    conductanceAbove: pieceBefore > 0 && high > 0 ? conductance(pieceBefore - 1, high) : 0,
    lowLogRate: pieceAfter < count ? logRate(low) : Number.NEGATIVE_INFINITY,
    conductanceBelow: pieceAfter < count && low > 0 ? conductance(pieceAfter, low) : 0,
  }
}

/** Maximum input of a pool; ∞ if its curve has no end. */
export function capacityOf({ pieces, keepIn }: CompiledCurve): number {
  return pieces.length < NUMBERS_PER_PIECE ? 0 : pieces[pieces.length - END_NUMBERS + INPUT_OFFSET]! / keepIn
}

/** Conductance at the start of the curve, if its whole liquidity were that of the deepest piece. */
export function maxConductance({ pieces, keepIn }: CompiledCurve): number {
  let max = 0
  for (let offset = LIQUIDITY_OFFSET; offset < pieces.length; offset += NUMBERS_PER_PIECE)
    max = Math.max(max, pieces[offset]!)
  return max === 0 ? 0 : max / (2 * pieces[0]! * keepIn)
}

/** Output for an input. Input beyond the capacity buys nothing. */
export function outputOf(curve: CompiledCurve, amountIn: number): number {
  const { pieces, keepIn, keepOut } = curve
  if (!(amountIn > 0) || pieces.length < NUMBERS_PER_PIECE) return 0
  const offset = NUMBERS_PER_PIECE * pieceOfInput(curve, amountIn)
  const liquidity = pieces[offset + LIQUIDITY_OFFSET]!
  const end = pieces[offset + NUMBERS_PER_PIECE]!
  const from = pieces[offset]!
  const amountInPiece = amountIn * keepIn - pieces[offset + INPUT_OFFSET]!
  const to = liquidity === 0 ? end : Math.max(end, 1 / (1 / from + amountInPiece / liquidity))
  // In a deep pool, a tiny input hardly changes the price, so that the difference of the two prices would lose
  // precision.
  const outputInPiece = to > end ? from * to * amountInPiece : liquidity * (from - to)
  return (pieces[offset + OUTPUT_OFFSET]! + outputInPiece) * keepOut
}

/** Output per unit of further input after an input; 0 at the end of the pool. */
export function marginalRate(curve: CompiledCurve, amountIn: number): number {
  const { pieces, keepIn, keepOut } = curve
  if (!(amountIn < capacityOf(curve))) return 0
  const offset = NUMBERS_PER_PIECE * pieceOfInput(curve, amountIn)
  const liquidity = pieces[offset + LIQUIDITY_OFFSET]!
  const amountInPiece = amountIn * keepIn - pieces[offset + INPUT_OFFSET]!
  const sqrtPrice =
    liquidity === 0 ? pieces[offset + NUMBERS_PER_PIECE]! : 1 / (1 / pieces[offset]! + amountInPiece / liquidity)
  return keepIn * keepOut * sqrtPrice * sqrtPrice
}

/** Input for an output; ∞ if the pool cannot pay it. */
export function inputOf(curve: CompiledCurve, amountOut: number): number {
  const { keepIn, keepOut } = curve
  const outputBeforeFee = amountOut / keepOut
  const count = pieceCountOf(curve)
  if (count === 0 || !(outputBeforeFee <= outputBefore(curve, count))) return Number.POSITIVE_INFINITY
  let piece = 0
  while (outputBefore(curve, piece + 1) < outputBeforeFee) piece++
  const [from, liquidity] = [sqrtPriceAt(curve, piece), liquidityOf(curve, piece)]
  const outputInPiece = outputBeforeFee - outputBefore(curve, piece)
  const to = Math.max(sqrtPriceAt(curve, piece + 1), liquidity === 0 ? from : from - outputInPiece / liquidity)
  return (inputBefore(curve, piece) + (outputInPiece === 0 ? 0 : outputInPiece / (from * to))) / keepIn
}

/**
 * Returns the maximum input between `amountIn` and `maxInput` that stops before the first range without liquidity (a
 * gap, or the end of the pool). A swap that just reaches such a range would pay the gas of its tick for nothing.
 */
export function inputBeforeFlat(curve: CompiledCurve, amountIn: number, maxInput = amountIn): number {
  const { pieces, keepIn } = curve
  const end = NUMBERS_PER_PIECE * pieceCountOf(curve)
  let flatStart = pieces[end + INPUT_OFFSET]! / keepIn
  for (
    let offset = NUMBERS_PER_PIECE * pieceOfInput(curve, maxInput * (1 + NEAR_FLAT));
    offset >= 0;
    offset -= NUMBERS_PER_PIECE
  ) {
    const start = pieces[offset + INPUT_OFFSET]! / keepIn
    if (start < amountIn * (1 - NEAR_FLAT)) break
    if (pieces[offset + LIQUIDITY_OFFSET] === 0) flatStart = start
  }
  return Math.min(maxInput, flatStart * (1 - NEAR_FLAT))
}

/** Returns true if a gap without liquidity, or the end of the pool, lies between two inputs. */
export function crossesFlat(curve: CompiledCurve, low: number, high: number): boolean {
  if (high >= capacityOf(curve)) return true
  const lastPiece = pieceOfInput(curve, high)
  for (let piece = pieceOfInput(curve, low); piece <= lastPiece; piece++)
    if (liquidityOf(curve, piece) === 0) return true
  return false
}

/** Number of pieces that a trade of an input uses up completely: the number of ticks that it crosses. */
export function piecesCrossed(curve: CompiledCurve, amountIn: number): number {
  return pieceCountOf(curve) === 0 ? 0 : pieceOfInput(curve, amountIn)
}

/** Index of the piece in which an input ends. */
function pieceOfInput({ pieces, keepIn }: CompiledCurve, amountIn: number): number {
  const inputAfterFee = amountIn * keepIn
  let low = 0
  let high = (pieces.length >> 2) - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (pieces[NUMBERS_PER_PIECE * middle + INPUT_OFFSET]! <= inputAfterFee) low = middle
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
  const targetSqrtPrice = Math.sqrt(rate / (keepIn * keepOut))
  if (count === 0 || !(targetSqrtPrice < pieces[0]!)) {
    result.input = result.output = result.conductance = 0
    return
  }
  const end = pieces[NUMBERS_PER_PIECE * count]!
  const to = Math.max(targetSqrtPrice, end)
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (pieces[NUMBERS_PER_PIECE * middle]! > to) low = middle
    else high = middle - 1
  }
  const offset = NUMBERS_PER_PIECE * low
  const from = pieces[offset]!
  const liquidity = pieces[offset + LIQUIDITY_OFFSET]!
  result.input =
    (pieces[offset + INPUT_OFFSET]! + (liquidity === 0 ? 0 : (liquidity * (from - to)) / (from * to))) / keepIn
  result.output = (pieces[offset + OUTPUT_OFFSET]! + liquidity * (from - to)) * keepOut
  result.conductance = targetSqrtPrice > end ? liquidity / (2 * to * keepIn) : 0
}

/**
 * Maximum earnings of trading with a pool, given the cost of a unit of its input (`priceIn`) and the value of a unit of
 * its output (`priceOut`).
 */
export function maxEarningsAt(curve: CompiledCurve, priceIn: number, priceOut: number): number {
  const { input, output } = pointAt(curve, priceIn / priceOut)
  return Math.max(0, output * priceOut - input * priceIn)
}

/**
 * Upper bound on the earnings that the curve hides: the additional earnings if the pool pays more than the curve by its
 * output error.
 *
 * @param maxInputValue - maximum value of the pool's input in any route, in units of the prices
 */
export function hiddenEarnings(curve: CompiledCurve, priceIn: number, priceOut: number, maxInputValue: number): number {
  const { multiSwap } = curve
  const isRepeated = multiSwap !== null && maxInputValue > multiSwap.minInput * priceIn
  const outputError = isRepeated ? Math.max(curve.outputError, multiSwap.outputError) : curve.outputError
  if (outputError === 0) return 0
  const visibleEarnings = maxEarningsAt(curve, priceIn, priceOut)
  const maxHidden = Math.min(
    maxEarningsAt(curve, priceIn, priceOut * (1 + outputError)) - visibleEarnings,
    outputError * (maxInputValue + visibleEarnings),
  )
  if (isRepeated || curve.outputErrors === null || !(maxHidden > 0)) return maxHidden
  const maxInput = (maxInputValue * (1 + outputError)) / priceIn
  return Math.min(
    maxHidden,
    maxEarningsByPiece(curve, { priceIn, priceOut, maxInput, visibleEarnings }) - visibleEarnings,
  )
}

/**
 * Maximum earnings of a trade of at most `maxInput`, if a trade that ends in a piece pays more by that piece's output
 * error. At least `visibleEarnings`, the maximum on the curve itself. Goes from the piece of the best trade on the
 * curve in both directions, until even the largest output error cannot give higher earnings.
 */
function maxEarningsByPiece(
  curve: CompiledCurve,
  {
    priceIn,
    priceOut,
    maxInput,
    visibleEarnings,
  }: {
    readonly priceIn: number
    readonly priceOut: number
    readonly maxInput: number
    readonly visibleEarnings: number
  },
): number {
  const { pieces, keepIn, keepOut, outputError, outputErrors } = curve
  const count = pieceCountOf(curve)
  let best = visibleEarnings
  const inputAt = (piece: number) => inputBefore(curve, piece) / keepIn
  const isHopeless = (piece: number) =>
    outputBefore(curve, piece) * keepOut * priceOut * (1 + outputError) - inputAt(piece) * priceIn <= visibleEarnings
  /** Finds the best trade that ends in a piece. */
  const visit = (piece: number) => {
    const offset = NUMBERS_PER_PIECE * piece
    const [from, liquidity, end] = [
      pieces[offset]!,
      pieces[offset + LIQUIDITY_OFFSET]!,
      pieces[offset + NUMBERS_PER_PIECE]!,
    ]
    const raisedPriceOut = priceOut * (1 + outputErrors![piece]!)
    const maxInputInPiece = maxInput * keepIn - pieces[offset + INPUT_OFFSET]!
    const minSqrtPrice = liquidity > 0 ? Math.max(end, 1 / (1 / from + maxInputInPiece / liquidity)) : end
    const to = Math.max(minSqrtPrice, Math.min(from, Math.sqrt(priceIn / (raisedPriceOut * keepIn * keepOut))))
    const input =
      (pieces[offset + INPUT_OFFSET]! + (liquidity === 0 ? 0 : (liquidity * (from - to)) / (from * to))) / keepIn
    best = Math.max(
      best,
      (pieces[offset + OUTPUT_OFFSET]! + liquidity * (from - to)) * keepOut * raisedPriceOut - input * priceIn,
    )
  }
  const bestPiece = pieceOfInput(curve, Math.min(pointAt(curve, priceIn / priceOut).input, maxInput))
  for (let piece = bestPiece; piece >= 0; piece--) {
    visit(piece)
    if (isHopeless(piece)) break
  }
  for (let piece = bestPiece + 1; piece < count && inputAt(piece) < maxInput && !isHopeless(piece); piece++)
    visit(piece)
  return best
}

/** Like `tradeTo`, but allocates its result. */
export function pointAt(curve: CompiledCurve, rate: number): CurvePoint {
  const point = { input: 0, output: 0, conductance: 0 }
  tradeTo(curve, rate, point)
  return point
}
