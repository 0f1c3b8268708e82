import { NATIVE, toAddress } from '@sluice/chains'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DecidedRequest } from './request.ts'
import { paysDirectly, releaseTaxPpm, searchAmount, targetOf, wantedFor } from './search-amount.ts'

const tokenOut = toAddress(`0x${'2'.repeat(40)}`)
const request = (more: Partial<DecidedRequest>) =>
  ({ tokenOut, feePpm: 0n, slippagePpm: 5_000n, ...more }) as DecidedRequest
const taxes = (ppm: bigint, stuck = false) => ({ transferPpm: () => ppm, isStuck: () => stuck })

describe('the pools pay the sender', () => {
  test.each([
    ['a taxed token', request({}), taxes(1n), true],
    ['a token that cannot be passed on', request({}), taxes(0n, true), true],
    ['an ordinary token', request({}), taxes(0n), false],
    ['a taxed token with a fee for the caller', request({ feePpm: 1n }), taxes(1n), false],
    ['native', request({ tokenOut: NATIVE }), taxes(1n, true), false],
  ])('%s: %s', (_, wish, known, expected) => {
    expect(paysDirectly(wish, known)).toBe(expected)
    expect(releaseTaxPpm(wish, known)).toBe(expected ? 0n : known.transferPpm())
  })
})

test('an input is searched as it is', () => {
  expect(searchAmount(request({ amountIn: 77n, amountOut: undefined }), taxes(0n))).toEqual({ amountIn: 77n })
})

/** As the Guard takes a fee, the token a tax, and the market the slippage, one after the other and each rounded as it is. */
function paidAtWorst(gross: bigint, fee: bigint, tax: bigint, slippage: bigint): bigint {
  const afterFee = gross - (gross * fee) / 1_000_000n
  const afterTax = afterFee - (afterFee * tax) / 1_000_000n
  return (afterTax * (1_000_000n - slippage)) / 1_000_000n
}

test('the output that is searched is the least that pays what is wanted when all slips', () => {
  const ppm = fc.bigInt({ min: 0n, max: 100_000n })
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 24n }), ppm, ppm, ppm, (amountOut, feePpm, tax, slippagePpm) => {
      // A fee keeps the Guard in between, which the tax of the token then meets.
      const wish = request({ amountOut, feePpm: feePpm + 1n, slippagePpm })
      const found = searchAmount(wish, taxes(tax)) as { readonly amountOut: bigint }
      const paid = (gross: bigint) => paidAtWorst(gross, wish.feePpm, tax, slippagePpm)
      expect(paid(found.amountOut)).toBeGreaterThanOrEqual(amountOut)
      expect(paid(found.amountOut - 1n)).toBeLessThan(amountOut)
      expect(wantedFor(found.amountOut, wish, taxes(tax))).toBeGreaterThanOrEqual(amountOut)
    }),
  )
})

test('more is asked of the pools by as much as simulations paid less than was settled', () => {
  const wish = request({ amountOut: 1_000_000n, slippagePpm: 0n })
  expect(targetOf(1_000_000n, wish)).toBe(1_000_000n)
  expect(searchAmount(wish, taxes(0n))).toEqual({ amountOut: 1_000_000n })
  expect(searchAmount(wish, taxes(0n), [5n, 5n])).toEqual({ amountOut: 1_000_000n })
  expect(searchAmount(wish, taxes(0n), [101n, 100n])).toEqual({ amountOut: 1_010_001n })
})
