/**
 * `npm run serve`: runs the API for the chains of the registry, without a local chain. Environment variables configure
 * it (packages/api/src/config.ts).
 *
 * `-- --pools <file or URL>#sha256=<hash>` starts with a list of pools. `-- --follow` quotes from state that indexers
 * publish over `REDIS_URL` instead of reading the chains.
 */
import { commandLine } from './lib/command-line.ts'
import { userDirectories, userPath } from './lib/run.ts'

const usage = 'Usage: npm run serve [-- --follow] [-- --pools <file or URL>[#sha256=<hash>]]…'
const { follow, pools } = commandLine(usage, {
  options: { follow: { type: 'boolean' }, pools: { type: 'string', multiple: true } },
}).values
if (follow) process.env.ROLE = 'worker'
if (pools) process.env.POOLS = pools.map((source) => (source.includes('://') ? source : userPath(source))).join(',')
Object.assign(process.env, userDirectories())
await import('@sluice/api/main')
