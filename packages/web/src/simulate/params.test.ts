import { expect, test } from 'vitest'
import { readSimulateParams } from './params.ts'

test('numbers that the router parsed keep their text', () => {
  expect(readSimulateParams({ chain: 1, amountIn: 1_000_000, block: 23 })).toEqual({
    chain: 1,
    amountIn: '1000000',
    block: '23',
  })
})

test('a fraction of a base unit is not truncated to another amount', () => {
  expect(readSimulateParams({ amountIn: 1.5 })).toEqual({ amountIn: '1.5' })
})

test('invalid parameters are dropped', () => {
  expect(readSimulateParams({ chain: 'x', from: '', to: 'a'.repeat(101), tokenIn: {} })).toEqual({})
})
