import fc from 'fast-check'
import { expect, test } from 'vitest'
import { transactionGas } from '../gas/transaction-gas.ts'
import { feeOf, grossFor, minOutputOf, netOf, outputFor, shortfallPpm, toPercent } from './amounts.ts'

const amount = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n })

test('minOutput is the floor of the output less the slippage, and never 0', () => {
  expect(minOutputOf(1_000_000n, 5_000n)).toBe(995_000n)
  expect(minOutputOf(1n, 5_000n)).toBe(1n)
  expect(minOutputOf(1_999n, 500_000n)).toBe(999n)
  fc.assert(
    fc.property(amount, fc.bigInt({ min: 0n, max: 999_999n }), (out, slippage) => {
      const minOutput = minOutputOf(out, slippage)
      expect(minOutput).toBeGreaterThan(0n)
      expect(minOutput).toBeLessThanOrEqual(out)
      expect(minOutput * 1_000_000n).toBeLessThanOrEqual(
        out * (1_000_000n - slippage) + (minOutput === 1n ? 1_000_000n : 0n),
      )
    }),
  )
})

test('a fee of 10 % leaves at least nine tenths', () => {
  fc.assert(
    fc.property(amount, (out) => {
      expect((out - feeOf(out, 100_000n)) * 10n).toBeGreaterThanOrEqual(out * 9n)
    }),
  )
})

test('outputFor and grossFor return the smallest amount that meets their target', () => {
  const ppm = fc.bigInt({ min: 0n, max: 999_999n })
  fc.assert(
    fc.property(amount, ppm, ppm, ppm, (target, slippage, fee, tax) => {
      const output = outputFor(target, slippage)
      expect(minOutputOf(output, slippage)).toBeGreaterThanOrEqual(target)
      if (output > 1n) expect(((output - 1n) * (1_000_000n - slippage)) / 1_000_000n).toBeLessThan(target)
      const gross = grossFor(output, fee, tax)
      expect(netOf(gross, fee, tax)).toBeGreaterThanOrEqual(output)
      expect(netOf(gross - 1n, fee, tax)).toBeLessThan(output)
    }),
  )
})

test('a shortfall is in parts per million of the expected amount', () => {
  expect(shortfallPpm(1_000n, 950n)).toBe(50_000n)
  expect(shortfallPpm(1_000n, 1_000n)).toBe(0n)
  expect(shortfallPpm(1_000n, 1_100n)).toBe(-100_000n)
})

test('transaction gas counts zero bytes 4 and others 16, and never falls below the calldata floor', () => {
  expect(transactionGas('0x', 50_000n)).toBe(71_000n)
  expect(transactionGas('0x00ff', 50_000n)).toBe(71_020n)
  expect(transactionGas(`0x${'ff'.repeat(1_000)}`, 100n)).toBe(21_000n + 40_000n)
})

test('percent keeps four decimals', () => {
  expect(toPercent(12_500n)).toBe(1.25)
  expect(toPercent(1n)).toBe(0.0001)
})
