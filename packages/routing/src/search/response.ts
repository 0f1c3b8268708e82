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
}

export function compileResponse({ sqrtPrice, liquidity, keepIn, keepOut }: Curve): Response {
  const pieces = liquidity.length
  const inputBefore = new Float64Array(pieces + 1)
  const outputBefore = new Float64Array(pieces + 1)
  for (let piece = 0; piece < pieces; piece++) {
    const [from, to, depth] = [sqrtPrice[piece]!, sqrtPrice[piece + 1]!, liquidity[piece]!]
    inputBefore[piece + 1] = inputBefore[piece]! + (depth === 0 ? 0 : depth * (1 / to - 1 / from))
    outputBefore[piece + 1] = outputBefore[piece]! + depth * (from - to)
  }
  return { sqrtPrice, liquidity, inputBefore, outputBefore, keepIn, keepOut }
}

export function withTax(response: Response, keptIn: number, keptOut: number): Response {
  if (keptIn === 1 && keptOut === 1) return response
  return { ...response, keepIn: response.keepIn * keptIn, keepOut: response.keepOut * keptOut }
}

/** Square root of the marginal price once `input` (after fee) has gone in. */
function sqrtPriceAfter(response: Response, input: number): { readonly sqrtPrice: number; readonly piece: number } {
  const { sqrtPrice, liquidity, inputBefore } = response
  const piece = lastAtMost(inputBefore, input, liquidity.length)
  const depth = liquidity[piece]!
  if (depth === 0) return { sqrtPrice: sqrtPrice[piece + 1]!, piece }
  const after = 1 / (1 / sqrtPrice[piece]! + (input - inputBefore[piece]!) / depth)
  return { sqrtPrice: Math.max(after, sqrtPrice[piece + 1]!), piece }
}

/** Output for an input; what the pool cannot take buys nothing more. */
export function outputOf(response: Response, amountIn: number): number {
  if (!(amountIn > 0) || response.liquidity.length === 0) return 0
  const { sqrtPrice: after, piece } = sqrtPriceAfter(response, amountIn * response.keepIn)
  const within = response.liquidity[piece]! * (response.sqrtPrice[piece]! - after)
  return (response.outputBefore[piece]! + within) * response.keepOut
}

/** Output per further unit of input once `amountIn` has gone in; 0 where the pool ends. */
export function marginalRate(response: Response, amountIn: number): number {
  const { sqrtPrice, liquidity, keepIn, keepOut } = response
  if (liquidity.length === 0) return 0
  if (!(amountIn > 0)) return keepIn * keepOut * sqrtPrice[0]! ** 2
  const { sqrtPrice: after } = sqrtPriceAfter(response, amountIn * keepIn)
  return after <= sqrtPrice[liquidity.length]! ? 0 : keepIn * keepOut * after * after
}

/** Input at which the marginal rate has fallen to `rate`; the pool's whole capacity where it never falls that far. */
export function inputAtRate(response: Response, rate: number): number {
  const { sqrtPrice, liquidity, inputBefore, keepIn, keepOut } = response
  const pieces = liquidity.length
  const target = Math.sqrt(rate / (keepIn * keepOut))
  if (pieces === 0 || target >= sqrtPrice[0]!) return 0
  if (target <= sqrtPrice[pieces]!) return inputBefore[pieces]! / keepIn
  let low = 0
  let high = pieces - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (sqrtPrice[middle]! > target) low = middle
    else high = middle - 1
  }
  const depth = liquidity[low]!
  const within = depth === 0 ? 0 : depth * (1 / target - 1 / sqrtPrice[low]!)
  return (inputBefore[low]! + within) / keepIn
}

/** Last index below `length` whose value is at most `value`; 0 when none is. */
function lastAtMost(values: Float64Array, value: number, length: number): number {
  let low = 0
  let high = length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (values[middle]! <= value) low = middle
    else high = middle - 1
  }
  return low
}
