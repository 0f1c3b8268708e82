/** Prices of Ekubo: their grid, and those of its ticks. Checked against the deployed core of Ethereum. */
import { divUp, sqrt } from '../../math/integers.ts'

/** Ticks of a millionth, as far as the core goes. */
export const MAX_TICK = 88_722_835
export const MIN_TICK = -MAX_TICK

/** Bits of a packed price that count; two more choose one of four scales. */
const MANTISSA = 94n
/** Lowest bits that a scale drops: of prices below 2⁹⁶, 2¹²⁸, 2¹⁶⁰ and 2¹⁹². */
const SHIFTS = [2n, 34n, 66n, 98n] as const
const BITS = 96n
const SCALE_BITS = 32n
/** Prices have 64 bits before the point and 128 behind it. */
export const ABOVE_PRICES = 1n << 192n

/** The price behind a packed one. */
export const unpack = (packed: bigint): bigint =>
  BigInt.asUintN(Number(MANTISSA), packed) << (SHIFTS[0] + SCALE_BITS * (packed >> MANTISSA))

function shiftOf(ratio: bigint): bigint {
  let scale = 0
  while (scale < SHIFTS.length - 1 && ratio >> (BITS + SCALE_BITS * BigInt(scale)) > 0n) scale++
  return SHIFTS[scale]!
}

/** The nearest price at or below, or at or above, that the core can keep. */
export function onGrid(ratio: bigint, roundUp: boolean): bigint {
  const shift = shiftOf(ratio)
  return (roundUp ? divUp(ratio, 1n << shift) : ratio >> shift) << shift
}

/** √1.000001 to the power of −2^i with 128 fractional bits, rounded to the nearest, as the core has them. */
const FACTORS = powers(27)

function powers(count: number): readonly bigint[] {
  const precision = 512n
  const dropped = precision - 128n
  let power = sqrt(((1_000_000n << precision) / 1_000_001n) << precision)
  return Array.from({ length: count }, () => {
    const rounded = (power + (1n << (dropped - 1n))) >> dropped
    power = (power * power) >> precision
    return rounded
  })
}

/** Prices of ticks that were asked for last, by their lowest bits: a search asks for few, many times. */
const KNOWN = 1 << 12
/** Beyond every number that is asked for. */
const NO_TICK = -(2 ** 31)
const knownTick = new Int32Array(KNOWN).fill(NO_TICK)
const knownRatio: bigint[] = Array.from({ length: KNOWN }, () => 0n)

/** The price of a tick. @throws RangeError beyond the core's ticks */
export function ratioAtTick(tick: number): bigint {
  const place = tick & (KNOWN - 1)
  if (knownTick[place] !== tick) {
    knownRatio[place] = computeRatio(tick)
    knownTick[place] = tick
  }
  return knownRatio[place]!
}

function computeRatio(tick: number): bigint {
  const distance = Math.abs(tick)
  if (!(distance <= MAX_TICK)) throw new RangeError(`tick ${tick} is out of range`)
  let ratio = 1n << 128n
  for (let i = 0; i < FACTORS.length; i++) if (distance & (1 << i)) ratio = (ratio * FACTORS[i]!) >> 128n
  if (tick > 0) ratio = ((1n << 256n) - 1n) / ratio
  return onGrid(ratio, false)
}

export const MIN_RATIO = ratioAtTick(MIN_TICK)
export const MAX_RATIO = ratioAtTick(MAX_TICK)

const LOG_TICK = Math.log1p(1e-6) / 2
const LOG_ONE = 128 * Math.LN2
/** Nearer to a tick than this part of one, a float does not tell the side: its own error stays below 10⁻⁷. */
const UNSURE = 1e-4

/** The greatest tick whose price is not above `ratio`. */
export function tickAtRatio(ratio: bigint): number {
  const place = (Math.log(Number(ratio)) - LOG_ONE) / LOG_TICK
  const nearest = Math.round(place)
  if (Math.abs(place - nearest) > UNSURE) return Math.floor(place)
  return ratioAtTick(nearest) <= ratio ? nearest : nearest - 1
}
