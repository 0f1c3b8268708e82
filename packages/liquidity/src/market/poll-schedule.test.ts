/** Tests of the poll schedule, on simulated chains. */
import { expect, test } from 'vitest'
import { nextPollMs } from './poll-schedule.ts'

/**
 * Simulates polls of a chain with blocks at these times. Returns the number of polls, and the delay with which each
 * block was noticed.
 */
function simulate(
  blocksAt: readonly number[],
  endMs: number,
  { pollMs = 2_000, blockMs = 12_000, requestsAt = [] as readonly number[], isWatched = false } = {},
) {
  let count = 0
  let observedCount = 0
  let seenAt = 0
  const delays: number[] = []
  for (let now = 0; now < endMs; ) {
    count++
    const available = blocksAt.filter((at) => at <= now).length
    for (; observedCount < available; observedCount++) {
      delays.push(now - blocksAt[observedCount]!)
      seenAt = now
    }
    const lastRequest = requestsAt.findLast((at) => at <= now) ?? Number.NEGATIVE_INFINITY
    now += nextPollMs({ pollMs, blockMs, sinceBlockMs: now - seenAt, sinceRequestMs: now - lastRequest, isWatched })
  }
  return { count, delays }
}
const every = (ms: number, endMs: number) => Array.from({ length: Math.floor(endMs / ms) }, (_, k) => (k + 1) * ms)
const HOUR = 3_600_000

test('a chain in use with a block every 12 s needs about two polls per block, and notices it within 2 s', () => {
  const { count, delays } = simulate(every(12_000, HOUR), HOUR, { requestsAt: [0, ...every(10_000, HOUR)] })
  expect(count).toBeLessThan(2.2 * 300)
  expect(Math.max(...delays)).toBeLessThanOrEqual(2_000)
})

test('a watched chain is polled at the shortest interval', () => {
  expect(simulate(every(12_000, HOUR), HOUR, { isWatched: true }).count).toBe(1_800)
})

test('a chain without new blocks is polled ever less often', () => {
  const requestsAt = every(60_000, HOUR)
  const local = { pollMs: 500, blockMs: 1_000, requestsAt }
  const after = (ms: number) => simulate([0], ms, local).count
  expect(after(40_000) - after(10_000)).toBeLessThanOrEqual(4)
  expect(after(HOUR)).toBeLessThanOrEqual(100)
})

test('a chain without requests is followed several blocks at a time, never more than the history holds', () => {
  const { count, delays } = simulate(every(12_000, HOUR), HOUR)
  expect(count).toBeLessThanOrEqual(125)
  expect(Math.max(...delays)).toBeLessThanOrEqual(30_000)
  const fast = simulate(every(250, 600_000), 600_000, { pollMs: 200, blockMs: 250 })
  expect(Math.max(...fast.delays)).toBeLessThanOrEqual(16 * 250)
})
