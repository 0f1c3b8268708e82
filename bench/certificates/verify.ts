/**
 * `npm run bench -- certificates verify [mutations]`: checks the client's `verify` with 100,000 valid transactions of
 * the local chain in which one byte, field, or step was changed. Executes each accepted one, and one in fifty of the
 * rejected ones, on the chain. Fails if an accepted transaction changes a recipient or an amount.
 */
import { campaign } from '../../packages/client/test/fuzz/campaign.ts'
import { startStage } from '../../packages/client/test/service.ts'
import { record, rounded } from '../record.ts'

const MUTATIONS = Number(process.argv[2] ?? 100_000)
const SEED = 20_260_000

const stage = await startStage()
try {
  const start = performance.now()
  const report = await campaign(stage, { mutations: MUTATIONS, seed: SEED, runEvery: 50 })
  record('verify', { seed: SEED, seconds: rounded((performance.now() - start) / 1_000), ...report })
  if (report.acceptedWithOtherTerms + report.acceptedAndHarmful > 0) process.exitCode = 1
} finally {
  await stage.stop()
}
