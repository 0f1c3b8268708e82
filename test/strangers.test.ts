/** A stranger's tokens and pools offer the best price there is, and take it back between quote and transaction. */
import { afterAll, expect, test } from 'vitest'
import { type System, startSystem } from './src/service.ts'
import { traps } from './src/traps/traps.ts'
import { tryTrap } from './src/traps/trial.ts'

const systems: System[] = []
afterAll(async () => {
  for (const system of systems) await system.stop()
})

/** Without LONG: one trap in three. */
const tried = traps.filter((_, k) => process.env.LONG || k % 3 === 0)

test.each(tried)('$name: the user gets what is honest', async (trap) => {
  const system = await startSystem()
  systems.push(system)
  const verdict = await tryTrap(system, trap)
  await system.stop()
  systems.pop()
  // The trap is one: whoever lets routes pass through anything steps on it, and is worse off for it.
  if (process.env.SHOW) console.log(verdict)
  expect(verdict.baitedPercent).toBeGreaterThan(10)
  expect(verdict.baitedQuoteBps).toBeGreaterThan(1)
  expect(verdict.baitedLossBps ?? Number.POSITIVE_INFINITY).toBeGreaterThan(5)
  expect(verdict.stepsOnIt).toBe(false)
  expect(verdict.gainBps).not.toBeNull()
  expect(verdict.gainBps!).toBeGreaterThanOrEqual(-0.5)
})
