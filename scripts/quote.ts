/**
 * `npm run -s quote`: prints the response that the service would send, without a running service: the simulated route
 * and its transaction. With `--route` or `--snapshot`, prints only the route, from the pools of a node or of a snapshot
 * file.
 */
import {
  answerRequest,
  type Config,
  ConfigError,
  createMetrics,
  loadConfig,
  readRequest,
  Services,
  silentLog,
  swapParameters,
  toApiError,
} from '@sluice/api'
import { type Address, ChainsError, loadRegistry, NATIVE, toAddress } from '@sluice/chains'
import { createMarket, loadSnapshot, MarketError, type Snapshot } from '@sluice/liquidity'
import { buildGraph, findRoute } from '@sluice/routing'
import { createRpc, RpcError } from '@sluice/rpc'
import { commandLine, fail } from './lib/command-line.ts'
import { endpointsOf } from './lib/rpc-url.ts'
import { userDirectories, userPath } from './lib/run.ts'

const parameterNames = Object.keys(swapParameters.shape).filter((name) => !['src', 'dst', 'amount'].includes(name))
const USAGE = `usage: npm run -s quote -- --chain <id> [--rpc <url>] [--from <wallet>] <tokenIn> <tokenOut> <amountIn>
         answers as /aggregator if --from is given, else as /quote
       npm run -s quote -- --chain <id> [--rpc <url>] --route <tokenIn> <tokenOut> <amountIn>
       npm run -s quote -- --snapshot <file> <tokenIn> <tokenOut> <amountIn>
         only the route, neither simulated nor encoded
  --rpc <url>   default: RPC_URL_<id>, or the endpoints of the chain's file
  --amountOut <amount>   instead of <amountIn>: finds the minimum input for this output
  --gas-price <wei>   counts gas against the output; default: the network's gas price; 0 with --route or --snapshot
  --<parameter> <value>   any other parameter of /aggregator: ${parameterNames.filter((name) => name !== 'from').join(', ')}
Amounts are base units; ${NATIVE} stands for the native token. CHAINS_DIR and DEPLOYMENTS_DIR override the registry.`

/** Exit code for an invalid command line; 1 means that there is no route. */
const USAGE_EXIT_CODE = 2
/** Maximum milliseconds to wait for the background work that the first request starts. */
const SETTLE_MS = 10_000
/** Timeout of both requests together, in milliseconds. It is long, because the first request loads the pools. */
const TIMEOUT_MS = 120_000

const commandLineOptions = {
  allowPositionals: true,
  options: {
    chain: { type: 'string' },
    rpc: { type: 'string' },
    snapshot: { type: 'string' },
    route: { type: 'boolean', default: false },
    'gas-price': { type: 'string' },
    ...Object.fromEntries(parameterNames.map((name) => [name, { type: 'string' as const }])),
  },
} as const
const { values, positionals } = commandLine(USAGE, commandLineOptions, USAGE_EXIT_CODE)
const isExactOutput = 'amountOut' in values
if (positionals.length !== (isExactOutput ? 2 : 3) || (values.chain === undefined) === (values.snapshot === undefined))
  refuse(USAGE)
const [src, dst, amountIn = ''] = positionals as [string, string, string?]

if (values.chain !== undefined && !/^[1-9]\d{0,15}$/.test(values.chain))
  refuse(`--chain: ${values.chain} is not a chain id`)

const isRouteAlone = values.snapshot !== undefined || values.route
process.exitCode = await (isRouteAlone ? printRoute() : printQuote()).catch(reportFailure)

async function printQuote(): Promise<number> {
  const chainId = Number(values.chain)
  const settings = serviceConfig(chainId)
  const registry = loadRegistry({ chainsDir: settings.chainsDir, deploymentsDir: settings.deploymentsDir })
  const services = new Services(registry, settings, createMetrics(), silentLog())
  const entries = Object.entries(values).filter(([name]) => parameterNames.includes(name))
  const gasPrice = values['gas-price']
  const parameters = {
    src,
    dst,
    ...(!isExactOutput && { amount: amountIn }),
    ...(gasPrice && { gasPrice }),
    ...Object.fromEntries(entries),
  }
  try {
    const parsed = readRequest('from' in parameters ? 'swap' : 'quote', parameters)
    const context = {
      signal: AbortSignal.timeout(TIMEOUT_MS),
      time: async <T>(_stage: string, run: () => T | Promise<T>) => run(),
      log: silentLog(),
    }
    const chain = services.chain(chainId)
    // The first request starts the search for pools and gas measurements in the background. When they are done, the
    // response equals that of a service that has been running for a while.
    await answerRequest(parsed, chain, context)
    await chain.liveChain.waitUntilSettled(SETTLE_MS)
    console.log(JSON.stringify(await answerRequest(parsed, chain, context), null, 2))
    return 0
  } catch (thrown) {
    return printError(thrown)
  } finally {
    await services.close()
  }
}

/** Prints the error response that the service would send, and returns the exit code. */
function printError(thrown: unknown): number {
  const { code, status, message, details } = toApiError(thrown)
  console.log(JSON.stringify({ error: message, code, ...details }, null, 2))
  return status === 400 ? USAGE_EXIT_CODE : 1
}

/** Reports an invalid setting or file like an invalid command line, and a failure of the node like the service does. */
function reportFailure(error: unknown): number {
  if (error instanceof ConfigError || error instanceof ChainsError) refuse(error.message)
  if (error instanceof MarketError && error.code === 'BAD_SNAPSHOT') refuse(error.message)
  if (error instanceof MarketError || error instanceof RpcError) return printError(error)
  throw error
}

function serviceConfig(chainId: number): Config {
  const config = loadConfig({
    ...process.env,
    ...userDirectories(),
    ...(values.rpc !== undefined && { [`RPC_URL_${chainId}`]: values.rpc }),
  })
  // No data directory: if this process saved there, a running service with the same directory could not save any more.
  return { ...config, dataDir: undefined }
}

async function printRoute(): Promise<number> {
  const ends = { tokenIn: readTokenArgument('tokenIn', src), tokenOut: readTokenArgument('tokenOut', dst) }
  const amount = readAmountArgument('amountIn', amountIn)
  if (amount === 0n) refuse('amountIn: must be above 0')
  const gasPriceWei = readAmountArgument('--gas-price', values['gas-price'] ?? '0')
  const snapshot =
    values.snapshot === undefined
      ? await snapshotFromNode([ends.tokenIn, ends.tokenOut])
      : await loadSnapshot(userPath(values.snapshot))
  const wrappedNative = chainOf(snapshot.chainId).wrappedNative?.address ?? null
  const result = findRoute(buildGraph(snapshot), { ...ends, amountIn: amount, wrappedNative, gasPriceWei })
  const readable = (key: string, value: unknown) =>
    typeof value === 'bigint' ? String(value) : key === 'pool' && isPool(value) ? `${value.dex} ${value.id}` : value
  console.log(JSON.stringify({ block: snapshot.block.number, ...(result.ok ? result.route : result) }, readable, 2))
  return result.ok ? 0 : 1
}

async function snapshotFromNode(tokens: readonly Address[]): Promise<Snapshot> {
  const chain = chainOf(Number(values.chain))
  const urls = endpointsOf(chain.chainId, values.rpc, chain.rpcUrls)
  const rpc = createRpc({ chainId: chain.chainId, urls })
  const market = createMarket({ chain, rpc })
  try {
    const wrappedNative = chain.wrappedNative?.address
    return await market.ensure(tokens.map((address) => (address === NATIVE && wrappedNative ? wrappedNative : address)))
  } finally {
    await market.stop()
    rpc.close()
  }
}

function chainOf(chainId: number) {
  const registry = loadRegistry({ chainsDir: userDirectories().CHAINS_DIR })
  return registry.chain(chainId) ?? refuse(`--chain: the registry has no chain ${chainId}`)
}

function readTokenArgument(name: string, text: string): Address {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) refuse(`${name}: ${text} is not an address`)
  return toAddress(text)
}

function readAmountArgument(name: string, text: string): bigint {
  if (!/^\d{1,78}$/.test(text)) refuse(`${name}: ${text} is not a whole number`)
  return BigInt(text)
}

function isPool(value: unknown): value is { dex: string; id: string } {
  return typeof value === 'object' && value !== null && 'dex' in value && 'id' in value
}

function refuse(text: string): never {
  return fail(text, USAGE_EXIT_CODE)
}
