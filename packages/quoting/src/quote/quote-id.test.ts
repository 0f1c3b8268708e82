import { toAddress } from '@sluice/chains'
import type { RoutePlan } from '@sluice/routing'
import { expect, test } from 'vitest'
import { quoteId, readQuoteId } from './quote-id.ts'

const testAddress = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const block = { number: 123, hash: `0x${'ab'.repeat(32)}` } as const
const leg = {
  pool: { id: 'pool' },
  tokenIn: testAddress('1'),
  tokenOut: testAddress('2'),
  amountIn: 10n,
  amountOut: 9n,
}
const route = {
  tokenIn: testAddress('1'),
  tokenOut: testAddress('2'),
  amountIn: 10n,
  legs: [leg],
} as unknown as RoutePlan
const trial = { amountOut: 9n, minOutput: 8n }
const id = quoteId(1, block, route, trial)

test('an id contains its chain and block, and equal quotes have equal ids', () => {
  expect(id).toMatch(/^1-123-[0-9a-f]{20}$/)
  expect(quoteId(1, { ...block }, { ...route, legs: [{ ...leg }] as never }, { ...trial })).toBe(id)
  expect(readQuoteId(id)).toEqual({ chainId: 1, block: 123 })
})

test('every difference between quotes changes the id', () => {
  const withLeg = (overrides: object) => ({ ...route, legs: [{ ...leg, ...overrides }] }) as unknown as RoutePlan
  const others = [
    quoteId(2, block, route, trial),
    quoteId(1, { ...block, number: 124 }, route, trial),
    quoteId(1, { ...block, hash: `0x${'ac'.repeat(32)}` }, route, trial),
    quoteId(1, block, { ...route, tokenIn: testAddress('3') }, trial),
    quoteId(1, block, { ...route, tokenOut: testAddress('3') }, trial),
    quoteId(1, block, { ...route, amountIn: 11n }, trial),
    quoteId(1, block, { ...route, legs: [] }, trial),
    quoteId(1, block, { ...route, legs: [...route.legs, ...route.legs] }, trial),
    ...[
      { pool: { id: 'other' } },
      { tokenIn: testAddress('3') },
      { tokenOut: testAddress('3') },
      { amountIn: 11n },
      { amountOut: 8n },
    ].map((more) => quoteId(1, block, withLeg(more), trial)),
    quoteId(1, block, route, { ...trial, amountOut: 10n }),
    quoteId(1, block, route, { ...trial, minOutput: 7n }),
  ]
  expect(new Set([id, ...others]).size).toBe(others.length + 1)
})

test('readQuoteId rejects text that is not an id', () => {
  const digest = 'a'.repeat(20)
  expect(readQuoteId(`10-0-${digest}`)).toEqual({ chainId: 10, block: 0 })
  for (const wrong of [
    '',
    `0-1-${digest}`,
    `01-1-${digest}`,
    `1-1-${digest}a`,
    `1-1-${digest.slice(1)}`,
    `1--${digest}`,
  ])
    expect(readQuoteId(wrong), wrong).toBeNull()
  expect(readQuoteId(`1-1-${'G'.repeat(20)}`)).toBeNull()
  expect(readQuoteId(` ${id}`)).toBeNull()
  expect(readQuoteId(`${'9'.repeat(17)}-1-${digest}`)).toBeNull()
})
