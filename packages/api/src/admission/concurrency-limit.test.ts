/** Tests of the concurrency limit. */
import { expect, test } from 'vitest'
import { ConcurrencyLimit } from './concurrency-limit.ts'

function limitWithLoad(controlled = 64) {
  let now = 0
  let utilization = 0
  const limit = new ConcurrencyLimit(
    controlled,
    () => utilization,
    () => now,
  )
  return {
    after: (ms: number, busy: number) => {
      now += ms
      utilization = busy
      return limit.current
    },
  }
}

test('an idle process allows the maximum number of running tasks', () => {
  const limit = limitWithLoad()
  for (let k = 0; k < 10; k++) expect(limit.after(60, 0.9)).toBe(64)
})

test('a busy process allows fewer, at least eight, and more again once it is idle', () => {
  const limit = limitWithLoad()
  expect(limit.after(60, 1)).toBe(48)
  expect(limit.after(10, 1), 'within a window nothing changes').toBe(48)
  for (let k = 0; k < 10; k++) limit.after(60, 1)
  expect(limit.after(60, 1)).toBe(8)
  expect(limit.after(60, 0.5)).toBe(10)
  expect(limit.after(5_000, 0.1)).toBe(64)
})

test('a maximum below eight is not exceeded', () => {
  expect(limitWithLoad(1).after(60, 1)).toBe(1)
})
