import { type Address, toAddress } from '@sluice/chains'
import type { Pool, UniswapV2State } from '@sluice/liquidity'
import type { Leg } from '@sluice/routing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AUTO_SLIPPAGE, autoSlippage, type MeasuredDrift } from './auto-slippage.ts'

const token = (byte: string) => toAddress(`0x${byte.repeat(20)}`)
const [A, B, C] = [token('aa'), token('bb'), token('cc')]
const E18 = 10n ** 18n

function leg(tokenIn: Address, tokenOut: Address, feePpm: number, id: string, amountIn = E18): Leg {
  const pool: Pool = {
    ...{ id, address: A, family: 'uniswap-v2', dex: 'Test', tokens: [tokenIn, tokenOut] },
    state: { reserve0: 1_000n * E18, reserve1: 1_000n * E18, feePpm } satisfies UniswapV2State,
  }
  return { pool, tokenIn, tokenOut, amountIn, amountOut: E18, num: 1n, den: 1n, gas: 0 }
}
const of = (legs: readonly Leg[], measured: Readonly<Record<string, MeasuredDrift>> = {}) =>
  Number(autoSlippage({ tokenIn: A, legs }, (id) => measured[id]).ppm)

test('without a measurement the pool fee decides: lowest for tokens of the same value, higher for others', () => {
  expect(of([])).toBe(500)
  expect(of([leg(A, B, 100, 'p')])).toBe(500)
  const usual = of([leg(A, B, 500, 'p')])
  const high = of([leg(A, B, 3_000, 'p')])
  const highest = of([leg(A, B, 10_000, 'p')])
  expect(500 < usual && usual < high && high < 5_000 && high < highest).toBe(true)
})

test('two hops need more than each but less than the sum, and parallel pools no more than one', () => {
  const one = of([leg(A, B, 3_000, 'p')])
  const two = of([leg(A, B, 3_000, 'p'), leg(B, C, 3_000, 'q')])
  expect(two).toBeGreaterThan(one)
  expect(two).toBeLessThan(2 * one)
  expect(of([leg(A, B, 3_000, 'p'), leg(A, B, 3_000, 'q')])).toBe(one)
})

test('pools of one pair move together in both directions, and pools of other pairs do not', () => {
  const together = of([leg(A, B, 3_000, 'p'), leg(A, C, 3_000, 'q'), leg(C, A, 3_000, 'r')])
  const apart = of([leg(A, B, 3_000, 'p'), leg(A, C, 3_000, 'q'), leg(C, B, 3_000, 'r')])
  expect(together).toBeGreaterThan(apart)
})

test('more samples give the measurement more weight', () => {
  const legs = [leg(A, B, 3_000, 'p')]
  const expected = of(legs)
  const stable = [1, 20, 60].map((samples) => of(legs, { p: { samples, worstPpm: 0 } }))
  const volatile = [1, 20, 60].map((samples) => of(legs, { p: { samples, worstPpm: -20_000 } }))
  expect([expected, ...stable]).toEqual([...stable, expected].sort((a, b) => b - a))
  expect([expected, ...volatile]).toEqual([...volatile, expected].sort((a, b) => a - b))
  expect(of(legs, { p: { samples: 60, worstPpm: -1_000_000 } })).toBe(30_000)
})

test('the reason states how many pools were measured', () => {
  const legs = [leg(A, B, 3_000, 'p'), leg(B, C, 3_000, 'q')]
  const { reason } = autoSlippage({ tokenIn: A, legs }, (id) => (id === 'p' ? { samples: 9, worstPpm: -1 } : undefined))
  expect(reason).toContain('measured for 1 of its 2 pools')
})

test('the result stays within its limits for any legs and measurements', () => {
  const end = fc.constantFrom(A, B, C)
  const amount = fc.bigInt({ min: 0n, max: 2n ** 200n })
  const any = fc.tuple(end, end, fc.integer({ min: 0, max: 999_999 }), fc.constantFrom('p', 'q'), amount)
  const drift = fc.record({ samples: fc.nat(60), worstPpm: fc.integer({ min: -1_000_000, max: 0 }) })
  fc.assert(
    fc.property(fc.array(any, { maxLength: 8 }), drift, (legs, p) => {
      const ppm = of(
        legs.filter(([from, to]) => from !== to).map((args) => leg(...args)),
        { p },
      )
      expect(ppm).toBeGreaterThanOrEqual(Number(AUTO_SLIPPAGE.min))
      expect(ppm).toBeLessThanOrEqual(Number(AUTO_SLIPPAGE.max))
    }),
  )
})

test('the reason counts a pool without samples as not measured, and says that wrapping moves no price', () => {
  const reasonOf = (legs: readonly Leg[], samples: number) =>
    autoSlippage({ tokenIn: A, legs }, () => ({ samples, worstPpm: -1 })).reason
  const one = [leg(A, B, 3_000, 'p')]
  expect(reasonOf(one, 1)).toMatch(/measured for 1 of its 1 pool, .* for 0 of its 1 pool$/)
  expect(reasonOf(one, 0)).toMatch(/measured for 0 of its 1 pool, .* for 1 of its 1 pool$/)
  expect(reasonOf([], 1)).toBe('wrapping moves no price')
})
