/**
 * Concentrated liquidity as UniswapV3Pool.swap does it, shared by every family whose pools step through a tick bitmap.
 * Checked against SwapMath, SqrtPriceMath and TickBitmap of Uniswap/v3-core d8b1c635.
 */
import { PPM } from '@sluice/chains'
import { PoolRefusal } from '../family.ts'
import { asMaxInput, UNLIMITED_INPUT } from './capacity.ts'
import { divUp, max, min } from './integers.ts'
import { MAX_SQRT_RATIO, MAX_TICK, MIN_SQRT_RATIO, MIN_TICK, sqrtRatioAtTick, tickAtSqrtRatio } from './ticks.ts'

const Q96 = 1n << 96n
const WORD = 1n << 256n

/**
 * An initialised tick. Its gross liquidity says when it is switched off again; a state from a source that does not tell
 * leaves it out, and quotes do not need it.
 */
export type Tick = readonly [index: number, liquidityNet: bigint, liquidityGross?: bigint]

export type ConcentratedState = {
  /** √(token1 / token0) in base units, 96 fractional bits. */
  readonly sqrtPriceX96: bigint
  /** Usually floor(log₁.₀₀₀₁ price), one less after a step that ended on a tick from above. */
  readonly tick: number
  /** In range at the price. */
  readonly liquidity: bigint
  /** Parts per million of the input. */
  readonly feePpm: number
  readonly tickSpacing: number
  /** All initialised ticks, rising. */
  readonly ticks: readonly Tick[]
}

export type ConcentratedSwap<State> = {
  readonly amountOut: bigint
  readonly state: State
  readonly ticksCrossed: number
  /** Steps that end where no initialised tick is: words of the bitmap that were read for nothing. */
  readonly wordsWalked: number
}

/** √price after `amountIn` of the token sold, rounded so that the pool never gives too much. */
function nextSqrtPrice(price: bigint, liquidity: bigint, amountIn: bigint, zeroForOne: boolean): bigint {
  if (!zeroForOne) return price + (amountIn << 96n) / liquidity
  const shifted = liquidity << 96n
  const product = amountIn * price
  // The contract falls back to a coarser formula where its 256 bits would overflow.
  if (product < WORD && shifted + product < WORD) return divUp(shifted * price, shifted + product)
  return divUp(shifted, shifted / price + amountIn)
}

/** Token 0 between two prices. @param lower - below or equal to `upper`, both with 96 fractional bits */
export function amount0Between(lower: bigint, upper: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const scaled = (liquidity << 96n) * (upper - lower)
  // The contract divides by one after the other: rounded the same way twice, that is one division by both.
  return roundUp ? divUp(scaled, upper * lower) : scaled / (upper * lower)
}

/** Token 1 between two prices. @param lower - below or equal to `upper`, both with 96 fractional bits */
export function amount1Between(lower: bigint, upper: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const product = liquidity * (upper - lower)
  return roundUp ? divUp(product, Q96) : product >> 96n
}

/** Index of the last tick at or below `tick`; −1 where there is none. */
export function lastTickAtOrBelow(ticks: readonly Tick[], tick: number): number {
  let low = 0
  let high = ticks.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ticks[middle]![0] <= tick) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The end of a step if no initialised tick comes first. */
export type StepEnd = (tick: number, spacing: number, zeroForOne: boolean) => number

/** Ticks of a bitmap word, at a spacing of 1. */
const WORD_TICKS = 256

/** The last tick that the bitmap word looked at next reaches, unless all prices end before. */
function unboundedWordEnd(tick: number, spacing: number, zeroForOne: boolean): number {
  const compressed = Math.floor(tick / spacing)
  const word = Math.floor((zeroForOne ? compressed : compressed + 1) / WORD_TICKS)
  return (word * WORD_TICKS + (zeroForOne ? 0 : WORD_TICKS - 1)) * spacing
}

const withinPrices = (tick: number): number => Math.max(MIN_TICK, Math.min(MAX_TICK, tick))

/** The last tick that the bitmap word looked at next reaches. */
export const wordEnd: StepEnd = (tick, spacing, zeroForOne) => withinPrices(unboundedWordEnd(tick, spacing, zeroForOne))

/** Pools that keep their initialised ticks in a list look at no others. */
export const listEnd: StepEnd = (_tick, _spacing, zeroForOne) => (zeroForOne ? MIN_TICK : MAX_TICK)

/**
 * Words of a bitmap that a trade walks at most. A pool of narrow ticks that is drained walks thousands, each some 3,000 gas and one step of
 * a settlement, for next to nothing: at a spacing of 1, so many words span a price of 700 times; at 60, all prices there are.
 */
const MAX_WORDS = 256

/** The tick at which a trade ends at the latest. */
export function farthestTick(
  { tick, tickSpacing }: Pick<ConcentratedState, 'tick' | 'tickSpacing'>,
  zeroForOne: boolean,
  stepEnd: StepEnd,
): number {
  if (stepEnd !== wordEnd) return zeroForOne ? MIN_TICK : MAX_TICK
  const reach = MAX_WORDS * WORD_TICKS * tickSpacing
  return withinPrices(unboundedWordEnd(tick, tickSpacing, zeroForOne) + (zeroForOne ? -reach : reach))
}

const isPast = (tick: number, farthest: number, zeroForOne: boolean) =>
  zeroForOne ? tick < farthest : tick >= farthest

/** Input, fee aside, that moves the price to a tick through the liquidity in range. */
export function inputToTick({ sqrtPriceX96, liquidity }: ConcentratedState, tick: number, zeroForOne: boolean): bigint {
  const stop = sqrtRatioAtTick(tick)
  return zeroForOne
    ? amount0Between(min(max(stop, MIN_SQRT_RATIO + 1n), sqrtPriceX96), sqrtPriceX96, liquidity, true)
    : amount1Between(sqrtPriceX96, max(min(stop, MAX_SQRT_RATIO - 1n), sqrtPriceX96), liquidity, true)
}

/**
 * Sells exactly `amountIn`, in the steps and roundings of the pool: each ends at an initialised tick or at the end of a
 * bitmap word.
 *
 * @param feePpm - parts per million of the input
 * @throws PoolRefusal `EMPTY` without a price or liquidity, `TOO_LARGE` where the ticks run out before the input is taken, or
 *   too many words were walked
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
  const limit = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n
  const farthest = farthestTick(state, zeroForOne, stepEnd)
  let { sqrtPriceX96: price, tick, liquidity } = state
  if (price === 0n) throw new PoolRefusal('EMPTY', 'the pool has no price yet')
  if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  if (amountIn >> 255n) throw new PoolRefusal('TOO_LARGE', 'an amount of 2^255 or more')

  // The next initialised tick: at or below the price when it falls, above it when it rises.
  let next = lastTickAtOrBelow(ticks, tick) + (zeroForOne ? 0 : 1)
  let remaining = amountIn
  let amountOut = 0n
  let ticksCrossed = 0
  let wordsWalked = 0
  while (remaining > 0n) {
    const ahead = ticks[next]
    if (price === limit || (liquidity === 0n && ahead === undefined))
      throw new PoolRefusal(
        remaining === amountIn ? 'EMPTY' : 'TOO_LARGE',
        `the pool takes ${amountIn - remaining} of ${amountIn}`,
      )
    if (isPast(tick, farthest, zeroForOne))
      throw new PoolRefusal('TOO_LARGE', `beyond ${MAX_WORDS} words of the bitmap`, { isOwnLimit: true })
    const end = stepEnd(tick, tickSpacing, zeroForOne)
    const initialised = ahead !== undefined && (zeroForOne ? ahead[0] >= end : ahead[0] <= end)
    const stop = initialised ? ahead[0] : end
    const stopPrice = sqrtRatioAtTick(stop)
    const target = zeroForOne ? max(stopPrice, limit) : min(stopPrice, limit)
    const [lower, upper] = zeroForOne ? [target, price] : [price, target]
    const toTarget = zeroForOne
      ? amount0Between(lower, upper, liquidity, true)
      : amount1Between(lower, upper, liquidity, true)
    const afterFee = (remaining * (PPM - fee)) / PPM
    if (afterFee >= toTarget) {
      remaining -= toTarget + divUp(toTarget * fee, PPM - fee)
      amountOut += zeroForOne
        ? amount1Between(lower, upper, liquidity, false)
        : amount0Between(lower, upper, liquidity, false)
      price = target
      if (target === stopPrice) {
        if (initialised) {
          liquidity += zeroForOne ? -ahead[1] : ahead[1]
          next += zeroForOne ? -1 : 1
          ticksCrossed++
        } else wordsWalked++
        tick = zeroForOne ? stop - 1 : stop
      } else tick = tickAtSqrtRatio(price)
      continue
    }
    const reached = nextSqrtPrice(price, liquidity, afterFee, zeroForOne)
    amountOut += zeroForOne
      ? amount1Between(reached, price, liquidity, false)
      : amount0Between(price, reached, liquidity, false)
    // Rounding never carries the price onto the target: it stops short of what `toTarget`, rounded up, would reach.
    if (reached !== price) tick = tickAtSqrtRatio(reached)
    price = reached
    remaining = 0n
  }
  return { amountOut, ticksCrossed, wordsWalked, state: { ...state, sqrtPriceX96: price, tick, liquidity } }
}

/**
 * The largest input that `swapExactInput` takes: the steps to where it ends, each with its fee.
 *
 * @returns as `DexFamily.maxInput`
 */
export function maxConcentratedInput(
  { ticks, tickSpacing, ...state }: ConcentratedState,
  feePpm: number,
  zeroForOne: boolean,
  stepEnd: StepEnd = wordEnd,
): bigint | null {
  const fee = BigInt(feePpm)
  const limit = zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n
  const farthest = farthestTick({ ...state, tickSpacing }, zeroForOne, stepEnd)
  let { sqrtPriceX96: price, tick, liquidity } = state
  if (price === 0n) return 0n
  let total = 0n
  let next = lastTickAtOrBelow(ticks, tick) + (zeroForOne ? 0 : 1)
  while (price !== limit && !isPast(tick, farthest, zeroForOne) && total < UNLIMITED_INPUT) {
    const ahead = ticks[next]
    // Words without liquidity take nothing: all of them are one step.
    if (liquidity === 0n && ahead === undefined) break
    const end = liquidity === 0n ? ahead![0] : stepEnd(tick, tickSpacing, zeroForOne)
    const isInitialized = ahead !== undefined && (zeroForOne ? ahead[0] >= end : ahead[0] <= end)
    const stop = isInitialized ? ahead[0] : end
    const stopPrice = sqrtRatioAtTick(stop)
    const target = zeroForOne ? max(stopPrice, limit) : min(stopPrice, limit)
    const taken = zeroForOne
      ? amount0Between(target, price, liquidity, true)
      : amount1Between(price, target, liquidity, true)
    total += taken + divUp(taken * fee, PPM - fee)
    price = target
    tick = zeroForOne ? stop - 1 : stop
    if (isInitialized) {
      liquidity += zeroForOne ? -ahead[1] : ahead[1]
      next += zeroForOne ? -1 : 1
    }
  }
  return asMaxInput(total)
}

/** √price after `amountOut` of the token bought; null where the liquidity has not as much. @see SqrtPriceMath.getNextSqrtPriceFromOutput */
function priceAfterOutput(price: bigint, liquidity: bigint, amountOut: bigint, zeroForOne: boolean): bigint | null {
  if (zeroForOne) return price - divUp(amountOut << 96n, liquidity)
  const shifted = liquidity << 96n
  const product = amountOut * price
  return shifted > product ? divUp(shifted * price, shifted - product) : null
}

/**
 * About the least input that buys `amountOut`: as the pool's own swaps of exact outputs have it, which may take a few units more.
 *
 * @param feePpm - parts per million of the input
 * @returns null where the liquidity up to the last tick has not as much
 */
export function inputForOutput(
  { ticks, sqrtPriceX96, tick, liquidity: inRange }: ConcentratedState,
  feePpm: number,
  zeroForOne: boolean,
  amountOut: bigint,
): bigint | null {
  const fee = BigInt(feePpm)
  const inputBetween = (a: bigint, b: bigint, liquidity: bigint) => {
    const taken = zeroForOne ? amount0Between(a, b, liquidity, true) : amount1Between(b, a, liquidity, true)
    return taken + divUp(taken * fee, PPM - fee)
  }
  let [price, liquidity, remaining, amountIn] = [sqrtPriceX96, inRange, amountOut, 0n]
  // Words of the bitmap where no tick is are passed over: roundings at their ends are the few units.
  for (let next = lastTickAtOrBelow(ticks, tick) + (zeroForOne ? 0 : 1); ; next += zeroForOne ? -1 : 1) {
    const ahead = ticks[next]
    // A state that no genuine pool has may hold ticks beyond.
    const end = ahead && Math.abs(ahead[0]) <= MAX_TICK ? sqrtRatioAtTick(ahead[0]) : undefined
    const reached = liquidity > 0n ? priceAfterOutput(price, liquidity, remaining, zeroForOne) : null
    const isWithin = reached !== null && (end === undefined || (zeroForOne ? reached >= end : reached <= end))
    if (isWithin && reached > 0n) return amountIn + inputBetween(reached, price, liquidity)
    if (end === undefined) return null
    remaining -= zeroForOne
      ? amount1Between(end, price, liquidity, false)
      : amount0Between(price, end, liquidity, false)
    amountIn += inputBetween(end, price, liquidity)
    if (remaining <= 0n) return amountIn
    liquidity += zeroForOne ? -ahead![1] : ahead![1]
    price = end
  }
}
