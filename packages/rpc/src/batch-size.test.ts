import { expect, test } from 'vitest'
import { BatchSize } from './batch-size.ts'

function world(max = 40) {
  const clock = { ms: 1_000 }
  return { clock, batch: new BatchSize(max, () => clock.ms) }
}

test('a batch that was too large is halved, and down to one call at least', () => {
  const { batch } = world()
  expect(batch.size).toBe(40)
  batch.recordTooLarge(21)
  expect(batch.size).toBe(10)
  batch.recordTooLarge(3)
  expect(batch.size).toBe(1)
  batch.recordTooLarge(1)
  expect(batch.size).toBe(1)
})

test('a refusal of a batch larger than what is allowed now does not raise the size', () => {
  const { batch } = world()
  batch.recordTooLarge(8)
  batch.recordTooLarge(40)
  expect(batch.size).toBe(4)
})

test('a certain refusal counts at once, a possible one the second time in a row', () => {
  const { batch } = world()
  batch.recordRefusal(false)
  expect(batch.size).toBe(40)
  batch.recordSuccess()
  batch.recordRefusal(false)
  expect(batch.size).toBe(40)
  batch.recordRefusal(false)
  expect(batch.size).toBe(1)
  const certain = world().batch
  certain.recordRefusal(true)
  expect(certain.size).toBe(1)
})

test('strikes are counted anew after a reduction', () => {
  const { batch, clock } = world()
  batch.recordRefusal(false)
  batch.recordTooLarge(40)
  batch.recordRefusal(false)
  expect(batch.size).toBe(20)
  clock.ms += 60_000
  expect(batch.size).toBe(40)
})

test('the size doubles each minute until it is whole again', () => {
  const { batch, clock } = world()
  batch.recordTooLarge(20)
  clock.ms += 59_999
  expect(batch.size).toBe(10)
  clock.ms += 1
  expect(batch.size).toBe(20)
  expect(batch.size).toBe(20)
  clock.ms += 59_999
  expect(batch.size).toBe(20)
  clock.ms += 1
  expect(batch.size).toBe(40)
  clock.ms += 60_000
  expect(batch.size).toBe(40)
})

test('the size does not double beyond its maximum', () => {
  const { batch, clock } = world(50)
  batch.recordTooLarge(60)
  expect(batch.size).toBe(30)
  clock.ms += 60_000
  expect(batch.size).toBe(50)
})

/** Milliseconds, in steps of ten seconds, until more than one call is allowed. */
function untilRetried({ batch, clock }: ReturnType<typeof world>): number {
  const start = clock.ms
  while (batch.size === 1) clock.ms += 10_000
  return clock.ms - start
}

test('refusals right after a retry double the pause up to ten minutes, which a full batch that works resets', () => {
  const two = world(2)
  const pauses = Array.from({ length: 6 }, () => {
    two.batch.recordRefusal(true)
    return untilRetried(two)
  })
  expect(pauses).toEqual([60_000, 120_000, 240_000, 480_000, 600_000, 600_000])
  expect(two.batch.size).toBe(2)
  two.batch.recordSuccess()
  two.batch.recordRefusal(true)
  // The refusal itself doubles the pause of a minute.
  expect(untilRetried(two)).toBe(120_000)
})

test('a smaller batch that works leaves the pause as long as it was', () => {
  const four = world(4)
  four.batch.recordRefusal(true)
  expect(untilRetried(four)).toBe(60_000)
  four.batch.recordRefusal(true)
  expect(untilRetried(four)).toBe(120_000)
  four.batch.recordSuccess()
  four.batch.recordRefusal(true)
  expect(untilRetried(four)).toBe(240_000)
})

test('a repeated refusal while single calls are sent, and one of the size only, do not lengthen the pause', () => {
  const { batch, clock } = world(8)
  batch.recordRefusal(true)
  batch.recordRefusal(true)
  batch.recordRefusal(true)
  expect(untilRetried({ batch, clock })).toBe(60_000)
  const sized = world(8)
  sized.batch.recordTooLarge(8)
  sized.batch.recordTooLarge(4)
  sized.clock.ms += 60_000
  expect(sized.batch.size).toBe(4)
})

test('three batches lost in a row were too large, if single calls are answered meanwhile', () => {
  const { batch } = world()
  const lose = (count: number) => {
    for (let k = 0; k < count; k++) batch.recordLost(20)
  }
  // Answers before the first loss show nothing, and without answers the endpoint is down.
  batch.recordSingleAnswer()
  lose(5)
  expect(batch.size).toBe(40)
  batch.recordSingleAnswer()
  batch.recordSuccess()
  lose(2)
  batch.recordSingleAnswer()
  expect(batch.size).toBe(40)
  lose(1)
  expect(batch.size).toBe(10)
  // The count starts again.
  lose(2)
  batch.recordSingleAnswer()
  expect(batch.size).toBe(10)
})
