/**
 * Computes outlines of pools: price, reserves, and depth. Depth is how much a pool pays out until its price has moved
 * by a given band. Most functions build no price curve, so that a hundred thousand pools can be scanned.
 */
import { FLOAT_PPM } from '@sluice/chains'
import type { PairOutline, PriceCurve } from '../family.ts'
import { type ConcentratedState, lastIndexAtOrBelow, type Tick } from './concentrated.ts'

/**
 * Share of the maximum liquidity. If less than this share remains after the last tick, it is a rounding error of the
 * float sum. If more remains, the state lacks ticks: this liquidity continues to the end of the price range, as in
 * `concentratedCurve`.
 */
const MIN_OPEN_LIQUIDITY_SHARE = 1e-9
/** Fixed-point one of √prices. */
const Q96 = 2 ** 96

/**
 * Derives an outline from the curves of both directions.
 *
 * @param sellCurve - curve of swaps that sell the first token for the second token
 * @param buyCurve - curve of swaps that sell the second token for the first token
 * @param priceBand - relative price move, in either direction
 */
export function outlineOfCurves(
  sellCurve: PriceCurve,
  buyCurve: PriceCurve,
  { firstReserve, secondReserve }: Pick<PairOutline, 'firstReserve' | 'secondReserve'>,
  priceBand: number,
): PairOutline {
  return {
    price: sellCurve.sqrtPrice[0]! ** 2,
    fee: Math.max(feeOf(sellCurve), feeOf(buyCurve)),
    firstDepth: outputDownTo(buyCurve, sqrtPriceAtBandEnd(buyCurve.sqrtPrice[0]!, priceBand)),
    secondDepth: outputDownTo(sellCurve, sqrtPriceAtBandEnd(sellCurve.sqrtPrice[0]!, priceBand)),
    firstReserve,
    secondReserve,
  }
}

/** Returns the fee of a direction as a fraction of the swapped amount. */
const feeOf = ({ keepIn, keepOut }: PriceCurve) => 1 - keepIn * keepOut

/** Returns the output of an input that lowers √price to `endSqrtPrice`. */
export function outputDownTo({ sqrtPrice, liquidity }: PriceCurve, endSqrtPrice: number): number {
  let output = 0
  for (let k = 0; k < liquidity.length && sqrtPrice[k]! > endSqrtPrice; k++)
    output += liquidity[k]! * (sqrtPrice[k]! - Math.max(sqrtPrice[k + 1]!, endSqrtPrice))
  return output
}

/** Returns the outline of an x·y = k pool. */
export function constantProductOutline(first: bigint, second: bigint, feePpm: number, priceBand: number): PairOutline {
  const [firstReserve, secondReserve] = [Number(first), Number(second)]
  const depthShare = 1 - sqrtPriceAtBandEnd(1, priceBand)
  return {
    price: firstReserve > 0 ? secondReserve / firstReserve : 0,
    fee: feePpm / FLOAT_PPM,
    firstDepth: firstReserve * depthShare,
    secondDepth: secondReserve * depthShare,
    firstReserve,
    secondReserve,
  }
}

/** Returns the outline of a concentrated-liquidity pool. @param feePpm - fee of the direction with the higher fee */
export function concentratedOutline(state: ConcentratedState, feePpm: number, priceBand: number): PairOutline {
  const startSqrtPrice = Number(state.sqrtPriceX96) / Q96
  const liquidityInRange = Number(state.liquidity)
  const { ticks } = state
  const lastBelow = lastIndexAtOrBelow(ticks, state.tick)
  const [fee, price] = [feePpm / FLOAT_PPM, startSqrtPrice ** 2]
  if (startSqrtPrice === 0) return { price, fee, firstDepth: 0, secondDepth: 0, firstReserve: 0, secondReserve: 0 }
  walkTicks(ticks, lastBelow, -1, startSqrtPrice, liquidityInRange, priceBand)
  const [secondDepth, secondReserve] = [walkResult.depth, walkResult.reserve]
  walkTicks(ticks, lastBelow + 1, 1, 1 / startSqrtPrice, liquidityInRange, priceBand)
  return {
    price,
    fee,
    firstDepth: walkResult.depth,
    secondDepth,
    firstReserve: walkResult.reserve,
    secondReserve,
  }
}

/** Result of the last `walkTicks`. The object is reused to avoid allocations. */
const walkResult = { depth: 0, reserve: 0 }

/**
 * Walks the ticks in one direction and stores the output of the pool in `walkResult`. `depth` is the output up to the
 * end of the band, and `reserve` is the output up to the last tick. Liquidity is a float, because exact integers would
 * take most of the time of a scan. Its rounding error is proportional to the maximum liquidity.
 *
 * @param firstIndex - index of the first tick in the direction
 * @param step - direction: −1 to sell the first token, 1 to sell the second token
 * @param startSqrtPrice - √ of the output per input at the current price
 */
function walkTicks(
  ticks: readonly Tick[],
  firstIndex: number,
  step: 1 | -1,
  startSqrtPrice: number,
  liquidityInRange: number,
  priceBand: number,
): void {
  const bandEndSqrtPrice = sqrtPriceAtBandEnd(startSqrtPrice, priceBand)
  let sqrtPrice = startSqrtPrice
  let liquidity = liquidityInRange
  let maxLiquidity = liquidityInRange
  let depthSum = 0
  let reserveSum = 0
  for (let i = firstIndex; i >= 0 && i < ticks.length; i += step) {
    const tick = ticks[i]!
    const endSqrtPrice = Math.min(1.0001 ** ((-step * tick[0]) / 2), sqrtPrice)
    if (liquidity > 0) {
      reserveSum += liquidity * (sqrtPrice - endSqrtPrice)
      if (sqrtPrice > bandEndSqrtPrice) depthSum += liquidity * (sqrtPrice - Math.max(endSqrtPrice, bandEndSqrtPrice))
    }
    liquidity += step * Number(tick[1])
    if (liquidity > maxLiquidity) maxLiquidity = liquidity
    sqrtPrice = endSqrtPrice
  }
  if (liquidity > MIN_OPEN_LIQUIDITY_SHARE * maxLiquidity) {
    reserveSum += liquidity * sqrtPrice
    if (sqrtPrice > bandEndSqrtPrice) depthSum += liquidity * (sqrtPrice - bandEndSqrtPrice)
  }
  walkResult.depth = depthSum
  walkResult.reserve = reserveSum
}

/** Returns √price after the price has fallen by the fraction `priceBand`. */
const sqrtPriceAtBandEnd = (sqrtPrice: number, priceBand: number) => sqrtPrice * Math.sqrt(1 - priceBand)
