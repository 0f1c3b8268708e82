import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundOf, bpsBelow, gasInOutput } from './figures.ts'

const output = fc.bigInt(1n, 2n ** 128n)

test('basis points are of the best, and negative above it', () => {
  expect(bpsBelow(9_990n, 10_000n)).toBe(10)
  expect(bpsBelow(10_000n, 10_000n)).toBe(0)
  expect(bpsBelow(10_010n, 10_000n)).toBe(-10)
  expect(bpsBelow(0n, 10_000n)).toBe(10_000)
  expect(bpsBelow(99_999_999n, 100_000_000n)).toBe(0)
  expect(bpsBelow(1n, 0n)).toBeNull()
})

test('a bound is never below what the gap says, and no more than a unit and a rounding above it', () => {
  fc.assert(
    fc.property(output, fc.double({ min: 0, max: 9_999, noNaN: true }), (paid, gapBps) => {
      const bound = boundOf(paid, gapBps)!
      expect(bound).toBeGreaterThanOrEqual(paid)
      // In exact terms: paid >= bound less one unit, times what the rounded gap leaves.
      const complement = 10n ** 12n - BigInt(Math.ceil(gapBps * 1e8))
      expect((bound - 1n) * complement).toBeLessThan(paid * 10n ** 12n)
      expect(bound * complement).toBeGreaterThanOrEqual(paid * 10n ** 12n)
    }),
  )
  expect(boundOf(9_998n, 2)).toBe(10_000n)
  expect(boundOf(1n, 10_000)).toBeNull()
  expect(boundOf(1n, -1)).toBeNull()
})

test('gas is worth what the gas of the quote is worth', () => {
  const quote = { gasCostWei: 1_000n, amountOut: 500n, netAmountOut: 400n }
  expect(gasInOutput(2_000n, quote)).toBe(200n)
  expect(gasInOutput(0n, quote)).toBe(0n)
  expect(gasInOutput(2_000n, { ...quote, netAmountOut: null })).toBeNull()
  expect(gasInOutput(2_000n, { ...quote, gasCostWei: 0n })).toBeNull()
  expect(gasInOutput(0n, { ...quote, netAmountOut: null })).toBe(0n)
})
