import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { HedgeBudget, lateMs, lostMs, whenQuiet } from './hedges.ts'

test('the only endpoint is asked again far later than another one would be', () => {
  const latency = { p50: 12, p95: 40, longest: 200, answered: 30 }
  expect(lateMs([latency])).toBe(60)
  expect(lostMs(latency)).toBe(360)
  expect(lostMs({ p50: 2, p95: 4, longest: 9, answered: 3 })).toBe(250)
  // Hanging requests have the highest latencies.
  expect(lostMs({ p50: 12, p95: 5_000, longest: 5_000, answered: 20 })).toBe(360)
  expect(lostMs({ p50: 900, p95: 5_000, longest: 5_000, answered: 20 })).toBe(1_000)
})

test('where requests get lost, what takes longer than answers do is late', () => {
  const hanging = { p50: 30, p95: 900, longest: 5_000, answered: 25 }
  expect(lateMs([hanging])).toBe(240)
  expect(lateMs([hanging], true)).toBe(25)
  expect(lateMs([{ ...hanging, answered: 3 }], true)).toBe(15)
})

test('requests count as lost while most second requests are first', () => {
  const clock = { ms: 0 }
  const budget = new HedgeBudget(() => clock.ms)
  expect(budget.isLosing).toBe(false)
  for (let request = 0; request < 5; request++) budget.record(true)
  expect(budget.isLosing).toBe(true)
  for (let request = 0; request < 3; request++) budget.record(false)
  expect(budget.isLosing).toBe(false)
  for (let request = 0; request < 20; request++) budget.record(true)
  expect(budget.isLosing).toBe(true)
  // Old outcomes no longer count.
  clock.ms += 60_000
  expect(budget.isLosing).toBe(false)
})

test('hedges end with the budget, which requests earn slowly', () => {
  const budget = new HedgeBudget()
  let count = 0
  while (budget.take()) count++
  expect(count).toBe(10)
  for (let request = 0; request < 100; request++) budget.earn()
  while (budget.take()) count++
  expect(count).toBeLessThanOrEqual(13)
})

test('an answer that came while other work held the event loop is read before it is called late', async () => {
  const events: string[] = []
  whenQuiet(30, () => events.push('late'))
  setTimeout(() => events.push('answer'), 35)
  const until = performance.now() + 80
  while (performance.now() < until);
  await sleep(150)
  expect(events).toEqual(['answer', 'late'])
})

test('a loop that is always held delays the look, and does not end it', async () => {
  let looked = false
  whenQuiet(5, () => {
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
  const end = whenQuiet(10, () => {
    looked = true
  })
  end()
  await sleep(40)
  expect(looked).toBe(false)
})
