/** Tests routes over pools with bounded capacity on a sample of random trades. */
import { expect, test } from 'vitest'
import { checkTrades, noTrades } from './check-trades.ts'
import { CHECKS } from './checks.ts'

const TRADES = process.env.LONG ? 10_000 : 120
const SEED = 1

test('routes over pools with limited capacity are no worse than alternatives', { timeout: 3_600_000 }, () => {
  const notes: string[] = []
  const { certificates, lossBps, checks } = checkTrades(noTrades(SEED), TRADES, (text) => notes.push(text))
  // Every check must have applied to a fair share of the trades.
  for (const check of CHECKS) expect(checks[check].made, check).toBeGreaterThan(TRADES / 4)
  expect(certificates.issued).toBeGreaterThan(0.9 * TRADES)
  expect(certificates.false, notes.join('\n')).toBe(0)
  expect(checks.union.violations, notes.join('\n')).toBe(0)
  expect(lossBps.p99, notes.join('\n')).toBeLessThanOrEqual(0.5)
})
