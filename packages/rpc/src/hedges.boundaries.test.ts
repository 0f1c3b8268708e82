import { expect, test } from 'vitest'
import { HedgeBudget, type Latency, lostAfterMs, slowAfterMs } from './hedges.ts'

const latency = (part: Partial<Latency> = {}): Latency => ({
  p50: 1e6,
  p95: 1e6,
  longest: 1e6,
  answeredP90: 1e6,
  ...part,
})

test('a request is late after one and a half of the 95th or eight of the 50th percentile, from 30 ms to a second', () => {
  expect(slowAfterMs([])).toBe(500)
  expect(slowAfterMs([undefined, undefined], true)).toBe(500)
  expect(slowAfterMs([latency({ p95: 100 })])).toBe(150)
  expect(slowAfterMs([latency({ p50: 10 })])).toBe(80)
  expect(slowAfterMs([latency()])).toBe(1_000)
  expect(slowAfterMs([latency({ p50: 1 })])).toBe(30)
  expect(slowAfterMs([latency({ answeredP90: 40 })])).toBe(1_000)
  expect(slowAfterMs([undefined, latency({ p95: 200 }), latency({ p95: 100 })])).toBe(150)
})

test('where requests get lost one is late as soon as most answers would have come, after 15 ms at least', () => {
  expect(slowAfterMs([latency({ answeredP90: 40 })], true)).toBe(40)
  expect(slowAfterMs([latency({ answeredP90: 14 })], true)).toBe(15)
  expect(slowAfterMs([latency()], true)).toBe(1_000)
})

test('a request is lost after twice the longest or thirty of the 50th percentile, from 250 ms to a second', () => {
  expect(lostAfterMs(undefined)).toBe(500)
  expect(lostAfterMs(latency({ longest: 200 }))).toBe(400)
  expect(lostAfterMs(latency({ p50: 20 }))).toBe(600)
  expect(lostAfterMs(latency())).toBe(1_000)
  expect(lostAfterMs(latency({ longest: 124 }))).toBe(250)
})

const drain = (budget: HedgeBudget) => {
  let count = 0
  while (budget.takeToken()) count++
  return count
}

test('a budget begins with ten, earns three of a hundred requests and saves up twenty', () => {
  const budget = new HedgeBudget()
  expect(drain(budget)).toBe(10)
  for (let k = 0; k < 33; k++) budget.earnTokens()
  expect(drain(budget)).toBe(0)
  budget.earnTokens()
  expect(drain(budget)).toBe(1)
  budget.refund(3)
  expect(drain(budget)).toBe(3)
  budget.refund(50)
  expect(drain(budget)).toBe(20)
  for (let k = 0; k < 1_000; k++) budget.earnTokens()
  expect(drain(budget)).toBe(20)
})

test('requests count as lost once half of the second ones were first, and for a while', () => {
  const clock = { ms: 0 }
  const budget = new HedgeBudget(() => clock.ms)
  // 1 - 0.85 to the power of 4 is 0.478, and to that of 5 0.556.
  for (let k = 0; k < 4; k++) budget.recordOutcome(true)
  expect(budget.losesRequests).toBe(false)
  budget.recordOutcome(true)
  expect(budget.losesRequests).toBe(true)
  // 0.556 decays to 0.5 in 3.1 seconds, at a half-life of twenty.
  clock.ms += 3_000
  expect(budget.losesRequests).toBe(true)
  clock.ms += 200
  expect(budget.losesRequests).toBe(false)
})
