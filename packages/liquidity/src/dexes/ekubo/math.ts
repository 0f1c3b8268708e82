/** Checked against the deployed core of Ethereum, and against answers of EkuboProtocol/evm-contracts v3.2.0. */
import { orRefused, PoolRefusal } from '../../family.ts'
import { largestInput } from '../../math/capacity.ts'
import { lastTickAtOrBelow } from '../../math/concentrated.ts'
import { divUp, min } from '../../math/integers.ts'
import type { EkuboConfig } from './config.ts'
import { ABOVE_PRICES, MAX_TICK, MIN_TICK, onGrid, ratioAtTick, tickAtRatio } from './ratio.ts'
import type { EkuboState } from './types.ts'
import { placeOf, tickAtPlace, WORD } from './words.ts'

const ONE = 128n
const FEE_BITS = 64n
export const MAX_AMOUNT = (1n << 127n) - 1n
const MAX_DELTA = (1n << 128n) - 1n
/** Words of the bitmap that a swap goes through at most: each costs some 9,000 gas. */
const MAX_WORDS = 1_000

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
  const { ticks } = state
  const set = ticks[lastTickAtOrBelow(ticks, tick) + (zeroForOne ? 0 : 1)]
  // Where nothing can be sold, words make no difference.
  const empty = liquidity === 0n
  const word = Math.floor(placeOf(zeroForOne ? tick : tick + spacing, spacing) / WORD)
  const wordEnd = tickAtPlace(word * WORD + (zeroForOne ? 0 : WORD - 1), spacing)
  if (set && (empty || (zeroForOne ? set[0] >= wordEnd : set[0] <= wordEnd))) return { tick: set[0], net: set[1] }
  const reach = zeroForOne ? (empty ? MIN_TICK : wordEnd) : empty ? MAX_TICK : wordEnd
  return { tick: Math.max(MIN_TICK, Math.min(MAX_TICK, reach)) }
}

/** The tick at which a swap ends at the latest: that of the last price, of the last word that is walked, or of the last tick that was read. */
export function farthestTick({ tick, known }: EkuboState, kind: EkuboConfig['kind'], zeroForOne: boolean): number {
  if (kind.name === 'range') return zeroForOne ? MIN_TICK : MAX_TICK
  const { tickSpacing } = kind
  const word = Math.floor(placeOf(zeroForOne ? tick : tick + tickSpacing, tickSpacing) / WORD)
  const walked = zeroForOne
    ? tickAtPlace((word - MAX_WORDS) * WORD, tickSpacing)
    : tickAtPlace((word + MAX_WORDS) * WORD + WORD - 1, tickSpacing)
  const [lowest, highest] = known ?? [MIN_TICK, MAX_TICK]
  return zeroForOne ? Math.max(MIN_TICK, walked, lowest) : Math.min(MAX_TICK, walked, highest)
}

/** The same of a pool of one range, whose liquidity counts inside of it alone. */
function nextEnd(lower: number, upper: number, tick: number, zeroForOne: boolean): Target & { inside: boolean } {
  const inside = lower <= tick && tick < upper
  if (zeroForOne) return { tick: tick >= upper ? upper : inside ? lower : MIN_TICK, inside }
  return { tick: tick < lower ? lower : inside ? upper : MAX_TICK, inside }
}

/** Sells exactly `amount`. @throws PoolRefusal where the core reverts, or takes less */
export function swapExactInput(state: EkuboState, config: EkuboConfig, zeroForOne: boolean, amount: bigint): EkuboSwap {
  const { fee } = config
  if (amount <= 0n) throw new PoolRefusal('TOO_SMALL', 'nothing to sell')
  if (amount > MAX_AMOUNT) throw new PoolRefusal('TOO_LARGE', 'more than 127 bits')
  const farthest = farthestTick(state, config.kind, zeroForOne)
  let { sqrtRatio: ratio, tick, liquidity } = state
  let [left, out, ticksCrossed, wordsPassed] = [amount, 0n, 0, 0]
  while (left > 0n) {
    if (isPast(tick, farthest, zeroForOne)) throw refusalAt(farthest, zeroForOne, left === amount)
    const target = targetFrom(state, config, { tick, liquidity }, zeroForOne)
    const targetRatio = ratioAtTick(target.tick)
    const active = target.isActive ? liquidity : 0n
    const step = stepTo(ratio, targetRatio, active, left, fee, zeroForOne)
    left -= step.taken
    out += step.given
    if (step.ratio === targetRatio) {
      tick = zeroForOne ? target.tick - 1 : target.tick
      if (target.net !== undefined) {
        liquidity += zeroForOne ? -target.net : target.net
        ticksCrossed++
      } else wordsPassed++
    } else if (step.ratio !== ratio) tick = tickAtRatio(step.ratio)
    ratio = step.ratio
  }
  if (out === 0n) throw new PoolRefusal('TOO_SMALL', 'too little to buy anything')
  if (out > MAX_AMOUNT) throw new PoolRefusal('TOO_LARGE', 'buys more than 127 bits')
  return { amountOut: out, ticksCrossed, wordsPassed, state: { ...state, sqrtRatio: ratio, tick, liquidity } }
}

/** The next target, within what a swap goes through at most. */
function targetFrom(
  state: EkuboState,
  { kind }: EkuboConfig,
  going: Going,
  zeroForOne: boolean,
): Target & { readonly isActive: boolean } {
  if (kind.name === 'range') {
    const { inside, ...target } = nextEnd(kind.lower, kind.upper, going.tick, zeroForOne)
    return { ...target, isActive: inside }
  }
  const target = nextTarget(state, kind.tickSpacing, going, zeroForOne)
  const farthest = farthestTick(state, kind, zeroForOne)
  const isBeyond = zeroForOne ? target.tick < farthest : target.tick > farthest
  return isBeyond ? { tick: farthest, isActive: true } : { ...target, isActive: true }
}

const isPast = (tick: number, farthest: number, zeroForOne: boolean) =>
  zeroForOne ? tick < farthest : tick >= farthest

function refusalAt(farthest: number, zeroForOne: boolean, isUntouched: boolean): PoolRefusal {
  const isOwnLimit = farthest !== (zeroForOne ? MIN_TICK : MAX_TICK)
  if (isOwnLimit) return new PoolRefusal('TOO_LARGE', 'beyond the ticks that are known and near', { isOwnLimit })
  return new PoolRefusal(isUntouched ? 'EMPTY' : 'TOO_LARGE', 'the prices end before all of the input is taken')
}

/**
 * The largest input that `swapExactInput` accepts, as `DexFamily.maxInput`: all steps but the last one with liquidity, and the most that
 * this one takes without going beyond its end.
 */
export function maxInput(state: EkuboState, config: EkuboConfig, zeroForOne: boolean): bigint | null {
  const farthest = farthestTick(state, config.kind, zeroForOne)
  let { sqrtRatio: ratio, tick, liquidity } = state
  // Sums before the last step with liquidity, and that step.
  let [before, out] = [0n, 0n]
  let last: { readonly step: Step; readonly to: (amount: bigint) => Step } | undefined
  while (!isPast(tick, farthest, zeroForOne)) {
    const target = targetFrom(state, config, { tick, liquidity }, zeroForOne)
    const [from, end, active] = [ratio, ratioAtTick(target.tick), target.isActive ? liquidity : 0n]
    if (active > 0n && from !== end) {
      const to = (amount: bigint) => stepTo(from, end, active, amount, config.fee, zeroForOne)
      const step = orRefused(() => to(MAX_AMOUNT))
      if (last) {
        before += last.step.taken
        out += last.step.given
      }
      last = { step: step ?? { taken: MAX_AMOUNT, given: MAX_AMOUNT, ratio: end }, to }
      if (before + last.step.taken > MAX_AMOUNT || out + last.step.given > MAX_AMOUNT) break
    }
    tick = zeroForOne ? target.tick - 1 : target.tick
    if (target.net !== undefined) liquidity += zeroForOne ? -target.net : target.net
    ratio = end
  }
  if (!last) return 0n
  const { step, to } = last
  const most = largestInput(
    (amount) => {
      const { taken, given } = to(amount)
      if (taken < amount || before + amount > MAX_AMOUNT || out + given > MAX_AMOUNT)
        throw new PoolRefusal('TOO_LARGE', 'beyond the end of the step')
    },
    min(step.taken, MAX_AMOUNT - before),
  )
  const total = before + (most ?? MAX_AMOUNT - before)
  // Liquidity so thin that all of it buys nothing.
  return orRefused(() => swapExactInput(state, config, zeroForOne, total)) ? total : 0n
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
