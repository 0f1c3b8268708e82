import { NATIVE, toAddress } from '@sluice/chains'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ResolvedRequest } from './request.ts'
import { maxAmountOutFor, outputBeforeSlippage, paysDirectly, releaseTaxPpm, searchAmount } from './search-amount.ts'

const tokenOut = toAddress(`0x${'2'.repeat(40)}`)
const request = (overrides: Partial<ResolvedRequest>) =>
  ({ tokenOut, feePpm: 0n, slippagePpm: 5_000n, ...overrides }) as ResolvedRequest
const taxes = (ppm: bigint, stuck = false) => ({ transferPpm: () => ppm, isStuck: () => stuck })

describe('the pools pay the sender directly', () => {
  test.each([
    ['a taxed token', request({}), taxes(1n), true],
    ['a token that cannot be passed on', request({}), taxes(0n, true), true],
    ['an ordinary token', request({}), taxes(0n), false],
    ['a taxed token with a fee for the caller', request({ feePpm: 1n }), taxes(1n), false],
    ['native', request({ tokenOut: NATIVE }), taxes(1n, true), false],
  ])('%s: %s', (_, swap, taxLookup, expected) => {
    expect(paysDirectly(swap, taxLookup)).toBe(expected)
    expect(releaseTaxPpm(swap, taxLookup)).toBe(expected ? 0n : taxLookup.transferPpm())
  })
})

test('an exact input is searched unchanged', () => {
  expect(searchAmount(request({ amountIn: 77n, amountOut: undefined }), taxes(0n))).toEqual({ amountIn: 77n })
})

/** Applies fee, tax, and slippage as Guard, token, and market do, each rounded down. */
function paidAtWorst(gross: bigint, fee: bigint, tax: bigint, slippage: bigint): bigint {
  const afterFee = gross - (gross * fee) / 1_000_000n
  const afterTax = afterFee - (afterFee * tax) / 1_000_000n
  return (afterTax * (1_000_000n - slippage)) / 1_000_000n
}

test('the searched output is the smallest that leaves the requested one at maximum slippage', () => {
  const ppm = fc.bigInt({ min: 0n, max: 100_000n })
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 24n }), ppm, ppm, ppm, (amountOut, feePpm, tax, slippagePpm) => {
      // With a fee, the output passes the Guard, so that the token taxes it once more.
      const swap = request({ amountOut, feePpm: feePpm + 1n, slippagePpm })
      const amount = searchAmount(swap, taxes(tax)) as { readonly amountOut: bigint }
      const paid = (gross: bigint) => paidAtWorst(gross, swap.feePpm, tax, slippagePpm)
      expect(paid(amount.amountOut)).toBeGreaterThanOrEqual(amountOut)
      expect(paid(amount.amountOut - 1n)).toBeLessThan(amountOut)
      expect(maxAmountOutFor(amount.amountOut, swap, taxes(tax))).toBeGreaterThanOrEqual(amountOut)
    }),
  )
})

test('an exact output of a token that takes all of a transfer is refused if the Guard must pass it on', () => {
  const all = taxes(1_000_000n)
  expect(() => searchAmount(request({ amountOut: 5n, feePpm: 1n }), all)).toThrow(
    expect.objectContaining({ code: 'ROUTE_REVERTED' }),
  )
  // Without a fee, the pools pay the sender.
  expect(searchAmount(request({ amountOut: 5n, slippagePpm: 0n }), all)).toEqual({ amountOut: 5n })
})

test('the searched output grows by the ratio of settled to paid amounts', () => {
  const swap = request({ amountOut: 1_000_000n, slippagePpm: 0n })
  expect(outputBeforeSlippage(1_000_000n, swap)).toBe(1_000_000n)
  expect(searchAmount(swap, taxes(0n))).toEqual({ amountOut: 1_000_000n })
  expect(searchAmount(swap, taxes(0n), [5n, 5n])).toEqual({ amountOut: 1_000_000n })
  expect(searchAmount(swap, taxes(0n), [101n, 100n])).toEqual({ amountOut: 1_010_001n })
})
