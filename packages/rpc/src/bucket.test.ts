import { expect, test } from 'vitest'
import { TokenBucket } from './bucket.ts'

function world(rate: number, burst: number) {
  const clock = { ms: 5_000 }
  return { clock, bucket: new TokenBucket(rate, burst, () => clock.ms) }
}

test('a bucket starts full and is empty once its burst is taken', () => {
  const { bucket } = world(10, 4)
  expect(bucket.waitMs()).toBe(0)
  bucket.take(3.5)
  expect(bucket.waitMs()).toBe(0)
  bucket.take(0.5)
  // The level must rise above 0, so the wait is the millisecond after it is reached.
  expect(bucket.waitMs()).toBe(1)
})

test('a debt is paid at the rate', () => {
  const { bucket, clock } = world(10, 4)
  bucket.take(7)
  expect(bucket.waitMs()).toBe(301)
  clock.ms += 300
  expect(bucket.waitMs()).toBe(1)
  clock.ms += 1
  expect(bucket.waitMs()).toBe(0)
})

test('a wait is rounded up', () => {
  const { bucket } = world(3, 1)
  bucket.take(2)
  expect(bucket.waitMs()).toBe(335)
})

test('a reserve must be left over', () => {
  const { bucket, clock } = world(10, 4)
  bucket.take(2)
  expect([bucket.waitMs(1), bucket.waitMs(2), bucket.waitMs(3)]).toEqual([0, 1, 101])
  clock.ms += 101
  expect(bucket.waitMs(3)).toBe(0)
})

test('unused time fills the bucket up to its burst', () => {
  const { bucket, clock } = world(10, 4)
  bucket.take(4)
  clock.ms += 200
  bucket.take(1)
  expect([bucket.waitMs(0), bucket.waitMs(1)]).toEqual([0, 1])
  clock.ms += 3_600_000
  expect([bucket.waitMs(3.9), bucket.waitMs(4)]).toEqual([0, 1])
})

test('what is taken is counted from the level at that time', () => {
  const { bucket, clock } = world(10, 4)
  bucket.take(4)
  clock.ms += 1_000
  bucket.take(10)
  expect(bucket.waitMs()).toBe(601)
})

test('a clock that is set back gives and takes nothing', () => {
  const { bucket, clock } = world(10, 4)
  bucket.take(6)
  clock.ms -= 2_000
  expect(bucket.waitMs()).toBe(201)
  clock.ms += 100
  expect(bucket.waitMs()).toBe(101)
})

test('a rate that changes holds from then on', () => {
  const { bucket } = world(10, 4)
  bucket.take(6)
  bucket.rate = 100
  expect(bucket.waitMs()).toBe(21)
})
