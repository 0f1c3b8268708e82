/**
 * `npm run -s quote`: one route out of a chain's pools as JSON, without the service: from a node, or from a saved snapshot.
 */
import { type Address, loadRegistry, NATIVE, toAddress } from '@sluice/chains'
import { createMarket, loadSnapshot, type Snapshot } from '@sluice/liquidity'
import { buildGraph, findRoute } from '@sluice/routing'
import { createRpc } from '@sluice/rpc'
import { commandLine, fail } from './lib/command-line.ts'
import { userPath } from './lib/run.ts'

const USAGE = `usage: npm run -s quote -- --chain <id> [--rpc <url>] <tokenIn> <tokenOut> <amountIn>
       npm run -s quote -- --snapshot <file> <tokenIn> <tokenOut> <amountIn>
  --gas-price <wei>   counts gas against the output; free otherwise
Amounts are base units; ${NATIVE} stands for the native token. The registry is overlaid by CHAINS_DIR.`

/** Of the process, for a command line that cannot be meant; 1 says that there is no route. */
const MISUSED = 2

const config = {
  allowPositionals: true,
  options: {
    chain: { type: 'string' },
    rpc: { type: 'string' },
    snapshot: { type: 'string' },
    'gas-price': { type: 'string', default: '0' },
  },
} as const
const { values, positionals } = commandLine(USAGE, config, MISUSED)
if (positionals.length !== 3 || (values.chain === undefined) === (values.snapshot === undefined)) refuse(USAGE)
const tokenIn = token('tokenIn', positionals[0]!)
const tokenOut = token('tokenOut', positionals[1]!)
const amountIn = amount('amountIn', positionals[2]!)
const gasPriceWei = amount('--gas-price', values['gas-price'])
if (amountIn === 0n) refuse('amountIn: must be above 0')

const snapshot = values.snapshot === undefined ? await read() : await loadSnapshot(userPath(values.snapshot))
const wrappedNative = chainOf(snapshot.chainId).wrappedNative?.address ?? null
const result = findRoute(buildGraph(snapshot), { tokenIn, tokenOut, amountIn, wrappedNative, gasPriceWei })
const readable = (key: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : key === 'pool' && isPool(value) ? `${value.dex} ${value.id}` : value
console.log(JSON.stringify({ block: snapshot.block.number, ...(result.ok ? result.route : result) }, readable, 2))
process.exitCode = result.ok ? 0 : 1

async function read(): Promise<Snapshot> {
  const chain = chainOf(Number(values.chain))
  const urls = values.rpc === undefined ? chain.rpcUrls : [values.rpc]
  const rpc = createRpc({ chainId: chain.chainId, urls })
  const market = createMarket({ chain, rpc })
  try {
    const wrapped = chain.wrappedNative?.address
    return await market.ensure(
      [tokenIn, tokenOut].map((address) => (address === NATIVE && wrapped ? wrapped : address)),
    )
  } finally {
    await market.stop()
    rpc.close()
  }
}

function chainOf(chainId: number) {
  const { CHAINS_DIR } = process.env
  const registry = loadRegistry(CHAINS_DIR ? { chainsDir: userPath(CHAINS_DIR) } : {})
  return registry.chain(chainId) ?? refuse(`--chain: the registry has no chain ${chainId}`)
}

function token(name: string, text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) refuse(`${name}: ${text} is not an address`)
  return toAddress(text)
}

function amount(name: string, text: string): bigint {
  if (!/^\d{1,78}$/.test(text)) refuse(`${name}: ${text} is not a whole number`)
  return BigInt(text)
}

function isPool(value: unknown): value is { dex: string; id: string } {
  return typeof value === 'object' && value !== null && 'dex' in value && 'id' in value
}

function refuse(text: string): never {
  return fail(text, MISUSED)
}
