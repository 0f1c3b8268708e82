import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { SwapQuote } from '../quote/finalize.ts'
import { isSameQuote, isSameRoute } from './update.ts'

const testAddress = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const leg = {
  pool: { id: 'pool' },
  tokenIn: testAddress('1'),
  tokenOut: testAddress('2'),
  amountIn: 10n,
  amountOut: 9n,
}
const route = { amountIn: 10n, amountOut: 9n, legs: [leg] }
const quote = (overrides: object = {}, ofRoute: object = {}, ofLeg: object = {}) =>
  ({
    ...{ amountOut: 9n, minOutput: 8n, warnings: ['thin'], gasEstimate: 100_000n },
    route: { ...route, legs: [{ ...leg, ...ofLeg }], ...ofRoute },
    ...overrides,
  }) as unknown as SwapQuote

test('a quote that differs in gas only is the same answer', () => {
  expect(isSameQuote(quote(), quote({ gasEstimate: 200_000n, gasCostWei: 5n }))).toBe(true)
})

test.each([
  ['the output', quote({ amountOut: 10n })],
  ['the minimum output', quote({ minOutput: 7n })],
  ['a warning', quote({ warnings: [] })],
  ['the input of the route', quote({}, { amountIn: 11n })],
  ['the output of the route', quote({}, { amountOut: 10n })],
  ['one more leg', quote({}, { legs: [leg, leg] })],
  ['one leg fewer', quote({}, { legs: [] })],
  ['the pool of a leg', quote({}, {}, { pool: { id: 'other' } })],
  ['the input token of a leg', quote({}, {}, { tokenIn: testAddress('3') })],
  ['the output token of a leg', quote({}, {}, { tokenOut: testAddress('3') })],
  ['the input of a leg', quote({}, {}, { amountIn: 11n })],
  ['the output of a leg', quote({}, {}, { amountOut: 8n })],
])('a difference in %s makes another answer', (_, other) => {
  expect(isSameQuote(quote(), other)).toBe(false)
  expect(isSameQuote(other, quote())).toBe(false)
})

test('routes are compared by their legs and amounts', () => {
  expect(isSameRoute(quote().route, quote({ amountOut: 1n }).route)).toBe(true)
  expect(isSameRoute(quote().route, quote({}, {}, { amountOut: 8n }).route)).toBe(false)
})
