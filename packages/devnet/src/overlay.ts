/** The files by which the rest of Sluice knows the local chain. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Address, Chain, Token } from '@sluice/chains'
import type { Account } from './accounts.ts'
import { BLOCK_SECONDS, CHAIN_ID, DEFAULT_DIR } from './prepare.ts'
import type { DevnetInfo, DevnetToken } from './recipe.ts'
import type { TokenSymbol } from './tokens.ts'

/** The registry entry of the local chain as served at `rpcUrl`. */
export function devnetChain(info: DevnetInfo, rpcUrl: string): Chain {
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
    hubs: [address('WETH'), address('USDC'), address('USDT'), address('DAI'), address('WBTC')],
    tokens: (Object.keys(info.tokens) as TokenSymbol[]).map(token),
    rpcUrls: [rpcUrl],
    blockTimeMs: BLOCK_SECONDS * 1000,
    l1FeeModel: 'none',
    evm: { push0: true, transientStorage: true, mcopy: true },
    dexes: info.dexes,
  }
}

export type OverlayOptions = {
  readonly dir?: string
  readonly info: DevnetInfo
  readonly rpcUrl: string
}

/** Writes `chains/31337.json` under `dir`, to be named by `CHAINS_DIR`. */
export function writeOverlay({ dir = DEFAULT_DIR, info, rpcUrl }: OverlayOptions): { chainsDir: string } {
  const chainsDir = join(dir, 'chains')
  writeJson(join(chainsDir, `${CHAIN_ID}.json`), devnetChain(info, rpcUrl))
  return { chainsDir }
}

/** What a user's script needs to trade on the local chain. */
export type DevnetJson = {
  readonly chainId: number
  readonly rpcUrl: string
  readonly apiUrl: string
  readonly guard: Address
  readonly executor: Address
  readonly accounts: readonly Account[]
  readonly tokens: Readonly<Record<string, DevnetToken>>
}

/** Writes `devnet.json` under `dir` and returns its path. */
export function writeDevnetJson(content: DevnetJson, dir: string = DEFAULT_DIR): string {
  const file = join(dir, 'devnet.json')
  const { chainId, rpcUrl, apiUrl, guard, executor, accounts, tokens } = content
  writeJson(file, { chainId, rpcUrl, apiUrl, guard, executor, accounts, tokens })
  return file
}

/** Replaced as a whole, so that a reader never sees half a file. */
function writeJson(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(content, null, 2)}\n`)
  renameSync(`${file}.${process.pid}`, file)
}
