/**
 * Exact math of concentrated liquidity with the steps of UniswapV3Pool.swap, shared by the families whose pools have
 * ticks. Checked against SwapMath, SqrtPriceMath, and TickBitmap of Uniswap/v3-core d8b1c635.
 */
import { PPM } from '@sluice/chains'
import { PoolRefusal } from '../family.ts'
import { asMaxInput, UNLIMITED_INPUT } from './capacity.ts'
import { divUp, max, min } from './integers.ts'
import { MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, MIN_TICK, sqrtRatioAtTick, tickAtSqrtRatio } from './ticks.ts'

const Q96 = 1n << 96n
const UINT256_RANGE = 1n << 256n

/**
 * An initialized tick. A rising price that crosses the tick adds `liquidityNet` to the liquidity in range; a falling
 * price subtracts it. `liquidityGross` is the total liquidity of all positions that start or end at the tick. If it
 * becomes zero, the tick is no longer initialized. Quotes do not need it, so it is absent in families that cannot read
 * it.
 */
export type Tick = readonly [tick: number, liquidityNet: bigint, liquidityGross?: bigint]

/** State of a concentrated-liquidity pool. */
export type ConcentratedState = {
  /** √(token1 / token0) in base units, with 96 fractional bits. */
  readonly sqrtPriceX96: bigint
  /** Usually floor(log₁.₀₀₀₁ price); one less after a downward step that ended exactly on a tick. */
  readonly tick: number
  /** Liquidity in range at the current price. */
  readonly liquidity: bigint
  /** Fee in parts per million of the input. */
  readonly feePpm: number
  readonly tickSpacing: number
  /** All initialized ticks, ascending. */
  readonly ticks: readonly Tick[]
}

/** Result of a swap. `State` is the state type of the family. */
export type ConcentratedSwap<State> = {
  readonly amountOut: bigint
  /** State after the swap. */
  readonly state: State
  readonly ticksCrossed: number
  /** Number of steps that ended at the end of a tick-bitmap word, where no initialized tick was. */
  readonly wordsWalked: number
}

/** Returns √price after an input of `amountIn`, rounded in favor of the pool. */
function nextSqrtPrice(sqrtPrice: bigint, liquidity: bigint, amountIn: bigint, zeroForOne: boolean): bigint {
  if (!zeroForOne) return sqrtPrice + (amountIn << 96n) / liquidity
  const shiftedLiquidity = liquidity << 96n
  const product = amountIn * sqrtPrice
  // If this formula would overflow 256 bits, the contract uses the less precise formula below.
  if (product < UINT256_RANGE && shiftedLiquidity + product < UINT256_RANGE)
    return divUp(shiftedLiquidity * sqrtPrice, shiftedLiquidity + product)
  return divUp(shiftedLiquidity, shiftedLiquidity / sqrtPrice + amountIn)
}

/**
 * Returns the amount of token 0 between two prices.
 *
 * @param lower - at most `upper`; both are √price with 96 fractional bits
 */
export function amount0Between(lower: bigint, upper: bigint, liquidity: bigint, roundsUp: boolean): bigint {
  const scaledLiquidity = (liquidity << 96n) * (upper - lower)
  // The contract divides twice with the same rounding, which equals one division by the product.
  return roundsUp ? divUp(scaledLiquidity, upper * lower) : scaledLiquidity / (upper * lower)
}

/**
 * Returns the amount of token 1 between two prices.
 *
 * @param lower - at most `upper`; both are √price with 96 fractional bits
 */
export function amount1Between(lower: bigint, upper: bigint, liquidity: bigint, roundsUp: boolean): bigint {
  const product = liquidity * (upper - lower)
  return roundsUp ? divUp(product, Q96) : product >> 96n
}

/** Returns the index of the last tick at or below `tick`; −1 if there is none. */
export function lastIndexAtOrBelow(ticks: readonly Tick[], tick: number): number {
  let low = 0
  let high = ticks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ticks[middle]![0] <= tick) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Returns the tick at which a step ends if no initialized tick comes before it. */
export type StepEnd = (tick: number, spacing: number, zeroForOne: boolean) => number

/** Bits of a tick-bitmap word. Each bit stands for one multiple of the tick spacing. */
const WORD_BITS = 256

/** Like `wordEnd`, but can return a tick outside of the valid range. */
function unboundedWordEnd(tick: number, spacing: number, zeroForOne: boolean): number {
  const compressedTick = Math.floor(tick / spacing)
  const word = Math.floor((zeroForOne ? compressedTick : compressedTick + 1) / WORD_BITS)
  return (word * WORD_BITS + (zeroForOne ? 0 : WORD_BITS - 1)) * spacing
}

const clampTick = (tick: number): number => Math.max(MIN_TICK, Math.min(MAX_TICK, tick))

/** Returns the last tick, in the trade direction, of the bitmap word that the contract searches from `tick`. */
export const wordEnd: StepEnd = (tick, spacing, zeroForOne) => clampTick(unboundedWordEnd(tick, spacing, zeroForOne))

/** Returns the last tick in the trade direction, for pools that store initialized ticks in a linked list. */
export const listEnd: StepEnd = (_tick, _spacing, zeroForOne) => (zeroForOne ? MIN_TICK : MAX_TICK)

/**
 * Maximum bitmap words that a trade may walk. In a drained pool with a small tick spacing, a trade would walk thousands
 * of words for almost no output. Each word costs about 3,000 gas. With a tick spacing of 1, 256 words span a factor of
 * 700 in price. With a spacing of 60, they span all prices.
 */
const MAX_WORDS = 256

/** Returns the farthest tick that a trade may reach: the end of the price range, or `MAX_WORDS` words away. */
export function farthestTick(
  { tick, tickSpacing }: Pick<ConcentratedState, 'tick' | 'tickSpacing'>,
  zeroForOne: boolean,
  stepEnd: StepEnd,
): number {
  if (stepEnd !== wordEnd) return zeroForOne ? MIN_TICK : MAX_TICK
  const maxDistance = MAX_WORDS * WORD_BITS * tickSpacing
  return clampTick(unboundedWordEnd(tick, tickSpacing, zeroForOne) + (zeroForOne ? -maxDistance : maxDistance))
}

/**
 * True if a swap has reached `limitTick`. When the price falls exactly to a tick, the current tick becomes one lower.
 */
const isBeyond = (tick: number, limitTick: number, zeroForOne: boolean) =>
  zeroForOne ? tick < limitTick : tick >= limitTick

/** Returns the input, without the fee, that moves the price to a tick through the liquidity in range. */
export function inputToTick({ sqrtPriceX96, liquidity }: ConcentratedState, tick: number, zeroForOne: boolean): bigint {
  const stopSqrtPrice = sqrtRatioAtTick(tick)
  return zeroForOne
    ? amount0Between(min(max(stopSqrtPrice, MIN_SQRT_RATIO + 1n), sqrtPriceX96), sqrtPriceX96, liquidity, true)
    : amount1Between(sqrtPriceX96, max(min(stopSqrtPrice, MAX_SQRT_RATIO - 1n), sqrtPriceX96), liquidity, true)
}

/**
 * Swaps exactly `amountIn`, with the contract's steps and roundings. Each step ends at an initialized tick or at
 * the tick that `stepEnd` returns.
 *
 * @param feePpm - parts per million of the input
 * @param stepEnd - `wordEnd` for pools with a tick bitmap, `listEnd` for pools with a linked list
 * @throws PoolRefusal `EMPTY` without a price or liquidity, `TOO_SMALL` for no input, `TOO_LARGE` if the input exceeds
 * the liquidity or would walk more than `MAX_WORDS` words
 */
export function swapExactInput<State extends ConcentratedState>(
  state: State,
  feePpm: number,
  zeroForOne: boolean,
  amountIn: bigint,
  stepEnd: StepEnd = wordEnd,
): ConcentratedSwap<State> {
  const { ticks, tickSpacing } = state
  const fee = BigInt(feePpm)
  const limitSqrtPrice = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n
  const limitTick = farthestTick(state, zeroForOne, stepEnd)
  let { sqrtPriceX96: sqrtPrice, tick, liquidity } = state
  if (sqrtPrice === 0n) throw new PoolRefusal('EMPTY', 'the pool has no price yet')
  if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  if (amountIn >> 255n) throw new PoolRefusal('TOO_LARGE', 'an amount of 2^255 or more')

  // Index of the next initialized tick: at or below the price for a falling price, above it for a rising price.
  let nextIndex = lastIndexAtOrBelow(ticks, tick) + (zeroForOne ? 0 : 1)
  let remainingInput = amountIn
  let amountOut = 0n
  let ticksCrossed = 0
  let wordsWalked = 0
  while (remainingInput > 0n) {
    const nextTick = ticks[nextIndex]
    if (sqrtPrice === limitSqrtPrice || (liquidity === 0n && nextTick === undefined))
      throw new PoolRefusal(
        remainingInput === amountIn ? 'EMPTY' : 'TOO_LARGE',
        `the pool takes ${amountIn - remainingInput} of ${amountIn}`,
      )
    if (isBeyond(tick, limitTick, zeroForOne))
      throw new PoolRefusal('TOO_LARGE', `beyond ${MAX_WORDS} words of the bitmap`, { isModelLimit: true })
    const endTick = stepEnd(tick, tickSpacing, zeroForOne)
    const endsAtTick = nextTick !== undefined && (zeroForOne ? nextTick[0] >= endTick : nextTick[0] <= endTick)
    const stopTick = endsAtTick ? nextTick[0] : endTick
    const stopSqrtPrice = sqrtRatioAtTick(stopTick)
    const targetSqrtPrice = zeroForOne ? max(stopSqrtPrice, limitSqrtPrice) : min(stopSqrtPrice, limitSqrtPrice)
    const [lower, upper] = zeroForOne ? [targetSqrtPrice, sqrtPrice] : [sqrtPrice, targetSqrtPrice]
    const inputToTarget = zeroForOne
      ? amount0Between(lower, upper, liquidity, true)
      : amount1Between(lower, upper, liquidity, true)
    const netRemaining = (remainingInput * (PPM - fee)) / PPM
    if (netRemaining >= inputToTarget) {
      remainingInput -= inputToTarget + divUp(inputToTarget * fee, PPM - fee)
      amountOut += zeroForOne
        ? amount1Between(lower, upper, liquidity, false)
        : amount0Between(lower, upper, liquidity, false)
      sqrtPrice = targetSqrtPrice
      if (targetSqrtPrice === stopSqrtPrice) {
        if (endsAtTick) {
          liquidity += zeroForOne ? -nextTick[1] : nextTick[1]
          nextIndex += zeroForOne ? -1 : 1
          ticksCrossed++
        } else wordsWalked++
        tick = zeroForOne ? stopTick - 1 : stopTick
      } else tick = tickAtSqrtRatio(sqrtPrice)
      continue
    }
    const reachedSqrtPrice = nextSqrtPrice(sqrtPrice, liquidity, netRemaining, zeroForOne)
    amountOut += zeroForOne
      ? amount1Between(reachedSqrtPrice, sqrtPrice, liquidity, false)
      : amount0Between(sqrtPrice, reachedSqrtPrice, liquidity, false)
    // The swap ends before the target, so it crosses no tick: `netRemaining` is below `inputToTarget`, which is rounded
    // up.
    if (reachedSqrtPrice !== sqrtPrice) tick = tickAtSqrtRatio(reachedSqrtPrice)
    sqrtPrice = reachedSqrtPrice
    remainingInput = 0n
  }
  return { amountOut, ticksCrossed, wordsWalked, state: { ...state, sqrtPriceX96: sqrtPrice, tick, liquidity } }
}

/**
 * Returns the largest input that `swapExactInput` accepts: the sum of the inputs of all steps, with fees.
 *
 * @returns base units; null for no limit, as in `DexFamily.maxInput`
 */
export function maxConcentratedInput(
  { ticks, tickSpacing, ...state }: ConcentratedState,
  feePpm: number,
  zeroForOne: boolean,
  stepEnd: StepEnd = wordEnd,
): bigint | null {
  const fee = BigInt(feePpm)
  const limitSqrtPrice = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n
  const limitTick = farthestTick({ ...state, tickSpacing }, zeroForOne, stepEnd)
  let { sqrtPriceX96: sqrtPrice, tick, liquidity } = state
  if (sqrtPrice === 0n) return 0n
  let totalIn = 0n
  let nextIndex = lastIndexAtOrBelow(ticks, tick) + (zeroForOne ? 0 : 1)
  while (sqrtPrice !== limitSqrtPrice && !isBeyond(tick, limitTick, zeroForOne) && totalIn < UNLIMITED_INPUT) {
    const nextTick = ticks[nextIndex]
    // A range without liquidity takes no input, so skip its bitmap words and go to the next tick.
    if (liquidity === 0n && nextTick === undefined) break
    const endTick = liquidity === 0n ? nextTick![0] : stepEnd(tick, tickSpacing, zeroForOne)
    const endsAtTick = nextTick !== undefined && (zeroForOne ? nextTick[0] >= endTick : nextTick[0] <= endTick)
    const stopTick = endsAtTick ? nextTick[0] : endTick
    const stopSqrtPrice = sqrtRatioAtTick(stopTick)
    const targetSqrtPrice = zeroForOne ? max(stopSqrtPrice, limitSqrtPrice) : min(stopSqrtPrice, limitSqrtPrice)
    const netIn = zeroForOne
      ? amount0Between(targetSqrtPrice, sqrtPrice, liquidity, true)
      : amount1Between(sqrtPrice, targetSqrtPrice, liquidity, true)
    totalIn += netIn + divUp(netIn * fee, PPM - fee)
    sqrtPrice = targetSqrtPrice
    tick = zeroForOne ? stopTick - 1 : stopTick
    if (endsAtTick) {
      liquidity += zeroForOne ? -nextTick[1] : nextTick[1]
      nextIndex += zeroForOne ? -1 : 1
    }
  }
  return asMaxInput(totalIn)
}

/**
 * Returns √price after an output of `amountOut`. If the liquidity does not suffice, returns null when the price rises,
 * and zero or a negative number when it falls.
 *
 * @see SqrtPriceMath.getNextSqrtPriceFromOutput
 */
function sqrtPriceAfterOutput(
  sqrtPrice: bigint,
  liquidity: bigint,
  amountOut: bigint,
  zeroForOne: boolean,
): bigint | null {
  if (zeroForOne) return sqrtPrice - divUp(amountOut << 96n, liquidity)
  const shiftedLiquidity = liquidity << 96n
  const product = amountOut * sqrtPrice
  return shiftedLiquidity > product ? divUp(shiftedLiquidity * sqrtPrice, shiftedLiquidity - product) : null
}

/**
 * Returns the approximate minimum input, with the fee, that buys `amountOut`. Computed like an exact-output swap of the
 * contract. The true value can be a few units higher.
 *
 * @param feePpm - parts per million of the input
 * @returns null if the liquidity up to the last tick does not suffice
 */
export function inputForOutput(
  { ticks, sqrtPriceX96, tick, liquidity: initialLiquidity }: ConcentratedState,
  feePpm: number,
  zeroForOne: boolean,
  amountOut: bigint,
): bigint | null {
  const fee = BigInt(feePpm)
  // Returns the input, with the fee, that moves √price from `startSqrt` to `endSqrt`.
  const grossInputBetween = (endSqrt: bigint, startSqrt: bigint, liquidity: bigint) => {
    const netIn = zeroForOne
      ? amount0Between(endSqrt, startSqrt, liquidity, true)
      : amount1Between(startSqrt, endSqrt, liquidity, true)
    return netIn + divUp(netIn * fee, PPM - fee)
  }
  let [sqrtPrice, liquidity, remainingOutput, amountIn] = [sqrtPriceX96, initialLiquidity, amountOut, 0n]
  // This loop ignores the ends of bitmap words. The contract rounds there, so the result can be a few units too low.
  for (let nextIndex = lastIndexAtOrBelow(ticks, tick) + (zeroForOne ? 0 : 1); ; nextIndex += zeroForOne ? -1 : 1) {
    const nextTick = ticks[nextIndex]
    // A malicious state can contain ticks outside the valid range.
    const tickSqrtPrice = nextTick && Math.abs(nextTick[0]) <= MAX_TICK ? sqrtRatioAtTick(nextTick[0]) : undefined
    const reachedSqrtPrice =
      liquidity > 0n ? sqrtPriceAfterOutput(sqrtPrice, liquidity, remainingOutput, zeroForOne) : null
    const endsBeforeTick =
      reachedSqrtPrice !== null &&
      (tickSqrtPrice === undefined ||
        (zeroForOne ? reachedSqrtPrice >= tickSqrtPrice : reachedSqrtPrice <= tickSqrtPrice))
    if (endsBeforeTick && reachedSqrtPrice > 0n)
      return amountIn + grossInputBetween(reachedSqrtPrice, sqrtPrice, liquidity)
    if (tickSqrtPrice === undefined) return null
    remainingOutput -= zeroForOne
      ? amount1Between(tickSqrtPrice, sqrtPrice, liquidity, false)
      : amount0Between(sqrtPrice, tickSqrtPrice, liquidity, false)
    amountIn += grossInputBetween(tickSqrtPrice, sqrtPrice, liquidity)
    if (remainingOutput <= 0n) return amountIn
    liquidity += zeroForOne ? -nextTick![1] : nextTick![1]
    sqrtPrice = tickSqrtPrice
  }
}
