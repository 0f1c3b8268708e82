/**
 * Converts floats to fixed-point integers with a number of decimals. Reads the bits of the float, since its decimal
 * text would be rounded.
 */

/** Decimal digits that are kept of the lowest price: the precision of a float. */
const DIGITS = 17
const MIN_DECIMALS = 6
/** Maximum decimals. A price below 10^−`MAX_DECIMALS` is rounded up to it, which keeps the bound valid. */
const MAX_DECIMALS = 80

/**
 * Number of decimals with which all prices keep the precision of a float, between `MIN_DECIMALS` and `MAX_DECIMALS`.
 */
export function decimalsFor(prices: Iterable<number>): number {
  let minPrice = 1
  for (const price of prices) if (price > 0 && price < minPrice) minPrice = price
  return Math.min(MAX_DECIMALS, Math.max(MIN_DECIMALS, Math.ceil(-Math.log10(minPrice)) + DIGITS))
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
  const scaledMantissa = mantissa * 10n ** BigInt(decimals)
  if (shift >= 0) return scaledMantissa << BigInt(shift)
  const divisor = 1n << BigInt(-shift)
  return (scaledMantissa + divisor - 1n) / divisor
}

/** Converts back to a float. */
export const fromFixedPoint = (value: bigint, decimals: number): number => Number(value) / 10 ** decimals
