/**
 * Builds price curves of constant-product and concentrated pools for the route search, which
 * computes in floats. Floats never leave the search: the amounts of a found route are computed again in integers.
 */
import { FLOAT_PPM } from '@sluice/chains'
import type { PriceCurve } from '../family.ts'
import {
  type ConcentratedState,
  farthestTick,
  inputToTick,
  lastIndexAtOrBelow,
  type StepEnd,
  wordEnd,
} from './concentrated.ts'
import { applyEndMargin, curveEnd, NARROW_FALL, pieceOfInput } from './curve-end.ts'
import { MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, MIN_TICK, sqrtPriceOfTick, sqrtRatioAtTick } from './ticks.ts'

const Q96 = 2 ** 96
/**
 * Below this tick, the integer √prices of pools have fewer digits than floats. Their rounded values must then be used.
 */
const MIN_PRECISE_TICK = -600_000
/** Liquidity array of a curve without pieces. */
const NO_LIQUIDITY = new Float64Array()

/**
 * Returns the curve of a pool that accepts no input. @param keepIn - fraction of the input that remains after the fee
 */
export const emptyCurve = (keepIn: number): PriceCurve => ({
  sqrtPrice: new Float64Array(1),
  liquidity: NO_LIQUIDITY,
  keepIn,
  keepOut: 1,
})

/**
 * Returns the curve of a constant-product pool (x·y = k), which has one piece.
 *
 * @param feePpm - parts per million of the input
 * @param maxInput - largest input in base units; null for no limit: the piece then ends at price 0
 */
export function constantProductCurve(
  reserveIn: bigint,
  reserveOut: bigint,
  feePpm: number,
  maxInput: bigint | null = null,
): PriceCurve {
  const keepIn = 1 - feePpm / FLOAT_PPM
  // The pool never pays out its last unit, so it cannot trade with a reserve of one unit.
  if (reserveIn === 0n || reserveOut <= 1n || maxInput === 0n) return emptyCurve(keepIn)
  const x = Number(reserveIn)
  const y = Number(reserveOut)
  const startSqrtPrice = Math.sqrt(y / x)
  const fullLiquidity = Math.sqrt(x) * Math.sqrt(y)
  const [endSqrtPrice, liquidity] =
    maxInput === null ? [0, fullLiquidity] : pieceOfInput(startSqrtPrice, fullLiquidity, curveEnd(maxInput, keepIn))
  return {
    sqrtPrice: createFloat64Array(startSqrtPrice, endSqrtPrice),
    liquidity: createFloat64Array(liquidity),
    keepIn,
    keepOut: 1,
  }
}

/** Creates an array like `Float64Array.of`, which is several times slower. */
function createFloat64Array(first: number, second?: number): Float64Array {
  const array = new Float64Array(second === undefined ? 1 : 2)
  array[0] = first
  if (second !== undefined) array[1] = second
  return array
}

/**
 * Returns the curve of a concentrated-liquidity pool. It has one piece between every two initialized ticks in the trade
 * direction; a range without liquidity is a piece with liquidity 0. The curve ends at the largest input that
 * `swapExactInput` accepts, less `END_MARGIN`.
 */
export function concentratedCurve(
  state: ConcentratedState,
  zeroForOne: boolean,
  stepEnd: StepEnd = wordEnd,
): PriceCurve {
  const keepIn = 1 - state.feePpm / FLOAT_PPM
  if (state.sqrtPriceX96 === 0n) return emptyCurve(keepIn)
  const startSqrtPrice = Number(state.sqrtPriceX96) / Q96
  const { ticks } = state
  const tickStep = zeroForOne ? -1 : 1
  const endTick = farthestTick(state, zeroForOne, stepEnd)
  let tickIndex = lastIndexAtOrBelow(ticks, state.tick) + (zeroForOne ? 0 : 1)
  // All positions end at or before the last tick, so no piece follows it. A state that lacks ticks has one more piece.
  const expectedPieces = zeroForOne ? tickIndex + 1 : ticks.length - tickIndex
  let sqrtPrice = new Float64Array(expectedPieces + 1)
  let liquidity = new Float64Array(expectedPieces)
  sqrtPrice[0] = zeroForOne ? startSqrtPrice : 1 / startSqrtPrice
  let pieceCount = 0
  let liquidityInRange = state.liquidity
  // √price at the end of the first piece before `pieceOfInput` widened it; 0 if it did not need widening.
  let endSqrtBeforeWidening = 0
  const addPiece = (tick: number) => {
    const startSqrt = sqrtPrice[pieceCount]!
    let pieceLiquidity = Number(liquidityInRange)
    // Rounding can put a price that is exactly on a tick slightly past the tick.
    let endSqrt = Math.min(sqrtPriceAt(tick, zeroForOne), startSqrt)
    if (pieceCount === 0 && pieceLiquidity > 0 && startSqrt - endSqrt < NARROW_FALL * startSqrt) {
      const input = Number(inputToTick(state, tick, zeroForOne))
      endSqrtBeforeWidening = endSqrt
      if (input === 0) endSqrt = startSqrt
      else [endSqrt, pieceLiquidity] = pieceOfInput(startSqrt, pieceLiquidity, input)
    } else if (pieceCount === 1 && endSqrtBeforeWidening > startSqrt && endSqrt < startSqrt) {
      // The widened first piece overlaps this piece. Scale the liquidity to keep the input of this piece.
      pieceLiquidity *=
        (startSqrt * (endSqrtBeforeWidening - endSqrt)) / (endSqrtBeforeWidening * (startSqrt - endSqrt))
    }
    liquidity[pieceCount] = pieceLiquidity
    sqrtPrice[pieceCount + 1] = endSqrt
    pieceCount++
  }
  for (let tick = ticks[tickIndex]; tick !== undefined; tickIndex += tickStep, tick = ticks[tickIndex]) {
    if (zeroForOne ? tick[0] < endTick : tick[0] > endTick) break
    if (tick[1] === 0n) continue
    addPiece(tick[0])
    liquidityInRange += zeroForOne ? -tick[1] : tick[1]
  }
  const totalPieces = pieceCount + (liquidityInRange > 0n ? 1 : 0)
  if (totalPieces !== expectedPieces) {
    sqrtPrice = resizeArray(sqrtPrice, totalPieces + 1)
    liquidity = resizeArray(liquidity, totalPieces)
  }
  if (liquidityInRange > 0n) addPiece(endTick)
  return applyEndMargin({ sqrtPrice, liquidity, keepIn, keepOut: 1 })
}

/** Returns √price (output per input) at a tick. At the end of the price range, returns the contract's price limit. */
function sqrtPriceAt(tick: number, zeroForOne: boolean): number {
  if (zeroForOne && tick === MIN_TICK) return Number(MIN_SQRT_RATIO + 1n) / Q96
  if (!zeroForOne && tick === MAX_TICK) return Q96 / Number(MAX_SQRT_RATIO - 1n)
  if (tick > MIN_PRECISE_TICK) return sqrtPriceOfTick(zeroForOne ? tick : -tick)
  const sqrtPrice = Number(sqrtRatioAtTick(tick)) / Q96
  return zeroForOne ? sqrtPrice : 1 / sqrtPrice
}

function resizeArray(array: Float64Array<ArrayBuffer>, length: number): Float64Array<ArrayBuffer> {
  if (length <= array.length) return array.slice(0, length)
  const resizedArray = new Float64Array(length)
  resizedArray.set(array)
  return resizedArray
}
