/**
 * `npm run indexer -- --chains 1,8453 | --any`: follows the chains that workers request, only the named ones or any, and
 * publishes their state over `REDIS_URL`. Any number of indexers divide the chains among them. The environment
 * configures it as for `npm run serve`.
 */
import { commandLine, fail } from './lib/command-line.ts'
import { userDirectories } from './lib/run.ts'

const usage = 'Usage: npm run indexer -- --chains <id>,<id>… | --any'
const { chains, any } = commandLine(usage, { options: { chains: { type: 'string' }, any: { type: 'boolean' } } }).values
if ((chains === undefined) === (any === undefined)) fail(usage)
process.env.ROLE = 'indexer'
// An empty variable counts as absent: all chains of the registry.
process.env.CHAINS = chains ?? ''
Object.assign(process.env, userDirectories())
await import('@sluice/api/main')
