/**
 * Exact math of Ekubo pools. Checked against the deployed core on Ethereum, and against EkuboProtocol/evm-contracts
 * v3.2.0.
 */
import { nullIfRefused, PoolRefusal } from '../../family.ts'
import { largestInput } from '../../math/capacity.ts'
import { lastTickAtOrBelow } from '../../math/concentrated.ts'
import { divUp, min } from '../../math/integers.ts'
import type { EkuboConfig } from './config.ts'
import { ABOVE_PRICES, MAX_TICK, MIN_TICK, onGrid, ratioAtTick, tickAtRatio } from './ratio.ts'
import { placeOf, tickAtPlace, WORD } from './tick-bitmap.ts'
import type { EkuboState } from './types.ts'

const ONE = 128n
const FEE_BITS = 64n
export const MAX_AMOUNT = (1n << 127n) - 1n
const MAX_DELTA = (1n << 128n) - 1n
/** Maximum bitmap words that a swap may walk: each costs about 9,000 gas. */
const MAX_WORDS = 1_000

type EkuboSwap = {
  readonly amountOut: bigint
  readonly state: EkuboState
  readonly ticksCrossed: number
  /** Bitmap words without a tick that the swap walked through. */
  readonly wordsPassed: number
}

/** Returns the amount of token 0 between two prices. */
export function amount0Between(lower: bigint, upper: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const numerator = (liquidity << ONE) * (upper - lower)
  // The contract divides twice with the same rounding, which equals one division by the product.
  return roundUp ? divUp(numerator, upper * lower) : numerator / (upper * lower)
}

export function amount1Between(lower: bigint, upper: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const numerator = liquidity * (upper - lower)
  return roundUp ? divUp(numerator, 1n << ONE) : numerator >> ONE
}

const amountIn = (zeroForOne: boolean) => (zeroForOne ? amount0Between : amount1Between)
const amountOut = (zeroForOne: boolean) => (zeroForOne ? amount1Between : amount0Between)

/** Returns the price after an amount without its fee. */
function nextRatio(ratio: bigint, liquidity: bigint, amount: bigint, zeroForOne: boolean): bigint {
  if (amount === 0n) return ratio
  if (zeroForOne) {
    const shiftedLiquidity = liquidity << ONE
    return onGrid(divUp(shiftedLiquidity, shiftedLiquidity / ratio + amount), true)
  }
  const nextRatio = ratio + (amount << ONE) / liquidity
  return nextRatio < ABOVE_PRICES ? onGrid(nextRatio, false) : ABOVE_PRICES
}

type Target = {
  readonly tick: number
  /** Change of liquidity when the price rises past the tick; undefined at the end of a word or of the price range. */
  readonly net?: bigint
}
type Position = { readonly tick: number; readonly liquidity: bigint }

/** Returns the end of the next step in a pool with individual positions. */
function nextTarget(state: EkuboState, spacing: number, { tick, liquidity }: Position, zeroForOne: boolean): Target {
  const { ticks } = state
  const set = ticks[lastTickAtOrBelow(ticks, tick) + (zeroForOne ? 0 : 1)]
  // Without liquidity, bitmap words do not matter.
  const empty = liquidity === 0n
  const word = Math.floor(placeOf(zeroForOne ? tick : tick + spacing, spacing) / WORD)
  const wordEnd = tickAtPlace(word * WORD + (zeroForOne ? 0 : WORD - 1), spacing)
  if (set && (empty || (zeroForOne ? set[0] >= wordEnd : set[0] <= wordEnd))) return { tick: set[0], net: set[1] }
  const reach = zeroForOne ? (empty ? MIN_TICK : wordEnd) : empty ? MAX_TICK : wordEnd
  return { tick: Math.max(MIN_TICK, Math.min(MAX_TICK, reach)) }
}

/**
 * Returns the farthest tick of a swap. It is the end of the price range, of the walkable words, or of the ticks that
 * were read.
 */
export function farthestTick({ tick, known }: EkuboState, kind: EkuboConfig['kind'], zeroForOne: boolean): number {
  if (kind.name === 'range') return zeroForOne ? MIN_TICK : MAX_TICK
  const { tickSpacing } = kind
  const word = Math.floor(placeOf(zeroForOne ? tick : tick + tickSpacing, tickSpacing) / WORD)
  const walkResult = zeroForOne
    ? tickAtPlace((word - MAX_WORDS) * WORD, tickSpacing)
    : tickAtPlace((word + MAX_WORDS) * WORD + WORD - 1, tickSpacing)
  const [lowest, highest] = known ?? [MIN_TICK, MAX_TICK]
  return zeroForOne ? Math.max(MIN_TICK, walkResult, lowest) : Math.min(MAX_TICK, walkResult, highest)
}

/** Returns the end of the next step in a pool with one range, whose liquidity is active only inside it. */
function nextEnd(lower: number, upper: number, tick: number, zeroForOne: boolean): Target & { inside: boolean } {
  const inside = lower <= tick && tick < upper
  if (zeroForOne) return { tick: tick >= upper ? upper : inside ? lower : MIN_TICK, inside }
  return { tick: tick < lower ? lower : inside ? upper : MAX_TICK, inside }
}

/** Sells exactly `amount`. @throws PoolRefusal if the core would revert or fill only part of it */
export function swapExactInput(state: EkuboState, config: EkuboConfig, zeroForOne: boolean, amount: bigint): EkuboSwap {
  const { fee } = config
  if (amount <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  if (amount > MAX_AMOUNT) throw new PoolRefusal('TOO_LARGE', 'more than 127 bits')
  const farthest = farthestTick(state, config.kind, zeroForOne)
  let { sqrtRatio: ratio, tick, liquidity } = state
  let [remaining, amountOut, ticksCrossed, wordsPassed] = [amount, 0n, 0, 0]
  while (remaining > 0n) {
    if (isPast(tick, farthest, zeroForOne)) throw refusalAt(farthest, zeroForOne, remaining === amount)
    const target = targetFrom(state, config, { tick, liquidity }, zeroForOne)
    const targetRatio = ratioAtTick(target.tick)
    const active = target.isActive ? liquidity : 0n
    const step = stepTo(ratio, targetRatio, active, remaining, fee, zeroForOne)
    remaining -= step.input
    amountOut += step.output
    if (step.ratio === targetRatio) {
      tick = zeroForOne ? target.tick - 1 : target.tick
      if (target.net !== undefined) {
        liquidity += zeroForOne ? -target.net : target.net
        ticksCrossed++
      } else wordsPassed++
    } else if (step.ratio !== ratio) tick = tickAtRatio(step.ratio)
    ratio = step.ratio
  }
  if (amountOut === 0n) throw new PoolRefusal('TOO_SMALL', 'too little to buy anything')
  if (amountOut > MAX_AMOUNT) throw new PoolRefusal('TOO_LARGE', 'buys more than 127 bits')
  return { amountOut, ticksCrossed, wordsPassed, state: { ...state, sqrtRatio: ratio, tick, liquidity } }
}

/** Returns the end of the next step, at most the farthest tick. */
function targetFrom(
  state: EkuboState,
  { kind }: EkuboConfig,
  position: Position,
  zeroForOne: boolean,
): Target & { readonly isActive: boolean } {
  if (kind.name === 'range') {
    const { inside, ...target } = nextEnd(kind.lower, kind.upper, position.tick, zeroForOne)
    return { ...target, isActive: inside }
  }
  const target = nextTarget(state, kind.tickSpacing, position, zeroForOne)
  const farthest = farthestTick(state, kind, zeroForOne)
  const isBeyond = zeroForOne ? target.tick < farthest : target.tick > farthest
  return isBeyond ? { tick: farthest, isActive: true } : { ...target, isActive: true }
}

const isPast = (tick: number, farthest: number, zeroForOne: boolean) =>
  zeroForOne ? tick < farthest : tick >= farthest

function refusalAt(farthest: number, zeroForOne: boolean, isUntouched: boolean): PoolRefusal {
  const isModelLimit = farthest !== (zeroForOne ? MIN_TICK : MAX_TICK)
  if (isModelLimit) return new PoolRefusal('TOO_LARGE', 'beyond the ticks that are known and near', { isModelLimit })
  return new PoolRefusal(isUntouched ? 'EMPTY' : 'TOO_LARGE', 'the prices end before all of the input is taken')
}

/**
 * Returns the largest input that `swapExactInput` accepts, as `DexFamily.maxInput`. It is the input of all steps before
 * the last one with liquidity, plus the largest input of that step.
 */
export function maxInput(state: EkuboState, config: EkuboConfig, zeroForOne: boolean): bigint | null {
  const farthest = farthestTick(state, config.kind, zeroForOne)
  let { sqrtRatio: ratio, tick, liquidity } = state
  // Sums over the steps before the last one with liquidity, and that step.
  let [inputBefore, amountOut] = [0n, 0n]
  let lastStep: { readonly step: Step; readonly to: (amount: bigint) => Step } | undefined
  while (!isPast(tick, farthest, zeroForOne)) {
    const target = targetFrom(state, config, { tick, liquidity }, zeroForOne)
    const [from, end, active] = [ratio, ratioAtTick(target.tick), target.isActive ? liquidity : 0n]
    if (active > 0n && from !== end) {
      const to = (amount: bigint) => stepTo(from, end, active, amount, config.fee, zeroForOne)
      const step = nullIfRefused(() => to(MAX_AMOUNT))
      if (lastStep) {
        inputBefore += lastStep.step.input
        amountOut += lastStep.step.output
      }
      lastStep = { step: step ?? { input: MAX_AMOUNT, output: MAX_AMOUNT, ratio: end }, to }
      if (inputBefore + lastStep.step.input > MAX_AMOUNT || amountOut + lastStep.step.output > MAX_AMOUNT) break
    }
    tick = zeroForOne ? target.tick - 1 : target.tick
    if (target.net !== undefined) liquidity += zeroForOne ? -target.net : target.net
    ratio = end
  }
  if (!lastStep) return 0n
  const { step, to } = lastStep
  const maxStepInput = largestInput(
    (amount) => {
      const { input, output } = to(amount)
      if (input < amount || inputBefore + amount > MAX_AMOUNT || amountOut + output > MAX_AMOUNT)
        throw new PoolRefusal('TOO_LARGE', 'beyond the end of the step')
    },
    min(step.input, MAX_AMOUNT - inputBefore),
  )
  const total = inputBefore + (maxStepInput ?? MAX_AMOUNT - inputBefore)
  // Zero if the liquidity is so low that even this input buys nothing.
  return nullIfRefused(() => swapExactInput(state, config, zeroForOne, total)) ? total : 0n
}

type Step = { readonly input: bigint; readonly output: bigint; readonly ratio: bigint }

/** Computes one step of a swap, at most to the price `target`. */
function stepTo(
  ratio: bigint,
  target: bigint,
  liquidity: bigint,
  amount: bigint,
  fee: bigint,
  zeroForOne: boolean,
): Step {
  if (ratio === target || liquidity === 0n) return { input: 0n, output: 0n, ratio: target }
  const free = amount - divUp(amount * fee, 1n << FEE_BITS)
  const reachedRatio = nextRatio(ratio, liquidity, free, zeroForOne)
  if (zeroForOne ? reachedRatio < target : reachedRatio > target) {
    const [lower, upper] = zeroForOne ? [target, ratio] : [ratio, target]
    const netInput = checkedInt128(amountIn(zeroForOne)(lower, upper, liquidity, true))
    const input = checkedInt128(divUp(netInput << FEE_BITS, (1n << FEE_BITS) - fee))
    return { input, output: checkedInt128(amountOut(zeroForOne)(lower, upper, liquidity, false)), ratio: target }
  }
  // The amount is too small to move the price: all of it is fee.
  if (reachedRatio === ratio) return { input: amount, output: 0n, ratio }
  const [lower, upper] = zeroForOne ? [reachedRatio, ratio] : [ratio, reachedRatio]
  return {
    input: amount,
    output: checkedInt128(amountOut(zeroForOne)(lower, upper, liquidity, false)),
    ratio: reachedRatio,
  }
}

function checkedInt128(delta: bigint): bigint {
  if (delta > MAX_DELTA) throw new PoolRefusal('TOO_LARGE', 'an amount of more than 128 bits')
  return delta
}
