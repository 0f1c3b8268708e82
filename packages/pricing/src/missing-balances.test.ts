import { expect, test } from 'vitest'
import { MissingBalances } from './missing-balances.ts'
import type { PoolView } from './pool-view.ts'

const view: PoolView = {
  reserves: [100, 200, 300],
  pairs: [
    { i: 0, j: 1, midPrice: 2, backingI: 80, backingJ: 160 },
    { i: 1, j: 2, midPrice: 1.5, backingI: 150, backingJ: 225 },
  ],
  fee: 0.003,
}

test('a pool shows what it can pay, in its reserves and behind its prices', () => {
  const lacking = new MissingBalances()
  expect(lacking.applyTo('pool', view)).toBe(view)
  expect(lacking.set('pool', [0, 100, 0])).toBe(true)
  expect(lacking.applyTo('pool', view)).toEqual({
    reserves: [100, 100, 300],
    pairs: [
      { i: 0, j: 1, midPrice: 2, backingI: 80, backingJ: 100 },
      { i: 1, j: 2, midPrice: 1.5, backingI: 100, backingJ: 225 },
    ],
    fee: 0.003,
  })
  expect(lacking.applyTo('other', view)).toBe(view)
})

test('a pair has no price if one of its sides is all missing', () => {
  const lacking = new MissingBalances()
  lacking.set('pool', [0, 0, 301])
  const { reserves, pairs } = lacking.applyTo('pool', view)
  expect(reserves).toEqual([100, 200, 0])
  expect(pairs).toEqual([view.pairs[0]])
  lacking.set('pool', [100])
  expect(lacking.applyTo('pool', view).pairs).toEqual([view.pairs[1]])
})

test('only another amount is new, and nothing missing is forgotten', () => {
  const lacking = new MissingBalances()
  expect(lacking.set('pool', [0, 0])).toBe(false)
  expect(lacking.set('pool', [1, 0])).toBe(true)
  expect(lacking.set('pool', [1, 0])).toBe(false)
  expect(lacking.set('pool', [1, 2])).toBe(true)
  expect(lacking.set('pool', [0, 0])).toBe(true)
  expect(lacking.applyTo('pool', view)).toBe(view)
  expect(lacking.set('pool', [0, 0])).toBe(false)
})
