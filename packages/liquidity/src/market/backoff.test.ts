/** Tests of the backoff by blocks. */
import { expect, test } from 'vitest'
import { Backoff } from './backoff.ts'

test('repeated failures are retried at growing intervals, up to a limit', () => {
  const backoff = new Backoff(8)
  const attempts: number[] = []
  for (let block = 100; block < 140; block++) {
    if (!backoff.isDue('a', block)) continue
    attempts.push(block)
    backoff.recordFailure('a', block)
  }
  expect(attempts).toEqual([100, 101, 103, 107, 115, 123, 131, 139])
})

test('an item that succeeded or was never tried is due at once', () => {
  const backoff = new Backoff(8)
  backoff.recordFailure('a', 5)
  backoff.recordFailure('a', 6)
  expect(backoff.isDue('a', 7)).toBe(false)
  expect(backoff.isDue('b', 7)).toBe(true)
  backoff.recordSuccess('a')
  expect(backoff.isDue('a', 7)).toBe(true)
})
