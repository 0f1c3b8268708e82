import { expect, test } from 'vitest'
import { nextPollMs } from './poll-schedule.ts'

/** Looks at a chain that makes blocks at these times, and how late each block is noticed. */
function looks(
  blocksAt: readonly number[],
  endMs: number,
  { pollMs = 2_000, blockMs = 12_000, requestsAt = [] as readonly number[], isWatched = false } = {},
) {
  let count = 0
  let seen = 0
  let seenAt = 0
  const late: number[] = []
  for (let now = 0; now < endMs; ) {
    count++
    const there = blocksAt.filter((at) => at <= now).length
    for (; seen < there; seen++) {
      late.push(now - blocksAt[seen]!)
      seenAt = now
    }
    const asked = requestsAt.findLast((at) => at <= now) ?? Number.NEGATIVE_INFINITY
    now += nextPollMs({ pollMs, blockMs, sinceBlockMs: now - seenAt, sinceRequestMs: now - asked, isWatched })
  }
  return { count, late }
}
const every = (ms: number, endMs: number) => Array.from({ length: Math.floor(endMs / ms) }, (_, k) => (k + 1) * ms)
const HOUR = 3_600_000

test('a chain in use with a block every 12 s costs hardly more than a look a block, which is noticed soon', () => {
  const { count, late } = looks(every(12_000, HOUR), HOUR, { requestsAt: [0, ...every(10_000, HOUR)] })
  expect(count).toBeLessThan(2.2 * 300)
  expect(Math.max(...late)).toBeLessThanOrEqual(2_000)
})

test('while somebody waits for blocks it is looked for as often as ever', () => {
  expect(looks(every(12_000, HOUR), HOUR, { isWatched: true }).count).toBe(1_800)
})

test('a chain that rests costs three looks in 30 s after a while, and two in three minutes in the end', () => {
  const requestsAt = every(60_000, HOUR)
  const local = { pollMs: 500, blockMs: 1_000, requestsAt }
  const after = (ms: number) => looks([0], ms, local).count
  expect(after(40_000) - after(10_000)).toBeLessThanOrEqual(4)
  expect(after(HOUR)).toBeLessThanOrEqual(100)
})

test('a chain that nobody asks for is followed some blocks at a time, never more than can be undone', () => {
  const { count, late } = looks(every(12_000, HOUR), HOUR)
  expect(count).toBeLessThanOrEqual(125)
  expect(Math.max(...late)).toBeLessThanOrEqual(30_000)
  const fast = looks(every(250, 600_000), 600_000, { pollMs: 200, blockMs: 250 })
  expect(Math.max(...fast.late)).toBeLessThanOrEqual(16 * 250)
})
