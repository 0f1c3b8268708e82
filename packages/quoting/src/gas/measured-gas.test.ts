import { toAddress } from '@sluice/chains'
import type { MeasuredHop } from '@sluice/routing'
import { expect, test } from 'vitest'
import { MeasuredGas } from './measured-gas.ts'

const [one, two] = ['11', '22'].map((byte) => toAddress(`0x${byte.repeat(20)}`))
const hop: MeasuredHop = { tokenIn: one!, tokenOut: two!, first: 3, middle: 2, last: 1 }
const HOUR = 3_600

test('a pool is measured once, again when its state changed ten minutes ago, and after hours in any case', () => {
  const gas = new MeasuredGas()
  expect(gas.isDue('a', 0)).toBe(true)
  gas.observe('a', [hop], 0)
  gas.follow({ changed: ['b'] })
  expect(gas.isDue('a', 600)).toBe(false)
  gas.follow({ changed: ['a'] })
  expect(gas.isDue('a', 599)).toBe(false)
  expect(gas.isDue('a', 600)).toBe(true)
  gas.observe('a', [hop], 600)
  expect(gas.isDue('a', 1_200)).toBe(false)
  expect(gas.isDue('a', 600 + 6 * HOUR)).toBe(true)
  // A block that is not known to leave anything as it was, and a clock that was set back.
  gas.follow({ changed: null })
  expect(gas.isDue('a', 1_200)).toBe(true)
  expect(gas.isDue('a', -6 * HOUR)).toBe(true)
})

test('a pool that cannot be measured keeps what simulations taught, and is not tried at every quote', () => {
  const gas = new MeasuredGas()
  const learned = new Map([['a', 9_000]])
  gas.observe('a', [], 0)
  expect(gas.over(learned)).toBe(learned)
  expect(gas.over(undefined)).toBeUndefined()
  expect(gas.isDue('a', 1)).toBe(false)
  gas.observe('b', [hop], 0)
  expect(gas.over(learned)).toEqual(
    new Map<string, number | readonly MeasuredHop[]>([
      ['a', 9_000],
      ['b', [hop]],
    ]),
  )
})

test('searches are told the same object until something changes, which threads are sent once', () => {
  const gas = new MeasuredGas()
  const learned = new Map([['a', 9_000]])
  gas.observe('a', [hop], 0)
  const first = gas.over(learned)
  expect(gas.over(learned)).toBe(first)
  // What was measured counts more than what was learned.
  expect(first!.get('a')).toEqual([hop])
  const second = gas.over(new Map(learned))
  expect(second).not.toBe(first)
  gas.observe('c', [hop], 0)
  expect(gas.over(learned)!.has('c')).toBe(true)
  expect(gas.hop('c', one!, two!)).toEqual(hop)
  expect(gas.hop('c', two!, one!)).toBeUndefined()
})

test('the pools that are remembered are limited', () => {
  const gas = new MeasuredGas()
  for (let k = 0; k < 5_000; k++) gas.observe(`${k}`, [hop], 0)
  expect(gas.count.entries).toBe(2_048)
  expect(gas.over(undefined)!.size).toBe(2_048)
})
