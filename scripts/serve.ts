/**
 * `npm run serve`: the API alone, for the chains of `deployments/`, configured by the environment (packages/api/src/config.ts).
 * `-- --follow` quotes and reads no chain: indexers do, over `REDIS_URL`.
 */
import { commandLine } from './lib/command-line.ts'

const usage = 'Usage: npm run serve [-- --follow]'
const { follow } = commandLine(usage, { options: { follow: { type: 'boolean' } } }).values
if (follow) process.env.ROLE = 'worker'
await import('@sluice/api/main')
