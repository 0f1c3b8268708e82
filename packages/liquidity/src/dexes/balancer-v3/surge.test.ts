/** Edges of a surging fee that no answer shows: all of them were given with the same slope on either side. Worked out by hand. */
import { expect, test } from 'vitest'
import { eclpImbalance, surgeFee } from './surge.ts'

const ONE = 10n ** 18n
const [alpha, beta, half] = [ONE / 2n, 3n * ONE, ONE / 2n]
const even = { alpha, beta, c: half, s: half, lambda: ONE }
const slopes = { below: ONE / 2n, above: 3n * ONE }

test('the distance from the peak counts by the slope of its side, and never as more than one', () => {
  // Half of the way down, at half of the slope; an eighth of the way up, at three times of it.
  expect(eclpImbalance((ONE * 3n) / 4n, even, slopes)).toBe(ONE / 4n)
  expect(eclpImbalance((ONE * 5n) / 4n, even, slopes)).toBe((ONE * 3n) / 8n)
  expect(eclpImbalance(2n * ONE, even, slopes)).toBe(ONE)
  expect(eclpImbalance(ONE, even, slopes)).toBe(0n)
})

test('a peak beyond the prices of the pool stands at their end', () => {
  const low = { ...even, alpha: (ONE * 3n) / 2n }
  expect(eclpImbalance((ONE * 3n) / 2n, low, slopes)).toBe(0n)
  expect(eclpImbalance((ONE * 7n) / 4n, low, { ...slopes, above: ONE })).toBe(ONE / 6n)
})

test('the fee rises above the threshold alone, and where the imbalance grows', () => {
  const surge = { threshold: ONE / 2n, maxFee: ONE / 10n }
  const fee = (before: bigint, then: bigint) => surgeFee(surge, ONE / 100n, () => [before, then])
  expect(fee(0n, ONE / 2n)).toBe(ONE / 100n)
  expect(fee((ONE * 3n) / 4n, (ONE * 3n) / 4n)).toBe(ONE / 100n)
  // Half of the way from the threshold to one: half of the way to the most.
  expect(fee(0n, (ONE * 3n) / 4n)).toBe((ONE * 55n) / 1_000n)
  expect(surgeFee({ ...surge, maxFee: 1n }, ONE / 100n, () => [0n, ONE])).toBe(ONE / 100n)
})
