/**
 * Exact math of Kyber Elastic pools. The fee of each step of a swap becomes reinvested liquidity, with which the later
 * steps of the same swap already trade. Checked against Pool, SwapMath, and PoolTicksState of
 * KyberNetwork/ks-elastic-sc at 4ab08c0.
 */
import { PPM } from '@sluice/chains'
import { PoolRefusal } from '../../family.ts'
import { asMaxInput, UNLIMITED_INPUT } from '../../math/capacity.ts'
import { amount0Between, amount1Between, lastIndexAtOrBelow } from '../../math/concentrated.ts'
import { divUp, max, min } from '../../math/integers.ts'
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO, sqrtRatioAtTick, tickAtSqrtRatio } from '../../math/ticks.ts'
import type { KyberElasticState } from './types.ts'

const Q96 = 1n << 96n
/** Divisor for half of a fee in ppm. The contract's formulas contain half of the fee. */
const TWO_PPM = 2n * PPM
const MAX_UINT128 = (1n << 128n) - 1n
/** Maximum ticks that a step of the contract spans. Its formulas are valid only for small changes of the price. */
const STEP_TICKS = 480
/**
 * Maximum steps of a swap that end without crossing a tick. Each of them costs about 5,700 gas. Together, they span a
 * factor of 460 in price.
 */
const MAX_EMPTY_STEPS = 128

/** Part of a swap up to a target price. Amounts are base units. */
type SwapStep = {
  readonly zeroForOne: boolean
  /** Parts per million of the input. */
  readonly fee: bigint
  /** Liquidity of positions in range, plus reinvested liquidity. */
  readonly liquidity: bigint
  /** √price at the start of the step. */
  readonly sqrtPrice: bigint
  /** √price at which the step ends. */
  readonly targetSqrtPrice: bigint
  /** Input, with the fee, that moves the price to the target. */
  readonly inputToTarget: bigint
}

/** Result of a full or a partial step: √price at its end, the liquidity that its fee adds, and its output. */
type SwapStepResult = {
  readonly sqrtPrice: bigint
  readonly addedLiquidity: bigint
  readonly amountOut: bigint
}

/** Swap in progress. Contains the part of the pool's state that each step changes. */
class SwapWalk {
  readonly zeroForOne: boolean
  readonly fee: bigint
  sqrtPrice: bigint
  tick: number
  liquidity: bigint
  reinvestedLiquidity: bigint
  ticksCrossed = 0
  emptySteps = 0
  private readonly state: KyberElasticState
  /** Index of the next tick in `ticks`. −1 stands for `lowestTick`, and the length of `ticks` for `highestTick`. */
  private nextIndex: number

  constructor(state: KyberElasticState, zeroForOne: boolean) {
    const { sqrtPriceX96, tick, liquidity, reinvestedLiquidity, feePpm, ticks, lowestTick, highestTick } = state
    this.state = state
    this.zeroForOne = zeroForOne
    this.fee = BigInt(feePpm)
    this.sqrtPrice = sqrtPriceX96
    this.tick = tick
    this.liquidity = liquidity
    this.reinvestedLiquidity = reinvestedLiquidity
    this.nextIndex = lastIndexAtOrBelow(ticks, tick) + (zeroForOne ? 0 : 1)
    // If the price is outside of the ticks that were read, the swap moves toward `highestTick` or `lowestTick`.
    if (zeroForOne && tick >= highestTick) this.nextIndex = ticks.length
    if (!zeroForOne && tick < lowestTick) this.nextIndex = -1
  }

  /** Last √price that the contract allows in the direction of the swap. */
  get limitSqrtPrice(): bigint {
    return this.zeroForOne ? MIN_SQRT_RATIO + 1n : MAX_SQRT_RATIO - 1n
  }

  /** True if the pool itself accepts no more input. */
  get isAtEnd(): boolean {
    return this.sqrtPrice === this.limitSqrtPrice || this.liquidity + this.reinvestedLiquidity > MAX_UINT128
  }

  /** True if the price is beyond the ticks that were read, or the swap took too many steps. */
  get isAtModelLimit(): boolean {
    const { lowestTick, highestTick } = this.state
    const isBeyond = this.zeroForOne ? this.tick < lowestTick : this.tick >= highestTick
    return isBeyond || this.emptySteps >= MAX_EMPTY_STEPS
  }

  /** Returns the next step. @throws PoolRefusal if the pool's arithmetic fails */
  nextStep(): SwapStep {
    const { zeroForOne, sqrtPrice, fee, limitSqrtPrice } = this
    const liquidity = this.liquidity + this.reinvestedLiquidity
    const stopSqrtPrice = sqrtRatioAtTick(this.stopTick)
    const targetSqrtPrice = zeroForOne ? max(stopSqrtPrice, limitSqrtPrice) : min(stopSqrtPrice, limitSqrtPrice)
    const difference = zeroForOne ? sqrtPrice - targetSqrtPrice : targetSqrtPrice - sqrtPrice
    if (difference < 0n) throw new PoolRefusal('UNSUPPORTED', 'the price and the tick of the pool differ')
    const divisor = zeroForOne
      ? TWO_PPM * targetSqrtPrice - fee * sqrtPrice
      : TWO_PPM * sqrtPrice - fee * targetSqrtPrice
    if (divisor <= 0n) throw new PoolRefusal('UNSUPPORTED', 'the fee is too high for the formula of the pool')
    const inputFactor = (liquidity * TWO_PPM * difference) / divisor
    const inputToTarget = zeroForOne ? (inputFactor << 96n) / sqrtPrice : (inputFactor * sqrtPrice) >> 96n
    return { zeroForOne, fee, liquidity, sqrtPrice, targetSqrtPrice, inputToTarget }
  }

  /** Moves to the end of a step. */
  finishStep({ targetSqrtPrice }: SwapStep, { addedLiquidity }: SwapStepResult): void {
    this.reinvestedLiquidity += addedLiquidity
    this.moveTo(targetSqrtPrice)
  }

  /** Moves to a √price within a step or at its end. At the end, crosses the tick if it is initialized. */
  moveTo(sqrtPrice: bigint): void {
    const { zeroForOne, state, stopTick, nextTick } = this
    const hasMoved = sqrtPrice !== this.sqrtPrice
    this.sqrtPrice = sqrtPrice
    if (sqrtPrice !== sqrtRatioAtTick(stopTick)) {
      if (hasMoved) this.tick = tickAt(sqrtPrice)
      return
    }
    this.tick = zeroForOne ? stopTick - 1 : stopTick
    if (stopTick !== nextTick) {
      this.emptySteps++
      return
    }
    const net = state.ticks[this.nextIndex]?.[1] ?? 0n
    this.liquidity += zeroForOne ? -net : net
    this.nextIndex += zeroForOne ? -1 : 1
    this.ticksCrossed++
  }

  /** Next initialized tick, or the bound of the ticks that were read. */
  private get nextTick(): number {
    const { ticks, lowestTick, highestTick } = this.state
    return ticks[this.nextIndex]?.[0] ?? (this.nextIndex < 0 ? lowestTick : highestTick)
  }

  /** Tick at which the next step ends. */
  private get stopTick(): number {
    return this.zeroForOne
      ? Math.max(this.nextTick, this.tick - STEP_TICKS)
      : Math.min(this.nextTick, this.tick + STEP_TICKS)
  }
}

/** Returns the result of a step that reaches its target. */
function fullStepResult(step: SwapStep): SwapStepResult {
  const { zeroForOne, liquidity, sqrtPrice, targetSqrtPrice, inputToTarget } = step
  if (sqrtPrice === targetSqrtPrice) return { sqrtPrice, addedLiquidity: 0n, amountOut: 0n }
  const liquidityAfter = zeroForOne
    ? (targetSqrtPrice * ((liquidity << 96n) / sqrtPrice + inputToTarget)) >> 96n
    : ((((liquidity * sqrtPrice) >> 96n) + inputToTarget) << 96n) / targetSqrtPrice
  const addedLiquidity = max(liquidityAfter - liquidity, 0n)
  return { sqrtPrice: targetSqrtPrice, addedLiquidity, amountOut: outputUpTo(step, targetSqrtPrice, addedLiquidity) }
}

/** Returns the result of a step that ends before its target. @param amountIn - base units, below `inputToTarget` */
function partialStepResult(step: SwapStep, amountIn: bigint): SwapStepResult {
  const { zeroForOne, fee, liquidity, sqrtPrice } = step
  const addedLiquidity = zeroForOne
    ? (sqrtPrice * amountIn * fee) / (TWO_PPM << 96n)
    : ((amountIn * fee) << 96n) / (TWO_PPM * sqrtPrice)
  const inputAsLiquidity = zeroForOne ? (amountIn * sqrtPrice) >> 96n : (amountIn << 96n) / sqrtPrice
  const reachedSqrtPrice = zeroForOne
    ? divUp((liquidity + addedLiquidity) * sqrtPrice, liquidity + inputAsLiquidity)
    : ((liquidity + inputAsLiquidity) * sqrtPrice) / (liquidity + addedLiquidity)
  return { sqrtPrice: reachedSqrtPrice, addedLiquidity, amountOut: outputUpTo(step, reachedSqrtPrice, addedLiquidity) }
}

/** Returns the output of a step up to a √price. It is negative if, because of rounding, the pool takes both tokens. */
function outputUpTo(
  { zeroForOne, liquidity, sqrtPrice }: SwapStep,
  reachedSqrtPrice: bigint,
  addedLiquidity: bigint,
): bigint {
  const delta = zeroForOne
    ? divUp(addedLiquidity * reachedSqrtPrice, Q96) - ((liquidity * (sqrtPrice - reachedSqrtPrice)) >> 96n)
    : divUp((liquidity + addedLiquidity) << 96n, reachedSqrtPrice) - (liquidity << 96n) / sqrtPrice
  // The delta is the amount of the output token that the trader would pay. The contract treats a delta of 1 as 0.
  return delta === 1n ? 0n : -delta
}

/** Returns the tick at a √price. @throws PoolRefusal if the √price is out of range */
function tickAt(sqrtPrice: bigint): number {
  if (sqrtPrice < MIN_SQRT_RATIO || sqrtPrice >= MAX_SQRT_RATIO)
    throw new PoolRefusal('TOO_LARGE', 'beyond the price range of the pools')
  return tickAtSqrtRatio(sqrtPrice)
}

/** True if the pool has been given an initial price. */
const hasPrice = ({ sqrtPriceX96 }: KyberElasticState): boolean =>
  sqrtPriceX96 >= MIN_SQRT_RATIO && sqrtPriceX96 < MAX_SQRT_RATIO

/** Result of a swap. */
export type KyberElasticSwap = {
  readonly amountOut: bigint
  readonly state: KyberElasticState
  readonly ticksCrossed: number
  /** Steps that ended without crossing a tick. */
  readonly emptySteps: number
}

/**
 * Swaps exactly `amountIn`, with the contract's steps and roundings.
 *
 * @throws PoolRefusal `EMPTY` without a price, `TOO_SMALL` if rounding makes the output negative, `TOO_LARGE` if the
 * pool ends before the input is used up or the swap takes too many steps
 */
export function swapExactInput(state: KyberElasticState, zeroForOne: boolean, amountIn: bigint): KyberElasticSwap {
  if (!hasPrice(state)) throw new PoolRefusal('EMPTY', 'the pool has no price yet')
  if (amountIn <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  if (amountIn >> 255n) throw new PoolRefusal('TOO_LARGE', 'an amount of 2^255 or more')
  const walk = new SwapWalk(state, zeroForOne)
  let remainingInput = amountIn
  let amountOut = 0n
  while (remainingInput > 0n) {
    if (walk.isAtEnd)
      throw new PoolRefusal(
        remainingInput === amountIn ? 'EMPTY' : 'TOO_LARGE',
        `the pool takes ${amountIn - remainingInput} of ${amountIn}`,
      )
    if (walk.isAtModelLimit)
      throw new PoolRefusal('TOO_LARGE', 'beyond the ticks that were read, or too many steps', { isModelLimit: true })
    const step = walk.nextStep()
    if (step.inputToTarget > remainingInput) {
      const stepResult = partialStepResult(step, remainingInput)
      amountOut += stepResult.amountOut
      walk.finishStep({ ...step, targetSqrtPrice: stepResult.sqrtPrice }, stepResult)
      break
    }
    const stepResult = fullStepResult(step)
    amountOut += stepResult.amountOut
    walk.finishStep(step, stepResult)
    remainingInput -= step.inputToTarget
  }
  if (amountOut < 0n) throw new PoolRefusal('TOO_SMALL', 'rounding makes the pool take both tokens')
  const { sqrtPrice, tick, liquidity, reinvestedLiquidity, ticksCrossed, emptySteps } = walk
  const stateAfter = { ...state, sqrtPriceX96: sqrtPrice, tick, liquidity, reinvestedLiquidity }
  return { amountOut, state: stateAfter, ticksCrossed, emptySteps }
}

/** Step that reaches its target, with its output. */
type FullStep = SwapStep & { readonly amountOut: bigint }

/** Yields all steps from the current price to the end of the pool, or to the model's limit. */
export function* stepsOf(state: KyberElasticState, zeroForOne: boolean): Generator<FullStep, void, void> {
  if (!hasPrice(state)) return
  const walk = new SwapWalk(state, zeroForOne)
  while (!walk.isAtEnd && !walk.isAtModelLimit) {
    const step = walk.nextStep()
    const stepResult = fullStepResult(step)
    yield { ...step, amountOut: stepResult.amountOut }
    walk.finishStep(step, stepResult)
  }
}

/** Returns the largest input that `swapExactInput` accepts. @returns as `DexFamily.maxInput` */
export function maxInput(state: KyberElasticState, zeroForOne: boolean): bigint | null {
  let totalInput = 0n
  for (const { inputToTarget } of stepsOf(state, zeroForOne)) {
    totalInput += inputToTarget
    if (totalInput >= UNLIMITED_INPUT) break
  }
  return asMaxInput(totalInput)
}

/** Returns the minimum input that buys `amountOut`; null if the pool cannot pay so much. */
export function inputForOutput(state: KyberElasticState, zeroForOne: boolean, amountOut: bigint): bigint | null {
  let input = 0n
  let remainingOutput = amountOut
  for (const step of stepsOf(state, zeroForOne)) {
    if (step.amountOut < remainingOutput) {
      input += step.inputToTarget
      remainingOutput -= step.amountOut
      continue
    }
    let [low, high] = [0n, step.inputToTarget]
    while (high - low > 1n) {
      const middle = (low + high) >> 1n
      if (partialStepResult(step, middle).amountOut >= remainingOutput) high = middle
      else low = middle
    }
    return input + high
  }
  return null
}

/**
 * Returns the base units of both tokens in positions and reinvested liquidity, rounded down. Counts only the liquidity
 * between `lowestTick` and `highestTick`.
 */
export function reservesOf(state: KyberElasticState): [amount0: bigint, amount1: bigint] {
  if (!hasPrice(state)) return [0n, 0n]
  const { sqrtPriceX96, tick, ticks, reinvestedLiquidity, lowestTick, highestTick } = state
  const reserves: [bigint, bigint] = [0n, 0n]
  const lastBelow = lastIndexAtOrBelow(ticks, tick)
  for (const zeroForOne of [false, true]) {
    const ticksAhead = zeroForOne ? ticks.slice(0, lastBelow + 1).toReversed() : ticks.slice(lastBelow + 1)
    let [sqrtPrice, { liquidity }] = [sqrtPriceX96, state]
    for (const [nextTick, net] of [...ticksAhead, [zeroForOne ? lowestTick : highestTick, 0n] as const]) {
      const nextSqrtPrice = sqrtRatioAtTick(nextTick)
      const liquidityInRange = liquidity + reinvestedLiquidity
      if (zeroForOne) reserves[1] += amount1Between(min(nextSqrtPrice, sqrtPrice), sqrtPrice, liquidityInRange, false)
      else reserves[0] += amount0Between(sqrtPrice, max(nextSqrtPrice, sqrtPrice), liquidityInRange, false)
      liquidity += zeroForOne ? -net : net
      sqrtPrice = nextSqrtPrice
    }
  }
  return reserves
}
