/** Converts floats to integers at a decimal scale exactly, without rounding to decimal text in between. */

/** Digits kept of the smallest price: the precision of a float. */
const DIGITS = 17
const MIN_DECIMALS = 6
/** Smaller prices are rounded up to one unit of the scale, which keeps the bound valid. */
const MAX_DECIMALS = 80

/** Number of decimals at which all prices keep their precision, within the limits. */
export function decimalsFor(prices: Iterable<number>): number {
  let min = 1
  for (const price of prices) if (price > 0 && price < min) min = price
  return Math.min(MAX_DECIMALS, Math.max(MIN_DECIMALS, Math.ceil(-Math.log10(min)) + DIGITS))
}

/** Converts a finite number ≥ 0 to an integer at a scale of 10^decimals, rounded up. */
export function toFixedPoint(value: number, decimals: number): bigint {
  if (value === 0) return 0n
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value)
  const word = bits.getBigUint64(0)
  const exponent = Number((word >> 52n) & 0x7ffn)
  const fraction = word & 0xfffffffffffffn
  // Subnormal numbers have no implicit leading one.
  const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n)
  const shift = (exponent === 0 ? 1 : exponent) - 1075
  const scaledPrice = mantissa * 10n ** BigInt(decimals)
  if (shift >= 0) return scaledPrice << BigInt(shift)
  const divisor = 1n << BigInt(-shift)
  return (scaledPrice + divisor - 1n) / divisor
}

/** Converts back to a float. */
export const fromFixedPoint = (value: bigint, decimals: number): number => Number(value) / 10 ** decimals
