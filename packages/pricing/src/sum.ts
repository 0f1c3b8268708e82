/** Sums floating-point numbers with a result that does not depend on their order. */

/** If all numbers are below this, the sum is 0, because the rounding unit would underflow. */
const NEGLIGIBLE = 2 ** -900

/**
 * Sums non-negative numbers with a result that does not depend on their order. Each number is rounded to a multiple of
 * a negligible power of two, so that all partial sums are exact (J. Demmel and H. D. Nguyen, "Fast reproducible
 * floating-point summation", 2013).
 */
export function exactSum(numbers: readonly number[] | Float64Array): number {
  let max = 0
  for (const number of numbers) if (number > max) max = number
  if (max === Number.POSITIVE_INFINITY) return max
  if (max < NEGLIGIBLE) return 0
  // The sum is at most about 2^51 of these units, so doubles hold all partial sums exactly.
  const unit = 2 ** (Math.ceil(Math.log2(max * numbers.length)) - 51)
  let sum = 0
  for (const number of numbers) sum += Math.round(number / unit)
  return sum * unit
}
