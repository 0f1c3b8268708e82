/**
 * `npm run bench -- verify [mutations]`: 100,000 honest transactions of the local chain with one byte, one field or one step changed,
 * against the client's `verify`. Each that it accepts, and one in fifty of those that it refuses, is run on the chain. Fails
 * where one was accepted that changes who gets what.
 */
import { campaign } from '../packages/client/test/fuzz/campaign.ts'
import { startStage } from '../packages/client/test/service.ts'
import { record, rounded } from './record.ts'

const MUTATIONS = Number(process.argv[2] ?? 100_000)
const SEED = 20_260_000

const stage = await startStage()
try {
  const started = performance.now()
  const report = await campaign(stage, { mutations: MUTATIONS, seed: SEED, runEvery: 50 })
  record('verify', { seed: SEED, seconds: rounded((performance.now() - started) / 1_000), ...report })
  if (report.acceptedWithOtherTerms + report.acceptedAndHarmful > 0) process.exitCode = 1
} finally {
  await stage.stop()
}
