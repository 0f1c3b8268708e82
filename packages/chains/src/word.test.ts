import { expect, test } from 'vitest'
import { wordOf } from './word.ts'

test('only data of exactly one word is a number', () => {
  const max = `0x${'f'.repeat(64)}` as const
  expect([wordOf(`0x${'0'.repeat(63)}1`), wordOf(max)]).toEqual([1n, 2n ** 256n - 1n])
  expect([null, undefined, '0x', '0x1', `${max}00`, max.slice(0, -2)].map((data) => wordOf(data as never))).toEqual(
    Array(6).fill(null),
  )
})
