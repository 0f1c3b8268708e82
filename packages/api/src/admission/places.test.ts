/** Tests of the concurrency limit. */
import { expect, test } from 'vitest'
import { Places } from './places.ts'

function watched(controlled = 64) {
  let now = 0
  let utilization = 0
  const places = new Places(
    controlled,
    () => utilization,
    () => now,
  )
  return {
    after: (ms: number, busy: number) => {
      now += ms
      utilization = busy
      return places.current
    },
  }
}

test('an idle process allows the maximum number of running tasks', () => {
  const places = watched()
  for (let k = 0; k < 10; k++) expect(places.after(60, 0.9)).toBe(64)
})

test('a busy process allows fewer, at least eight, and more again once it is idle', () => {
  const places = watched()
  expect(places.after(60, 1)).toBe(48)
  expect(places.after(10, 1), 'within a window nothing changes').toBe(48)
  for (let k = 0; k < 10; k++) places.after(60, 1)
  expect(places.after(60, 1)).toBe(8)
  expect(places.after(60, 0.5)).toBe(10)
  expect(places.after(5_000, 0.1)).toBe(64)
})

test('a maximum below eight is not exceeded', () => {
  expect(watched(1).after(60, 1)).toBe(1)
})
