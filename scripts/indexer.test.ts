/** Tests the arguments of the indexer. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './lib/run.ts'

test.each([
  [['--any'], ''],
  [['--chains', '1'], ''],
  [['--chains', 'one'], 'CHAINS: '],
])('%j replaces the variable CHAINS', (args, mistake) => {
  const env = { ...process.env, CHAINS: 'not a chain', REDIS_URL: '' }
  // Without Redis the indexer does not start, and prints all mistakes.
  const { stderr } = spawnSync(process.execPath, [join(root, 'scripts/indexer.ts'), ...args], { env, encoding: 'utf8' })
  expect(stderr).toContain('ROLE: indexer needs REDIS_URL')
  if (mistake) expect(stderr).toContain(mistake)
  else expect(stderr).not.toContain('CHAINS: ')
})
