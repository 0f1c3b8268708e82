/** Limits and exact outputs; known answers of genuine pairs are in vectors/genuine/echodex.json.gz. */
import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { type Pool, PoolRefusal } from '../../family.ts'
import { echodex } from './index.ts'
import type { EchodexState } from './math.ts'

const [A, B, address] = ['a', 'b', 'c'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  Pool['address'],
  Pool['address'],
  Pool['address'],
]
const poolOf = (changes: Partial<EchodexState> = {}): Pool<EchodexState> => ({
  ...{ id: address, family: 'echodex', dex: 'test', address, tokens: [A, B] },
  state: { reserve0: 10n ** 24n, reserve1: 3n * 10n ** 21n, feeToken: null, ...changes },
})
const outputOf = (amountIn: bigint) => echodex.quoteExactInput(poolOf(), A, B, amountIn).amountOut

test('the fee leaves the reserves with the output', () => {
  const { amountOut, state } = echodex.quoteExactInput(poolOf(), A, B, 10n ** 24n)
  expect(state).toEqual({ reserve0: 2n * 10n ** 24n, reserve1: 15n * 10n ** 20n, feeToken: null })
  expect(amountOut).toBe((15n * 10n ** 20n * 997n) / 1_000n)
})

test('the input of an output buys it', () => {
  for (const amountOut of [2n, 333n, 334n, 10n ** 18n, 10n ** 21n]) {
    const amountIn = echodex.inputFor!(poolOf(), A, B, amountOut)!
    expect(outputOf(amountIn)).toBeGreaterThanOrEqual(amountOut)
    expect(outputOf(amountIn - 1n)).toBeLessThan(amountOut)
  }
  expect(echodex.inputFor!(poolOf(), A, B, 3n * 10n ** 21n)).toBeNull()
})

test('an input in the fee token is refused, and an output in it is not', () => {
  const pool = poolOf({ feeToken: 0 })
  expect(() => echodex.quoteExactInput(pool, A, B, 1_000_000n)).toThrow(PoolRefusal)
  expect(echodex.maxInput(pool, A, B)).toBe(0n)
  expect(echodex.priceCurve(pool, A, B).liquidity).toHaveLength(0)
  expect(echodex.inputFor!(pool, A, B, 1n)).toBeNull()
  expect(echodex.quoteExactInput(pool, B, A, 1_000_000n).amountOut).toBeGreaterThan(0n)
})

test('the curve pays what the pair pays', () => {
  const { sqrtPrice, liquidity, keepIn, keepOut } = echodex.priceCurve(poolOf(), A, B)
  const input = 10n ** 23n
  const to = 1 / (1 / sqrtPrice[0]! + (Number(input) * keepIn) / liquidity[0]!)
  expect((liquidity[0]! * (sqrtPrice[0]! - to) * keepOut) / Number(outputOf(input))).toBeCloseTo(1, 12)
})
