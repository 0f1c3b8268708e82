import { expect, test } from 'vitest'
import { chooseForLostRequest, chooseUpstream } from './choose-upstream.ts'
import type { Upstream } from './upstream.ts'

type Facts = { p50?: number; rate?: number; delayMs?: number; waitMs?: number; isEjected?: boolean }

/** A fake endpoint with the given health, at `index` in the list. */
const upstream = (index: number, { p50, rate = 1, delayMs = 0, waitMs = 0, isEjected = false }: Facts = {}) =>
  ({
    index,
    isEjected,
    health: {
      successRate: rate,
      latency: (kind: string) => (kind === 'k' && p50 !== undefined ? { p50 } : undefined),
    },
    endpoint: {
      delayMs: (priority: string) => (priority === 'lookup' ? delayMs : 0),
      waitMs: (priority: string) => (priority === 'lookup' ? waitMs : 0),
    },
  }) as unknown as Upstream

const chosen = (...facts: readonly Facts[]) =>
  chooseUpstream(
    facts.map((fact, k) => upstream(k, fact)),
    'k',
    'lookup',
  )?.index

test('no endpoint is chosen of none, and the only one of one, ejected or not', () => {
  expect(chosen()).toBeUndefined()
  expect(chosen({ isEjected: true, rate: 0 })).toBe(0)
})

test('the first of the list is chosen, unless a later one is faster by 20 ms and by half', () => {
  expect(chosen({}, {})).toBe(0)
  expect(chosen({ p50: 100 }, { p50: 10 })).toBe(1)
  // 20 + 1.5 × 40 = 80
  expect(chosen({ p50: 80 }, { p50: 40 })).toBe(0)
  expect(chosen({ p50: 80.1 }, { p50: 40 })).toBe(1)
  expect(chosen({ p50: 80 }, { p50: 39.9 })).toBe(1)
})

test('the first is the one with the lowest place, in whatever order they are given', () => {
  const [far, near] = [upstream(7, { p50: 50 }), upstream(3, { p50: 50 })]
  expect(chooseUpstream([far, near], 'k', 'lookup')).toBe(near)
  expect(chooseUpstream([near, far], 'k', 'lookup')).toBe(near)
})

test('an endpoint whose time is not known counts as the fastest one', () => {
  // 20 + 1.5 × 60 = 110
  expect(chosen({ p50: 109 }, {}, { p50: 60 })).toBe(0)
  expect(chosen({ p50: 111 }, {}, { p50: 60 })).toBe(1)
  expect(chosen({}, { p50: 1 })).toBe(0)
})

test('times of other kinds do not count', () => {
  expect(chooseUpstream([upstream(0, { p50: 900 }), upstream(1, { p50: 1 })], 'other', 'lookup')?.index).toBe(0)
})

test('a failure costs 200 ms times its share', () => {
  expect(chosen({ rate: 0.9 }, {})).toBe(0)
  expect(chosen({ rate: 0.89 }, {})).toBe(1)
  expect(chosen({ rate: 0.5 }, { rate: 0.59 })).toBe(0)
  expect(chosen({ rate: 0.5 }, { rate: 0.61 })).toBe(1)
})

test('a delay counts in milliseconds, of the priority of the request', () => {
  expect(chosen({ delayMs: 20 }, {})).toBe(0)
  expect(chosen({ delayMs: 21 }, {})).toBe(1)
  expect(chooseUpstream([upstream(0, { delayMs: 500 }), upstream(1)], 'k', 'quote')?.index).toBe(0)
})

test('an ejected endpoint is the last choice', () => {
  expect(chosen({ isEjected: true }, { p50: 60_000, rate: 0, delayMs: 60_000 })).toBe(1)
  expect(chosen({ isEjected: true, p50: 10 }, { isEjected: true, p50: 200 })).toBe(0)
})

const again = (facts: readonly Facts[], attempts: readonly number[] = []) =>
  chooseForLostRequest(
    facts.map((fact, k) => upstream(k, fact)),
    ({ index }) => attempts[index] ?? 0,
    'lookup',
  )?.index

test('one more try goes to the endpoint that answers most, the first of equals', () => {
  expect(again([])).toBeUndefined()
  expect(again([{ rate: 0.5 }, { rate: 0.9 }, { rate: 0.9 }])).toBe(1)
  expect(again([{ rate: 0.9 }, { rate: 0.5 }])).toBe(0)
})

test('each try under way at an endpoint takes a fifth from its share', () => {
  expect(again([{ rate: 1 }, { rate: 0.79 }], [1])).toBe(0)
  expect(again([{ rate: 1 }, { rate: 0.81 }], [1])).toBe(1)
  expect(again([{ rate: 1 }, { rate: 0.5 }], [3])).toBe(1)
  expect(again([{ rate: 1 }, { rate: 0.5 }], [3, 1])).toBe(0)
})

test('endpoints that want to be left alone get no further try', () => {
  expect(again([{ waitMs: 1 }, { rate: 0.1 }])).toBe(1)
  expect(again([{ waitMs: 1 }, { waitMs: 1 }])).toBeUndefined()
})
