/**
 * Price curves of constant-product and concentrated pools for the float search. Floats never leave the search: amounts
 * are settled in integers.
 */
import { FLOAT_PPM } from '@sluice/chains'
import type { PriceCurve } from '../family.ts'
import {
  type ConcentratedState,
  farthestTick,
  inputToTick,
  lastTickAtOrBelow,
  type StepEnd,
  wordEnd,
} from './concentrated.ts'
import { curveEnd, NARROW_FALL, pieceOfInput, withMargin } from './curve-end.ts'
import { MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, MIN_TICK, sqrtPriceOfTick, sqrtRatioAtTick } from './ticks.ts'

const Q96 = 2 ** 96
/** Above this tick the integer √prices of pools have at least as many digits as floats. */
const MIN_PRECISE_TICK = -600_000
const EMPTY = new Float64Array()

/** Returns the curve of a pool that accepts no input. */
export const emptyCurve = (keepIn: number): PriceCurve => ({
  sqrtPrice: new Float64Array(1),
  liquidity: EMPTY,
  keepIn,
  keepOut: 1,
})

/**
 * Returns the curve of x·y = k: one piece.
 *
 * @param maxInput - as `DexFamily.maxInput`; null if the piece ends at price 0
 */
export function constantProductCurve(
  reserveIn: bigint,
  reserveOut: bigint,
  feePpm: number,
  maxInput: bigint | null = null,
): PriceCurve {
  const keepIn = 1 - feePpm / FLOAT_PPM
  // The last unit is never paid out.
  if (reserveIn === 0n || reserveOut <= 1n || maxInput === 0n) return emptyCurve(keepIn)
  const x = Number(reserveIn)
  const y = Number(reserveOut)
  const price = Math.sqrt(y / x)
  const depth = Math.sqrt(x) * Math.sqrt(y)
  const [to, liquidity] = maxInput === null ? [0, depth] : pieceOfInput(price, depth, curveEnd(maxInput, keepIn))
  return { sqrtPrice: floats(price, to), liquidity: floats(liquidity), keepIn, keepOut: 1 }
}

/** Creates an array like `Float64Array.of`, which is several times slower. */
function floats(first: number, second?: number): Float64Array {
  const array = new Float64Array(second === undefined ? 1 : 2)
  array[0] = first
  if (second !== undefined) array[1] = second
  return array
}

/**
 * Returns a curve with one piece between every two initialized ticks in the trade direction; gaps have liquidity 0.
 * The curve ends at the largest input of `swapExactInput`, less a margin.
 */
export function concentratedCurve(
  state: ConcentratedState,
  zeroForOne: boolean,
  stepEnd: StepEnd = wordEnd,
): PriceCurve {
  const keepIn = 1 - state.feePpm / FLOAT_PPM
  if (state.sqrtPriceX96 === 0n) return emptyCurve(keepIn)
  const start = Number(state.sqrtPriceX96) / Q96
  const { ticks } = state
  const step = zeroForOne ? -1 : 1
  const end = farthestTick(state, zeroForOne, stepEnd)
  let i = lastTickAtOrBelow(ticks, state.tick) + (zeroForOne ? 0 : 1)
  // No piece follows the last tick, because all positions end there; only an incomplete state needs room for one more.
  const maxPieces = zeroForOne ? i + 1 : ticks.length - i
  let sqrtPrice = new Float64Array(maxPieces + 1)
  let liquidity = new Float64Array(maxPieces)
  sqrtPrice[0] = zeroForOne ? start : 1 / start
  let pieceCount = 0
  let inRange = state.liquidity
  // End of the first piece before it was widened, if that piece is too narrow for floats.
  let unwidenedEnd = 0
  const addPiece = (tick: number) => {
    const from = sqrtPrice[pieceCount]!
    let depth = Number(inRange)
    // A price exactly on a tick can be a rounding error past it.
    let to = Math.min(sqrtPriceAt(tick, zeroForOne), from)
    if (pieceCount === 0 && depth > 0 && from - to < NARROW_FALL * from) {
      const input = Number(inputToTick(state, tick, zeroForOne))
      unwidenedEnd = to
      if (input === 0) to = from
      else [to, depth] = pieceOfInput(from, depth, input)
    } else if (pieceCount === 1 && unwidenedEnd > from && to < from) {
      // The widened first piece overlaps this one, whose input must stay the same.
      depth *= (from * (unwidenedEnd - to)) / (unwidenedEnd * (from - to))
    }
    liquidity[pieceCount] = depth
    sqrtPrice[pieceCount + 1] = to
    pieceCount++
  }
  for (let tick = ticks[i]; tick !== undefined; i += step, tick = ticks[i]) {
    if (zeroForOne ? tick[0] < end : tick[0] > end) break
    if (tick[1] === 0n) continue
    addPiece(tick[0])
    inRange += zeroForOne ? -tick[1] : tick[1]
  }
  const totalPieces = pieceCount + (inRange > 0n ? 1 : 0)
  if (totalPieces !== maxPieces) {
    sqrtPrice = resizeArray(sqrtPrice, totalPieces + 1)
    liquidity = resizeArray(liquidity, totalPieces)
  }
  if (inRange > 0n) addPiece(end)
  return withMargin({ sqrtPrice, liquidity, keepIn, keepOut: 1 })
}

/** Returns √price at a tick in the trade direction; at the end of the price range, the contract's price limit. */
function sqrtPriceAt(tick: number, zeroForOne: boolean): number {
  if (zeroForOne && tick === MIN_TICK) return Number(MIN_SQRT_RATIO + 1n) / Q96
  if (!zeroForOne && tick === MAX_TICK) return Q96 / Number(MAX_SQRT_RATIO - 1n)
  if (tick > MIN_PRECISE_TICK) return sqrtPriceOfTick(zeroForOne ? tick : -tick)
  const price = Number(sqrtRatioAtTick(tick)) / Q96
  return zeroForOne ? price : 1 / price
}

function resizeArray(array: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  if (length <= array.length) return array.slice(0, length)
  const resized = new Float64Array(length)
  resized.set(array)
  return resized
}
