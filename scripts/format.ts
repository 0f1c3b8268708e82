/** `npm run format`: formats the whole tree. */
import { run } from './lib/run.ts'

process.exit((await run('biome', ['check', '--write', '.'])).code)
