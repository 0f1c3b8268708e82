import { expect, test } from 'vitest'
import { AdaptiveRate } from './adaptive-rate.ts'

function world() {
  const clock = { ms: 100_000 }
  return { clock, rate: new AdaptiveRate(() => clock.ms) }
}

test('an endpoint that has refused nothing is not limited', () => {
  const { rate } = world()
  rate.recordSent(1_000)
  rate.recordAnswered(1_000)
  expect([rate.rate, rate.waitMs(false), rate.waitMs(true, true)]).toEqual([undefined, 0, 0])
})

test('the first refusal halves the calls a second, to three at least', () => {
  const { rate } = world()
  rate.recordRefused(1)
  expect(rate.rate).toBe(3)
  const busy = world().rate
  // Forty calls within the averaging window of two seconds are twenty per second.
  busy.recordSent(40)
  busy.recordRefused(1)
  expect(busy.rate).toBe(10)
})

test('refusals of a quarter of a second cut once, and never raise the rate', () => {
  const { rate, clock } = world()
  rate.recordSent(80)
  rate.recordRefused(1)
  expect(rate.rate).toBe(20)
  clock.ms += 249
  rate.recordRefused(1)
  expect(rate.rate).toBe(20)
  clock.ms += 1
  rate.recordRefused(1)
  expect(rate.rate).toBe(10)
})

test('each answer adds a tenth of a call a second', () => {
  const { rate } = world()
  rate.recordRefused(1)
  rate.recordAnswered(5)
  expect(rate.rate).toBeCloseTo(3.5, 12)
})

test('an endpoint that answers most is cut to nine tenths of its best at least', () => {
  const { rate } = world()
  rate.recordSent(40)
  rate.recordAnswered(40)
  rate.recordRefused(1)
  expect(rate.rate).toBeCloseTo(18, 12)
})

test('ten calls may go at once, of which background work leaves five', () => {
  const { rate } = world()
  rate.recordRefused(1)
  rate.recordSent(4)
  expect([rate.waitMs(false, true), rate.waitMs(false)]).toEqual([0, 0])
  rate.recordSent(1)
  expect([rate.waitMs(false, true), rate.waitMs(false)]).toEqual([1, 0])
  rate.recordSent(5)
  expect([rate.waitMs(true), rate.waitMs(false, true)]).toEqual([1, Math.ceil(5_000 / 3) + 1])
})

test('a limit is forgotten half a minute after the last refusal', () => {
  const { rate, clock } = world()
  rate.recordRefused(1)
  clock.ms += 30_000
  rate.waitMs(false)
  expect(rate.rate).toBe(3)
  clock.ms += 1
  rate.waitMs(false)
  expect(rate.rate).toBeUndefined()
})

test('a pause holds for everybody, but for probes of a quote after 40 ms, then twice that, up to two seconds', () => {
  const { rate, clock } = world()
  const probes: number[] = []
  for (let k = 0; k < 8; k++) {
    rate.recordRefused(1, 60_000)
    expect(rate.waitMs(false)).toBe(60_000)
    probes.push(rate.waitMs(true))
    clock.ms += probes.at(-1)!
    expect(rate.waitMs(true)).toBe(0)
  }
  expect(probes).toEqual([40, 80, 160, 320, 640, 1_280, 2_000, 2_000])
})

test('one probe is in flight at a time', () => {
  const { rate, clock } = world()
  rate.recordRefused(1, 5_000)
  clock.ms += 40
  rate.recordSent(1)
  expect(rate.waitMs(true)).toBe(4_960)
  rate.recordEnded()
  expect(rate.waitMs(true)).toBe(0)
})

test('a pause ends with its time or with an answer, and the later of two holds', () => {
  const { rate, clock } = world()
  rate.recordRefused(1, 5_000)
  rate.recordRefused(1, 1_000)
  clock.ms += 4_999
  expect(rate.waitMs(false)).toBe(1)
  clock.ms += 1
  expect(rate.waitMs(false)).toBe(0)
  rate.recordRefused(1, 5_000)
  rate.recordAnswered(1)
  expect(rate.waitMs(false)).toBe(0)
})

test('a probe before the end of a short pause waits for that at most', () => {
  const { rate } = world()
  rate.recordRefused(1, 30)
  expect(rate.waitMs(true)).toBe(30)
})

test('a pause is not believed of an endpoint that answers as many calls as it refuses', () => {
  const { rate } = world()
  rate.recordAnswered(2)
  rate.recordRefused(2, 5_000)
  expect(rate.waitMs(false)).toBe(0)
  rate.recordRefused(1, 5_000)
  expect(rate.waitMs(false)).toBe(5_000)
})
