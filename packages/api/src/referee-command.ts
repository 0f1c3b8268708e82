/** Judges a mined swap of any router on the command line, at the state before the swap. */
import { parseArgs } from 'node:util'
import { type Address, type Hex, loadRegistry, NATIVE, type Registry } from '@sluice/chains'
import { formatUnits } from 'ethers'
import { type Config, loadConfig } from './config.ts'
import { createMetrics } from './metrics.ts'
import { formatReport } from './referee-report.ts'
import { verdictResponse } from './referee-response.ts'
import { Services, silentLog } from './services.ts'
import { toApiError } from './translate.ts'

/** Exit code if there is no swap to judge, or if the node failed. */
const NOT_JUDGED_EXIT_CODE = 1
/** Exit code of an invalid command line or environment. */
const USAGE_EXIT_CODE = 2
/** Timeout of the whole verdict. */
const TIMEOUT_MS = 300_000
/** Maximum milliseconds to wait for pools that are found in the background. */
const SETTLE_MS = 60_000
/** Timeout of the request for the chain id. */
const CHAIN_ID_TIMEOUT_MS = 10_000

const CHAINS_HINT =
  'CHAINS_DIR and DEPLOYMENTS_DIR add chains; those of `npm start` are .devnet/chains and .devnet/deployments.'

const usageOf = (command: string) => `usage: ${command} <tx hash> --rpc <url> [--chain <id>] [--json]
Reads what a swap of any router gave and received, quotes the same trade at the state before it, and prints what was left on the table.
The node must have the state of the block before it. With eth_simulateV1 the state at its position in the block is used as well.
  --chain <id>   by default the chain of the node
  --json         prints the verdict in the format of /referee
CHAINS_DIR and DEPLOYMENTS_DIR overlay the registry.`

const options = {
  rpc: { type: 'string' },
  chain: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const

type Command = {
  /** Name of the command in the usage. */
  readonly command: string
  readonly args: readonly string[]
  readonly environment: NodeJS.ProcessEnv
  /** Opens the chains of a registry. A test opens fakes. */
  readonly openServices?: (registry: Registry, config: Config) => Pick<Services, 'chain' | 'close'>
}

const openRealServices = (registry: Registry, config: Config) =>
  new Services(registry, config, createMetrics(), silentLog())

/**
 * Judges one transaction and prints the verdict.
 *
 * @returns the exit code: 0 if a swap was judged, 1 if there was none or the node failed, 2 for a faulty command line
 *   or environment
 */
export async function runReferee({
  command,
  args,
  environment,
  openServices = openRealServices,
}: Command): Promise<number> {
  const usageError = (reason: string) => {
    console.error(`${reason}${usageOf(command)}`)
    return USAGE_EXIT_CODE
  }
  let parsed: ReturnType<typeof parseCommandLine>
  try {
    parsed = parseCommandLine(args)
  } catch (error) {
    return usageError(`${(error as Error).message}\n`)
  }
  const { values, positionals } = parsed
  if (values.help) {
    console.log(usageOf(command))
    return 0
  }
  const [hash = ''] = positionals
  if (positionals.length !== 1 || !/^0x[0-9a-fA-F]{64}$/.test(hash)) return usageError('')
  const { rpc, chain } = values
  if (rpc === undefined && chain === undefined) return usageError('')
  if (chain !== undefined && !/^[1-9]\d{0,15}$/.test(chain)) return usageError(`--chain: ${chain} is not a chain id\n`)
  const chainId = chain === undefined ? await readChainId(rpc!) : Number(chain)
  if (chainId === undefined) {
    console.error(`--rpc: ${hostOf(rpc!)} does not answer eth_chainId`)
    return NOT_JUDGED_EXIT_CODE
  }
  const settings = { ...environment, ...(rpc !== undefined && { [`RPC_URL_${chainId}`]: rpc }) }
  return judge(hash.toLowerCase() as Hex, chainId, { environment: settings, printsJson: values.json, openServices })
}

const parseCommandLine = (args: readonly string[]) => parseArgs({ args: [...args], allowPositionals: true, options })

/** Returns the host of a URL, without its path, which may contain a key; the text itself if it is not a URL. */
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : url)

async function readChainId(url: string): Promise<number | undefined> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  const headers = { 'content-type': 'application/json' }
  try {
    const signal = AbortSignal.timeout(CHAIN_ID_TIMEOUT_MS)
    const response = await fetch(url, { method: 'POST', headers, body, signal })
    const chainId = Number(((await response.json()) as { result: string }).result)
    return Number.isSafeInteger(chainId) ? chainId : undefined
  } catch {
    return undefined
  }
}

type Settings = Required<Pick<Command, 'environment' | 'openServices'>> & { readonly printsJson: boolean }

async function judge(hash: Hex, chainId: number, settings: Settings): Promise<number> {
  const { environment, printsJson, openServices } = settings
  let services: ReturnType<typeof openServices>
  try {
    // Known pools are not saved: if this process saved them, a running service could no longer save to the same
    // directory.
    const config = { ...loadConfig(environment), dataDir: undefined }
    const { chainsDir, deploymentsDir } = config
    services = openServices(loadRegistry({ chainsDir, deploymentsDir }), config)
  } catch (error) {
    console.error((error as Error).message)
    return USAGE_EXIT_CODE
  }
  const quotingContext = {
    signal: AbortSignal.timeout(TIMEOUT_MS),
    time: async <T>(_stage: string, step: () => T | Promise<T>) => step(),
    log: silentLog(),
  }
  try {
    const { chain, liveChain } = services.chain(chainId)
    let verdict = await liveChain.judge(hash, quotingContext)
    if (verdict.trades.some(({ comparisons }) => comparisons.some(({ best }) => best.poolsPending))) {
      await liveChain.waitUntilSettled(SETTLE_MS)
      verdict = await liveChain.judge(hash, quotingContext)
    }
    const body = verdictResponse(verdict, chain)
    if (printsJson) console.log(JSON.stringify(body, null, 2))
    else {
      const tokens = [...new Set(body.trades.flatMap(({ src, dst }) => [src, dst]))].filter((token) => token !== NATIVE)
      const symbols = await liveChain.tokens.symbols(tokens as Address[], liveChain.rpc)
      const nameOf = (token: string) =>
        token === NATIVE ? chain.nativeCurrency.symbol : (symbols.get(token as Address) ?? token)
      const decimalsOf = (token: string) =>
        token === NATIVE ? chain.nativeCurrency.decimals : (liveChain.tokens.facts.decimals(token as Address) ?? 0)
      console.log(formatReport(body, (amount, token) => `${formatUnits(amount, decimalsOf(token))} ${nameOf(token)}`))
    }
    return body.outcome === 'swap' ? 0 : NOT_JUDGED_EXIT_CODE
  } catch (thrown) {
    const { code, message } = toApiError(thrown)
    if (printsJson) console.log(JSON.stringify({ error: message, code }, null, 2))
    else console.error(code === 'UNSUPPORTED_CHAIN' ? `${message}\n${CHAINS_HINT}` : message)
    return NOT_JUDGED_EXIT_CODE
  } finally {
    await services.close()
  }
}
