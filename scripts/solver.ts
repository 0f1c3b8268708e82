/**
 * `npm run solver -- --chain <id>`: runs the API as a CoW Protocol solver, with `POST /solve` and `POST /notify` for
 * one chain, and `/solver/{chain}` for other chains. The environment configures it as for `npm run serve`
 * (docs/solver.md).
 */
import { commandLine } from './lib/command-line.ts'
import { userDirectories } from './lib/run.ts'

const usage = 'Usage: npm run solver [-- --chain <id>]'
const { chain } = commandLine(usage, { options: { chain: { type: 'string' } } }).values
process.env.ROLE = 'solver'
if (chain !== undefined) process.env.SOLVER_CHAIN = chain
Object.assign(process.env, userDirectories())
await import('@sluice/api/main')
