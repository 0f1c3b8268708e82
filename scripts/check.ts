/** Static checks: formatting and lint of the whole tree, types of every package. */
import { run } from './lib/run.ts'

const lint = await run('biome', ['check', '.'])
const types = await run('turbo', [
  'run',
  'typecheck',
  '--output-logs=new-only',
  '--log-order=stream',
  '--continue',
  '--concurrency=2',
])
const scripts = await run('tsc', ['--noEmit', '-p', '.'])
process.exit(lint.code || types.code || scripts.code)
