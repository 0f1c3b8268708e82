import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { growingPause } from './poll.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('pauses double from 50 to 500 ms', async () => {
  const pause = growingPause()
  const pauses: number[] = []
  for (let k = 0; k < 6; k++) {
    const from = Date.now()
    const end = pause()
    await vi.runAllTimersAsync()
    await end
    pauses.push(Date.now() - from)
  }
  expect(pauses).toEqual([50, 100, 200, 400, 500, 500])
})
