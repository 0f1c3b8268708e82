import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { repeat } from './timing.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a task runs after each interval, one at a time, and no more once it is aborted', async () => {
  const controller = new AbortController()
  let runs = 0
  const task = async () => {
    runs++
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  const ended = repeat(task, 1_000, controller.signal)
  await vi.advanceTimersByTimeAsync(999)
  expect(runs).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(runs).toBe(1)
  await vi.advanceTimersByTimeAsync(1_499)
  expect(runs).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(runs).toBe(2)
  await vi.advanceTimersByTimeAsync(700)
  controller.abort()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(runs).toBe(2)
  await ended
})
