import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { atOnce, inSlices, recordTask, type Steps, takeLongestTasks } from './slices.ts'

let ms = 0
beforeEach(() => {
  ms = 0
  vi.spyOn(performance, 'now').mockImplementation(() => ms)
  takeLongestTasks()
})
afterEach(() => vi.restoreAllMocks())

/** Steps of the given durations that record when they ran. */
function* steps(sizes: readonly number[], doneSteps: number[] = []): Steps<string> {
  for (const [k, length] of sizes.entries()) {
    ms += length
    doneSteps.push(k)
    if (k < sizes.length - 1) yield
  }
  return 'done'
}

test('work below four milliseconds is done at once', async () => {
  const doneSteps: number[] = []
  const result = inSlices('short', steps([1, 1, 1.9, 0], doneSteps))
  expect(doneSteps).toEqual([0, 1, 2, 3])
  expect(await result).toBe('done')
})

test('work of four milliseconds gives the event loop a turn', async () => {
  const doneSteps: number[] = []
  const result = inSlices('long', steps([1, 3, 2, 2, 0], doneSteps))
  expect(doneSteps).toEqual([0, 1])
  // The next slice runs in the next turn of the event loop.
  await Promise.resolve()
  expect(doneSteps).toEqual([0, 1])
  expect(await result).toBe('done')
  expect(doneSteps).toEqual([0, 1, 2, 3, 4])
  expect(takeLongestTasks()).toEqual(new Map([['long', 4]]))
})

test('the longest slice of each kind is reported once', async () => {
  await inSlices('a', steps([5, 7, 3]))
  await inSlices('a', steps([6]))
  await inSlices('b', steps([2, 0.5]))
  const longest = takeLongestTasks()
  expect(longest).toEqual(new Map(Object.entries({ a: 7, b: 2.5 })))
  expect(takeLongestTasks()).toEqual(new Map())
  expect(longest.size).toBe(2)
})

test('a longer task replaces a shorter one, and one of no time is not noted', () => {
  recordTask('k', 0)
  expect(takeLongestTasks()).toEqual(new Map())
  recordTask('k', 2)
  recordTask('k', 3)
  recordTask('k', 1)
  expect(takeLongestTasks()).toEqual(new Map([['k', 3]]))
})

test('a slice that throws is noted, and its error is passed on', async () => {
  const failing = (function* (): Steps<void> {
    yield
    ms += 9
    throw new Error('broken')
  })()
  await expect(inSlices('failing', failing)).rejects.toThrow('broken')
  expect(takeLongestTasks()).toEqual(new Map([['failing', 9]]))
})

test('work that is done at once has no pause and no note', () => {
  const doneSteps: number[] = []
  expect(atOnce(steps([50, 50, 50], doneSteps))).toBe('done')
  expect(doneSteps).toEqual([0, 1, 2])
  expect(takeLongestTasks()).toEqual(new Map())
})
