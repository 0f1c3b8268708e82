import type { Leg } from '@sluice/routing'
import { defaultGasLimit } from '@sluice/simulation'
import { expect, test } from 'vitest'
import { maxRouteGas, poolsOverGasLimit } from './too-much-gas.ts'

const leg = (id: string, gas: number) => ({ pool: { id }, gas }) as Leg

test('the gas of a route is limited by half a block, by the simulation, and by the gas of a transaction', () => {
  const limit = (gasLimit: bigint, maxGas: bigint) => maxRouteGas(defaultGasLimit({ gasLimit }, maxGas))
  expect(limit(30_000_000n, 100_000_000n)).toBe(12_000_000)
  expect(limit(30_000_000n, 1_000_000n)).toBe(800_000)
  expect(limit(2n ** 50n, 2n ** 50n)).toBe(0.8 * 2 ** 24)
})

test('the most expensive pools are excluded first, with all their legs, until the rest is within the limit', () => {
  const legs = [leg('a', 5), leg('b', 4), leg('b', 3), leg('c', 6), leg('d', 1)]
  expect(poolsOverGasLimit({ gas: 20, legs }, 20)).toEqual([])
  expect(poolsOverGasLimit({ gas: 20, legs }, 19)).toEqual(['b'])
  expect(poolsOverGasLimit({ gas: 20, legs }, 12)).toEqual(['b', 'c'])
  expect(poolsOverGasLimit({ gas: 20, legs }, 0)).toEqual(['b', 'c', 'a', 'd'])
})
