import type { Leg } from '@sluice/routing'
import { usualGas } from '@sluice/simulation'
import { expect, test } from 'vitest'
import { mostRouteGas, tooMuchGas } from './too-much-gas.ts'

const leg = (id: string, gas: number) => ({ pool: { id }, gas }) as Leg

test('half a block, what is simulated and what a transaction may take bound the gas of a route', () => {
  const most = (gasLimit: bigint, maxGas: bigint) => mostRouteGas(usualGas({ gasLimit }, maxGas))
  expect(most(30_000_000n, 100_000_000n)).toBe(12_000_000)
  expect(most(30_000_000n, 1_000_000n)).toBe(800_000)
  expect(most(2n ** 50n, 2n ** 50n)).toBe(0.8 * 2 ** 24)
})

test('the dearest pools go first, by all of their legs, until the rest fits', () => {
  const legs = [leg('a', 5), leg('b', 4), leg('b', 3), leg('c', 6), leg('d', 1)]
  expect(tooMuchGas({ gas: 20, legs }, 20)).toEqual([])
  expect(tooMuchGas({ gas: 20, legs }, 19)).toEqual(['b'])
  expect(tooMuchGas({ gas: 20, legs }, 12)).toEqual(['b', 'c'])
  expect(tooMuchGas({ gas: 20, legs }, 0)).toEqual(['b', 'c', 'a', 'd'])
})
