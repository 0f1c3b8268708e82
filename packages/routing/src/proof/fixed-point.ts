/** Floats as integers at a decimal scale, without the rounding that their text would have. */

/** Digits of the smallest price: as many as a float has. */
const DIGITS = 17
const MIN_DECIMALS = 6
/** A price too small for this many counts as one unit of the scale, which no bound minds. */
const MAX_DECIMALS = 80

/** Decimals at which all prices keep their digits, as far as there may be so many. */
export function decimalsFor(prices: Iterable<number>): number {
  let least = 1
  for (const price of prices) if (price > 0 && price < least) least = price
  return Math.min(MAX_DECIMALS, Math.max(MIN_DECIMALS, Math.ceil(-Math.log10(least)) + DIGITS))
}

/** A finite number at least 0, times a power of ten, rounded up. */
export function toFixedPoint(value: number, decimals: number): bigint {
  if (value === 0) return 0n
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value)
  const word = bits.getBigUint64(0)
  const exponent = Number((word >> 52n) & 0x7ffn)
  const fraction = word & 0xfffffffffffffn
  // Subnormal numbers lack the leading one.
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n)
  const shift = (exponent === 0 ? 1 : exponent) - 1075
  const scaled = mantissa * 10n ** BigInt(decimals)
  if (shift >= 0) return scaled << BigInt(shift)
  const divisor = 1n << BigInt(-shift)
  return (scaled + divisor - 1n) / divisor
}

export const fromFixedPoint = (value: bigint, decimals: number): number => Number(value) / 10 ** decimals
