/**
 * Fails processes, Redis, and connections in random order, and checks that workers only show complete states of real
 * blocks. Longer runs: `npm run bench -- bus faults <seconds> <seed>`.
 *
 * @module-tag long
 */
import { describe, expect, test } from 'vitest'
import { runFaults } from './faults/run.ts'
import { hasRedis } from './redis.ts'

/** Fixed order of faults; the benchmark and `LONG` use others. */
const SEED = process.env.LONG ? Date.now() % 1_000_000 : 1
const SECONDS = process.env.LONG ? 600 : 20
/** Generous limit, because this test checks that workers recover on a busy machine; the benchmark measures how fast. */
const STUCK_MS = 90_000
/** Time for recovery from the last faults, and for open requests. */
const REST_MS = 4 * STUCK_MS

describe.skipIf(!hasRedis)('under random faults', () => {
  test('workers show complete states of real blocks only, and recover', {
    timeout: SECONDS * 1_000 + REST_MS,
  }, async () => {
    const report = await runFaults({ seconds: SECONDS, seed: SEED, stuckMs: STUCK_MS })
    const reportText = JSON.stringify(report, null, 1)
    expect(report.wrong, reportText).toEqual([])
    expect(report.stuck, reportText).toEqual([])
    expect(report.unanswered, reportText).toBe(0)
    expect(report.shown, reportText).toBeGreaterThan(5 * SECONDS)
  })
})
