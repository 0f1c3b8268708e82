/**
 * `npm run mainnet`: runs the API offline on the recorded state of Ethereum before block 24,628,608 (March 2026).
 * Tokens, pools, and routers are the original ones, at their own addresses. The node has chain id 1, and the service
 * uses the registry's file of Ethereum. Deploys Guard and Executor like `npm run deploy`.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig, startServer } from '@sluice/api'
import { loadRegistry, NATIVE, type Token } from '@sluice/chains'
import { deployContracts } from '@sluice/contracts'
import { accounts, type DevnetToken, startMainnet, writeDevnetJson } from '@sluice/devnet'
import { curlLines } from './lib/curl-lines.ts'
import { preferredPort } from './lib/preferred-port.ts'
import { root } from './lib/run.ts'
import { untilStopped } from './lib/until-stopped.ts'

const start = Date.now()
const printProgress = (text: string) =>
  console.log(`[${((Date.now() - start) / 1000).toFixed(1).padStart(5)} s] ${text}`)
const dir = join(root, '.devnet/mainnet')
const deploymentsDir = join(dir, 'deployments')

const node = await startMainnet({ port: await preferredPort(8545) })
printProgress(`Ethereum's state before block 24,628,608 answers as chain ${node.chainId} on ${node.url}`)
// The records of the previous run are invalid, because a new node starts without our contracts.
rmSync(deploymentsDir, { recursive: true, force: true })
const fail = async (error: Error): Promise<never> => {
  await node.stop()
  console.error(error.message)
  process.exit(1)
}
const { chainId } = node
const deployment = await deployContracts({
  rpcUrl: node.url,
  chainId,
  deploymentsDir,
  onProgress: printProgress,
}).catch(fail)

const environment = {
  ...process.env,
  PORT: process.env.PORT ?? '3000',
  LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
  // The real chain also has id 1, so this service must share no data with a service for it.
  ...{ DATA_DIR: '', REDIS_URL: '', ROLE: '' },
  CHAINS: process.env.CHAINS && `${process.env.CHAINS},${chainId}`,
  DEPLOYMENTS_DIR: deploymentsDir,
  LOCAL_CHAIN_FILE: join(dir, 'devnet.json'),
  [`RPC_URL_${chainId}`]: node.url,
}
const startApi = async () => startServer(loadConfig(environment))
const api = await startApi().catch(fail)
const shutDown = untilStopped(() => [api.close(), node.stop()])

const { wrappedNative, stables, tokens: others, dexes } = loadRegistry().chain(chainId)!
const { WETH, USDC, ...rest } = tokensBySymbol([wrappedNative!, ...stables, ...others])
const tokens = { WETH: WETH!, USDC: USDC!, ...rest }
const { guard, executors } = deployment
const info = { guard: guard.address, executor: executors[0]!.address, accounts: accounts(), tokens, dexes }
writeDevnetJson({ dir, devnet: { chainId, url: node.url, info }, apiUrl: api.url })
const soldToken = { address: NATIVE, symbol: 'ETH' }
const lines = curlLines({
  apiUrl: api.url,
  chainId,
  accounts: info.accounts,
  tokens: { WETH: WETH!, USDC: USDC! },
  sold: soldToken,
})
printProgress('Finding pools for the first quote')
const firstQuote = await fetch(lines.swapUrl)
if (!firstQuote.ok) {
  console.error(`The first quote failed with ${firstQuote.status}: ${await firstQuote.text()}`)
  await shutDown(1)
}
printProgress(`Ready on ${api.url}; docs/mainnet.md lists what the state lacks`)
console.log(lines.text)

/** Returns the registry's tokens that the state contains, by symbol. The first token with a symbol wins. */
function tokensBySymbol(tokens: readonly Token[]): Readonly<Record<string, DevnetToken>> {
  const knownTokens = tokens.flatMap(({ symbol, address, decimals }) =>
    node.hasAccount(address) && decimals !== null ? [[symbol, { address, decimals }] as const] : [],
  )
  return Object.fromEntries(knownTokens.reverse())
}
