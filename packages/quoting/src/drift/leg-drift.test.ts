import { type Address, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import type { Leg } from '@sluice/routing'
import { describe, expect, test } from 'vitest'
import { changePpm, poolDrift, sharesOf } from './leg-drift.ts'

const [A, B, C, WETH] = ['a', 'b', 'c', 'd'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  ...[Address, Address, Address, Address],
]
const E18 = 10n ** 18n
const pair = (reserve0: bigint, reserve1: bigint, feePpm = 3_000): Pool => ({
  ...{ id: 'p', address: A, family: 'uniswap-v2', dex: 'test', tokens: [A, B], state: { reserve0, reserve1, feePpm } },
})
const hop = { tokenIn: A, tokenOut: B, amountIn: E18 }
const before = pair(1_000n * E18, 1_000n * E18)
const NO_DRIFT = { ppm: 0, unexplainedPpm: 0, unexplainedGainPpm: 0 }

describe('the drift of a pool', () => {
  test('is zero if nothing changed, or nothing was paid', () => {
    expect(poolDrift(before, before, hop)).toEqual(NO_DRIFT)
    expect(poolDrift(pair(0n, 0n), before, hop)).toEqual(NO_DRIFT)
    expect(poolDrift(before, pair(2_000n * E18, 1_000n * E18), { ...hop, amountIn: 0n })).toEqual(NO_DRIFT)
  })

  test('is zero for an input that is too small to be paid before, even if the pool pays for it later', () => {
    const tiny = { ...hop, amountIn: 1n }
    expect(poolDrift(pair(1_000n, 1_000n, 500_000), pair(182n, 10_030n, 0), tiny)).toEqual(NO_DRIFT)
  })

  test('is a total loss if the pool is gone', () => {
    expect(poolDrift(before, undefined, hop)).toEqual({ ppm: -1e6, unexplainedPpm: -1e6, unexplainedGainPpm: 0 })
  })

  test('from trades is explained, in both directions', () => {
    const sold = pair(1_010n * E18, 1_000n * E18 - 9_871_580_343_970_612_987n)
    const down = poolDrift(before, sold, hop)
    expect(down.ppm).toBeLessThan(-15_000)
    expect(down.unexplainedPpm).toBeGreaterThan(-1)
    expect(down.unexplainedGainPpm).toBe(0)
    const bought = pair(1_000n * E18 - 9_871_580_343_970_612_987n, 1_010n * E18)
    const up = poolDrift(before, bought, hop)
    expect(up.ppm).toBeGreaterThan(15_000)
    expect(up.unexplainedGainPpm).toBeLessThan(1)
    expect(up.unexplainedPpm).toBe(0)
  })

  test('from a changed fee or liquidity is unexplained', () => {
    const higherFee = poolDrift(before, pair(1_000n * E18, 1_000n * E18, 10_000), hop)
    expect(higherFee.ppm).toBeLessThan(-6_000)
    expect(higherFee.unexplainedPpm).toBe(higherFee.ppm)
    const lowerFee = poolDrift(before, pair(1_000n * E18, 1_000n * E18, 0), hop)
    expect(lowerFee.ppm).toBeGreaterThan(2_000)
    expect(lowerFee).toMatchObject({ unexplainedGainPpm: lowerFee.ppm, unexplainedPpm: 0 })
    const removed = poolDrift(before, pair(500n * E18, 500n * E18), hop)
    expect(removed.ppm).toBeLessThan(0)
    expect(removed.unexplainedPpm).toBe(removed.ppm)
  })
})

test('a change is in ppm of the first amount, and zero if that is zero', () => {
  expect([changePpm(1_000n, 1_001n), changePpm(1_000n, 0n), changePpm(0n, 5n)]).toEqual([1_000, -1e6, 0])
})

describe('shares of a trade', () => {
  const leg = (tokenIn: Address, tokenOut: Address, amountIn: bigint) => ({ tokenIn, tokenOut, amountIn }) as Leg

  test('add up to the input, and pass through intermediate tokens', () => {
    const legs = [leg(A, B, 30n), leg(A, C, 70n), leg(C, B, 500n), leg(B, WETH, 1n), leg(B, WETH, 3n)]
    expect(sharesOf({ tokenIn: A, legs })).toEqual([0.3, 0.7, 0.7, 0.25, 0.75])
  })

  test('of native input cover the native token and its wrapper together', () => {
    const legs = [leg(ZERO_ADDRESS, B, 30n), leg(WETH, C, 70n), leg(C, B, 5n)]
    expect(sharesOf({ tokenIn: NATIVE, legs })).toEqual([0.3, 0.7, 0.7])
  })

  test('are zero for a leg without inflow or without input', () => {
    expect(sharesOf({ tokenIn: A, legs: [leg(B, C, 5n), leg(A, C, 0n)] })).toEqual([0, 0])
  })
})
