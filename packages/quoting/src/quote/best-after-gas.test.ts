import { type Address, toAddress } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import type { Leg, RoutePlan } from '@sluice/routing'
import { expect, test } from 'vitest'
import { bestAfterGas } from './best-after-gas.ts'

const token = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [sold, between, bought] = [token('1'), token('2'), token('3')]
const pool = (id: string, tokens: readonly Address[]): Pool => {
  return { id, family: 'uniswap-v3', dex: 'test', address: token('a'), tokens, state: {} }
}
const leg = (id: string, tokenIn: Address, tokenOut: Address): Leg => {
  const amounts = { num: 1n, den: 1n, amountIn: 1n, amountOut: 1n, gas: 100_000 }
  return { pool: pool(id, [tokenIn, tokenOut]), tokenIn, tokenOut, ...amounts }
}
const [direct, around] = [[leg('4', sold, bought)], [leg('5', sold, between), leg('6', between, bought)]]

/** A route whose gas costs two base units of the output per unit. */
const tried = (legs: readonly Leg[], amountOut: bigint, gasUsed: number, gasCostOut: bigint | null = 200_000n) => {
  const amounts = {
    tokenIn: sold,
    tokenOut: bought,
    amountIn: 1n,
    amountOut,
    midAmountOut: null,
    optimalityGapBps: null,
    optimalityGapNetBps: null,
  }
  const route: RoutePlan = { ...amounts, legs, gas: 100_000, gasCostOut }
  return { route, swap: { data: '0x' as const }, simulation: { gasUsed } }
}

const best = (of: readonly [ReturnType<typeof tried>, ...ReturnType<typeof tried>[]]) =>
  bestAfterGas(of, ({ amountOut }) => amountOut, null)

test('a route with a lower output wins if its measured gas saves more', () => {
  const first = tried(around, 1_000_000n, 300_000)
  const cheap = tried(direct, 900_000n, 200_000)
  const poor = tried(direct, 700_000n, 200_000)
  expect(best([first, cheap, poor])).toBe(cheap)
  expect(best([first, poor])).toBe(first)
})

test('the refund for a balance that is emptied again counts', () => {
  // The Executor holds the intermediate token for a moment, so most of that slot's gas is refunded.
  const first = tried(direct, 1_000_000n, 200_000)
  expect(best([first, tried(around, 1_000_000n, 201_000)]).route.legs).toHaveLength(2)
  expect(best([first, tried(around, 1_000_000n, 260_000)])).toBe(first)
})

test('the first route wins if gas has no price in output units', () => {
  const first = tried(around, 1_000_000n, 300_000, null)
  expect(best([first, tried(direct, 2_000_000n, 100_000, null)])).toBe(first)
})
