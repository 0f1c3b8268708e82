/**
 * `npm run indexer -- --chains 1,8453 | --any`: reads the chains that workers ask for, of those named or of all, and publishes their
 * state over `REDIS_URL`. Any number of them share the chains; configured by the environment like `npm run serve`.
 */
import { commandLine, fail } from './lib/command-line.ts'

const usage = 'Usage: npm run indexer -- --chains <id>,<id>… | --any'
const { chains, any } = commandLine(usage, { options: { chains: { type: 'string' }, any: { type: 'boolean' } } }).values
if ((chains === undefined) === (any === undefined)) fail(usage)
process.env.ROLE = 'indexer'
if (chains !== undefined) process.env.CHAINS = chains
await import('@sluice/api/main')
