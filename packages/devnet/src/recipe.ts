/** Builds the local chain on a fresh node: tokens, funded accounts, DEXes with pools, routers, Guard, and Executor. */
import type { Address, Deployment } from '@sluice/chains'
import { type Account, accounts, DEPLOYER } from './accounts.ts'
import { createBuilder } from './builder.ts'
import { CHAIN_ID } from './constants.ts'
import type { DevnetPool, DexEntry } from './dexes/dex.ts'
import { recipes } from './dexes/index.ts'
import { deployUniswapRouters } from './dexes/routers.ts'
import { DevnetError } from './errors.ts'
import { request } from './node.ts'
import { deployTokens, fundAccounts, TOKENS, type TokenSymbol } from './tokens.ts'

/** Address and decimals of a token. */
export type DevnetToken = { readonly address: Address; readonly decimals: number }

/** Addresses on the local chain, as plain data that is saved next to the state. */
export type DevnetInfo = {
  readonly guard: Address
  /** Executor of the newest generation. */
  readonly executor: Address
  readonly deployment: Deployment
  readonly accounts: readonly Account[]
  readonly tokens: Readonly<Record<TokenSymbol, DevnetToken>> & Readonly<Record<string, DevnetToken>>
  readonly dexes: readonly DexEntry[]
  readonly pools: readonly DevnetPool[]
  /** Accounts whose privileges over pools the service accepts: the deployer, and the pools' rate providers. */
  readonly vouched: readonly Address[]
  /** Factories, routers, quoters, and position managers of the DEXes by name. */
  readonly routers: Readonly<Record<string, Address>>
}

/** Base fee of the last block of the build: 1 gwei. */
const BASE_FEE_WEI = 1_000_000_000

/** Balance of the deployer: ten million ETH, part of which it wraps. */
const DEPLOYER_WEI = 10_000_000n * 10n ** 18n

export type BuildOptions = {
  readonly url: string
  /** Folder to which the deployment record of Guard and Executor is written. */
  readonly deploymentsDir: string
  readonly onProgress: (step: string) => void
}

/**
 * Builds the chain on a fresh node.
 *
 * @throws DevnetError BUILD if a transaction reverts
 */
export async function build({ url, deploymentsDir, onProgress }: BuildOptions): Promise<DevnetInfo> {
  await request(url, 'anvil_impersonateAccount', [DEPLOYER])
  await request(url, 'anvil_setBalance', [DEPLOYER, `0x${DEPLOYER_WEI.toString(16)}`])
  const chain = createBuilder(url, DEPLOYER)

  onProgress('tokens')
  const tokens = await deployTokens(chain)
  await fundAccounts(chain, tokens)
  const dexes: DexEntry[] = []
  const pools: DevnetPool[] = []
  const trustedAccounts: Address[] = [DEPLOYER]
  let routers: Record<string, Address> = {}
  for (const [name, recipe] of Object.entries(recipes)) {
    onProgress(name)
    const dex = await recipe(chain, tokens)
    dexes.push(...dex.rows)
    pools.push(...dex.pools)
    trustedAccounts.push(...(dex.trustedAccounts ?? []))
    routers = { ...routers, ...dex.routers }
  }
  onProgress('routers')
  routers = { ...routers, ...(await deployUniswapRouters(chain, tokens, routers)) }

  onProgress('Guard and Executor')
  // Imported only for a build, because it loads Hardhat, which is slow.
  const { deployContracts } = await import('@sluice/contracts')
  const deployment = await deployContracts({ rpcUrl: url, chainId: CHAIN_ID, deploymentsDir, onProgress })
  const executor = deployment.executors.at(-1)
  if (!executor) throw new DevnetError('BUILD', 'the deployment has no Executor')

  await request(url, 'anvil_stopImpersonatingAccount', [DEPLOYER])
  // After hundreds of nearly empty blocks the base fee is almost zero, so it is set to a realistic value.
  await request(url, 'anvil_setNextBlockBaseFeePerGas', [`0x${BASE_FEE_WEI.toString(16)}`])
  await request(url, 'evm_mine', [])
  const entries = Object.entries(TOKENS).map(([symbol, { decimals }]) => [
    symbol,
    { address: tokens[symbol as TokenSymbol].address, decimals },
  ])
  return {
    guard: deployment.guard.address,
    executor: executor.address,
    deployment,
    accounts: accounts(),
    tokens: Object.fromEntries(entries),
    dexes,
    pools,
    vouched: trustedAccounts,
    routers,
  }
}
