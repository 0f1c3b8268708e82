/** Tests at which blocks pools whose refresh failed are read again. */
import { expect, test } from 'vitest'
import { LOST_POOLS, NEW_POOLS, RefreshRetries } from './refresh-retries.ts'

test('a pool is due after 1, 2, 4, … blocks, at most 1,024, until it has a state', () => {
  const retries = new RefreshRetries(LOST_POOLS)
  retries.recordFailures(['a'], 10)
  const attempts: number[] = []
  for (let block = 10; block < 4_200; block++)
    for (const id of retries.takeDue(block, () => true)) {
      attempts.push(block)
      retries.recordFailures([id], block)
    }
  expect(attempts).toEqual([11, 13, 17, 25, 41, 73, 137, 265, 521, 1_033, 2_057, 3_081, 4_105])
  expect(retries.takeDue(9_000, () => false)).toEqual([])
  expect(retries.takeDue(9_000, () => true)).toEqual([])
  retries.recordFailures(['a'], 9_000)
  expect(retries.takeDue(9_001, () => true)).toEqual(['a'])
})

test('at most eight pools are due at a block, and at most a thousand wait', () => {
  const retries = new RefreshRetries(LOST_POOLS)
  retries.recordFailures(
    Array.from({ length: 2_000 }, (_, k) => `${k}`),
    1,
  )
  const readIds = new Set<string>()
  for (let block = 2; block < 200; block++) {
    const ids = retries.takeDue(block, (id) => !readIds.has(id))
    expect(ids.length).toBeLessThanOrEqual(8)
    for (const id of ids) readIds.add(id)
  }
  expect(readIds.size).toBe(1_000)
})

test('a pool that never had a state is tried again eight times, and at most 500 such pools wait', () => {
  const retries = new RefreshRetries(NEW_POOLS)
  retries.recordFailures(['a'], 10)
  const attempts: number[] = []
  for (let block = 10; block < 2_000; block++)
    for (const id of retries.takeDue(block, () => true)) {
      attempts.push(block)
      retries.recordFailures([id], block)
    }
  expect(attempts).toEqual([11, 13, 17, 25, 41, 73, 137, 265])
  expect(retries.isWaiting('a')).toBe(false)
  const ids = Array.from({ length: 600 }, (_, k) => `${k}`)
  retries.recordFailures(ids, 1)
  expect(ids.filter((id) => retries.isWaiting(id))).toHaveLength(500)
})
