/** Vaults that count by a rate of their own, whatever their totals are. Worked out by hand. */
import { expect, test } from 'vitest'
import { PoolRefusal } from '../../family.ts'
import { converted, quote } from './math.ts'

const RAY = 10n ** 27n
const vault = {
  totalAssets: 1_000n,
  totalSupply: 900n,
  virtualShares: 0n,
  rate: (RAY * 11n) / 10n,
  maxDeposit: 500n,
  cash: 0n,
}

test('shares and assets follow the rate, down for deposits and redemptions, up for mints and withdrawals', () => {
  // 100 / 1.1 = 90.9; 101 · 1.1 = 111.1
  expect(converted(vault, true, 100n)).toBe(90n)
  expect(converted(vault, true, 100n, true)).toBe(91n)
  expect(converted(vault, false, 101n)).toBe(111n)
  expect(converted(vault, false, 101n, true)).toBe(112n)
  expect(quote(vault, true, 100n)).toEqual({
    amountOut: 90n,
    state: { ...vault, totalAssets: 1_100n, totalSupply: 990n, maxDeposit: 400n },
  })
})

test('limits are those of the vault', () => {
  expect(() => quote(vault, true, 501n)).toThrow(PoolRefusal)
  expect(() => quote(vault, false, 901n)).toThrow(PoolRefusal)
  expect(() => quote(vault, false, 0n)).toThrow(expect.objectContaining({ code: 'TOO_SMALL' }))
  expect(() => converted({ ...vault, rate: 0n }, true, 1n)).toThrow(expect.objectContaining({ code: 'EMPTY' }))
})
