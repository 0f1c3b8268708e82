/** A pool seen from one side, for the float search: how much comes out, at what marginal rate, and the inverse. */
import type { Curve } from '@sluice/liquidity'

export type Response = {
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

/** Where a pool stands once its marginal rate has fallen to a given one. */
export type Point = {
  input: number
  output: number
  /** Input that a fall of the rate by a small part would draw in, per that part: −∂input / ∂ln rate. */
  conductance: number
}

export function compileResponse({ sqrtPrice, liquidity, keepIn, keepOut, gasPerPiece = 0 }: Curve): Response {
  const pieces = liquidity.length
  const inputBefore = new Float64Array(pieces + 1)
  const outputBefore = new Float64Array(pieces + 1)
  for (let piece = 0; piece < pieces; piece++) {
    const [from, to, depth] = [sqrtPrice[piece]!, sqrtPrice[piece + 1]!, liquidity[piece]!]
    // Both from the same difference, as in `respond`: where a price hardly falls, what is earned is all but its rounding.
    inputBefore[piece + 1] = inputBefore[piece]! + (depth === 0 ? 0 : (depth * (from - to)) / (from * to))
    outputBefore[piece + 1] = outputBefore[piece]! + depth * (from - to)
  }
  return { sqrtPrice, liquidity, inputBefore, outputBefore, keepIn, keepOut, gasPerPiece }
}

export function withTax(response: Response, keptIn: number, keptOut: number): Response {
  if (keptIn === 1 && keptOut === 1) return response
  return { ...response, keepIn: response.keepIn * keptIn, keepOut: response.keepOut * keptOut }
}

/** A part of a piece that keeps rounding from running into the next one. */
const MARGIN = 1e-7

/** The same pool, ending where a piece does: just before the tick behind it is crossed. */
export function upToPiece(response: Response, piece: number): Response {
  const sqrtPrice = response.sqrtPrice.slice(0, piece + 2)
  sqrtPrice[piece + 1]! += MARGIN * (sqrtPrice[piece]! - sqrtPrice[piece + 1]!)
  return { ...response, sqrtPrice, liquidity: response.liquidity.slice(0, piece + 1) }
}

/** Output per unit of a vanishing input; 0 for an empty pool. */
export function firstRate({ sqrtPrice, liquidity, keepIn, keepOut }: Response): number {
  const rate = keepIn * keepOut * sqrtPrice[0]! ** 2
  return liquidity.length > 0 && Number.isFinite(rate) ? rate : 0
}

/** Conductance at no input: how deep the pool is at its present price. */
export function firstConductance({ sqrtPrice, liquidity, keepIn }: Response): number {
  // A piece without liquidity is a step of the price: the depth behind it is what counts.
  for (let piece = 0; piece < liquidity.length; piece++)
    if (liquidity[piece]! > 0) return liquidity[piece]! / (2 * sqrtPrice[piece]! * keepIn)
  return 0
}

/** Where the pool has no more: the logarithm of the marginal rate there, −∞ for pools that never end, and the conductance. */
export function endOf({ sqrtPrice, liquidity, keepIn, keepOut }: Response): {
  readonly logRate: number
  readonly conductance: number
} {
  const last = liquidity.length - 1
  const end = sqrtPrice[last + 1]!
  const conductance = end > 0 ? liquidity[last]! / (2 * end * keepIn) : 0
  return { logRate: Math.log(keepIn * keepOut * end ** 2), conductance }
}

/** Conductance where the pool is deepest. */
export function mostConductance({ sqrtPrice, liquidity, keepIn }: Response): number {
  let most = 0
  for (let piece = 0; piece < liquidity.length; piece++) most = Math.max(most, liquidity[piece]!)
  return most === 0 ? 0 : most / (2 * sqrtPrice[0]! * keepIn)
}

/** Output for an input; what the pool cannot take buys nothing more. */
export function outputOf(response: Response, amountIn: number): number {
  const { sqrtPrice, liquidity, inputBefore, outputBefore, keepIn, keepOut } = response
  if (!(amountIn > 0) || liquidity.length === 0) return 0
  const piece = pieceOfInput(response, amountIn)
  const depth = liquidity[piece]!
  const end = sqrtPrice[piece + 1]!
  const from = sqrtPrice[piece]!
  const within = amountIn * keepIn - inputBefore[piece]!
  const to = depth === 0 ? end : Math.max(end, 1 / (1 / from + within / depth))
  // The difference of two prices that are all but equal would lose what dust buys of a deep pool.
  const bought = to > end ? from * to * within : depth * (from - to)
  return (outputBefore[piece]! + bought) * keepOut
}

/** Pieces that an input runs through to their end. */
export function piecesCrossed(response: Response, amountIn: number): number {
  return response.liquidity.length === 0 ? 0 : pieceOfInput(response, amountIn)
}

function pieceOfInput({ inputBefore, liquidity, keepIn }: Response, amountIn: number): number {
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
export function respond(response: Response, rate: number, into: Point): void {
  const { sqrtPrice, liquidity, inputBefore, outputBefore, keepIn, keepOut } = response
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
