/** Static checks: formatting and lint of the whole tree, types of every package. */
import { build, run } from './lib/run.ts'

await build()
const lint = await run('biome', ['check', '.'])
const types = await run('turbo', ['run', 'typecheck', '--output-logs=new-only', '--log-order=stream', '--continue'])
const scripts = await run('tsc', ['--noEmit', '-p', '.'])
process.exit(lint.code || types.code || scripts.code)
