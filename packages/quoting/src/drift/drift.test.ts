import { type Address, toAddress } from '@sluice/chains'
import { familyOf, type Pool, type UniswapV2State } from '@sluice/liquidity'
import type { Leg } from '@sluice/routing'
import { expect, test } from 'vitest'
import { CallShare } from './call-share.ts'
import { poolDrift, sharesOf } from './leg-drift.ts'
import { Tally } from './tally.ts'

const token = (byte: string) => toAddress(`0x${byte.repeat(20)}`)
const [A, B, C] = [token('aa'), token('bb'), token('cc')]
const E18 = 10n ** 18n

const pair = (reserve0: bigint, reserve1: bigint): Pool => ({
  ...{ id: token('11'), address: token('11'), family: 'uniswap-v2', dex: 'Test', tokens: [A, B] },
  state: { reserve0, reserve1, feePpm: 3_000 } satisfies UniswapV2State,
})
const hop = { tokenIn: A, tokenOut: B, amountIn: E18 }
const swapped = (pool: Pool, tokenIn: Address, tokenOut: Address, amount: bigint): Pool => ({
  ...pool,
  state: familyOf('uniswap-v2')!.quoteExactInput(pool, tokenIn, tokenOut, amount).state,
})

test('a trade explains the move of a pool', () => {
  const before = pair(1_000n * E18, 2_000n * E18)
  const against = poolDrift(before, swapped(before, A, B, 20n * E18), hop)
  expect(against.ppm).toBeLessThan(-30_000)
  expect(against.unexplainedPpm).toBeGreaterThan(-1)
  const infavour = poolDrift(before, swapped(before, B, A, 40n * E18), hop)
  expect(infavour.ppm).toBeGreaterThan(30_000)
  expect(infavour.unexplainedPpm).toBe(0)
})

test('a loss without a trade is unexplained: a changed price, removed liquidity, or a removed pool', () => {
  const before = pair(1_000n * E18, 2_000n * E18)
  const worse = poolDrift(before, pair(1_000n * E18, 1_900n * E18), hop)
  expect(worse.ppm).toBeCloseTo(-50_000, -1)
  expect(worse.unexplainedPpm).toBe(worse.ppm)
  const thinner = poolDrift(before, pair(100n * E18, 200n * E18), hop)
  expect(thinner.unexplainedPpm).toBeLessThan(-8_000)
  expect(poolDrift(before, undefined, hop)).toEqual({
    ppm: -1_000_000,
    unexplainedPpm: -1_000_000,
    unexplainedGainPpm: 0,
  })
  expect(poolDrift(before, before, hop)).toEqual({ ppm: 0, unexplainedPpm: 0, unexplainedGainPpm: 0 })
  // Added liquidity, and then a trade together with removed liquidity.
  expect(poolDrift(before, pair(2_000n * E18, 4_000n * E18), hop).unexplainedPpm).toBe(0)
  const { reserve0, reserve1 } = swapped(before, A, B, 10n * E18).state as UniswapV2State
  expect(poolDrift(before, pair(reserve0, (reserve1 * 9n) / 10n), hop).unexplainedPpm).toBeLessThan(-80_000)
})

test('shares of legs follow the flow through intermediate tokens', () => {
  const leg = (tokenIn: Address, tokenOut: Address, amountIn: bigint) =>
    ({ ...{ tokenIn, tokenOut, amountIn, amountOut: 1n, num: 1n, den: 1n, gas: 0 }, pool: pair(1n, 1n) }) as Leg
  const legs = [leg(A, B, 30n), leg(A, C, 70n), leg(B, C, 5n)]
  expect(sharesOf({ tokenIn: A, legs })).toEqual([0.3, 0.7, 0.3])
  expect(sharesOf({ tokenIn: A, legs: [leg(A, B, 9n), leg(B, C, 1n), leg(B, C, 3n)] })).toEqual([1, 0.25, 0.75])
})

test('a window drops old samples', () => {
  const tally = new Tally(4)
  expect(tally.figures).toEqual({ samples: 0, wouldRevert: 0, meanBps: null, medianBps: null, worst5Bps: null })
  for (const ppm of [-900_000, 100, 200, null, 300]) tally.add({ ppm, reverted: ppm === null })
  expect(tally.figures).toEqual({ samples: 4, wouldRevert: 0.25, meanBps: 2, medianBps: 2, worst5Bps: 1 })
})

test('calls are granted up to the share, and owed calls are paid back first', () => {
  const share = new CallShare(0.01)
  expect(share.takeCalls(1)).toBe(false)
  let granted = 0
  for (let call = 0; call < 100_000; call++) {
    share.creditCalls(1)
    if (share.takeCalls(2)) granted += 2
  }
  expect(granted).toBeLessThanOrEqual(1_000)
  expect(granted).toBeGreaterThan(990)
  share.creditCalls(1_000_000)
  let burst = 0
  while (share.takeCalls(1)) burst++
  expect(burst).toBe(50)
  share.recordExtra(10)
  share.creditCalls(500)
  expect(share.takeCalls(1)).toBe(false)
  expect(new CallShare(0).isOff).toBe(true)
})
