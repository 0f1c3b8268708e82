/**
 * `npm run bench -- certificates verify [mutations]`: checks the client's `verify` with 100,000 mutated transactions. A
 * mutation changes one byte, field, or step of a valid transaction of the local chain. Executes all accepted
 * transactions, and one in fifty of the rejected ones. Fails if an accepted transaction has another recipient or amount
 * than the valid one, or harms the sender.
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
