/** Tests of virtual balances at limits that the vectors do not cover; expected values computed by hand. */
import { expect, test } from 'vitest'
import { type BalancePair, type ReclammDynamics, reclammOut, virtualBalances } from './reclamm.ts'

const ONE = 10n ** 18n
const DAY = 86_400n
const still: ReclammDynamics = {
  lastTimestamp: 1_000n,
  lastVirtual: [100n * ONE, 100n * ONE],
  dailyPriceShiftBase: ONE - 10n ** 11n,
  centerednessMargin: ONE / 2n,
  startFourthRoot: (3n * ONE) / 2n,
  endFourthRoot: 2n * ONE,
  updateStart: 0n,
  updateEnd: 0n,
}

test('a pool pays at most its reserve', () => {
  const pool = { kind: 'reclamm', virtual: [10n, 10n] } as const
  expect(reclammOut(pool, [10n, 10n], 0, 20n)).toBe(10n)
  expect(() => reclammOut(pool, [10n, 10n], 0, 25n)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
})

test('a range stays if its centeredness equals the margin', () => {
  const live: BalancePair = [50n * ONE, 100n * ONE]
  expect(virtualBalances(still, live, 1_000n + DAY)).toEqual(still.lastVirtual)
  const shifted = virtualBalances({ ...still, centerednessMargin: ONE / 2n + 1n }, live, 1_000n + DAY)
  expect(shifted[0] < 100n * ONE).toBe(true)
})

test('a range follows the price for at most thirty days', () => {
  const live: BalancePair = [10n * ONE, 100n * ONE]
  const after = (days: bigint) => virtualBalances(still, live, 1_000n + days * DAY)
  expect(after(40n)).toEqual(after(30n))
  expect(after(30n)[0] < after(29n)[0]).toBe(true)
})

test('a moving range stops at the balance of the plentiful token', () => {
  // (0.25 + 1) · (2.2 + 1) = 4: prices from 1/4 to 4, whose fourth root is 2. Then 0.25 / (2 − 1), and 2.2 · 0.5 / (3 ·
  // 0.25 − 0.25).
  const live: BalancePair = [ONE / 4n, (22n * ONE) / 10n]
  const fast = { ...still, lastVirtual: [ONE, ONE], dailyPriceShiftBase: ONE - 10n ** 13n } as const
  expect(virtualBalances(fast, live, 1_000n + 30n * DAY)).toEqual([ONE / 4n, (22n * ONE) / 10n])
})

test('a ratio update starts after its start time and ends at its end time', () => {
  const live: BalancePair = [100n * ONE, 90n * ONE]
  const changing = { ...still, updateStart: 2_000n, updateEnd: 3_000n, endFourthRoot: (16n * ONE) / 10n + 7n }
  expect(virtualBalances(changing, live, 2_000n)).toEqual(still.lastVirtual)
  expect(virtualBalances(changing, live, 3_000n)).toEqual(virtualBalances(changing, live, 4_000n))
  expect(virtualBalances(changing, live, 2_999n)[0] === virtualBalances(changing, live, 3_000n)[0]).toBe(false)
})

test('an update below the rounding of powers leaves the range unchanged', () => {
  const live: BalancePair = [100n * ONE, 90n * ONE]
  const from = (endFourthRoot: bigint) => ({ ...still, updateStart: 2_000n, updateEnd: 3_000n, endFourthRoot })
  const { startFourthRoot } = still
  const unchanged = virtualBalances(from(startFourthRoot), live, 3_000n)
  expect(virtualBalances(from(startFourthRoot + 1_000n), live, 2_001n)).toEqual(unchanged)
})
