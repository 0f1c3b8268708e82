import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { endsInTime } from './in-time.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([
  ['a result', async () => 1, true],
  ['no result', async () => undefined, true],
  ['false', async () => false, false],
  ['an error', () => Promise.reject(new Error('no')), false],
])('work that ends with %s: %s', async (_, work, expected) => {
  expect(await endsInTime(work(), 100)).toBe(expected)
  expect(vi.getTimerCount()).toBe(0)
})

test('work that takes longer does not end in time', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const [short, long] = [endsInTime(promise, 100), endsInTime(promise, 101)]
  await vi.advanceTimersByTimeAsync(100)
  resolve()
  expect(await Promise.all([short, long])).toEqual([false, true])
})
