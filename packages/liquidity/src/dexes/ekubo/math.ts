/**
 * Exact math of Ekubo pools. A ratio is a √price with 128 fractional bits (`ratio.ts`). In a pool of the kind
 * `concentrated`, each position has its own ticks. In a pool of the kind `range`, all positions share one range.
 * Checked against the deployed core on Ethereum, and against EkuboProtocol/evm-contracts v3.2.0.
 */
import { nullIfRefused, PoolRefusal } from '../../family.ts'
import { largestInput } from '../../math/capacity.ts'
import { lastIndexAtOrBelow } from '../../math/concentrated.ts'
import { divUp, min } from '../../math/integers.ts'
import type { EkuboConfig } from './config.ts'
import { MAX_TICK, MIN_TICK, RATIO_LIMIT, ratioAtTick, roundToStorable, tickAtRatio } from './ratio.ts'
import { BITS_PER_WORD, bitPositionOf, tickAtBitPosition } from './tick-bitmap.ts'
import type { EkuboState } from './types.ts'

/** Fractional bits of ratios. */
const RATIO_BITS = 128n
/** Fractional bits of fees. */
const FEE_BITS = 64n
/** Maximum input and maximum output of a whole swap, which are `int128` in the core. */
export const MAX_AMOUNT = (1n << 127n) - 1n
/** Maximum input and maximum output of one step of a swap, which are `uint128` in the core. */
const MAX_STEP_AMOUNT = (1n << 128n) - 1n
/** Maximum bitmap words that a swap may search. Each word costs about 9,000 gas. */
const MAX_WORDS = 1_000

/** Result of a swap. */
type EkuboSwap = {
  readonly amountOut: bigint
  /** State after the swap. */
  readonly state: EkuboState
  readonly ticksCrossed: number
  /** Number of steps that ended where no initialized tick was, usually at the end of a bitmap word. */
  readonly wordsWalked: number
}

/** Returns the amount of token 0 between two ratios. @param lower - at most `upper` */
export function amount0Between(lower: bigint, upper: bigint, liquidity: bigint, roundsUp: boolean): bigint {
  const numerator = (liquidity << RATIO_BITS) * (upper - lower)
  // The contract divides twice with the same rounding, which equals one division by the product.
  return roundsUp ? divUp(numerator, upper * lower) : numerator / (upper * lower)
}

/** Returns the amount of token 1 between two ratios. @param lower - at most `upper` */
export function amount1Between(lower: bigint, upper: bigint, liquidity: bigint, roundsUp: boolean): bigint {
  const numerator = liquidity * (upper - lower)
  return roundsUp ? divUp(numerator, 1n << RATIO_BITS) : numerator >> RATIO_BITS
}

/** Returns the function that computes the input between two ratios. */
const inputFunction = (zeroForOne: boolean) => (zeroForOne ? amount0Between : amount1Between)
/** Returns the function that computes the output between two ratios. */
const outputFunction = (zeroForOne: boolean) => (zeroForOne ? amount1Between : amount0Between)

/** Returns the ratio after an input. @param netInput - input without the fee */
function ratioAfterInput(ratio: bigint, liquidity: bigint, netInput: bigint, zeroForOne: boolean): bigint {
  if (netInput === 0n) return ratio
  if (zeroForOne) {
    const shiftedLiquidity = liquidity << RATIO_BITS
    return roundToStorable(divUp(shiftedLiquidity, shiftedLiquidity / ratio + netInput), true)
  }
  const unroundedRatio = ratio + (netInput << RATIO_BITS) / liquidity
  return unroundedRatio < RATIO_LIMIT ? roundToStorable(unroundedRatio, false) : RATIO_LIMIT
}

/** Place where a step ends, unless the input is used up before. */
type StepTarget = {
  readonly tick: number
  /** Change of liquidity if the price rises past the tick; absent if the tick is not initialized. */
  readonly net?: bigint
}
/** Tick and liquidity that a swap has reached. */
type SwapCursor = { readonly tick: number; readonly liquidity: bigint }

/**
 * Returns the target of the next step in a concentrated pool: the next initialized tick, or the end of the bitmap word.
 */
function nextConcentratedTarget(
  state: EkuboState,
  spacing: number,
  { tick, liquidity }: SwapCursor,
  zeroForOne: boolean,
): StepTarget {
  const { ticks } = state
  const nextInitialized = ticks[lastIndexAtOrBelow(ticks, tick) + (zeroForOne ? 0 : 1)]
  // Without liquidity, a stop at the end of a bitmap word would change nothing, so the step continues to the next tick.
  const hasNoLiquidity = liquidity === 0n
  const word = Math.floor(bitPositionOf(zeroForOne ? tick : tick + spacing, spacing) / BITS_PER_WORD)
  const wordEnd = tickAtBitPosition(word * BITS_PER_WORD + (zeroForOne ? 0 : BITS_PER_WORD - 1), spacing)
  if (
    nextInitialized &&
    (hasNoLiquidity || (zeroForOne ? nextInitialized[0] >= wordEnd : nextInitialized[0] <= wordEnd))
  )
    return { tick: nextInitialized[0], net: nextInitialized[1] }
  const unclampedTick = hasNoLiquidity ? (zeroForOne ? MIN_TICK : MAX_TICK) : wordEnd
  return { tick: Math.max(MIN_TICK, Math.min(MAX_TICK, unclampedTick)) }
}

/**
 * Returns the farthest tick that a swap may reach. This is the nearest of three limits: the end of the price range, the
 * end of `MAX_WORDS` bitmap words, and the end of the known ticks.
 */
export function farthestTick({ tick, known }: EkuboState, kind: EkuboConfig['kind'], zeroForOne: boolean): number {
  if (kind.name === 'range') return zeroForOne ? MIN_TICK : MAX_TICK
  const { tickSpacing } = kind
  const word = Math.floor(bitPositionOf(zeroForOne ? tick : tick + tickSpacing, tickSpacing) / BITS_PER_WORD)
  const walkLimitTick = zeroForOne
    ? tickAtBitPosition((word - MAX_WORDS) * BITS_PER_WORD, tickSpacing)
    : tickAtBitPosition((word + MAX_WORDS) * BITS_PER_WORD + BITS_PER_WORD - 1, tickSpacing)
  const [lowestKnown, highestKnown] = known ?? [MIN_TICK, MAX_TICK]
  return zeroForOne ? Math.max(MIN_TICK, walkLimitTick, lowestKnown) : Math.min(MAX_TICK, walkLimitTick, highestKnown)
}

/** Returns the target of the next step in a pool with one range. Its liquidity is active only inside the range. */
function nextRangeTarget(
  lower: number,
  upper: number,
  tick: number,
  zeroForOne: boolean,
): StepTarget & { isInside: boolean } {
  const isInside = lower <= tick && tick < upper
  if (zeroForOne) return { tick: tick >= upper ? upper : isInside ? lower : MIN_TICK, isInside }
  return { tick: tick < lower ? lower : isInside ? upper : MAX_TICK, isInside }
}

/** Sells exactly `amount`. @throws PoolRefusal if the core would revert, or would use only a part of `amount` */
export function swapExactInput(state: EkuboState, config: EkuboConfig, zeroForOne: boolean, amount: bigint): EkuboSwap {
  const { fee } = config
  if (amount <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  if (amount > MAX_AMOUNT) throw new PoolRefusal('TOO_LARGE', 'more than 127 bits')
  const limitTick = farthestTick(state, config.kind, zeroForOne)
  let { sqrtRatio: ratio, tick, liquidity } = state
  let [remainingInput, amountOut, ticksCrossed, wordsWalked] = [amount, 0n, 0, 0]
  while (remainingInput > 0n) {
    if (isBeyond(tick, limitTick, zeroForOne)) throw refusalAt(limitTick, zeroForOne, remainingInput === amount)
    const target = targetFrom(state, config, { tick, liquidity }, zeroForOne)
    const targetRatio = ratioAtTick(target.tick)
    const activeLiquidity = target.isActive ? liquidity : 0n
    const step = stepTo(ratio, targetRatio, activeLiquidity, remainingInput, fee, zeroForOne)
    remainingInput -= step.input
    amountOut += step.output
    if (step.ratio === targetRatio) {
      tick = zeroForOne ? target.tick - 1 : target.tick
      if (target.net !== undefined) {
        liquidity += zeroForOne ? -target.net : target.net
        ticksCrossed++
      } else wordsWalked++
    } else if (step.ratio !== ratio) tick = tickAtRatio(step.ratio)
    ratio = step.ratio
  }
  if (amountOut === 0n) throw new PoolRefusal('TOO_SMALL', 'too little to buy anything')
  if (amountOut > MAX_AMOUNT) throw new PoolRefusal('TOO_LARGE', 'buys more than 127 bits')
  return { amountOut, ticksCrossed, wordsWalked, state: { ...state, sqrtRatio: ratio, tick, liquidity } }
}

/** Returns the target of the next step, which is not beyond `farthestTick`. `isActive`: the step has liquidity. */
function targetFrom(
  state: EkuboState,
  { kind }: EkuboConfig,
  cursor: SwapCursor,
  zeroForOne: boolean,
): StepTarget & { readonly isActive: boolean } {
  if (kind.name === 'range') {
    const { isInside, ...target } = nextRangeTarget(kind.lower, kind.upper, cursor.tick, zeroForOne)
    return { ...target, isActive: isInside }
  }
  const target = nextConcentratedTarget(state, kind.tickSpacing, cursor, zeroForOne)
  const limitTick = farthestTick(state, kind, zeroForOne)
  const isPastFarthest = zeroForOne ? target.tick < limitTick : target.tick > limitTick
  return isPastFarthest ? { tick: limitTick, isActive: true } : { ...target, isActive: true }
}

/**
 * True if a swap has reached `limitTick`. When the price falls exactly to a tick, the current tick becomes one lower.
 */
const isBeyond = (tick: number, limitTick: number, zeroForOne: boolean) =>
  zeroForOne ? tick < limitTick : tick >= limitTick

/**
 * Returns the refusal of a swap that would pass `limitTick`. @param isUntouched - true if no input was used up to there
 */
function refusalAt(limitTick: number, zeroForOne: boolean, isUntouched: boolean): PoolRefusal {
  const isModelLimit = limitTick !== (zeroForOne ? MIN_TICK : MAX_TICK)
  if (isModelLimit)
    return new PoolRefusal('TOO_LARGE', 'beyond the ticks that were read, or too many bitmap words away', {
      isModelLimit,
    })
  return new PoolRefusal(isUntouched ? 'EMPTY' : 'TOO_LARGE', 'the price range ends before the input is used up')
}

/**
 * Returns the largest input that `swapExactInput` accepts: the sum of the inputs of all steps up to the last step with
 * liquidity.
 *
 * @returns 0 if no input buys anything
 */
export function maxInput(state: EkuboState, config: EkuboConfig, zeroForOne: boolean): bigint {
  const limitTick = farthestTick(state, config.kind, zeroForOne)
  let { sqrtRatio: ratio, tick, liquidity } = state
  // Total input and output of all steps with liquidity before `lastStep`.
  let [inputBefore, outputBefore] = [0n, 0n]
  let lastStep: { readonly step: Step; readonly stepOf: (amount: bigint) => Step } | undefined
  while (!isBeyond(tick, limitTick, zeroForOne)) {
    const target = targetFrom(state, config, { tick, liquidity }, zeroForOne)
    const [startRatio, endRatio, activeLiquidity] = [ratio, ratioAtTick(target.tick), target.isActive ? liquidity : 0n]
    if (activeLiquidity > 0n && startRatio !== endRatio) {
      const stepOf = (amount: bigint) => stepTo(startRatio, endRatio, activeLiquidity, amount, config.fee, zeroForOne)
      const step = nullIfRefused(() => stepOf(MAX_AMOUNT))
      if (lastStep) {
        inputBefore += lastStep.step.input
        outputBefore += lastStep.step.output
      }
      lastStep = { step: step ?? { input: MAX_AMOUNT, output: MAX_AMOUNT, ratio: endRatio }, stepOf }
      if (inputBefore + lastStep.step.input > MAX_AMOUNT || outputBefore + lastStep.step.output > MAX_AMOUNT) break
    }
    tick = zeroForOne ? target.tick - 1 : target.tick
    if (target.net !== undefined) liquidity += zeroForOne ? -target.net : target.net
    ratio = endRatio
  }
  if (!lastStep) return 0n
  const { step, stepOf } = lastStep
  const maxStepInput = largestInput(
    (amount) => {
      const { input, output } = stepOf(amount)
      if (input < amount || inputBefore + amount > MAX_AMOUNT || outputBefore + output > MAX_AMOUNT)
        throw new PoolRefusal('TOO_LARGE', 'beyond the end of the step')
    },
    min(step.input, MAX_AMOUNT - inputBefore),
  )
  const totalInput = inputBefore + (maxStepInput ?? MAX_AMOUNT - inputBefore)
  // If the liquidity is very low, even the largest input buys nothing.
  return nullIfRefused(() => swapExactInput(state, config, zeroForOne, totalInput)) ? totalInput : 0n
}

/** Result of one step: input with the fee, output, and the ratio at the end. */
type Step = { readonly input: bigint; readonly output: bigint; readonly ratio: bigint }

/** Computes one step of a swap. It ends at `targetRatio`, or earlier if `amount` is used up. */
function stepTo(
  ratio: bigint,
  targetRatio: bigint,
  liquidity: bigint,
  amount: bigint,
  fee: bigint,
  zeroForOne: boolean,
): Step {
  if (ratio === targetRatio || liquidity === 0n) return { input: 0n, output: 0n, ratio: targetRatio }
  const netInput = amount - divUp(amount * fee, 1n << FEE_BITS)
  const reachedRatio = ratioAfterInput(ratio, liquidity, netInput, zeroForOne)
  if (zeroForOne ? reachedRatio < targetRatio : reachedRatio > targetRatio) {
    const [lower, upper] = zeroForOne ? [targetRatio, ratio] : [ratio, targetRatio]
    const netInputToTarget = checkedStepAmount(inputFunction(zeroForOne)(lower, upper, liquidity, true))
    const input = checkedStepAmount(divUp(netInputToTarget << FEE_BITS, (1n << FEE_BITS) - fee))
    return {
      input,
      output: checkedStepAmount(outputFunction(zeroForOne)(lower, upper, liquidity, false)),
      ratio: targetRatio,
    }
  }
  // If the amount is too small to move the price, the pool keeps it as a fee.
  if (reachedRatio === ratio) return { input: amount, output: 0n, ratio }
  const [lower, upper] = zeroForOne ? [reachedRatio, ratio] : [ratio, reachedRatio]
  return {
    input: amount,
    output: checkedStepAmount(outputFunction(zeroForOne)(lower, upper, liquidity, false)),
    ratio: reachedRatio,
  }
}

/** Returns an amount of a step, after checking that it fits in 128 bits. @throws PoolRefusal `TOO_LARGE` */
function checkedStepAmount(amount: bigint): bigint {
  if (amount > MAX_STEP_AMOUNT) throw new PoolRefusal('TOO_LARGE', 'an amount of more than 128 bits')
  return amount
}
