/** Tests how long a stop may take. */
import { expect, test } from 'vitest'
import { maxStopMs } from './stop-time.ts'

test('a process ends 800 ms after its grace period, which is one second by default', () => {
  expect(maxStopMs({})).toBe(1_800)
  expect(maxStopMs({ SHUTDOWN_GRACE_MS: '' })).toBe(1_800)
  expect(maxStopMs({ SHUTDOWN_GRACE_MS: 'soon' })).toBe(1_800)
  expect(maxStopMs({ SHUTDOWN_GRACE_MS: '0' })).toBe(800)
  expect(maxStopMs({ SHUTDOWN_GRACE_MS: '10000' })).toBe(10_800)
})
