import { expect, test } from 'vitest'
import { HealthTracker } from './health-tracker.ts'

function world(ejectMs = 10_000) {
  const clock = { ms: 50_000 }
  const standing = new HealthTracker(ejectMs, () => clock.ms)
  /** Records failures just far enough apart to count separately. */
  const fail = (count: number, how?: 'silent' | 'late' | 'refused') => {
    for (let k = 0; k < count; k++) {
      clock.ms += 3
      standing.recordFailure(how)
    }
  }
  return { clock, standing, fail }
}

test('an endpoint of which nothing is known is believed to answer', () => {
  const { standing, clock } = world()
  expect(standing).toMatchObject({ successRate: 1, isEjected: false, isDown: false, isDead: false, msSinceSuccess: 0 })
  clock.ms += 70
  expect(standing.msSinceSuccess).toBe(70)
  standing.recordSuccess()
  expect([standing.msSinceSuccess, standing.successRate]).toEqual([0, 1])
})

test('each outcome counts a tenth, and half of the failures is forgotten in half a minute', () => {
  const { standing, clock } = world()
  standing.recordFailure()
  expect(standing.successRate).toBeCloseTo(0.9, 12)
  standing.recordLoss()
  expect(standing.successRate).toBeCloseTo(0.81, 12)
  standing.recordSuccess()
  expect(standing.successRate).toBeCloseTo(0.829, 12)
  clock.ms += 30_000
  expect(standing.successRate).toBeCloseTo(1 - 0.171 / 2, 12)
  clock.ms += 30_000
  standing.recordLoss()
  expect(standing.successRate).toBeCloseTo(0.9 * (1 - 0.171 / 4), 12)
})

test('failures of the same three milliseconds count once', () => {
  const { standing, clock } = world()
  standing.recordFailure()
  clock.ms += 2
  standing.recordFailure()
  expect(standing.successRate).toBeCloseTo(0.9, 4)
  clock.ms += 1
  standing.recordFailure()
  expect(standing.successRate).toBeCloseTo(0.81, 4)
})

test('three failures in a row mean that it is down, until it works', () => {
  const { standing, fail } = world()
  fail(2)
  expect([standing.isDown, standing.isEjected]).toEqual([false, false])
  standing.recordLoss()
  expect(standing.isDown).toBe(false)
  fail(1)
  expect([standing.isDown, standing.isEjected]).toEqual([true, true])
  standing.recordSuccess()
  expect([standing.isDown, standing.isEjected]).toEqual([false, false])
  fail(2)
  expect(standing.isDown).toBe(false)
})

test('two requests without any answer over three seconds mean that it is dead', () => {
  const { standing, clock } = world()
  standing.recordFailure()
  clock.ms += 2_000
  expect(standing.isDead).toBe(false)
  standing.recordFailure()
  clock.ms += 999
  expect(standing.isDead).toBe(false)
  clock.ms += 1
  expect(standing.isDead).toBe(true)
  standing.recordReply()
  expect(standing.isDead).toBe(false)
  standing.recordFailure()
  clock.ms += 10_000
  expect(standing.isDead).toBe(false)
  standing.recordFailure()
  expect(standing.isDead).toBe(true)
  standing.recordSuccess()
  expect(standing.isDead).toBe(false)
  standing.recordFailure()
  clock.ms += 10_000
  expect(standing.isDead).toBe(false)
})

test('a refusal is an answer, a late request neither an answer nor silence', () => {
  const { standing, clock, fail } = world()
  fail(2)
  clock.ms += 5_000
  fail(1, 'late')
  expect(standing.isDead).toBe(true)
  fail(1, 'refused')
  expect(standing.isDead).toBe(false)
  fail(1, 'silent')
  fail(5, 'late')
  clock.ms += 5_000
  expect(standing.isDead).toBe(false)
})

test('it is passed over for a time that doubles with each failure after it', () => {
  const { standing, clock, fail } = world(40_000)
  fail(3)
  for (const ms of [40_000, 80_000, 120_000, 120_000]) {
    clock.ms += ms - 1
    expect(standing.isEjected).toBe(true)
    clock.ms += 1
    expect(standing.isEjected).toBe(false)
    standing.recordFailure()
  }
  standing.recordSuccess()
  fail(3)
  clock.ms += 40_000
  expect(standing.isEjected).toBe(false)
})

test('the time doubles ten times at most', () => {
  const { standing, clock } = world(1)
  const lengths = Array.from({ length: 13 }, () => {
    standing.eject()
    const start = clock.ms
    while (standing.isEjected) clock.ms++
    return clock.ms - start
  })
  expect(lengths).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_024, 1_024])
})

test('failures while it is passed over do not lengthen that', () => {
  const { standing, clock, fail } = world()
  fail(3)
  clock.ms += 9_997
  standing.recordFailure()
  expect(standing.isEjected).toBe(true)
  clock.ms += 3
  expect(standing.isEjected).toBe(false)
})

test('it can be passed over for a given time', () => {
  const { standing, clock } = world()
  standing.eject(60_000)
  clock.ms += 59_999
  expect(standing.isEjected).toBe(true)
  clock.ms += 1
  expect(standing.isEjected).toBe(false)
})

test.each(['late', 'refused'] as const)(
  'one that is %s is passed over only where it answers a fifth or less',
  (how) => {
    const { standing, fail } = world()
    fail(15, how)
    // 0.9 to the power of 15 is 0.206, and to that of 16 0.185.
    expect([standing.isDown, standing.isEjected]).toEqual([true, false])
    fail(1, how)
    expect(standing.isEjected).toBe(true)
  },
)

test('a silence after refusals passes it over at once', () => {
  const { standing, fail } = world()
  fail(2, 'refused')
  fail(1, 'silent')
  expect(standing.isEjected).toBe(true)
})

const took = (standing: HealthTracker, ...samples: readonly number[]) => {
  for (const ms of samples) standing.recordLatency('k', ms)
}

test('times are known from the fourth on', () => {
  const { standing } = world()
  expect(standing.latency('k')).toBeUndefined()
  took(standing, 100, 9, 20)
  expect(standing.latency('k')).toBeUndefined()
  took(standing, 3)
  expect(standing.latency('k')).toEqual({ p50: 20, p95: 100, longest: 100, answeredP90: 100 })
  expect(standing.latency('other')).toBeUndefined()
})

test('times are counted again after sixteen more', () => {
  const { standing } = world()
  took(standing, 1, 1, 1, 1)
  expect(standing.latency('k')?.longest).toBe(1)
  took(standing, ...Array(11).fill(50))
  expect(standing.latency('k')).toEqual({ p50: 1, p95: 1, longest: 1, answeredP90: 1 })
  took(standing, 50)
  expect(standing.latency('k')).toEqual({ p50: 50, p95: 50, longest: 50, answeredP90: 50 })
})

test('the last 64 times count', () => {
  const { standing } = world()
  took(standing, ...Array.from({ length: 96 }, (_, k) => 96 - k))
  // Samples 1 to 64 of 1 to 96 remain, since they were added in falling order.
  expect(standing.latency('k')).toEqual({ p50: 33, p95: 61, longest: 64, answeredP90: 58 })
})

test('requests that were given up count among all times, not among those answered', () => {
  const { standing } = world()
  took(standing, 5, 6)
  standing.recordLatency('k', 500, false)
  standing.recordLatency('k', 600, false)
  expect(standing.latency('k')).toEqual({ p50: 500, p95: 600, longest: 600, answeredP90: 6 })
  const lost = world().standing
  for (const ms of [1, 2, 3, 4]) lost.recordLatency('k', ms, false)
  expect(lost.latency('k')).toEqual({ p50: 3, p95: 4, longest: 4, answeredP90: 4 })
})

test('times of 32 kinds are kept', () => {
  const { standing } = world()
  for (let kind = 0; kind < 34; kind++) for (let k = 0; k < 4; k++) standing.recordLatency(`kind ${kind}`, kind)
  expect(standing.latency('kind 31')?.p50).toBe(31)
  expect(standing.latency('kind 32')).toBeUndefined()
  for (let k = 0; k < 12; k++) standing.recordLatency('kind 0', 7)
  expect(standing.latency('kind 0')?.longest).toBe(7)
})
