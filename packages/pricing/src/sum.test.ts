import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exactSum } from './sum.ts'

const amounts = fc.array(fc.double({ min: 0, max: 1e18, noNaN: true }), { minLength: 1, maxLength: 60 })
const plain = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0)

test('is the same to the last digit in whatever order the numbers come', () => {
  fc.assert(
    fc.property(amounts, (numbers) => {
      const sum = exactSum(numbers)
      expect(exactSum(numbers.toReversed())).toBe(sum)
      expect(exactSum(numbers.toSorted((a, b) => a - b))).toBe(sum)
      expect(exactSum(Float64Array.from(numbers))).toBe(sum)
    }),
  )
})

test('is the sum, up to rounding', () => {
  fc.assert(
    fc.property(amounts, (numbers) => {
      // What is far below a dollar's smallest part counts for nothing.
      expect(Math.abs(exactSum(numbers) - plain(numbers))).toBeLessThanOrEqual(1e-12 * plain(numbers) + 1e-250)
    }),
  )
  expect(exactSum([1, 2, 3.5])).toBe(6.5)
})

test('nothing, zeros, numbers next to zero, and infinity', () => {
  expect(exactSum([Number.MIN_VALUE, 1e-310])).toBe(0)
  expect(exactSum([])).toBe(0)
  expect(exactSum([0, 0])).toBe(0)
  expect(exactSum([1, Number.POSITIVE_INFINITY])).toBe(Number.POSITIVE_INFINITY)
})
