/**
 * Processes, Redis and wires fail in every way at once, and workers show whole states of real blocks or nothing new. Longer with
 * `npm run bench -- bus-faults <seconds> <seed>`.
 */
import { describe, expect, test } from 'vitest'
import { runFaults } from './faults/run.ts'
import { hasRedis } from './redis.ts'

/** One order of faults for everybody; others by the benchmark, and with `LONG`. */
const SEED = process.env.LONG ? Date.now() % 1_000_000 : 1
const SECONDS = process.env.LONG ? 600 : 60
/** That all go on is seen here, beside whatever else the machine does; how soon, by the benchmark. */
const STUCK_MS = 90_000
/** For the last of the faults to heal, and what is still wanted. */
const REST_MS = 4 * STUCK_MS

describe.skipIf(!hasRedis)('while everything fails', () => {
  test('nothing mixed is shown, nothing invented, and all workers go on', {
    timeout: SECONDS * 1_000 + REST_MS,
  }, async () => {
    const report = await runFaults({ seconds: SECONDS, seed: SEED, stuckMs: STUCK_MS })
    const told = JSON.stringify(report, null, 1)
    expect(report.wrong, told).toEqual([])
    expect(report.stuck, told).toEqual([])
    expect(report.unanswered, told).toBe(0)
    expect(report.shown, told).toBeGreaterThan(100)
  })
})
