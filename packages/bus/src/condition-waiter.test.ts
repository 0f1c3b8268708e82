/** Tests of callers that wait for conditions. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ConditionWaiter } from './condition-waiter.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const late = () => new Error('late')

test('a condition that holds ends the wait at once, one that does not at the next change that fulfills it', async () => {
  const waiter = new ConditionWaiter()
  await waiter.waitUntil(() => true, 100, late)
  let value = 0
  let isDone = false
  const waiting = waiter
    .waitUntil(() => value === 2, 100, late)
    .then(() => {
      isDone = true
    })
  for (value = 1; value < 2; value++) waiter.check()
  await Promise.resolve()
  expect(isDone).toBe(false)
  waiter.check()
  await waiting
  expect(isDone).toBe(true)
})

test('a condition is not checked after its wait', async () => {
  const waiter = new ConditionWaiter()
  let checks = 0
  await waiter.waitUntil(() => ++checks > 0, 100, late)
  waiter.check()
  expect(checks).toBe(1)
})

test('a wait ends at its timeout, or when the caller gives up', async () => {
  const waiter = new ConditionWaiter()
  const timedOut = expect(waiter.waitUntil(() => false, 100, late)).rejects.toThrow('late')
  await vi.advanceTimersByTimeAsync(100)
  await timedOut
  const controller = new AbortController()
  const aborted = expect(waiter.waitUntil(() => false, 100, late, controller.signal)).rejects.toThrow('gone')
  controller.abort(new Error('gone'))
  await aborted
})

test('after the end, waits for conditions that do not hold fail, and others succeed', async () => {
  const waiter = new ConditionWaiter()
  const waiting = expect(waiter.waitUntil(() => false, 100, late)).rejects.toThrow('stopped')
  waiter.stop(new Error('stopped'))
  await waiting
  await expect(waiter.waitUntil(() => false, 100, late)).rejects.toThrow('stopped')
  await waiter.waitUntil(() => true, 100, late)
})
