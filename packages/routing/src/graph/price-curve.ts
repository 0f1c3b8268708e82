/** A pool seen from one side, for the float search: how much comes out, at what marginal rate, and the inverse. */
import type { PriceCurve } from '@sluice/liquidity'
import { TICK_MARGIN } from '../tolerances.ts'

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

export function compileCurve({ sqrtPrice, liquidity, keepIn, keepOut, gasPerPiece = 0 }: PriceCurve): CompiledCurve {
  const count = liquidity.length
  const pieces = new Float64Array(PIECE * count + DEPTH)
  for (let piece = 0; piece < count; piece++) {
    const [from, to, depth] = [sqrtPrice[piece]!, sqrtPrice[piece + 1]!, liquidity[piece]!]
    const at = PIECE * piece
    pieces[at] = from
    pieces[at + DEPTH] = depth
    // Both from the same difference, as in `tradeTo`: where a price hardly falls, what is earned is all but its rounding.
    pieces[at + PIECE + INPUT] = pieces[at + INPUT]! + (depth === 0 ? 0 : (depth * (from - to)) / (from * to))
    pieces[at + PIECE + OUTPUT] = pieces[at + OUTPUT]! + depth * (from - to)
  }
  pieces[PIECE * count] = sqrtPrice[count]!
  return { pieces, keepIn, keepOut, gasPerPiece }
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
 * The end of a pool that has no more: the logarithm of the marginal rate there, −∞ for pools that never end, and the
 * conductance.
 */
export function endOf(curve: CompiledCurve): { readonly logRate: number; readonly conductance: number } {
  const { keepIn, keepOut } = curve
  const count = piecesOf(curve)
  const end = sqrtPriceAt(curve, count)
  const conductance = end > 0 ? depthOf(curve, count - 1) / (2 * end * keepIn) : 0
  return { logRate: Math.log(keepIn * keepOut * end ** 2), conductance }
}

/** Conductance where the pool is deepest. */
export function mostConductance({ pieces, keepIn }: CompiledCurve): number {
  let most = 0
  for (let at = DEPTH; at < pieces.length; at += PIECE) most = Math.max(most, pieces[at]!)
  return most === 0 ? 0 : most / (2 * pieces[0]! * keepIn)
}

/** Output for an input; what the pool cannot take buys nothing more. */
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

/** The same for callers that ask seldom. */
export function pointAt(curve: CompiledCurve, rate: number): Point {
  const point = { input: 0, output: 0, conductance: 0 }
  tradeTo(curve, rate, point)
  return point
}
