/** Checked against the deployed core of Ethereum, and against answers of EkuboProtocol/evm-contracts v3.2.0. */
import { PoolRefusal } from '../../family.ts'
import { lastTickAtOrBelow } from '../../math/concentrated.ts'
import { divUp } from '../../math/integers.ts'
import type { EkuboConfig } from './config.ts'
import { ABOVE_PRICES, MAX_RATIO, MAX_TICK, MIN_RATIO, MIN_TICK, onGrid, ratioAtTick, tickAtRatio } from './ratio.ts'
import type { EkuboState } from './types.ts'
import { placeOf, tickAtPlace, WORD } from './words.ts'

const ONE = 128n
const FEE_BITS = 64n
const MAX_AMOUNT = (1n << 127n) - 1n
const MAX_DELTA = (1n << 128n) - 1n
/** Each costs the swap thousands of gas. */
const MOST_WORDS = 10_000

type EkuboSwap = {
  readonly amountOut: bigint
  readonly state: EkuboState
  readonly ticksCrossed: number
  /** Words of the bitmap without a tick that it went through. */
  readonly wordsPassed: number
}

/** Token 0 between two prices. */
export function amount0Between(lower: bigint, upper: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const numerator = (liquidity << ONE) * (upper - lower)
  // The contract divides by one after the other: rounded the same way twice, that is one division by both.
  return roundUp ? divUp(numerator, upper * lower) : numerator / (upper * lower)
}

export function amount1Between(lower: bigint, upper: bigint, liquidity: bigint, roundUp: boolean): bigint {
  const numerator = liquidity * (upper - lower)
  return roundUp ? divUp(numerator, 1n << ONE) : numerator >> ONE
}

const amountIn = (zeroForOne: boolean) => (zeroForOne ? amount0Between : amount1Between)
const amountOut = (zeroForOne: boolean) => (zeroForOne ? amount1Between : amount0Between)

/** Price after an amount without its fee. */
function nextRatio(ratio: bigint, liquidity: bigint, amount: bigint, zeroForOne: boolean): bigint {
  if (amount === 0n) return ratio
  if (zeroForOne) {
    const shifted = liquidity << ONE
    return onGrid(divUp(shifted, shifted / ratio + amount), true)
  }
  const next = ratio + (amount << ONE) / liquidity
  return next < ABOVE_PRICES ? onGrid(next, false) : ABOVE_PRICES
}

type Target = {
  readonly tick: number
  /** Growth of liquidity when the price rises past it; undefined where it ends a word or the prices. */
  readonly net?: bigint
}
type Going = { readonly tick: number; readonly liquidity: bigint }

/** The next tick that a step of a pool with positions of its own ends at, at the latest. */
function nextTarget(state: EkuboState, spacing: number, { tick, liquidity }: Going, zeroForOne: boolean): Target {
  const { ticks, known = [MIN_TICK, MAX_TICK] } = state
  const set = ticks[lastTickAtOrBelow(ticks, tick) + (zeroForOne ? 0 : 1)]
  // Where nothing can be sold, words make no difference.
  const empty = liquidity === 0n
  const word = Math.floor(placeOf(zeroForOne ? tick : tick + spacing, spacing) / WORD)
  const wordEnd = tickAtPlace(word * WORD + (zeroForOne ? 0 : WORD - 1), spacing)
  if (set && (empty || (zeroForOne ? set[0] >= wordEnd : set[0] <= wordEnd))) return { tick: set[0], net: set[1] }
  const reach = zeroForOne ? (empty ? MIN_TICK : wordEnd) : empty ? MAX_TICK : wordEnd
  const end = Math.max(MIN_TICK, Math.min(MAX_TICK, reach))
  if (end < Math.max(MIN_TICK, known[0]) || end > Math.min(MAX_TICK, known[1]))
    throw new PoolRefusal('UNSUPPORTED', 'ticks so far from the price were not read')
  return { tick: end }
}

/** The same of a pool of one range, whose liquidity counts inside of it alone. */
function nextEnd(lower: number, upper: number, tick: number, zeroForOne: boolean): Target & { inside: boolean } {
  const inside = lower <= tick && tick < upper
  if (zeroForOne) return { tick: tick >= upper ? upper : inside ? lower : MIN_TICK, inside }
  return { tick: tick < lower ? lower : inside ? upper : MAX_TICK, inside }
}

/** Sells exactly `amount`. @throws PoolRefusal where the core reverts, or takes less */
export function swapExactInput(
  state: EkuboState,
  { fee, kind }: EkuboConfig,
  zeroForOne: boolean,
  amount: bigint,
): EkuboSwap {
  if (amount <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  if (amount > MAX_AMOUNT) throw new PoolRefusal('TOO_LARGE', 'more than 127 bits')
  const end = zeroForOne ? MIN_RATIO : MAX_RATIO
  let { sqrtRatio: ratio, tick, liquidity } = state
  let [left, out, ticksCrossed, wordsPassed] = [amount, 0n, 0, 0]
  while (left > 0n) {
    if (ratio === end) throw new PoolRefusal('TOO_LARGE', `the pool takes ${amount - left} of ${amount}`)
    const target =
      kind.name === 'range'
        ? nextEnd(kind.lower, kind.upper, tick, zeroForOne)
        : nextTarget(state, kind.tickSpacing, { tick, liquidity }, zeroForOne)
    const targetRatio = ratioAtTick(target.tick)
    const active = 'inside' in target && !target.inside ? 0n : liquidity
    const step = stepTo(ratio, targetRatio, active, left, fee, zeroForOne)
    left -= step.taken
    out += step.given
    if (step.ratio === targetRatio) {
      tick = zeroForOne ? target.tick - 1 : target.tick
      if (target.net !== undefined) {
        liquidity += zeroForOne ? -target.net : target.net
        ticksCrossed++
      } else if (++wordsPassed > MOST_WORDS) throw new PoolRefusal('TOO_LARGE', `beyond ${MOST_WORDS} empty words`)
    } else if (step.ratio !== ratio) tick = tickAtRatio(step.ratio)
    ratio = step.ratio
  }
  if (out === 0n) throw new PoolRefusal('TOO_SMALL', 'too little to buy anything')
  if (out > MAX_AMOUNT) throw new PoolRefusal('TOO_LARGE', 'buys more than 127 bits')
  return { amountOut: out, ticksCrossed, wordsPassed, state: { ...state, sqrtRatio: ratio, tick, liquidity } }
}

type Step = { readonly taken: bigint; readonly given: bigint; readonly ratio: bigint }

/** One step of a swap, to the price `target` at the furthest. */
function stepTo(
  ratio: bigint,
  target: bigint,
  liquidity: bigint,
  amount: bigint,
  fee: bigint,
  zeroForOne: boolean,
): Step {
  if (ratio === target || liquidity === 0n) return { taken: 0n, given: 0n, ratio: target }
  const free = amount - divUp(amount * fee, 1n << FEE_BITS)
  const reached = nextRatio(ratio, liquidity, free, zeroForOne)
  if (zeroForOne ? reached < target : reached > target) {
    const [lower, upper] = zeroForOne ? [target, ratio] : [ratio, target]
    const sold = within(amountIn(zeroForOne)(lower, upper, liquidity, true))
    const taken = within(divUp(sold << FEE_BITS, (1n << FEE_BITS) - fee))
    return { taken, given: within(amountOut(zeroForOne)(lower, upper, liquidity, false)), ratio: target }
  }
  // Too little to move the price: all of it is fee.
  if (reached === ratio) return { taken: amount, given: 0n, ratio }
  const [lower, upper] = zeroForOne ? [reached, ratio] : [ratio, reached]
  return { taken: amount, given: within(amountOut(zeroForOne)(lower, upper, liquidity, false)), ratio: reached }
}

function within(delta: bigint): bigint {
  if (delta > MAX_DELTA) throw new PoolRefusal('TOO_LARGE', 'an amount of more than 128 bits')
  return delta
}
