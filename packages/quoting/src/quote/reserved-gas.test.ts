import { expect, test } from 'vitest'
import { reservedGas } from './reserved-gas.ts'

/**
 * Minimum gas limits and gas used of transactions on Ethereum's mainnet state; `INTRINSIC` is about their intrinsic
 * gas.
 */
const measured = [
  { paid: 'native', used: 181_914, needed: 183_842 },
  { paid: 'native', used: 1_029_643, needed: 1_031_571 },
  { paid: 'native', used: 2_142_210, needed: 2_160_228 },
  { paid: 'token', used: 258_490, needed: 258_490 },
  { paid: 'token', used: 1_134_114, needed: 1_134_114 },
  { paid: 'token', used: 2_116_867, needed: 2_150_634 },
  { paid: 'token', used: 2_104_456, needed: 2_123_202 },
  { paid: 'direct', used: 220_298, needed: 225_643 },
  { paid: 'direct', used: 284_195, needed: 288_160 },
] as const
const INTRINSIC = 27_000

test('the estimate is within 1 % of the minimum gas limit, and zero for small swaps', () => {
  for (const { paid, used, needed } of measured) {
    const estimate = used + reservedGas(used - INTRINSIC, paid)
    expect(Math.abs(needed / estimate - 1)).toBeLessThan(0.01)
  }
  expect(reservedGas(200_000, 'token')).toBe(0)
  expect(reservedGas(200_000, 'native')).toBe(1_928)
})
