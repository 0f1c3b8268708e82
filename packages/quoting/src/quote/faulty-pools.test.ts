import { toAddress } from '@sluice/chains'
import type { Leg } from '@sluice/routing'
import { expect, test } from 'vitest'
import { FaultyPools } from './faulty-pools.ts'

const NOW = 1_800_000_000
const [X, Y] = [...'12'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [never, never]
const legOf = (id: string, amountIn = 100n, tokenIn = X, tokenOut = Y) =>
  ({ pool: { id, tokens: [X, Y] }, tokenIn, tokenOut, amountIn }) as unknown as Leg
/** A leg that fails from an input on, from any by default, and works with half of it. */
const failed = (id: string, minFailingInput = 0n, tokenIn = X, tokenOut = Y) => ({
  ...legOf(id, 100n, tokenIn, tokenOut),
  minFailingInput,
  maxWorkingInput: minFailingInput / 2n,
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
  faults.record([failed('b', 100n)], NOW)
  expect(faults.inputLimitsAt(NOW - 1)).toEqual([])
})

test('a swap that failed for its size is limited to what worked, in its direction only', () => {
  const faults = new FaultyPools()
  faults.record([failed('a', 100n)], NOW)
  expect(faults.idsAt(NOW)).toEqual([])
  const limit = { poolId: 'a', tokenIn: X, tokenOut: Y }
  expect(faults.inputLimitsAt(NOW)).toEqual([{ ...limit, maxInput: 50n }])
  // The smallest amount that fails counts, in whichever order they were tried.
  for (const [amount, maxInput] of [
    [120n, 50n],
    [90n, 45n],
  ] as const) {
    faults.record([failed('a', amount)], NOW)
    expect(faults.inputLimitsAt(NOW)).toEqual([{ ...limit, maxInput }])
  }
  faults.record([failed('a', 0n, Y, X)], NOW)
  expect(faults.inputLimitsAt(NOW)).toEqual([{ ...limit, maxInput: 45n }])
  expect(faults.idsAt(NOW)).toEqual(['a'])
  expect(faults.inputLimitsAt(NOW + 30)).toEqual([])
})

test('a pool of several tokens is avoided in the direction that fails only', () => {
  const faults = new FaultyPools()
  const pool = { id: 'a', tokens: [X, Y, toAddress(`0x${'3'.repeat(40)}`)] } as never
  faults.record([{ ...failed('a'), pool }], NOW)
  expect(faults.idsAt(NOW)).toEqual([])
  expect(faults.inputLimitsAt(NOW)).toEqual([{ poolId: 'a', tokenIn: X, tokenOut: Y, maxInput: 0n }])
  expect(faults.inputLimitsAt(NOW + 30)).toEqual([])
})

test('a pool whose state changes is used again', () => {
  const faults = new FaultyPools()
  faults.record([failed('a'), failed('b')], NOW)
  faults.forgetChanged({ changedIds: ['a', 'c'] })
  expect(faults.idsAt(NOW)).toEqual(['b'])
  // Unknown changes may concern every pool.
  faults.forgetChanged({ changedIds: null })
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
  for (const token of directions) faults.record([failed('a', 2n, X, token)], NOW)
  expect(faults.inputLimitsAt(NOW)).toHaveLength(12)
})
