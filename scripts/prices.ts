/** `npm run -s prices`: prints prices and their sources at the head or a past block, without a running service. */
import { toPriceDetail } from '@sluice/api'
import { type Address, loadRegistry, toAddress } from '@sluice/chains'
import { PastBlocks, QuotingError } from '@sluice/quoting'
import { createRpc, RpcError } from '@sluice/rpc'
import { commandLine, fail } from './lib/command-line.ts'
import { endpointsOf } from './lib/rpc-url.ts'
import { userDirectories } from './lib/run.ts'

const USAGE = `usage: npm run -s prices -- --chain <id> [--rpc <url>] [--block <number>] <token>…
  --rpc <url>   default: RPC_URL_<id>, or the endpoints of the chain's file
Answers as /prices does with detail=1. CHAINS_DIR overrides the registry.`
/** Exit code for an invalid command line; 1 means that the node failed. */
const USAGE_EXIT_CODE = 2
/** Maximum milliseconds to wait for the search of pools, which continues in the background. */
const SETTLE_MS = 20_000

const { values, positionals } = commandLine(
  USAGE,
  {
    allowPositionals: true,
    options: { chain: { type: 'string' }, rpc: { type: 'string' }, block: { type: 'string' } },
  },
  USAGE_EXIT_CODE,
)
if (values.chain === undefined || positionals.length === 0) fail(USAGE, USAGE_EXIT_CODE)
if (values.block !== undefined && !/^\d{1,15}$/.test(values.block))
  fail('--block: must be a whole number', USAGE_EXIT_CODE)
const registry = loadRegistry({ chainsDir: userDirectories().CHAINS_DIR })
const chain =
  registry.chain(Number(values.chain)) ?? fail(`--chain: the registry has no chain ${values.chain}`, USAGE_EXIT_CODE)
const tokens = new Map(positionals.map((text) => [text, readToken(text)]))

const urls = endpointsOf(chain.chainId, values.rpc, chain.rpcUrls)
const rpc = createRpc({ chainId: chain.chainId, urls })
const past = new PastBlocks(chain, { settleMs: SETTLE_MS })
try {
  const at = values.block === undefined ? 'latest' : Number(values.block)
  const { prices, block } = await past.pricesAt(at, [...tokens.values()], rpc)
  const results: Record<string, object> = {}
  for (const [tokenText, token] of tokens) results[tokenText] = toPriceDetail(await prices.detail(token), block, true)
  console.log(JSON.stringify(results, null, 2))
} catch (error) {
  if (!(error instanceof QuotingError || error instanceof RpcError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  await past.close()
  rpc.close()
}

function readToken(text: string): Address {
  return /^0x[0-9a-fA-F]{40}$/.test(text)
    ? toAddress(text)
    : fail(`${text} is not an address\n${USAGE}`, USAGE_EXIT_CODE)
}
