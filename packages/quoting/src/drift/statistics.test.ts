import type { Pool } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import type { BlocksAfter, SampledLeg } from './sample.ts'
import { DriftStatistics } from './statistics.ts'

const leg = (id: string, ppm: number | null, family = 'uniswap-v2', dex = 'Uniswap'): SampledLeg => ({
  pool: { id, family, dex } as Pool,
  ...{ ppm, unexplainedPpm: 0, unexplainedGainPpm: 0, amountOut: 1n },
})
const sample = (after: BlocksAfter, ppm: number | null, legs: readonly SampledLeg[], reverted = false) => ({
  ...{ after, timestamp: 1, ppm, reverted, legs },
})
const NONE = { samples: 0, wouldRevert: 0, meanBps: null, medianBps: null, worst5Bps: null }

test('statistics are collected by chain, family, brand, and pool, for each of two blocks', () => {
  const statistics = new DriftStatistics()
  statistics.add(sample(1, -100, [leg('a', -200), leg('b', 300, 'curve-stable', 'Curve')]))
  statistics.add(sample(2, -300, [leg('a', -400)], true))
  statistics.recordMissed()
  const { sampleCount, missed, chain, families, brands, pools, withdrawing } = statistics.figures(10)
  expect([sampleCount, missed, withdrawing]).toEqual([2, 1, []])
  expect(chain[1]).toMatchObject({ samples: 1, wouldRevert: 0, meanBps: -1 })
  expect(chain[2]).toMatchObject({ samples: 1, wouldRevert: 1, meanBps: -3 })
  expect(families.map(({ name, after }) => [name, after[1].meanBps, after[2].meanBps])).toEqual([
    ['uniswap-v2', -2, -4],
    ['curve-stable', 3, null],
  ])
  expect(brands.map(({ name, after }) => [name, after[1].samples, after[2].samples])).toEqual([
    ['Uniswap', 1, 1],
    ['Curve', 1, 0],
  ])
  expect(pools.map(({ id, family, dex }) => [id, family, dex])).toEqual([
    ['a', 'uniswap-v2', 'Uniswap'],
    ['b', 'curve-stable', 'Curve'],
  ])
  expect(pools[1]!.after[2]).toEqual(NONE)
  expect(statistics.count.entries).toBe(2)
})

test('entries with the most samples come first, up to the limit', () => {
  const statistics = new DriftStatistics()
  for (const [id, times] of [
    ['a', 1],
    ['b', 3],
    ['c', 2],
  ] as const)
    for (let k = 0; k < times; k++) statistics.add(sample(k % 2 === 0 ? 1 : 2, 0, [leg(id, 0, id, id)]))
  const { families, brands, pools } = statistics.figures(2)
  expect(families.map(({ name }) => name)).toEqual(['b', 'c'])
  expect(brands.map(({ name }) => name)).toEqual(['b', 'c'])
  expect(pools.map(({ id }) => id)).toEqual(['b', 'c'])
})

test('a pool counts once per route, and not at all without a measurement', () => {
  const statistics = new DriftStatistics()
  statistics.add(sample(2, 0, [leg('a', -100), leg('a', -500), leg('b', null)]))
  const { families, pools } = statistics.figures(10)
  expect(families[0]!.after[2].samples).toBe(2)
  expect(pools.map(({ id, after }) => [id, after[2].samples, after[2].meanBps])).toEqual([['a', 1, -1]])
})

test('the measured loss of a pool is that two blocks later', () => {
  const statistics = new DriftStatistics()
  expect(statistics.measuredDrift('a')).toBeUndefined()
  statistics.add(sample(1, 0, [leg('a', -900)]))
  expect(statistics.measuredDrift('a')).toEqual({ samples: 0, worstPpm: 0 })
  statistics.add(sample(2, 0, [leg('a', -500)]))
  expect(statistics.measuredDrift('a')).toEqual({ samples: 1, worstPpm: -500 })
})

test('statistics of a thousand pools are kept', () => {
  const statistics = new DriftStatistics()
  for (let k = 0; k <= 1_000; k++) statistics.add(sample(1, 0, [leg(`${k}`, 0)]))
  expect(statistics.count).toEqual({ entries: 1_000, evicted: 1 })
  expect(statistics.measuredDrift('0')).toBeUndefined()
})
