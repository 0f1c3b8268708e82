/** Tests that users are not harmed by untrusted tokens and pools that offer the best price and withdraw it after the quote. */
import { afterAll, expect, test } from 'vitest'
import { type System, startSystem } from './src/service.ts'
import { traps } from './src/traps/traps.ts'
import { tryTrap } from './src/traps/trial.ts'

const systems: System[] = []
afterAll(async () => {
  for (const system of systems) await system.stop()
})

/** Without LONG: every eighth trap. */
const tried = traps.filter((_, k) => process.env.LONG || k % 8 === 0)

test.each(tried)('$name: the user gets the honest output', { timeout: 240_000 }, async (trap) => {
  const system = await startSystem()
  systems.push(system)
  const verdict = await tryTrap(system, trap)
  await system.stop()
  systems.pop()
  // First checks that the trap works: a route through any intermediate falls into it and loses.
  if (process.env.SHOW) console.log(verdict)
  expect(verdict.baitedPercent).toBeGreaterThan(10)
  expect(verdict.baitedQuoteBps).toBeGreaterThan(1)
  expect(verdict.baitedLossBps ?? Number.POSITIVE_INFINITY).toBeGreaterThan(5)
  expect(verdict.stepsOnIt).toBe(false)
  expect(verdict.gainBps).not.toBeNull()
  expect(verdict.gainBps!).toBeGreaterThanOrEqual(-0.5)
})
