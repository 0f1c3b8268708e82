/** Numbers below it are so small that their grain would be zero. */
const NOTHING = 2 ** -900

/**
 * The sum of numbers from 0 up, the same to the last digit in whatever order they come: each is rounded to a power of two
 * small enough to matter nowhere and large enough for all sums to be exact (J. Demmel and H. D. Nguyen, "Fast reproducible
 * floating-point summation", 2013).
 */
export function exactSum(numbers: readonly number[] | Float64Array): number {
  let greatest = 0
  for (const number of numbers) if (number > greatest) greatest = number
  if (greatest === Number.POSITIVE_INFINITY) return greatest
  if (greatest < NOTHING) return 0
  const grain = 2 ** (Math.ceil(Math.log2(greatest * numbers.length)) - 51)
  let sum = 0
  for (const number of numbers) sum += Math.round(number / grain)
  return sum * grain
}
