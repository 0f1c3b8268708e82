import { expect, test } from 'vitest'
import { AdaptiveRate } from './adaptive-rate.ts'

function world() {
  const clock = { ms: 100_000 }
  return { clock, rate: new AdaptiveRate(() => clock.ms) }
}

test('an endpoint that has refused nothing is not limited', () => {
  const { rate } = world()
  rate.took(1_000)
  rate.answered(1_000)
  expect([rate.rate, rate.waitMs(false), rate.waitMs(true, true)]).toEqual([undefined, 0, 0])
})

test('the first refusal halves the calls a second, to three at least', () => {
  const { rate } = world()
  rate.refused(1)
  expect(rate.rate).toBe(3)
  const busy = world().rate
  // Forty calls within the two seconds that count are twenty a second.
  busy.took(40)
  busy.refused(1)
  expect(busy.rate).toBe(10)
})

test('refusals of a quarter of a second cut once, and never raise the rate', () => {
  const { rate, clock } = world()
  rate.took(80)
  rate.refused(1)
  expect(rate.rate).toBe(20)
  clock.ms += 249
  rate.refused(1)
  expect(rate.rate).toBe(20)
  clock.ms += 1
  rate.refused(1)
  expect(rate.rate).toBe(10)
})

test('each answer adds a tenth of a call a second', () => {
  const { rate } = world()
  rate.refused(1)
  rate.answered(5)
  expect(rate.rate).toBeCloseTo(3.5, 12)
})

test('an endpoint that answers most is cut to nine tenths of its best at least', () => {
  const { rate } = world()
  rate.took(40)
  rate.answered(40)
  rate.refused(1)
  expect(rate.rate).toBeCloseTo(18, 12)
})

test('ten calls may go at once, of which background work leaves five', () => {
  const { rate } = world()
  rate.refused(1)
  rate.took(4)
  expect([rate.waitMs(false, true), rate.waitMs(false)]).toEqual([0, 0])
  rate.took(1)
  expect([rate.waitMs(false, true), rate.waitMs(false)]).toEqual([1, 0])
  rate.took(5)
  expect([rate.waitMs(true), rate.waitMs(false, true)]).toEqual([1, Math.ceil(5_000 / 3) + 1])
})

test('a limit is forgotten half a minute after the last refusal', () => {
  const { rate, clock } = world()
  rate.refused(1)
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
    rate.refused(1, 60_000)
    expect(rate.waitMs(false)).toBe(60_000)
    probes.push(rate.waitMs(true))
    clock.ms += probes.at(-1)!
    expect(rate.waitMs(true)).toBe(0)
  }
  expect(probes).toEqual([40, 80, 160, 320, 640, 1_280, 2_000, 2_000])
})

test('one probe is in flight at a time', () => {
  const { rate, clock } = world()
  rate.refused(1, 5_000)
  clock.ms += 40
  rate.took(1)
  expect(rate.waitMs(true)).toBe(4_960)
  rate.ended()
  expect(rate.waitMs(true)).toBe(0)
})

test('a pause ends with its time or with an answer, and the later of two holds', () => {
  const { rate, clock } = world()
  rate.refused(1, 5_000)
  rate.refused(1, 1_000)
  clock.ms += 4_999
  expect(rate.waitMs(false)).toBe(1)
  clock.ms += 1
  expect(rate.waitMs(false)).toBe(0)
  rate.refused(1, 5_000)
  rate.answered(1)
  expect(rate.waitMs(false)).toBe(0)
})

test('a probe before the end of a short pause waits for that at most', () => {
  const { rate } = world()
  rate.refused(1, 30)
  expect(rate.waitMs(true)).toBe(30)
})

test('a pause is not believed of an endpoint that answers as many calls as it refuses', () => {
  const { rate } = world()
  rate.answered(2)
  rate.refused(2, 5_000)
  expect(rate.waitMs(false)).toBe(0)
  rate.refused(1, 5_000)
  expect(rate.waitMs(false)).toBe(5_000)
})
