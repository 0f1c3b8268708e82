/** `npm run bench -- bus faults [seconds] [seed]`: runs the fault test of the bus for longer. */
import { runFaults } from '@sluice/bus/testing'
import { record } from '../record.ts'

/** Maximum milliseconds from a fault until all workers receive new blocks. */
const MAX_HEAL_MS = 10_000

const [seconds = '600', seed = '1'] = process.argv.slice(2)
const { wrong, ...report } = await runFaults({ seconds: Number(seconds), seed: Number(seed) })
record('bus-faults', { ...report, wrong: wrong.length, examples: wrong.slice(0, 5) })
if (wrong.length + report.stuck.length > 0 || report.healMs.max > MAX_HEAL_MS) process.exitCode = 1
process.exit()
