/** Converts between ticks and √prices, as TickMath of Uniswap/v3-core does. All forks use the same numbers. */

/** Lowest tick. */
export const MIN_TICK = -887_272
/** Highest tick. */
export const MAX_TICK = 887_272
/** √price at MIN_TICK with 96 fractional bits; the minimum √price of a pool. */
export const MIN_SQRT_RATIO = 4_295_128_739n
/** √price at MAX_TICK with 96 fractional bits; a pool's √price is below it. */
export const MAX_SQRT_RATIO = 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n

/** 1.0001^(−2^i / 2) with 128 fractional bits, i = 0…19. */
const RATIOS: readonly bigint[] = [
  0xfffcb933bd6fad37aa2d162d1a594001n,
  0xfff97272373d413259a46990580e213an,
  0xfff2e50f5f656932ef12357cf3c7fdccn,
  0xffe5caca7e10e4e61c3624eaa0941cd0n,
  0xffcb9843d60f6159c9db58835c926644n,
  0xff973b41fa98c081472e6896dfb254c0n,
  0xff2ea16466c96a3843ec78b326b52861n,
  0xfe5dee046a99a2a811c461f1969c3053n,
  0xfcbe86c7900a88aedcffc83b479aa3a4n,
  0xf987a7253ac413176f2b074cf7815e54n,
  0xf3392b0822b70005940c7a398e4b70f3n,
  0xe7159475a2c29b7443b29c7fa6e889d9n,
  0xd097f3bdfd2022b8845ad8f792aa5825n,
  0xa9f746462d870fdf8a65dc1f90e061e5n,
  0x70d869a156d2a1b890bb3df62baf32f7n,
  0x31be135f97d08fd981231505542fcfa6n,
  0x9aa508b5b7a84e1c677de54f3e99bc9n,
  0x5d6af8dedb81196699c329225ee604n,
  0x2216e584f5fa1ea926041bedfe98n,
  0x48a170391f7dc42444e8fa2n,
]

/** Number of cached √prices. The low bits of a tick select the cache entry. */
const CACHE_SIZE = 1 << 14
const cachedTick = new Int32Array(CACHE_SIZE).fill(-0x80000000)
const cachedRatio = new Array<bigint>(CACHE_SIZE).fill(0n)

/** Returns √1.0001^tick with 96 fractional bits, rounded up. @param tick - from MIN_TICK to MAX_TICK */
export function sqrtRatioAtTick(tick: number): bigint {
  const cacheIndex = tick & (CACHE_SIZE - 1)
  if (cachedTick[cacheIndex] !== tick) {
    cachedRatio[cacheIndex] = computeSqrtRatio(tick)
    cachedTick[cacheIndex] = tick
  }
  return cachedRatio[cacheIndex]!
}

/** Relative error of the float that is nearest to 1.0001. A power multiplies this error by its exponent. */
const BASE_ERROR = 1.1012311173164237e-17

/** Returns √1.0001^tick as a float, accurate to the last one or two digits. */
export function sqrtPriceOfTick(tick: number): number {
  const halfTick = tick / 2
  return 1.0001 ** halfTick * (1 + halfTick * BASE_ERROR)
}

function computeSqrtRatio(tick: number): bigint {
  const distance = Math.abs(tick)
  if (!(distance <= MAX_TICK)) throw new RangeError(`tick ${tick} is out of range`)
  let ratio = 1n << 128n
  for (let i = 0; i < RATIOS.length; i++) if (distance & (1 << i)) ratio = (ratio * RATIOS[i]!) >> 128n
  if (tick > 0) ratio = ((1n << 256n) - 1n) / ratio
  return (ratio + 0xffffffffn) >> 32n
}

/** ln √1.0001: the difference of ln √price between neighboring ticks. */
const LOG_SQRT_BASE = Math.log(1.0001) / 2
/** ln 2⁹⁶, to remove the 96 fractional bits of a √price. */
const LOG_Q96 = 96 * Math.LN2
/**
 * Distance from a tick, in ticks, within which exact math decides whether a price is above or below the tick. Float
 * errors stay below 10⁻⁹ ticks. The rounding of integer √prices is largest at MIN_TICK: 2⁻³² of the √price, which is
 * 5·10⁻⁶ ticks.
 */
const MAX_UNCERTAIN_DISTANCE = 1e-4

/**
 * Returns the greatest tick whose √price is at most `sqrtPriceX96`.
 *
 * @param sqrtPriceX96 - from MIN_SQRT_RATIO, below MAX_SQRT_RATIO
 */
export function tickAtSqrtRatio(sqrtPriceX96: bigint): number {
  const tickAsFloat = (Math.log(Number(sqrtPriceX96)) - LOG_Q96) / LOG_SQRT_BASE
  const nearestTick = Math.round(tickAsFloat)
  if (Math.abs(tickAsFloat - nearestTick) > MAX_UNCERTAIN_DISTANCE) return Math.floor(tickAsFloat)
  return sqrtRatioAtTick(nearestTick) <= sqrtPriceX96 ? nearestTick : nearestTick - 1
}
