import { expect, test } from 'vitest'
import { AdaptiveRate } from './adaptive-rate.ts'

/**
 * Simulates an endpoint that is called as fast as its rate limit allows. `answers` decides whether a call is answered.
 */
function run(answers: (ms: number) => boolean, { demand = 200, seconds = 20, retryAfterMs = 0 } = {}) {
  const clock = { ms: 0 }
  const rate = new AdaptiveRate(() => clock.ms)
  const counts = { answered: 0, refused: 0 }
  let owed = 0
  for (; clock.ms < seconds * 1_000; clock.ms += 5) {
    owed = Math.min(demand, owed + (demand * 5) / 1_000)
    while (owed >= 1 && rate.waitMs(true) === 0) {
      owed--
      rate.recordSent(1)
      const answered = answers(clock.ms)
      if (answered) rate.recordAnswered(1)
      else rate.recordRefused(1, retryAfterMs)
      // Measure only the second half, after convergence.
      if (clock.ms > seconds * 500) counts[answered ? 'answered' : 'refused']++
    }
  }
  return { ...counts, rate, clock }
}

/** Answers at most this many calls per second and refuses the rest. */
function limitOf(perSecond: number) {
  let level = perSecond
  let at = 0
  return (ms: number) => {
    level = Math.min(perSecond, level + (perSecond * (ms - at)) / 1_000)
    at = ms
    if (level < 1) return false
    level--
    return true
  }
}

test('nothing is held back as long as nothing is refused', () => {
  expect(run(() => true).answered).toBeGreaterThan(1_900)
})

test.each([5, 20, 60, 200])(
  'an endpoint with a limit of %i calls a second is asked as often, its limit is used, and hardly ever exceeded',
  (limit) => {
    const { answered, refused } = run(limitOf(limit), { seconds: 60, demand: 2 * limit + 40 })
    expect(answered).toBeGreaterThan(0.9 * 30 * limit)
    expect(refused).toBeLessThan(0.1 * answered)
  },
)

test.each([3, 10])('an endpoint that refuses one call in %i however it is asked is not slowed to a crawl', (share) => {
  let turn = 0
  const { answered } = run(() => ++turn % share !== 0, { demand: 100 })
  expect(answered).toBeGreaterThan(500)
})

test('one that asks to be left alone is, but for a rare request that a quote waits for, and is used when that is answered', () => {
  const { rate, clock } = run(() => false, { seconds: 4, retryAfterMs: 10_000 })
  expect(rate.waitMs(false)).toBeGreaterThan(5_000)
  clock.ms += 2_100
  expect(rate.waitMs(true)).toBe(0)
  rate.recordSent(1)
  expect(rate.waitMs(true)).toBeGreaterThan(5_000)
  rate.recordAnswered(1)
  expect(rate.waitMs(true)).toBeLessThan(200)
})
