/**
 * `npm run indexer -- --chains 1,8453 | --any`: follows the chains that workers request (with `--chains` only the named
 * ones) and publishes their state over `REDIS_URL`. Several indexers divide the chains among them. The environment
 * configures it as for `npm run serve`.
 */
import { commandLine, fail } from './lib/command-line.ts'
import { userDirectories } from './lib/run.ts'

const usage = 'Usage: npm run indexer -- --chains <id>,<id>… | --any'
const { chains, any } = commandLine(usage, { options: { chains: { type: 'string' }, any: { type: 'boolean' } } }).values
if ((chains === undefined) === (any === undefined)) fail(usage)
process.env.ROLE = 'indexer'
// An empty variable counts as absent. It then stands for all chains of the registry.
process.env.CHAINS = chains ?? ''
Object.assign(process.env, userDirectories())
await import('@sluice/api/main')
