/** Price data of pools: spot prices follow from balances and weights, computed here on their own. */
import { type Address, toAddress } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { viewPool } from './pool-view.ts'

const ONE = 10n ** 18n
const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const poolOf = (family: string, tokens: readonly Address[], state: unknown): Pool => ({
  ...{ id: family, family, dex: 'test', address: at(9), tokens, state },
})
const balances = [1_000n * ONE, 500n * ONE, 2_000n * ONE]
const weights = [ONE, 2n * ONE, 3n * ONE]
const weighted = (swapFee = 3n * 10n ** 15n) =>
  poolOf('balancer-v1', [at(1), at(2), at(3)], { balances, weights, swapFee })

describe('a weighted pool of three tokens', () => {
  test('has a price for each pair, from balances and weights', () => {
    const { pairs, reserves, fee } = viewPool(weighted())!
    expect(reserves).toEqual(balances.map(Number))
    expect(fee).toBeCloseTo(0.003, 9)
    expect(pairs.map(({ i, j }) => [i, j])).toEqual([
      [0, 1],
      [0, 2],
      [1, 2],
    ])
    for (const { i, j, midPrice } of pairs) {
      const price = Number(balances[j]) / Number(weights[j]) / (Number(balances[i]) / Number(weights[i]))
      expect(midPrice / price, `${i} ${j}`).toBeCloseTo(1, 6)
    }
  })

  test('backs a price by at most its reserves', () => {
    for (const { i, j, backingI, backingJ } of viewPool(weighted())!.pairs) {
      expect(backingI).toBeLessThanOrEqual(Number(balances[i]))
      expect(backingJ).toBeLessThanOrEqual(Number(balances[j]))
      expect(backingI).toBeGreaterThan(Number(balances[i]) / 10)
    }
  })

  test('prices nothing at a fee above 5 percent', () => {
    expect(viewPool(weighted(49n * 10n ** 15n))!.pairs).toHaveLength(3)
    expect(viewPool(weighted(51n * 10n ** 15n))!.pairs).toEqual([])
  })
})

test('a pair is backed by its whole reserves, at the price of its reserves', () => {
  const state = { reserve0: 4_000n * ONE, reserve1: 1_000n * ONE, feePpm: 3_000 }
  const { pairs, reserves } = viewPool(poolOf('uniswap-v2', [at(1), at(2)], state))!
  expect(reserves).toEqual([4e21, 1e21])
  expect(pairs).toHaveLength(1)
  expect(pairs[0]!.midPrice).toBeCloseTo(0.25, 9)
  expect(pairs[0]!.backingI / 4e21).toBeCloseTo(1, 3)
  expect(pairs[0]!.backingJ / 1e21).toBeCloseTo(1, 3)
})

test('a pair above the maximum fee has its reserves and its fee, and no price', () => {
  const state = { reserve0: 4_000n * ONE, reserve1: 1_000n * ONE, feePpm: 50_001 }
  const view = viewPool(poolOf('uniswap-v2', [at(1), at(2)], state))!
  expect([view.reserves, view.pairs]).toEqual([[4e21, 1e21], []])
  expect(view.fee).toBeCloseTo(0.050_001, 9)
  expect(viewPool(poolOf('uniswap-v2', [at(1), at(2)], { ...state, feePpm: 50_000 }))!.pairs).toHaveLength(1)
})

test('a pool of an unknown family, or whose quotes are samples of its own code, has no price data', () => {
  expect(viewPool(poolOf('unknown', [at(1), at(2)], {}))).toBeNull()
  const samples = [[[1_000n, 990n]], [[1_000n, 990n]]]
  expect(
    viewPool(poolOf('maverick-v2', [at(1), at(2)], { samples, focus: [[], []], sold: [0n, 0n], stamp: '' })),
  ).toBeNull()
})
