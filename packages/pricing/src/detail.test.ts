/** Tests the sources, the confidence, and the missing prices of details. */
import type { Pool } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { detailOf, noPrice, noPriceReason } from './detail.ts'
import type { PricedToken } from './token.ts'

const observed = (id: string, value: number, weight: number) => ({ pool: { id } as Pool, value, weight })
const sourcesOf = (observations: readonly ReturnType<typeof observed>[]) =>
  detailOf({ price: 2, evidence: 1e6 }, observations, 1, 1e6).sources.map(({ pool, weight }) => [pool.id, weight])

describe('the sources of a price', () => {
  test('are the three heaviest pools, with their shares of the weight of all', () => {
    const observations = [observed('a', 2, 100), observed('b', 2, 400), observed('c', 2, 200), observed('d', 2, 300)]
    expect(sourcesOf(observations)).toEqual([
      ['b', 0.4],
      ['d', 0.3],
      ['c', 0.2],
    ])
  })

  test('leave out pools of less than a tenth of the greatest weight', () => {
    expect(sourcesOf([observed('a', 2, 100), observed('b', 2, 10)])).toEqual([
      ['a', 100 / 110],
      ['b', 10 / 110],
    ])
    expect(sourcesOf([observed('a', 2, 100), observed('b', 2, 9.9)])).toEqual([['a', 1]])
  })

  test('of the same weight are ordered by price, then by id', () => {
    const observations = [observed('c', 2, 5), observed('b', 3, 5), observed('d', 1, 5), observed('a', 2, 5)]
    for (const order of [observations, observations.toReversed()])
      expect(sourcesOf(order).map(([id]) => id)).toEqual(['d', 'a', 'c'])
  })

  test('have prices of whole tokens', () => {
    const { usd, sources } = detailOf({ price: 2, evidence: 1e6 }, [observed('a', 3, 5)], 1_000, 1e6)
    expect([usd, sources[0]!.usd]).toEqual([2_000, 3_000])
  })
})

describe('the confidence', () => {
  const confidence = (evidence: number, depthUsd: number, ...values: readonly (readonly [number, number])[]) =>
    detailOf(
      { price: 100, evidence },
      values.map(([value, weight], k) => observed(String(k), value, weight)),
      1,
      depthUsd,
    ).confidence

  test('is half with 10,000 dollars behind the price, by evidence or depth', () => {
    expect(confidence(10_000, 1e9, [100, 1])).toBe(0.5)
    expect(confidence(1e9, 10_000, [100, 1])).toBe(0.5)
    expect(confidence(30_000, 1e9, [100, 1])).toBe(0.75)
    expect(confidence(1e9, 0)).toBe(0)
  })

  test('falls with the weighted distance of the pools from the price, to zero at 5 %', () => {
    expect(confidence(10_000, 1e9, [101, 1], [100, 1])).toBeCloseTo(0.45, 9)
    expect(confidence(10_000, 1e9, [98, 3], [100, 1])).toBeCloseTo(0.35, 9)
    expect(confidence(10_000, 1e9, [104, 1], [96, 1])).toBeCloseTo(0.1, 9)
    expect(confidence(10_000, 1e9, [106, 1], [100, 0.01])).toBe(0)
  })
})

test('a missing price has its reason and no numbers', () =>
  expect(noPrice('unsellable')).toEqual({
    ...{ usd: null, depthUsd: null, confidence: 0, sources: [], reason: 'unsellable' },
  }))

test.each([
  ['no pools', [], 'no-anchor'],
  ['pools without a level', [[0, 0], [0]], 'no-anchor'],
  [
    'a pool of a token with a level',
    [
      [0, 0],
      [0, 1],
    ],
    'below-floor',
  ],
] as const)('a token with %s has the right reason', (_, levels, expected) => {
  const pricedPools = levels.map((pool) => ({ tokens: pool.map((finalLevel) => ({ finalLevel })) }))
  expect(noPriceReason({ pricedPools } as unknown as PricedToken)).toBe(expected)
})
