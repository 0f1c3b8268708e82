/** Tests the rounding of rates, and the share of the fee that leaves the pool. */
import { expect, test } from 'vitest'
import { computeScaledOut, liveBalancesOf, quote } from './math.ts'
import type { PooledState } from './types.ts'

const ONE = 10n ** 18n
const BALANCE = 10n ** 27n
const state: PooledState = {
  ...{ kind: 'weighted', balances: [BALANCE, BALANCE], scaling: [1n, 1n], rates: [ONE, ONE] },
  ...{ weights: [ONE / 2n, ONE / 2n], swapFee: ONE / 100n, aggregateFee: ONE / 2n, bounded: false },
}

test('the aggregate part of the fee leaves the balance of the input token', () => {
  const { amountOut, state: after } = quote(state, 0, 1, 1_000n * ONE)
  // Half of the fee of 10 tokens.
  expect(after.balances).toEqual([BALANCE + 995n * ONE, BALANCE - amountOut])
})

test('the rate of the output token is rounded up if it is not a whole number', () => {
  const amountIn = 10n ** 26n
  for (const [rate, roundedRate] of [
    [2n * ONE, 2n * ONE],
    [2n * ONE + 5n, 2n * ONE + 6n],
  ] as const) {
    const rated = { ...state, rates: [ONE, rate] }
    const scaledOut = computeScaledOut(rated, liveBalancesOf(rated), 0, 1, (amountIn * 99n) / 100n)
    expect(quote(rated, 0, 1, amountIn).amountOut).toBe((scaledOut * ONE) / roundedRate)
  }
})
