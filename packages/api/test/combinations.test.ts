/** Tests random combinations of all documented parameters: each answer is documented, respects its limits, and arrives. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalService, startLocalService } from '../../../bench/lib/world.ts'
import { runCombinations } from './src/combinations/run.ts'

const REQUESTS = process.env.LONG ? 20_000 : 80
const IN_TIME_MS = 2_000

/** Service in a separate process, so a search that never ends does not block the test. */
let local: LocalService
beforeAll(async () => {
  local = await startLocalService()
})
afterAll(() => local?.stop())

test(`${REQUESTS} requests drawn from /openapi.json`, { timeout: 3_600_000 }, async () => {
  const seed = Number(process.env.FUZZ_SEED ?? 20_261_122)
  const { answers, violations } = await runCombinations(local.service, local.devnet, {
    requests: REQUESTS,
    seed,
    inTimeMs: IN_TIME_MS,
  })
  expect(violations).toEqual([])
  // The random requests must produce enough routes and enough refusals.
  const countOf = (status: string) =>
    ['swap', 'quote', 'stream'].reduce((sum, operation) => sum + (answers[operation]?.[status] ?? 0), 0)
  expect(countOf('200')).toBeGreaterThan(REQUESTS / 20)
  expect(countOf('400')).toBeGreaterThan(REQUESTS / 20)
  expect(Object.keys(answers)).toEqual(
    expect.arrayContaining([
      'liquidity',
      'prices',
      'currentPrices',
      'quote',
      'quotes',
      'referee',
      'tokenList',
      'simulate',
      'simulatePost',
      'stream',
      'swap',
      'tokens',
    ]),
  )
})
