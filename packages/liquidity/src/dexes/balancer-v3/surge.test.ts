/**
 * Tests of the surge fee with different slopes on both sides, which the vectors do not cover; expected values computed
 * by hand.
 */
import { expect, test } from 'vitest'
import { eclpImbalance, surgeFee } from './surge.ts'

const ONE = 10n ** 18n
const [alpha, beta, half] = [ONE / 2n, 3n * ONE, ONE / 2n]
const even = { alpha, beta, c: half, s: half, lambda: ONE }
const slopes = { below: ONE / 2n, above: 3n * ONE }

test('the imbalance is the distance from the peak times the slope of its side, at most one', () => {
  // Half of the distance down at slope 0.5; an eighth of the distance up at slope 3.
  expect(eclpImbalance((ONE * 3n) / 4n, even, slopes)).toBe(ONE / 4n)
  expect(eclpImbalance((ONE * 5n) / 4n, even, slopes)).toBe((ONE * 3n) / 8n)
  expect(eclpImbalance(2n * ONE, even, slopes)).toBe(ONE)
  expect(eclpImbalance(ONE, even, slopes)).toBe(0n)
})

test('a peak outside of the price range is clamped to its end', () => {
  const low = { ...even, alpha: (ONE * 3n) / 2n }
  expect(eclpImbalance((ONE * 3n) / 2n, low, slopes)).toBe(0n)
  expect(eclpImbalance((ONE * 7n) / 4n, low, { ...slopes, above: ONE })).toBe(ONE / 6n)
})

test('the fee rises only above the threshold and with a growing imbalance', () => {
  const surge = { threshold: ONE / 2n, maxFee: ONE / 10n }
  const fee = (before: bigint, then: bigint) => surgeFee(surge, ONE / 100n, () => [before, then])
  expect(fee(0n, ONE / 2n)).toBe(ONE / 100n)
  expect(fee((ONE * 3n) / 4n, (ONE * 3n) / 4n)).toBe(ONE / 100n)
  // Halfway from the threshold to one: halfway to the maximum fee.
  expect(fee(0n, (ONE * 3n) / 4n)).toBe((ONE * 55n) / 1_000n)
  expect(surgeFee({ ...surge, maxFee: 1n }, ONE / 100n, () => [0n, ONE])).toBe(ONE / 100n)
})
