import { toAddress } from '@sluice/chains'
import type { Leg } from '@sluice/routing'
import { expect, test } from 'vitest'
import { FaultyPools } from './faulty-pools.ts'

const NOW = 1_800_000_000
const [X, Y, Z] = [...'123'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [never, never, never]
const legOf = (id: string, amountIn = 100n, tokenIn = X, tokenOut = Y) =>
  ({ pool: { id }, tokenIn, tokenOut, amountIn }) as unknown as Leg
/** A leg that fails from an input on; from any by default. */
const failed = (id: string, minFailing = 0n, tokenIn = X, tokenOut = Y) => ({
  ...legOf(id, 100n, tokenIn, tokenOut),
  minFailing,
})

test('a pool is avoided for half a minute, and twice as long after each further failure, up to eight minutes', () => {
  const faults = new FaultyPools()
  let now = NOW
  for (const seconds of [30, 60, 120, 240, 480, 480]) {
    faults.record([failed('a')], now)
    expect(faults.idsAt(now)).toEqual(['a'])
    expect(faults.idsAt(now + seconds - 1)).toEqual(['a'])
    now += seconds
    expect(faults.idsAt(now)).toEqual([])
    expect(faults.fails(legOf('a'), now)).toBe(false)
  }
})

test('a failure while the pool is avoided does not extend the time', () => {
  const faults = new FaultyPools()
  faults.record([failed('a')], NOW)
  faults.record([failed('a'), failed('b')], NOW + 29)
  expect(faults.idsAt(NOW + 29).toSorted()).toEqual(['a', 'b'])
  expect(faults.idsAt(NOW + 30)).toEqual(['b'])
})

test('a block before the failure avoids nothing', () => {
  const faults = new FaultyPools()
  faults.record([failed('a')], NOW)
  expect(faults.idsAt(NOW - 1)).toEqual([])
  expect(faults.fails(legOf('a'), NOW - 1)).toBe(false)
})

test('a swap that failed for its size fails at that size and above, in its direction only', () => {
  const faults = new FaultyPools()
  faults.record([failed('a', 100n)], NOW)
  expect(faults.idsAt(NOW)).toEqual([])
  const fails = (...leg: Parameters<typeof legOf>) => faults.fails(legOf(...leg), NOW)
  expect([99n, 100n, 101n].map((amount) => fails('a', amount))).toEqual([false, true, true])
  expect([fails('a', 100n, Y, X), fails('a', 100n, X, Z), fails('b', 100n)]).toEqual([false, false, false])
  // The least amount counts, in whichever order they were tried.
  for (const [amount, min] of [
    [120n, 100n],
    [90n, 90n],
  ] as const) {
    faults.record([failed('a', amount)], NOW)
    expect([fails('a', min), fails('a', min - 1n)]).toEqual([true, false])
  }
  faults.record([failed('a', 0n, Y, X)], NOW)
  expect([fails('a', 90n), fails('a', 89n), fails('a', 1n, Y, X)]).toEqual([true, false, true])
  expect(faults.idsAt(NOW)).toEqual(['a'])
})

test('a pool whose state changes is used again', () => {
  const faults = new FaultyPools()
  faults.record([failed('a'), failed('b')], NOW)
  faults.follow({ changedIds: ['a', 'c'] })
  expect(faults.idsAt(NOW)).toEqual(['b'])
  // Unknown changes may concern every pool.
  faults.follow({ changedIds: null })
  expect(faults.idsAt(NOW)).toEqual([])
  faults.record([failed('a')], NOW)
  faults.forget()
  expect(faults.count.entries).toBe(0)
})

test('the numbers of pools and of their directions are limited', () => {
  const faults = new FaultyPools()
  faults.record(
    Array.from({ length: 600 }, (_, k) => failed(`pool ${k}`)),
    NOW,
  )
  expect(faults.count).toEqual({ entries: 512, evicted: 88 })
  expect(faults.idsAt(NOW)).not.toContain('pool 87')
  expect(faults.idsAt(NOW)).toContain('pool 88')
  const directions = Array.from({ length: 20 }, (_, k) => toAddress(`0x${String(k + 10).repeat(20)}`) as never)
  for (const token of directions) faults.record([failed('a', 0n, X, token)], NOW)
  expect(directions.filter((token) => faults.fails(legOf('a', 1n, X, token), NOW))).toHaveLength(12)
})
