/** A pool seen from one side, for the float search: how much comes out, at what marginal rate, and the inverse. */
import type { PriceCurve } from '@sluice/liquidity'
import { NEAR_FLAT, TICK_MARGIN } from '../tolerances.ts'

export type CompiledCurve = {
  /**
   * Four numbers for each piece, side by side: the square root of the marginal price at which it begins (falling), the input
   * (after fee) and the output (before an output fee) spent before that, and its liquidity; then the first three of where the
   * pool ends. One array, since its header takes more memory than a piece.
   */
  readonly pieces: Float64Array
  /** Part of the input that the pool trades: what fee and tax leave. */
  readonly keepIn: number
  /** Part of the output that arrives: what fee and tax leave. */
  readonly keepOut: number
  /** Gas that every further piece costs: a tick that is crossed. */
  readonly gasPerPiece: number
  /** Part of an output by which the pool may pay more than the curve. */
  readonly outputError: number
}

const INPUT = 1
const OUTPUT = 2
const DEPTH = 3
/** Numbers of a piece. */
const PIECE = 4

export const piecesOf = ({ pieces }: CompiledCurve): number => pieces.length >> 2

/** Square root of the marginal price at which a piece begins; past the last, where the pool ends. */
export const sqrtPriceAt = ({ pieces }: CompiledCurve, piece: number): number => pieces[PIECE * piece]!

export const inputBefore = ({ pieces }: CompiledCurve, piece: number): number => pieces[PIECE * piece + INPUT]!

export const outputBefore = ({ pieces }: CompiledCurve, piece: number): number => pieces[PIECE * piece + OUTPUT]!

export const depthOf = ({ pieces }: CompiledCurve, piece: number): number => pieces[PIECE * piece + DEPTH]!

/** The trade of a pool once its marginal rate has fallen to a given one. */
export type Point = {
  input: number
  output: number
  /** Input that a fall of the rate by a small part would draw in, per that part: −∂input / ∂ln rate. */
  conductance: number
}

export function compileCurve(curve: PriceCurve): CompiledCurve {
  const { sqrtPrice, liquidity, keepIn, keepOut, gasPerPiece = 0, outputError = 0 } = curve
  // A gap at the present price is no part of any trade.
  let first = 0
  while (first < liquidity.length && liquidity[first] === 0) first++
  const count = liquidity.length - first
  const pieces = new Float64Array(PIECE * count + DEPTH)
  for (let piece = 0; piece < count; piece++) {
    const [from, to, depth] = [sqrtPrice[first + piece]!, sqrtPrice[first + piece + 1]!, liquidity[first + piece]!]
    const at = PIECE * piece
    pieces[at] = from
    pieces[at + DEPTH] = depth
    // Both from the same difference, as in `tradeTo`: where a price hardly falls, what is earned is all but its rounding.
    pieces[at + PIECE + INPUT] = pieces[at + INPUT]! + (depth === 0 ? 0 : (depth * (from - to)) / (from * to))
    pieces[at + PIECE + OUTPUT] = pieces[at + OUTPUT]! + depth * (from - to)
  }
  pieces[PIECE * count] = sqrtPrice[liquidity.length]!
  return { pieces, keepIn, keepOut, gasPerPiece, outputError }
}

export function withTax(curve: CompiledCurve, keptIn: number, keptOut: number): CompiledCurve {
  if (keptIn === 1 && keptOut === 1) return curve
  return { ...curve, keepIn: curve.keepIn * keptIn, keepOut: curve.keepOut * keptOut }
}

/** The same pool, ending where a piece does: just before the tick behind it is crossed. */
export function upToPiece(curve: CompiledCurve, piece: number): CompiledCurve {
  const end = PIECE * (piece + 1)
  const pieces = curve.pieces.slice(0, end + DEPTH)
  pieces[end]! += TICK_MARGIN * (pieces[end - PIECE]! - pieces[end]!)
  return { ...curve, pieces }
}

/** The same pool, ending after an input. */
export function upToInput(curve: CompiledCurve, amountIn: number): CompiledCurve {
  if (!(amountIn < capacityOf(curve))) return curve
  const piece = pieceOfInput(curve, amountIn)
  const [from, depth] = [sqrtPriceAt(curve, piece), depthOf(curve, piece)]
  const traded = amountIn * curve.keepIn
  const within = traded - inputBefore(curve, piece)
  const to = depth === 0 ? from : 1 / (1 / from + within / depth)
  const end = PIECE * (piece + 1)
  const pieces = curve.pieces.slice(0, end + DEPTH)
  pieces[end] = to
  pieces[end + INPUT] = traded
  pieces[end + OUTPUT] = outputBefore(curve, piece) + from * to * within
  return { ...curve, pieces }
}

/** Output per unit of a vanishing input; 0 for an empty pool. */
export function firstRate({ pieces, keepIn, keepOut }: CompiledCurve): number {
  const rate = keepIn * keepOut * pieces[0]! ** 2
  return pieces.length > PIECE && Number.isFinite(rate) ? rate : 0
}

/** Conductance at no input: how deep the pool is at its present price. */
export function firstConductance({ pieces, keepIn }: CompiledCurve): number {
  // A piece without liquidity is a step of the price: the depth behind it is what counts.
  for (let at = 0; at + PIECE < pieces.length; at += PIECE)
    if (pieces[at + DEPTH]! > 0) return pieces[at + DEPTH]! / (2 * pieces[at]! * keepIn)
  return 0
}

/**
 * A range of rates over which a pool trades the same amount: a gap without liquidity, or all below its end. Rates are natural
 * logarithms; `low` is −∞ at the end of a pool. Conductances are those of the pieces on both sides.
 */
export type Flat = {
  readonly high: number
  readonly conductanceAbove: number
  readonly low: number
  readonly conductanceBelow: number
}

/** The flat range around a rate at which a pool trades something and does not respond to the rate. */
export function flatAt(curve: CompiledCurve, rate: number): Flat {
  const { pieces, keepIn, keepOut } = curve
  const count = piecesOf(curve)
  const target = Math.sqrt(rate / (keepIn * keepOut))
  let after = 0
  while (after < count && (pieces[PIECE * after]! > target || pieces[PIECE * after + DEPTH] === 0)) after++
  let before = after
  while (before > 0 && pieces[PIECE * (before - 1) + DEPTH] === 0) before--
  const logRate = (price: number) => Math.log(keepIn * keepOut * price * price)
  const conductance = (piece: number, price: number) => pieces[PIECE * piece + DEPTH]! / (2 * price * keepIn)
  const [high, low] = [sqrtPriceAt(curve, before), sqrtPriceAt(curve, after)]
  return {
    high: logRate(high),
    conductanceAbove: before > 0 && high > 0 ? conductance(before - 1, high) : 0,
    low: after < count ? logRate(low) : Number.NEGATIVE_INFINITY,
    conductanceBelow: after < count && low > 0 ? conductance(after, low) : 0,
  }
}

/** Largest input that a pool takes; ∞ for one that never ends. */
export function capacityOf({ pieces, keepIn }: CompiledCurve): number {
  return pieces.length < PIECE ? 0 : pieces[pieces.length - DEPTH + INPUT]! / keepIn
}

/** Conductance where the pool is deepest. */
export function mostConductance({ pieces, keepIn }: CompiledCurve): number {
  let most = 0
  for (let at = DEPTH; at < pieces.length; at += PIECE) most = Math.max(most, pieces[at]!)
  return most === 0 ? 0 : most / (2 * pieces[0]! * keepIn)
}

/** Output for an input; what exceeds the capacity buys nothing more. */
export function outputOf(curve: CompiledCurve, amountIn: number): number {
  const { pieces, keepIn, keepOut } = curve
  if (!(amountIn > 0) || pieces.length < PIECE) return 0
  const at = PIECE * pieceOfInput(curve, amountIn)
  const depth = pieces[at + DEPTH]!
  const end = pieces[at + PIECE]!
  const from = pieces[at]!
  const within = amountIn * keepIn - pieces[at + INPUT]!
  const to = depth === 0 ? end : Math.max(end, 1 / (1 / from + within / depth))
  // The difference of two prices that are all but equal would lose what dust buys of a deep pool.
  const bought = to > end ? from * to * within : depth * (from - to)
  return (pieces[at + OUTPUT]! + bought) * keepOut
}

/** The input that buys an output; ∞ where the pool has not as much. */
export function inputOf(curve: CompiledCurve, amountOut: number): number {
  const { keepIn, keepOut } = curve
  const traded = amountOut / keepOut
  const count = piecesOf(curve)
  if (count === 0 || !(traded <= outputBefore(curve, count))) return Number.POSITIVE_INFINITY
  let piece = 0
  while (outputBefore(curve, piece + 1) < traded) piece++
  const [from, depth] = [sqrtPriceAt(curve, piece), depthOf(curve, piece)]
  const within = traded - outputBefore(curve, piece)
  const to = Math.max(sqrtPriceAt(curve, piece + 1), depth === 0 ? from : from - within / depth)
  return (inputBefore(curve, piece) + (within === 0 ? 0 : within / (from * to))) / keepIn
}

/**
 * The input, or a little less when it brings the pool just to where it has no liquidity: to its end, or into a gap. A swap that comes as far
 * crosses the tick there for nothing.
 */
export function shortOfFlat(curve: CompiledCurve, amountIn: number): number {
  const { pieces, keepIn } = curve
  const end = PIECE * piecesOf(curve)
  for (let at = PIECE * pieceOfInput(curve, amountIn * (1 + NEAR_FLAT)); at >= 0; at -= PIECE) {
    const start = pieces[at + INPUT]! / keepIn
    if (start < amountIn * (1 - NEAR_FLAT)) break
    if (pieces[at + DEPTH] === 0) return Math.min(amountIn, start * (1 - NEAR_FLAT))
  }
  return Math.min(amountIn, (pieces[end + INPUT]! / keepIn) * (1 - NEAR_FLAT))
}

/** True when a pool has a gap without liquidity, or its end, between two inputs. */
export function crossesFlat(curve: CompiledCurve, low: number, high: number): boolean {
  if (high >= capacityOf(curve)) return true
  const last = pieceOfInput(curve, high)
  for (let piece = pieceOfInput(curve, low); piece <= last; piece++) if (depthOf(curve, piece) === 0) return true
  return false
}

/** Pieces that an input runs through to their end. */
export function piecesCrossed(curve: CompiledCurve, amountIn: number): number {
  return piecesOf(curve) === 0 ? 0 : pieceOfInput(curve, amountIn)
}

function pieceOfInput({ pieces, keepIn }: CompiledCurve, amountIn: number): number {
  const traded = amountIn * keepIn
  let low = 0
  let high = (pieces.length >> 2) - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (pieces[PIECE * middle + INPUT]! <= traded) low = middle
    else high = middle - 1
  }
  return low
}

/** Trades until one more unit of input would buy only `rate`: all that the pool has where it never falls that far. */
export function tradeTo({ pieces, keepIn, keepOut }: CompiledCurve, rate: number, into: Point): void {
  const count = pieces.length >> 2
  const target = Math.sqrt(rate / (keepIn * keepOut))
  if (count === 0 || !(target < pieces[0]!)) {
    into.input = into.output = into.conductance = 0
    return
  }
  const end = pieces[PIECE * count]!
  const to = Math.max(target, end)
  let low = 0
  let high = count - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (pieces[PIECE * middle]! > to) low = middle
    else high = middle - 1
  }
  const at = PIECE * low
  const from = pieces[at]!
  const depth = pieces[at + DEPTH]!
  into.input = (pieces[at + INPUT]! + (depth === 0 ? 0 : (depth * (from - to)) / (from * to))) / keepIn
  into.output = (pieces[at + OUTPUT]! + depth * (from - to)) * keepOut
  into.conductance = target > end ? depth / (2 * to * keepIn) : 0
}

/** The most that trading with a pool earns, if a unit of its input costs `sold` and a unit of its output is worth `bought`. */
export function mostEarnedAt(curve: CompiledCurve, sold: number, bought: number): number {
  const { input, output } = pointAt(curve, sold / bought)
  return Math.max(0, output * bought - input * sold)
}

/**
 * Earnings that a curve does not show: the difference if the pool pays more than the curve by the error of its output.
 *
 * @param value - the most that the input of the pool is worth in any route
 */
export function hiddenEarnings(curve: CompiledCurve, sold: number, bought: number, value: number): number {
  const { outputError } = curve
  if (outputError === 0) return 0
  const shown = mostEarnedAt(curve, sold, bought)
  return Math.min(mostEarnedAt(curve, sold, bought * (1 + outputError)) - shown, outputError * (value + shown))
}

/** `tradeTo` for callers that ask seldom. */
export function pointAt(curve: CompiledCurve, rate: number): Point {
  const point = { input: 0, output: 0, conductance: 0 }
  tradeTo(curve, rate, point)
  return point
}
