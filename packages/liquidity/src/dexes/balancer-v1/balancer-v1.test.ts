/** Tests that the vectors do not cover: logs, and refusals at the limits. */
import { IBalancerV1State__factory } from '@sluice/bindings'
import { toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import { balancerV1 } from './index.ts'
import { type BalancerV1State, quote } from './math.ts'

const ONE = 10n ** 18n
const [a, b, c, address] = ['a', 'b', 'c', 'd'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  never,
  never,
  never,
  never,
]
const state: BalancerV1State = {
  balances: [1000n * ONE, 500n * ONE, 10n ** 9n],
  weights: [ONE, 2n * ONE, 3n * ONE],
  swapFee: 3n * 10n ** 15n,
}
const pool: Pool<BalancerV1State> = {
  id: address,
  family: 'balancer-v1',
  dex: 'test',
  address,
  tokens: [a, b, c],
  state,
}

const events = IBalancerV1State__factory.createInterface()
const after = (log: { readonly topics: readonly string[]; readonly data: string }) =>
  balancerV1.applyLog(pool, { address, ...log } as unknown as Log)

test('swap, join, and exit logs change balances; gulp triggers a reread', () => {
  const swap = events.encodeEventLog('LOG_SWAP', [address, c, a, 7n, 5n])
  expect(after(swap)).toEqual({ ...state, balances: [1000n * ONE - 5n, 500n * ONE, 10n ** 9n + 7n] })
  const join = events.encodeEventLog('LOG_JOIN', [address, b, 3n])
  expect(after(join)).toEqual({ ...state, balances: [1000n * ONE, 500n * ONE + 3n, 10n ** 9n] })
  const exit = events.encodeEventLog('LOG_EXIT', [address, c, 9n])
  expect(after(exit)).toEqual({ ...state, balances: [1000n * ONE, 500n * ONE, 10n ** 9n - 9n] })
  // `gulp` emits an anonymous log whose first topic is the selector.
  const gulp = `${events.getFunction('gulp').selector}${'00'.repeat(28)}`
  expect(after({ topics: [gulp], data: '0x' })).toBe('reread')
  for (const { topics } of [swap, join, exit, { topics: [gulp] }]) expect(balancerV1.topics).toContain(topics[0])
})

test('at most half of the balance can be sold', () => {
  expect(quote(state, 0, 1, 500n * ONE).amountOut).toBeGreaterThan(0n)
  expect(() => quote(state, 0, 1, 500n * ONE + 1n)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
})

test('a pool with an empty balance refuses, and has no trading function', () => {
  const empty = { ...state, balances: [0n, 500n * ONE, 1n] }
  expect(() => quote(empty, 1, 0, ONE)).toThrow(expect.objectContaining({ code: 'EMPTY' }))
  expect(balancerV1.tradingFunction!({ ...pool, state: empty })).toBeNull()
  const tradingFunction = balancerV1.tradingFunction!(pool)!
  expect([...tradingFunction.weights].map((weight) => Math.round(weight * 6))).toEqual([1, 2, 3])
  expect(tradingFunction.maxInputShare).toBeLessThan(0.5)
})

test('a pool refuses if its remaining units would have no price', () => {
  const tiny = { ...state, balances: [10n ** 9n, 2n, 1n], weights: [ONE, 50n * ONE, ONE] }
  expect(() => quote(tiny, 0, 1, 10n ** 8n)).toThrow(expect.objectContaining({ code: 'TOO_SMALL' }))
})

test('a price that rounds to the same as before is accepted', () => {
  // One token in 10^27: the price is zero in 18 decimals, before and after.
  const steep = { ...state, balances: [1_000n, 10n ** 30n, 1n], weights: [ONE, ONE, ONE], swapFee: 0n }
  // 1 of 1,001 is 0.000999000999000999.
  expect(quote(steep, 0, 1, 1n).amountOut).toBe(999_000_999_000_999n * 10n ** 12n)
})

test('an overflow of 256 bits is refused', () => {
  const huge = { ...state, balances: [1n << 250n, 500n * ONE, 1n] }
  expect(() => quote(huge, 0, 1, ONE)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
})

test('rows without a registry are not served', () => {
  const row = { family: 'balancer-v1', brand: 'test', role: 'factory', address }
  expect(balancerV1.rowsOf!(row)).toEqual([])
  const listed = { ...row, contracts: { registry: address } }
  expect(balancerV1.rowsOf!(listed)).toEqual([listed])
})

test('a dividend of 2^256 is refused, as the contract reverts', () => {
  const wordLimit = 1n << 256n
  // The quote divides `balance * ONE + (balance + amount) / 2`, which is exactly 2^256 here.
  const balance = (2n * wordLimit) / (2n * ONE + 1n)
  const amount = 2n * wordLimit - balance * (2n * ONE + 1n)
  const huge = { balances: [balance, 10n ** 30n], weights: [ONE, ONE], swapFee: 0n }
  expect(() => quote(huge, 0, 1, amount)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
  // One less is divided. The input is so small that it buys nothing.
  expect(() => quote(huge, 0, 1, amount - 2n)).toThrow(expect.objectContaining({ code: 'TOO_SMALL' }))
})

test('the series of a power continues after a term of exactly its precision', () => {
  // The 16th term of the square root of this base is 10^8. Without the 17th, 182,897,320,584,196,277,000 would be paid.
  const base = 667_656_788_637_207_645n
  const halfPower = { balances: [base, 1_000n * ONE], weights: [ONE, 2n * ONE], swapFee: 0n }
  expect(quote(halfPower, 0, 1, ONE - base).amountOut).toBe(182_897_320_614_498_158_000n)
})
