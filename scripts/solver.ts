/**
 * `npm run solver -- --chain <id>`: the API as a solver of CoW Protocol: `POST /solve` and `/notify` for one chain, and for the others
 * under `/solver/{chain}`. Configured by the environment like `npm run serve` (docs/solver.md).
 */
import { commandLine } from './lib/command-line.ts'

const usage = 'Usage: npm run solver [-- --chain <id>]'
const { chain } = commandLine(usage, { options: { chain: { type: 'string' } } }).values
process.env.ROLE = 'solver'
if (chain !== undefined) process.env.SOLVER_CHAIN = chain
await import('@sluice/api/main')
