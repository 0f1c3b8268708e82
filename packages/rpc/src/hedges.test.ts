import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { HedgeBudget, lostAfterMs, slowAfterMs, whenResponsive } from './hedges.ts'

test('the only endpoint is asked again far later than another one would be', () => {
  const latency = { p50: 12, p95: 40, longest: 200, answeredP90: 30 }
  expect(slowAfterMs([latency])).toBe(60)
  expect(lostAfterMs(latency)).toBe(360)
  expect(lostAfterMs({ p50: 2, p95: 4, longest: 9, answeredP90: 3 })).toBe(250)
  // Hanging requests have the highest latencies.
  expect(lostAfterMs({ p50: 12, p95: 5_000, longest: 5_000, answeredP90: 20 })).toBe(360)
  expect(lostAfterMs({ p50: 900, p95: 5_000, longest: 5_000, answeredP90: 20 })).toBe(1_000)
})

test('where requests get lost, what takes longer than answers do is late', () => {
  const hanging = { p50: 30, p95: 900, longest: 5_000, answeredP90: 25 }
  expect(slowAfterMs([hanging])).toBe(240)
  expect(slowAfterMs([hanging], true)).toBe(25)
  expect(slowAfterMs([{ ...hanging, answeredP90: 3 }], true)).toBe(15)
})

test('requests count as lost while most second requests are first', () => {
  const clock = { ms: 0 }
  const budget = new HedgeBudget(() => clock.ms)
  expect(budget.losesRequests).toBe(false)
  for (let request = 0; request < 5; request++) budget.recordOutcome(true)
  expect(budget.losesRequests).toBe(true)
  for (let request = 0; request < 3; request++) budget.recordOutcome(false)
  expect(budget.losesRequests).toBe(false)
  for (let request = 0; request < 20; request++) budget.recordOutcome(true)
  expect(budget.losesRequests).toBe(true)
  // Old outcomes no longer count.
  clock.ms += 60_000
  expect(budget.losesRequests).toBe(false)
})

test('hedges end with the budget, which requests earn slowly', () => {
  const budget = new HedgeBudget()
  let count = 0
  while (budget.takeToken()) count++
  expect(count).toBe(10)
  for (let request = 0; request < 100; request++) budget.earnTokens()
  while (budget.takeToken()) count++
  expect(count).toBeLessThanOrEqual(13)
})

test('an answer that came while other work held the event loop is read before it is called late', async () => {
  const events: string[] = []
  whenResponsive(30, () => events.push('late'))
  setTimeout(() => events.push('answer'), 35)
  const until = performance.now() + 80
  while (performance.now() < until);
  await vi.waitFor(() => expect(events).toHaveLength(2), 10_000)
  expect(events).toEqual(['answer', 'late'])
})

test('a loop that is always held delays the look, and does not end it', async () => {
  let looked = false
  whenResponsive(5, () => {
    looked = true
  })
  const started = performance.now()
  while (!looked && performance.now() - started < 5_000) {
    const until = performance.now() + 20
    while (performance.now() < until);
    await sleep(1)
  }
  expect(looked).toBe(true)
})

test('a look that was called off does not happen', async () => {
  let looked = false
  const end = whenResponsive(10, () => {
    looked = true
  })
  end()
  await sleep(40)
  expect(looked).toBe(false)
})
