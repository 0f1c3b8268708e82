/**
 * Writes the files that describe the local chain: chain file, deployment file, and `devnet.json` for users' scripts.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Address, type ChainFile, formatChainFile, type Token, writeDeployment } from '@sluice/chains'
import { saltOf, type TrustedList, trustedListOf, trustedLists } from '@sluice/program'
import type { Account } from './accounts.ts'
import { BLOCK_SECONDS, CHAIN_ID } from './constants.ts'
import type { DevnetInfo, DevnetToken } from './recipe.ts'
import type { TokenSymbol } from './tokens.ts'

const DEFAULT_RPC_URL = 'http://127.0.0.1:8545'

const HUBS = ['WETH', 'USDC', 'USDT', 'DAI', 'WBTC', 'LINK', 'UNI'] as const

/** Returns the chain file of the local chain, served at `rpcUrl`. */
export function devnetChain(info: DevnetInfo, rpcUrl: string): ChainFile {
  const token = (symbol: TokenSymbol): Token => ({ symbol, ...info.tokens[symbol] })
  const address = (symbol: TokenSymbol): Address => info.tokens[symbol].address
  return {
    chainId: CHAIN_ID,
    name: 'devnet',
    displayName: 'Sluice local chain',
    trackerName: 'Devnet',
    coinsPrefix: null,
    nativeCurrency: { symbol: 'ETH', name: 'Ether', decimals: 18 },
    wrappedNative: token('WETH'),
    stables: [token('USDC'), token('USDT'), token('DAI')],
    hubs: HUBS.map(address),
    tokens: (Object.keys(info.tokens) as TokenSymbol[]).map(token),
    rpcUrls: [rpcUrl],
    blockTimeMs: BLOCK_SECONDS * 1000,
    l1FeeModel: 'none',
    evm: { push0: true, transientStorage: true, mcopy: true },
    dexes: [...info.dexes],
    vouched: [...info.vouched],
  }
}

/**
 * Writes `chains/31337.json` and `deployments/` under `dir`. A service for the local chain needs these folders as
 * `CHAINS_DIR` and `DEPLOYMENTS_DIR`, and `RPC_URL_31337` if the node does not listen on port 8545.
 */
export function writeOverlay(dir: string, info: DevnetInfo): void {
  writeAtomically(join(dir, 'chains', `${CHAIN_ID}.json`), formatChainFile(devnetChain(info, DEFAULT_RPC_URL)))
  writeDeployment(join(dir, 'deployments'), info.deployment)
}

/** Contracts, accounts, and tokens for swaps on the local chain. */
type SwapInfo = Pick<DevnetInfo, 'guard' | 'executor' | 'accounts'> & {
  readonly dexes: readonly {
    readonly family: string
    readonly address: string
    readonly initCodeHash?: string | undefined
    readonly feePpm?: number | undefined
    readonly contracts?: Readonly<Record<string, string>> | undefined
  }[]
  readonly tokens: Readonly<Record<string, DevnetToken>> & { readonly WETH: DevnetToken }
  /** Pools that the SDK accepts even if their address does not follow from a factory. */
  readonly pools?: readonly { readonly address?: string | undefined; readonly id?: string | undefined }[] | undefined
}

/** Returns the contracts that the SDK must trust on the local chain. It has a built-in list only for live chains. */
export function swapContracts({ guard, executor, tokens, dexes, pools = [] }: SwapInfo) {
  const lists = trustedLists.map((list) => [
    list,
    dexes.flatMap(({ family, address }) => (trustedListOf(family) === list ? [address] : [])),
  ])
  return {
    ...{ guard, executors: [executor], wrapper: tokens.WETH.address },
    ...(Object.fromEntries(lists) as Readonly<Record<TrustedList, readonly string[]>>),
    factories: dexes.flatMap(({ family, address, initCodeHash, feePpm, contracts }) => {
      const kind = saltOf(family)
      return kind && initCodeHash ? [{ kind, deployer: contracts?.poolDeployer ?? address, initCodeHash, feePpm }] : []
    }),
    pools: pools.flatMap(({ address, id }) => id ?? address ?? []),
  }
}

/** Data that a user's script needs to trade on the local chain. */
export type DevnetJson = {
  readonly chainId: number
  readonly rpcUrl: string
  readonly apiUrl: string
  readonly guard: Address
  readonly executor: Address
  readonly contracts: ReturnType<typeof swapContracts>
  readonly accounts: readonly Account[]
  readonly tokens: Readonly<Record<string, DevnetToken>>
}

/** Options of `writeDevnetJson`. */
export type DevnetJsonOptions = {
  readonly dir: string
  readonly devnet: { readonly chainId: number; readonly url: string; readonly info: SwapInfo }
  readonly apiUrl: string
}

/** Writes `devnet.json` under `dir` and returns its content. */
export function writeDevnetJson({ dir, devnet, apiUrl }: DevnetJsonOptions): DevnetJson {
  const { guard, executor, accounts, tokens } = devnet.info
  const contracts = swapContracts(devnet.info)
  const content = { chainId: devnet.chainId, rpcUrl: devnet.url, apiUrl, guard, executor, contracts, accounts, tokens }
  writeAtomically(join(dir, 'devnet.json'), json(content))
  return content
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Writes a file atomically, so that readers never see a partial file. */
function writeAtomically(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.${process.pid}`, content)
  renameSync(`${file}.${process.pid}`, file)
}
