import type { ExactOutputRequest, RouteRequest } from '@sluice/routing'
import { expect, test } from 'vitest'
import { ExpectedWork } from './expected-work.ts'

const input = (amountIn: bigint, tokenIn = 'a', tokenOut = 'b') =>
  ({ tokenIn, tokenOut, amountIn }) as unknown as RouteRequest
const output = (amountOut: bigint) => ({ tokenIn: 'a', tokenOut: 'b', amountOut }) as unknown as ExactOutputRequest

test('the expected work is that of the last search of the pair, for an amount of as many digits', () => {
  const expected = new ExpectedWork()
  expect(expected.unitsFor(input(500n))).toBe(0)
  expected.record(input(500n), 7)
  expect([100n, 999n].map((amount) => expected.unitsFor(input(amount)))).toEqual([7, 7])
  expect([99n, 1_000n].map((amount) => expected.unitsFor(input(amount)))).toEqual([0, 0])
  expected.record(input(300n), 9)
  expect(expected.unitsFor(input(500n))).toBe(9)
})

test('other pairs, the opposite direction, and exact outputs are separate', () => {
  const expected = new ExpectedWork()
  expected.record(input(500n), 7)
  expect(
    [input(500n, 'b', 'a'), input(500n, 'a', 'c'), output(500n)].map((request) => expected.unitsFor(request)),
  ).toEqual([...[0, 0, 0]])
  expected.record(output(500n), 3)
  expect([expected.unitsFor(output(500n)), expected.unitsFor(input(500n))]).toEqual([3, 7])
})

test('a thousand searches are remembered', () => {
  const expected = new ExpectedWork()
  for (let k = 0; k <= 1_000; k++) expected.record(input(5n, `${k}`), 1)
  expect([expected.unitsFor(input(5n, '0')), expected.unitsFor(input(5n, '1'))]).toEqual([0, 1])
})
