/**
 * Lists the pools of the most traded tokens. Says for each pool if quotes can use it, and the reason if they cannot.
 *
 * `npm run coverage:pools -- --chain <id> [--rpc <url>] | --recorded`
 */
import { type Address, type Chain, loadRegistry } from '@sluice/chains'
import { createRpc, RpcError } from '@sluice/rpc'
import { record } from '../bench/record.ts'
import { type Coverage, coverageOf } from './coverage-pools/coverage.ts'
import { swapsAt } from './coverage-pools/mined.ts'
import { RECORDED_CHAINS, recordedBlocks, recordedCoverage } from './coverage-pools/recorded.ts'
import { summaryOf, summaryText, tokenTable } from './coverage-pools/report.ts'
import type { Swap } from './coverage-pools/swaps.ts'
import { commandLine, fail } from './lib/command-line.ts'
import { endpointsOf } from './lib/rpc-url.ts'
import { userDirectories } from './lib/run.ts'

const usage = `npm run coverage:pools -- --chain <id> [--rpc <url>] | --recorded [<name>]…
  --rpc <url>         calls this endpoint; default: RPC_URL_<id>, or those of the chain's file
  --blocks <count>    newest blocks whose swaps are counted, 1 to 1000; default: 20
  --tokens <count>    most traded tokens, by their swaps in these blocks, 1 to 1000; default: 200
  --settle <seconds>  maximum wait for the search of pools, 1 to 3600; default: 300
  --recorded          uses the recorded blocks of ${RECORDED_CHAINS.join(', ')}, or of the named ones; without names, also
                      writes bench/results/pool-coverage.json
  --json              prints every pool as JSON
CHAINS_DIR overrides the registry.`

/** Exit code for an invalid command line; 1 means that the node failed. */
const USAGE_EXIT_CODE = 2

const { values, positionals } = commandLine(
  usage,
  {
    allowPositionals: true,
    options: {
      chain: { type: 'string' },
      rpc: { type: 'string' },
      blocks: { type: 'string', default: '20' },
      tokens: { type: 'string', default: '200' },
      settle: { type: 'string', default: '300' },
      recorded: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  } as const,
  USAGE_EXIT_CODE,
)

const tokenCount = wholeNumber('tokens', 1, 1_000)
const blockCount = wholeNumber('blocks', 1, 1_000)
const settleMs = 1_000 * wholeNumber('settle', 1, 3_600)
if (values.recorded) await measureRecorded()
else await measureLive()
// Exits at once, because keep-alive connections would delay the exit.
process.exit()

/** Measures the recorded blocks of the named chains, or of all. */
async function measureRecorded(): Promise<void> {
  if (values.chain !== undefined || values.rpc !== undefined) refuse('--recorded goes without --chain and --rpc')
  const unknownName = positionals.find((name) => !RECORDED_CHAINS.some((chainName) => chainName === name))
  if (unknownName !== undefined) refuse(`--recorded: ${unknownName} is unknown; use ${RECORDED_CHAINS.join(', ')}`)
  const names = RECORDED_CHAINS.filter((name) => positionals.length === 0 || positionals.includes(name))
  const results: Record<string, object> = {}
  const coveragesByChain: Record<string, readonly Coverage[]> = {}
  for (const name of names) {
    const coverages = await recordedCoverage(name, tokenCount)
    coveragesByChain[name] = coverages
    const summary = summaryOf(coverages)
    results[name] = { ...recordedBlocks(name), ...summary }
    if (!values.json) console.log(summaryText(name, summary))
  }
  if (values.json) console.log(JSON.stringify(coveragesByChain, null, 2))
  if (positionals.length === 0) record('pool-coverage', results, { isPrinted: false })
}

/** Measures the newest blocks of a chain. */
async function measureLive(): Promise<void> {
  if (positionals.length > 0) refuse(`${positionals[0]} is not an option`)
  if (values.chain === undefined) refuse('--chain is missing')
  const registry = loadRegistry({ chainsDir: userDirectories().CHAINS_DIR })
  const chain = /^[1-9][0-9]{0,14}$/.test(values.chain!) ? registry.chain(Number(values.chain)) : undefined
  if (!chain) return refuse(`--chain: the registry has no chain ${values.chain}`)
  const urls = endpointsOf(chain.chainId, values.rpc, chain.rpcUrls)
  if (urls.length === 0) refuse(`--rpc is missing: the file of chain ${chain.chainId} names no endpoint`)
  const rpc = createRpc({ chainId: chain.chainId, urls })
  try {
    const head = (await rpc.getBlock('latest'))!
    const swaps: Swap[] = []
    for (let number = Math.max(0, head.number - blockCount + 1); number <= head.number; number++)
      swaps.push(...(await swapsAt(rpc, number, chain)))
    const coverage = await coverageOf(swaps, { chain, rpc, tokenCount, settleMs })
    printCoverage(coverage, chain)
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    fail(`--rpc: ${error.message}`)
  } finally {
    rpc.close()
  }
}

function printCoverage(coverage: Coverage, chain: Chain): void {
  if (values.json) {
    console.log(JSON.stringify(coverage, null, 2))
    return
  }
  const { wrappedNative, stables, tokens: otherTokens, name } = chain
  const tokenList = [...(wrappedNative ? [wrappedNative] : []), ...stables, ...otherTokens]
  const symbols = new Map(tokenList.map(({ address, symbol }) => [address as string, symbol]))
  console.log(tokenTable(coverage, (token) => symbols.get(token as Address) ?? token))
  console.log(summaryText(name, summaryOf([coverage])))
  if (!coverage.isScanned) console.log('  The search of past logs was not complete: more pools may be found later.')
}

function wholeNumber(name: 'tokens' | 'blocks' | 'settle', min: number, max: number): number {
  const value = Number(values[name])
  if (!/^\d{1,6}$/.test(values[name]) || value < min || value > max)
    refuse(`--${name}: ${values[name]} is not a whole number from ${min} to ${max}`)
  return value
}

function refuse(text: string): never {
  return fail(`${text}\n${usage}`, USAGE_EXIT_CODE)
}
