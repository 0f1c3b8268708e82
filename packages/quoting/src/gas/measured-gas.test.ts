import { toAddress } from '@sluice/chains'
import type { MeasuredHop } from '@sluice/routing'
import { expect, test } from 'vitest'
import { MeasuredGas } from './measured-gas.ts'

const [one, two] = ['11', '22'].map((byte) => toAddress(`0x${byte.repeat(20)}`))
const hop: MeasuredHop = { tokenIn: one!, tokenOut: two!, first: 3, middle: 2, last: 1 }
const HOUR = 3_600

test('a pool is measured once, again ten minutes later if it changed, and after six hours in any case', () => {
  const gas = new MeasuredGas()
  expect(gas.isDue('a', 0)).toBe(true)
  gas.observe('a', [hop], 0)
  gas.markChanged({ changedIds: ['b'] })
  expect(gas.isDue('a', 600)).toBe(false)
  gas.markChanged({ changedIds: ['a'] })
  expect(gas.isDue('a', 599)).toBe(false)
  expect(gas.isDue('a', 600)).toBe(true)
  gas.observe('a', [hop], 600)
  expect(gas.isDue('a', 1_200)).toBe(false)
  expect(gas.isDue('a', 600 + 6 * HOUR)).toBe(true)
  // A block with unknown changes, and a clock that was set back.
  gas.markChanged({ changedIds: null })
  expect(gas.isDue('a', 1_200)).toBe(true)
  expect(gas.isDue('a', -6 * HOUR)).toBe(true)
})

test('a pool that cannot be measured keeps its learned correction, and is not retried at every quote', () => {
  const gas = new MeasuredGas()
  const learned = new Map([['a', 9_000]])
  gas.observe('a', [], 0)
  expect(gas.mergeWith(learned)).toBe(learned)
  expect(gas.mergeWith(undefined)).toBeUndefined()
  expect(gas.isDue('a', 1)).toBe(false)
  gas.observe('b', [hop], 0)
  expect(gas.mergeWith(learned)).toEqual(
    new Map<string, number | readonly MeasuredHop[]>([
      ['a', 9_000],
      ['b', [hop]],
    ]),
  )
})

test('searches get the same object until something changes, so that threads receive it once', () => {
  const gas = new MeasuredGas()
  const learned = new Map([['a', 9_000]])
  gas.observe('a', [hop], 0)
  const first = gas.mergeWith(learned)
  expect(gas.mergeWith(learned)).toBe(first)
  // Measured gas takes precedence over learned corrections.
  expect(first!.get('a')).toEqual([hop])
  const second = gas.mergeWith(new Map(learned))
  expect(second).not.toBe(first)
  gas.observe('c', [hop], 0)
  expect(gas.mergeWith(learned)!.has('c')).toBe(true)
  expect(gas.measuredHop('c', one!, two!)).toEqual(hop)
  expect(gas.measuredHop('c', two!, one!)).toBeUndefined()
})

test('the number of stored pools is limited', () => {
  const gas = new MeasuredGas()
  for (let k = 0; k < 5_000; k++) gas.observe(`${k}`, [hop], 0)
  expect(gas.count.entries).toBe(2_048)
  expect(gas.mergeWith(undefined)!.size).toBe(2_048)
})
