/** Static checks: formatting and lint of the whole tree, lint of the contracts, types of every package. */
import { join } from 'node:path'
import { root, run } from './lib/run.ts'

const lint = await run('biome', ['check', '.'])
const solidity = await run('solhint', ['--noPoster', '--max-warnings', '0', 'src/**/*.sol'], {
  cwd: join(root, 'contracts'),
})
const types = await run('turbo', [
  'run',
  'typecheck',
  '--output-logs=new-only',
  '--log-order=stream',
  '--continue',
  '--concurrency=2',
])
const scripts = await run('tsc', ['--noEmit', '-p', '.'])
process.exit(lint.code || solidity.code || types.code || scripts.code)
