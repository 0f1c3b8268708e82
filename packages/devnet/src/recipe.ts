/** Everything that stands on the local chain, in the order in which it is made. */
import type { Address, Deployment } from '@sluice/chains'
import { type Account, accounts, DEPLOYER } from './accounts.ts'
import { createBuilder } from './builder.ts'
import { compileAhead } from './compile-ahead.ts'
import { CHAIN_ID } from './constants.ts'
import { aaveV3 } from './dexes/aave-v3.ts'
import { algebraIntegral } from './dexes/algebra-integral.ts'
import { algebraV1 } from './dexes/algebra-v1.ts'
import { balancerV1 } from './dexes/balancer-v1.ts'
import { balancerV2 } from './dexes/balancer-v2.ts'
import { balancerV3 } from './dexes/balancer-v3.ts'
import { curveStable } from './dexes/curve-stable.ts'
import type { DevnetPool, DexEntry, Recipe } from './dexes/dex.ts'
import { erc4626 } from './dexes/erc4626.ts'
import { pancakeV2 } from './dexes/pancake-v2.ts'
import { pancakeV3 } from './dexes/pancake-v3.ts'
import { rateWrapper } from './dexes/rate-wrapper.ts'
import { deployUniswapRouters } from './dexes/routers.ts'
import { slipstream } from './dexes/slipstream.ts'
import { uniswapV2 } from './dexes/uniswap-v2.ts'
import { uniswapV3 } from './dexes/uniswap-v3.ts'
import { uniswapV4 } from './dexes/uniswap-v4.ts'
import { velodromeV2 } from './dexes/velodrome-v2.ts'
import { DevnetError } from './errors.ts'
import { request } from './node.ts'
import { deployTokens, fundAccounts, TOKENS, type TokenSymbol } from './tokens.ts'

export type DevnetToken = { readonly address: Address; readonly decimals: number }

/** Addresses on the local chain. Plain data: it is saved beside the state. */
export type DevnetInfo = {
  readonly guard: Address
  /** Executor of the newest generation. */
  readonly executor: Address
  readonly deployment: Deployment
  readonly accounts: readonly Account[]
  readonly tokens: Readonly<Record<TokenSymbol, DevnetToken>> & Readonly<Record<string, DevnetToken>>
  readonly dexes: readonly DexEntry[]
  readonly pools: readonly DevnetPool[]
  /** Who owns pools or tells their rates. */
  readonly vouched: readonly Address[]
  /** Factories, routers, quoters and position managers of the DEXes by name. */
  readonly routers: Readonly<Record<string, Address>>
}

const RECIPES: Readonly<Record<string, Recipe>> = {
  'Uniswap V2': uniswapV2,
  'PancakeSwap V2': pancakeV2,
  'Uniswap V3': uniswapV3,
  'Uniswap V4': uniswapV4,
  'PancakeSwap V3': pancakeV3,
  'Algebra V1': algebraV1,
  'Algebra Integral': algebraIntegral,
  Curve: curveStable,
  'Balancer V2': balancerV2,
  'ERC-4626': erc4626,
  'Rate wrapper': rateWrapper,
  Aerodrome: velodromeV2,
  Slipstream: slipstream,
  'Balancer V3': balancerV3,
  'Balancer V1': balancerV1,
  'Aave V3': aaveV3,
}

/** Base fee of the last block that is built: 1 gwei. */
const BASE_FEE_WEI = 1_000_000_000

/** Ten million ETH for the deployer to wrap. */
const DEPLOYER_WEI = 10_000_000n * 10n ** 18n

export type BuildOptions = {
  readonly url: string
  /** Receives the record of Guard and Executor. */
  readonly deploymentsDir: string
  readonly onProgress: (step: string) => void
}

/** Builds the chain on a fresh node. @throws DevnetError BUILD when a transaction reverts */
export async function build({ url, deploymentsDir, onProgress }: BuildOptions): Promise<DevnetInfo> {
  await request(url, 'anvil_impersonateAccount', [DEPLOYER])
  await request(url, 'anvil_setBalance', [DEPLOYER, `0x${DEPLOYER_WEI.toString(16)}`])
  const chain = createBuilder(url, DEPLOYER)
  const compiled = compileAhead()
  // Whatever fails first is told; what else fails then does not matter.
  compiled.catch(() => {})

  onProgress('tokens')
  const tokens = await deployTokens(chain)
  await fundAccounts(chain, tokens)
  const dexes: DexEntry[] = []
  const pools: DevnetPool[] = []
  const vouched: Address[] = [DEPLOYER]
  let routers: Record<string, Address> = {}
  for (const [name, recipe] of Object.entries(RECIPES)) {
    onProgress(name)
    if (recipe === balancerV3) await compiled
    const dex = await recipe(chain, tokens)
    dexes.push(...dex.rows)
    pools.push(...dex.pools)
    vouched.push(...(dex.vouched ?? []))
    routers = { ...routers, ...dex.routers }
  }
  onProgress('routers')
  routers = { ...routers, ...(await deployUniswapRouters(chain, tokens, routers)) }

  onProgress('Guard and Executor')
  // Loaded only when the chain is built: it brings Hardhat along.
  const { deployContracts } = await import('@sluice/contracts')
  const deployment = await deployContracts({ rpcUrl: url, chainId: CHAIN_ID, deploymentsDir, onProgress })
  const executor = deployment.executors.at(-1)
  if (!executor) throw new DevnetError('BUILD', 'the deployment has no Executor')

  await request(url, 'anvil_stopImpersonatingAccount', [DEPLOYER])
  // Hundreds of nearly empty blocks let the base fee fall to nothing: the chain is handed over at a price that counts.
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
    vouched,
    routers,
  }
}
