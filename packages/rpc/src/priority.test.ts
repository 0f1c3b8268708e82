import { expect, test } from 'vitest'
import { Budgets, isBackground, MAX_WAIT_MS, maxSlots, PRIORITIES } from './priority.ts'

test('quotes go first and scans last', () => {
  expect(PRIORITIES).toEqual(['quote', 'lookup', 'background', 'scan'])
  expect(PRIORITIES.map(isBackground)).toEqual([false, false, true, true])
  expect(PRIORITIES.map((priority) => MAX_WAIT_MS[priority])).toEqual([0, 500, 3_000, 10_000])
})

test.each([
  [32, [32, 24, 8, 4]],
  [9, [9, 6, 2, 1]],
  [7, [7, 5, 1, 1]],
  [1, [1, 1, 1, 1]],
])('of %i places each priority gets its share, rounded down, and one at least', (capacity, shares) => {
  expect(PRIORITIES.map((priority) => maxSlots(priority, capacity))).toEqual(shares)
})

function world(limits?: ConstructorParameters<typeof Budgets>[0]) {
  const clock = { ms: 0 }
  return { clock, budgets: new Budgets(limits, () => clock.ms) }
}
const waits = (budgets: Budgets) => PRIORITIES.map((priority) => budgets.waitMs(priority))

test('five seconds of calls may be used at once, by default 20 a second of background work and 10 of scans', () => {
  const { budgets, clock } = world()
  budgets.spend('background', 99, 0)
  budgets.spend('scan', 49, 0)
  expect(waits(budgets)).toEqual([0, 0, 0, 0])
  budgets.spend('background', 3, 0)
  budgets.spend('scan', 3, 0)
  expect(waits(budgets)).toEqual([0, 0, 101, 201])
  clock.ms += 101
  expect(waits(budgets)).toEqual([0, 0, 0, 100])
})

test('five seconds of bytes may be used at once, by default 2 MB a second', () => {
  const { budgets } = world()
  for (const priority of ['background', 'scan'] as const) budgets.spend(priority, 0, 9_999_999)
  expect(waits(budgets)).toEqual([0, 0, 0, 0])
  for (const priority of ['background', 'scan'] as const) budgets.spend(priority, 0, 1_000_001)
  expect(waits(budgets)).toEqual([0, 0, 501, 501])
})

test('the longer wait of calls and bytes counts, and quotes and lookups have no budget', () => {
  const { budgets } = world({ background: { calls: 1, bytes: 100 }, scan: { calls: 2, bytes: 100 } })
  budgets.spend('background', 7, 700)
  budgets.spend('scan', 12, 900)
  budgets.spend('quote', 1e9, 1e9)
  budgets.spend('lookup', 1e9, 1e9)
  expect(waits(budgets)).toEqual([0, 0, 2_001, 4_001])
})

test('a budget that is given replaces that of its priority alone', () => {
  const { budgets } = world({ scan: { calls: 1, bytes: 1 } })
  budgets.spend('background', 101, 0)
  budgets.spend('scan', 6, 0)
  expect(waits(budgets)).toEqual([0, 0, 51, 1_001])
})
