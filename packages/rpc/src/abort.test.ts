import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { Abort, abortable, onAbort } from './abort.ts'

test('an action comes once, at once where the signal has aborted, and not once it is taken back', () => {
  const controller = new AbortController()
  let first = 0
  let second = 0
  onAbort(controller.signal, () => first++)
  const detach = onAbort(controller.signal, () => second++)
  detach()
  controller.abort()
  onAbort(controller.signal, () => first++)
  onAbort(undefined, () => first++)
  expect({ first, second }).toEqual({ first: 2, second: 0 })
})

test('a promise is waited for until the caller gives up, and its own end counts when it comes first', async () => {
  const controller = new AbortController()
  const reason = new Error('gave up')
  const never = abortable(new Promise(() => {}), controller.signal)
  const done = abortable(Promise.resolve(1), controller.signal)
  expect(await done).toBe(1)
  controller.abort(reason)
  await expect(never).rejects.toBe(reason)
  await expect(abortable(Promise.resolve(1), controller.signal)).rejects.toBe(reason)
})

test('a promise that has ended leaves no listener at a signal that many callers share', async () => {
  const { signal } = new AbortController()
  const listeners = () => getEventListeners(signal, 'abort').length
  const pending = [Promise.resolve(1), Promise.reject(new Error('failed'))].map((promise) => abortable(promise, signal))
  expect(listeners()).toBe(2)
  await Promise.allSettled(pending)
  expect(listeners()).toBe(0)
})

test('the light signal tells once, those who still listen, with a reason that says it was aborted', () => {
  const abort = new Abort()
  const notifications: string[] = []
  onAbort(abort, () => notifications.push('first'))
  const detach = onAbort(abort, () => notifications.push('second'))
  onAbort(abort, () => detachLast())
  const detachLast = onAbort(abort, () => notifications.push('taken back'))
  detach()
  expect(abort.aborted).toBe(false)
  abort.abort()
  abort.abort()
  onAbort(abort, () => notifications.push('late'))
  expect(notifications).toEqual(['first', 'late'])
  expect(abort.aborted).toBe(true)
  expect(abort.reason).toMatchObject({ name: 'AbortError' })
})
