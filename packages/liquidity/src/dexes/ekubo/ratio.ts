/**
 * Converts ticks of Ekubo to ratios and back. A ratio is the core's `sqrtRatio`: √(token1 / token0) in base units, with
 * 128 fractional bits. Checked against the deployed core on Ethereum.
 */
import { divUp, sqrt } from '../../math/integers.ts'

/** Maximum tick of the core. One tick is a price change by a millionth. */
export const MAX_TICK = 88_722_835
export const MIN_TICK = -MAX_TICK

/** Mantissa bits of a packed ratio: a ratio as the core stores it. Two more bits select one of four scales. */
const MANTISSA_BITS = 94n
/** Number of low bits that each scale drops. The scales are for ratios below 2⁹⁶, 2¹²⁸, 2¹⁶⁰, and 2¹⁹². */
const SHIFTS = [2n, 34n, 66n, 98n] as const
/** Maximum bits of a ratio in the first scale. */
const FIRST_SCALE_BITS = 96n
/** Bits that each further scale adds. */
const SCALE_BITS = 32n
/** Exclusive upper bound of ratios: they have at most 64 integer bits. */
export const RATIO_LIMIT = 1n << 192n

/** Unpacks the ratio of a state word. */
export const unpackRatio = (packedRatio: bigint): bigint =>
  BigInt.asUintN(Number(MANTISSA_BITS), packedRatio) << (SHIFTS[0] + SCALE_BITS * (packedRatio >> MANTISSA_BITS))

/** Returns the number of low bits that the core drops when it stores a ratio. */
function shiftOf(ratio: bigint): bigint {
  let scale = 0
  while (scale < SHIFTS.length - 1 && ratio >> (FIRST_SCALE_BITS + SCALE_BITS * BigInt(scale)) > 0n) scale++
  return SHIFTS[scale]!
}

/** Rounds a ratio down or up to a ratio that the core can store. */
export function roundToStorable(ratio: bigint, roundsUp: boolean): bigint {
  const shift = shiftOf(ratio)
  return (roundsUp ? divUp(ratio, 1n << shift) : ratio >> shift) << shift
}

/** √1.000001 to the power of −2^i with 128 fractional bits, rounded to nearest, as in the core. */
const RATIO_FACTORS = computeRatioFactors(27)

/** Returns `RATIO_FACTORS` for i = 0 to `count` − 1. */
function computeRatioFactors(count: number): readonly bigint[] {
  const precision = 512n
  const droppedBits = precision - 128n
  let power = sqrt(((1_000_000n << precision) / 1_000_001n) << precision)
  return Array.from({ length: count }, () => {
    const roundedPower = (power + (1n << (droppedBits - 1n))) >> droppedBits
    power = (power * power) >> precision
    return roundedPower
  })
}

/**
 * Number of cached ratios. The low bits of a tick select the cache entry. A route search needs few ticks many times.
 */
const CACHE_SIZE = 1 << 12
/** Marks an empty cache entry; not a valid tick. */
const NO_TICK = -(2 ** 31)
const cachedTick = new Int32Array(CACHE_SIZE).fill(NO_TICK)
const cachedRatio: bigint[] = Array.from({ length: CACHE_SIZE }, () => 0n)

/** Returns the ratio of a tick. @throws RangeError for a tick out of range */
export function ratioAtTick(tick: number): bigint {
  const cacheIndex = tick & (CACHE_SIZE - 1)
  if (cachedTick[cacheIndex] !== tick) {
    cachedRatio[cacheIndex] = computeRatio(tick)
    cachedTick[cacheIndex] = tick
  }
  return cachedRatio[cacheIndex]!
}

function computeRatio(tick: number): bigint {
  const distance = Math.abs(tick)
  if (!(distance <= MAX_TICK)) throw new RangeError(`tick ${tick} is out of range`)
  let ratio = 1n << 128n
  for (let i = 0; i < RATIO_FACTORS.length; i++) if (distance & (1 << i)) ratio = (ratio * RATIO_FACTORS[i]!) >> 128n
  if (tick > 0) ratio = ((1n << 256n) - 1n) / ratio
  return roundToStorable(ratio, false)
}

export const MIN_RATIO = ratioAtTick(MIN_TICK)
export const MAX_RATIO = ratioAtTick(MAX_TICK)

/** ln √1.000001: the difference of ln ratio between neighboring ticks. */
const LOG_SQRT_BASE = Math.log1p(1e-6) / 2
/** ln 2¹²⁸, to remove the 128 fractional bits of a ratio. */
const LOG_Q128 = 128 * Math.LN2
/**
 * Distance from a tick, in ticks, within which exact math decides whether a ratio is above or below the tick. Float
 * errors stay below 10⁻⁷ ticks.
 */
const MAX_UNCERTAIN_DISTANCE = 1e-4

/** Returns the greatest tick whose ratio is at most `ratio`. */
export function tickAtRatio(ratio: bigint): number {
  const tickAsFloat = (Math.log(Number(ratio)) - LOG_Q128) / LOG_SQRT_BASE
  const nearestTick = Math.round(tickAsFloat)
  if (Math.abs(tickAsFloat - nearestTick) > MAX_UNCERTAIN_DISTANCE) return Math.floor(tickAsFloat)
  return ratioAtTick(nearestTick) <= ratio ? nearestTick : nearestTick - 1
}
