/** Tests that forge's linter has no finding on the deployed contracts without a reason. */
import { expect, test } from 'vitest'
import { run } from './lib/run.ts'

test('every finding of the linter is accepted with a reason', { tags: 'long', timeout: 120_000 }, async () => {
  const { code, output } = await run('node', ['scripts/lint-contracts.ts'], { quiet: true })
  expect(code, output).toBe(0)
})
