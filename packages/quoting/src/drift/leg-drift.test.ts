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
const STILL = { ppm: 0, unexplainedPpm: 0, givenPpm: 0 }

describe('the drift of a pool', () => {
  test('is none where nothing changed, or nothing was paid', () => {
    expect(poolDrift(before, before, hop)).toEqual(STILL)
    expect(poolDrift(pair(0n, 0n), before, hop)).toEqual(STILL)
    expect(poolDrift(before, pair(2_000n * E18, 1_000n * E18), { ...hop, amountIn: 0n })).toEqual(STILL)
  })

  test('is all of it where the pool is gone', () => {
    expect(poolDrift(before, undefined, hop)).toEqual({ ppm: -1e6, unexplainedPpm: -1e6, givenPpm: 0 })
  })

  test('by trades of others is explained, in either direction', () => {
    const sold = pair(1_010n * E18, 1_000n * E18 - 9_871_580_343_970_612_987n)
    const down = poolDrift(before, sold, hop)
    expect(down.ppm).toBeLessThan(-15_000)
    expect(down.unexplainedPpm).toBeGreaterThan(-1)
    expect(down.givenPpm).toBe(0)
    const bought = pair(1_000n * E18 - 9_871_580_343_970_612_987n, 1_010n * E18)
    const up = poolDrift(before, bought, hop)
    expect(up.ppm).toBeGreaterThan(15_000)
    expect(up.givenPpm).toBeLessThan(1)
    expect(up.unexplainedPpm).toBe(0)
  })

  test('by a fee or liquidity that somebody changed is not', () => {
    const dearer = poolDrift(before, pair(1_000n * E18, 1_000n * E18, 10_000), hop)
    expect(dearer.ppm).toBeLessThan(-6_000)
    expect(dearer.unexplainedPpm).toBe(dearer.ppm)
    const cheaper = poolDrift(before, pair(1_000n * E18, 1_000n * E18, 0), hop)
    expect(cheaper.ppm).toBeGreaterThan(2_000)
    expect(cheaper).toMatchObject({ givenPpm: cheaper.ppm, unexplainedPpm: 0 })
    const withdrawn = poolDrift(before, pair(500n * E18, 500n * E18), hop)
    expect(withdrawn.ppm).toBeLessThan(0)
    expect(withdrawn.unexplainedPpm).toBe(withdrawn.ppm)
  })
})

test('a change is in parts per million of the first amount, and none of nothing', () => {
  expect([changePpm(1_000n, 1_001n), changePpm(1_000n, 0n), changePpm(0n, 5n)]).toEqual([1_000, -1e6, 0])
})

describe('shares of an order', () => {
  const leg = (tokenIn: Address, tokenOut: Address, amountIn: bigint) => ({ tokenIn, tokenOut, amountIn }) as Leg

  test('are those of the input, and pass on through what comes between', () => {
    const legs = [leg(A, B, 30n), leg(A, C, 70n), leg(C, B, 500n), leg(B, WETH, 1n), leg(B, WETH, 3n)]
    expect(sharesOf({ tokenIn: A, legs })).toEqual([0.3, 0.7, 0.7, 0.25, 0.75])
  })

  test('of native input are of the token and its wrapper together', () => {
    const legs = [leg(ZERO_ADDRESS, B, 30n), leg(WETH, C, 70n), leg(C, B, 5n)]
    expect(sharesOf({ tokenIn: NATIVE, legs })).toEqual([0.3, 0.7, 0.7])
  })

  test('of a leg that nothing flows into, or that takes nothing, are none', () => {
    expect(sharesOf({ tokenIn: A, legs: [leg(B, C, 5n), leg(A, C, 0n)] })).toEqual([0, 0])
  })
})
