/** Tests of the batching of background work. */
import { expect, test } from 'vitest'
import { BackgroundQueue } from './background-queue.ts'

test('deferred work runs once and in order, soon or at a flush', async () => {
  const backgroundQueue = new BackgroundQueue()
  const done: number[] = []
  for (const k of [1, 2]) backgroundQueue.add(() => done.push(k))
  expect(done).toEqual([])
  backgroundQueue.flush()
  backgroundQueue.add(() => done.push(3))
  expect(done).toEqual([1, 2])
  await expect.poll(() => done).toEqual([1, 2, 3])
})

test('a thousand deferred functions run at once', () => {
  const backgroundQueue = new BackgroundQueue()
  let done = 0
  for (let k = 0; k < 1_000; k++) backgroundQueue.add(() => done++)
  expect(done).toBe(1_000)
})

test('a task that throws does not keep the others of its batch from running', () => {
  const backgroundQueue = new BackgroundQueue()
  const done: number[] = []
  for (const k of [1, 2, 3])
    backgroundQueue.add(() => {
      if (k === 2) throw new Error('no')
      done.push(k)
    })
  expect(() => backgroundQueue.flush()).toThrow('no')
  expect(done).toEqual([1, 3])
  backgroundQueue.flush()
  expect(done).toEqual([1, 3])
})
