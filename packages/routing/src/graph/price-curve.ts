/** A pool seen from one side, for the float search: how much comes out, at what marginal rate, and the inverse. */
import type { PriceCurve } from '@sluice/liquidity'
import { TICK_MARGIN } from '../tolerances.ts'

export type CompiledCurve = {
  /** Square roots of the marginal prices at which pieces begin, falling; the last is where the pool ends. */
  readonly sqrtPrice: Float64Array
  readonly liquidity: Float64Array
  /** Input (after fee) and output (before an output fee) spent before each piece begins. */
  readonly inputBefore: Float64Array
  readonly outputBefore: Float64Array
  /** Part of the input that the pool trades: what fee and tax leave. */
  readonly keepIn: number
  /** Part of the output that arrives: what fee and tax leave. */
  readonly keepOut: number
  /** Gas that every further piece costs: a tick that is crossed. */
  readonly gasPerPiece: number
}

/** The trade of a pool once its marginal rate has fallen to a given one. */
export type Point = {
  input: number
  output: number
  /** Input that a fall of the rate by a small part would draw in, per that part: −∂input / ∂ln rate. */
  conductance: number
}

export function compileCurve({ sqrtPrice, liquidity, keepIn, keepOut, gasPerPiece = 0 }: PriceCurve): CompiledCurve {
  const pieces = liquidity.length
  const inputBefore = new Float64Array(pieces + 1)
  const outputBefore = new Float64Array(pieces + 1)
  for (let piece = 0; piece < pieces; piece++) {
    const [from, to, depth] = [sqrtPrice[piece]!, sqrtPrice[piece + 1]!, liquidity[piece]!]
    // Both from the same difference, as in `tradeTo`: where a price hardly falls, what is earned is all but its rounding.
    inputBefore[piece + 1] = inputBefore[piece]! + (depth === 0 ? 0 : (depth * (from - to)) / (from * to))
    outputBefore[piece + 1] = outputBefore[piece]! + depth * (from - to)
  }
  return { sqrtPrice, liquidity, inputBefore, outputBefore, keepIn, keepOut, gasPerPiece }
}

export function withTax(curve: CompiledCurve, keptIn: number, keptOut: number): CompiledCurve {
  if (keptIn === 1 && keptOut === 1) return curve
  return { ...curve, keepIn: curve.keepIn * keptIn, keepOut: curve.keepOut * keptOut }
}

/** The same pool, ending where a piece does: just before the tick behind it is crossed. */
export function upToPiece(curve: CompiledCurve, piece: number): CompiledCurve {
  const sqrtPrice = curve.sqrtPrice.slice(0, piece + 2)
  sqrtPrice[piece + 1]! += TICK_MARGIN * (sqrtPrice[piece]! - sqrtPrice[piece + 1]!)
  return { ...curve, sqrtPrice, liquidity: curve.liquidity.slice(0, piece + 1) }
}

/** Output per unit of a vanishing input; 0 for an empty pool. */
export function firstRate({ sqrtPrice, liquidity, keepIn, keepOut }: CompiledCurve): number {
  const rate = keepIn * keepOut * sqrtPrice[0]! ** 2
  return liquidity.length > 0 && Number.isFinite(rate) ? rate : 0
}

/** Conductance at no input: how deep the pool is at its present price. */
export function firstConductance({ sqrtPrice, liquidity, keepIn }: CompiledCurve): number {
  // A piece without liquidity is a step of the price: the depth behind it is what counts.
  for (let piece = 0; piece < liquidity.length; piece++)
    if (liquidity[piece]! > 0) return liquidity[piece]! / (2 * sqrtPrice[piece]! * keepIn)
  return 0
}

/**
 * The end of a pool that has no more: the logarithm of the marginal rate there, −∞ for pools that never end, and the
 * conductance.
 */
export function endOf({ sqrtPrice, liquidity, keepIn, keepOut }: CompiledCurve): {
  readonly logRate: number
  readonly conductance: number
} {
  const last = liquidity.length - 1
  const end = sqrtPrice[last + 1]!
  const conductance = end > 0 ? liquidity[last]! / (2 * end * keepIn) : 0
  return { logRate: Math.log(keepIn * keepOut * end ** 2), conductance }
}

/** Conductance where the pool is deepest. */
export function mostConductance({ sqrtPrice, liquidity, keepIn }: CompiledCurve): number {
  let most = 0
  for (let piece = 0; piece < liquidity.length; piece++) most = Math.max(most, liquidity[piece]!)
  return most === 0 ? 0 : most / (2 * sqrtPrice[0]! * keepIn)
}

/** Output for an input; what the pool cannot take buys nothing more. */
export function outputOf(curve: CompiledCurve, amountIn: number): number {
  const { sqrtPrice, liquidity, inputBefore, outputBefore, keepIn, keepOut } = curve
  if (!(amountIn > 0) || liquidity.length === 0) return 0
  const piece = pieceOfInput(curve, amountIn)
  const depth = liquidity[piece]!
  const end = sqrtPrice[piece + 1]!
  const from = sqrtPrice[piece]!
  const within = amountIn * keepIn - inputBefore[piece]!
  const to = depth === 0 ? end : Math.max(end, 1 / (1 / from + within / depth))
  // The difference of two prices that are all but equal would lose what dust buys of a deep pool.
  const bought = to > end ? from * to * within : depth * (from - to)
  return (outputBefore[piece]! + bought) * keepOut
}

/** The input that buys an output; ∞ where the pool has not as much. */
export function inputOf(curve: CompiledCurve, amountOut: number): number {
  const { sqrtPrice, liquidity, inputBefore, outputBefore, keepIn, keepOut } = curve
  const traded = amountOut / keepOut
  const pieces = liquidity.length
  if (pieces === 0 || !(traded <= outputBefore[pieces]!)) return Number.POSITIVE_INFINITY
  let piece = 0
  while (outputBefore[piece + 1]! < traded) piece++
  const [from, depth] = [sqrtPrice[piece]!, liquidity[piece]!]
  const within = traded - outputBefore[piece]!
  const to = Math.max(sqrtPrice[piece + 1]!, depth === 0 ? from : from - within / depth)
  return (inputBefore[piece]! + (within === 0 ? 0 : within / (from * to))) / keepIn
}

/** Pieces that an input runs through to their end. */
export function piecesCrossed(curve: CompiledCurve, amountIn: number): number {
  return curve.liquidity.length === 0 ? 0 : pieceOfInput(curve, amountIn)
}

function pieceOfInput({ inputBefore, liquidity, keepIn }: CompiledCurve, amountIn: number): number {
  const traded = amountIn * keepIn
  let low = 0
  let high = liquidity.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (inputBefore[middle]! <= traded) low = middle
    else high = middle - 1
  }
  return low
}

/** Trades until one more unit of input would buy only `rate`: all that the pool has where it never falls that far. */
export function tradeTo(curve: CompiledCurve, rate: number, into: Point): void {
  const { sqrtPrice, liquidity, inputBefore, outputBefore, keepIn, keepOut } = curve
  const pieces = liquidity.length
  const target = Math.sqrt(rate / (keepIn * keepOut))
  if (pieces === 0 || !(target < sqrtPrice[0]!)) {
    into.input = into.output = into.conductance = 0
    return
  }
  const end = sqrtPrice[pieces]!
  const to = Math.max(target, end)
  let low = 0
  let high = pieces - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (sqrtPrice[middle]! > to) low = middle
    else high = middle - 1
  }
  const depth = liquidity[low]!
  const from = sqrtPrice[low]!
  into.input = (inputBefore[low]! + (depth === 0 ? 0 : (depth * (from - to)) / (from * to))) / keepIn
  into.output = (outputBefore[low]! + depth * (from - to)) * keepOut
  into.conductance = target > end ? depth / (2 * to * keepIn) : 0
}

/** The same for callers that ask seldom. */
export function pointAt(curve: CompiledCurve, rate: number): Point {
  const point = { input: 0, output: 0, conductance: 0 }
  tradeTo(curve, rate, point)
  return point
}
