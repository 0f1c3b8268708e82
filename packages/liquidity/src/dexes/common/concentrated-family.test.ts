/** Tests of the storage writes that quotes of concentrated pools report. */
import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'
import { sqrtRatioAtTick } from '../../math/ticks.ts'
import { concentratedTrade } from './concentrated-family.ts'

const [A, B] = [toAddress(`0x${'1'.repeat(40)}`), toAddress(`0x${'2'.repeat(40)}`)]
const E18 = 10n ** 18n
const SPACING = 60

/** Ten nested positions around price 1, between ticks ±60, ±120, and so on. */
const state: ConcentratedState = {
  sqrtPriceX96: sqrtRatioAtTick(0),
  tick: 0,
  liquidity: 10n * E18,
  feePpm: 3_000,
  tickSpacing: SPACING,
  ticks: Array.from({ length: 21 }, (_, k) => k - 10)
    .filter((k) => k !== 0)
    .map((k) => [k * SPACING, k < 0 ? E18 : -E18] as const),
}
const pool: Pool<ConcentratedState> = {
  id: 'pool',
  family: 'uniswap-v3',
  dex: 'test',
  address: A,
  tokens: [A, B],
  state,
}
const { quoteExactInput } = concentratedTrade<ConcentratedState>('uniswap-v3')

test('quotes report crossed ticks, nearest first, and an oracle write if the tick moved', () => {
  expect(quoteExactInput(pool, B, A, 10n ** 10n).writtenSlots).toBe(undefined)
  expect(quoteExactInput(pool, B, A, E18 / 100n).writtenSlots).toEqual(['oracle'])
  expect(quoteExactInput(pool, B, A, E18 / 20n).writtenSlots).toEqual(['tick 60', 'oracle'])
  expect(quoteExactInput(pool, A, B, E18 / 10n).writtenSlots).toEqual(['tick -60', 'tick -120', 'tick -180', 'oracle'])
  const [firstWrite, ...laterWrites] = quoteExactInput(pool, A, B, 27n * (E18 / 200n)).writtenSlots!
  expect(firstWrite).toBe('tick -60')
  expect(laterWrites.length).toBeLessThan(9)
})

test('quotes of pools without an oracle report only ticks', () => {
  const tradeWithoutOracle = concentratedTrade<ConcentratedState>('uniswap-v4', { observesTicks: false })
  expect(tradeWithoutOracle.quoteExactInput(pool, B, A, E18 / 100n).writtenSlots).toBe(undefined)
  expect(tradeWithoutOracle.quoteExactInput(pool, B, A, E18 / 20n).writtenSlots).toEqual(['tick 60'])
})

test('the input for an output contains the fee of its direction', () => {
  const feePpmOf = (zeroForOne: boolean) => (zeroForOne ? 500 : 10_000)
  const { quoteExactInput, inputFor } = concentratedTrade<ConcentratedState>('uniswap-v3', {
    swapFeePpm: (_state, zeroForOne) => feePpmOf(zeroForOne),
  })
  for (const [tokenIn, tokenOut] of [
    [A, B],
    [B, A],
  ] as const) {
    const amountOut = E18 / 100n
    const amountIn = inputFor!(pool, tokenIn, tokenOut, amountOut)!
    expect(quoteExactInput(pool, tokenIn, tokenOut, amountIn + 4n).amountOut).toBeGreaterThanOrEqual(amountOut)
    expect(quoteExactInput(pool, tokenIn, tokenOut, amountIn - 4n).amountOut).toBeLessThan(amountOut)
  }
})

test('a word of the bitmap costs about one cold slot, far less than a crossed tick', () => {
  const { quoteExactInput } = concentratedTrade<ConcentratedState>('uniswap-v3')
  const wide = (tickSpacing: number): Pool<ConcentratedState> => ({
    ...pool,
    state: {
      ...state,
      tickSpacing,
      liquidity: 10n * E18,
      ticks: [[-60_000, 10n * E18] as const, [60_000, -10n * E18]],
    },
  })
  // The price doubles: 6,931 ticks are 28 words of 256 at a spacing of 1. The first 27 are walked.
  const gasOf = (tickSpacing: number) => quoteExactInput(wide(tickSpacing), B, A, 5n * E18).gas
  const perWord = (gasOf(1) - gasOf(60)) / 27
  expect(perWord).toBeGreaterThan(2_600)
  expect(perWord).toBeLessThan(7_000)
  const [none, one] = [E18 / 100n, E18 / 20n].map((amount) => quoteExactInput(pool, B, A, amount).gas)
  expect(one! - none!).toBeGreaterThan(20_000)
})

test('quotes of pools whose swaps only read the ticks that they cross report no writes', () => {
  const reader = concentratedTrade<ConcentratedState>('solidly-v3', { observesTicks: false, writesCrossedTicks: false })
  expect(reader.quoteExactInput(pool, A, B, E18 / 10n).writtenSlots).toBe(undefined)
})
