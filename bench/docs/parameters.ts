/**
 * `npm run bench -- docs parameters [<requests> <seed>]`: sends random requests from /openapi.json, with every documented
 * parameter in combination, to the service over the local chain, and checks each response against the documentation,
 * its limits, and its time. Results in `results/parameters.json`; any violation fails.
 */
import { runCombinations } from '@sluice/api/testing'
import { startLocalService } from '../lib/world.ts'
import { record } from '../record.ts'

const [requests = 20_000, seed = 20_261_122] = process.argv.slice(2).map(Number)
const { devnet, service, stop } = await startLocalService()
try {
  const { violations, ...outcome } = await runCombinations(service, devnet, {
    requests,
    seed,
    inTimeMs: 2_000,
  })
  for (const violation of violations) console.error(violation.slice(0, 1_000))
  record('parameters', { ...outcome, violations: violations.length })
  if (violations.length > 0) process.exitCode = 1
} finally {
  await stop()
}
