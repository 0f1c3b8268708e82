/** Deploys Balancer V2, whose Vault holds the tokens of all pools, with weighted and composable stable pools. */
import type { Address, Hex } from '@sluice/chains'
import { toAddress } from '@sluice/chains'
import { AbiCoder, MaxUint256, ZeroAddress } from 'ethers'
import { loadArtifact } from '../artifact.ts'
import type { Builder, Contract } from '../builder.ts'
import { compileSources } from '../compile.ts'
import type { StablePoolSpec, WeightedPoolSpec } from '../pools.ts'
import { amountWorth, giveTokens, kindOf, type TokenSymbol, type Tokens } from '../tokens.ts'
import { type DevnetPool, type Recipe, START_BLOCK } from './dex.ts'

const BRAND = 'Balancer V2'
const FAMILY = 'balancer-v2'
/** 1 with 18 decimals, the unit of weights and fees. */
const ONE = 10n ** 18n

/** Loads an artifact of a deployment task (named by its date) of Balancer's npm package. */
export const loadBalancerV2Artifact = (task: string, name: string) =>
  loadArtifact(`@balancer-labs/v2-deployments/dist/tasks/${task}/artifact/${name}.json`)
const WEIGHTED_TASK = '20230206-weighted-pool-v3'
const STABLE_TASK = '20230206-composable-stable-pool-v3'

const BALANCER_WEIGHTED_POOLS: readonly WeightedPoolSpec[] = [
  { tokens: ['AAVE', 'WETH'], weightsPercent: [80n, 20n], dollars: 4_000_000n, feePpm: 3000 },
  { tokens: ['WBTC', 'WETH', 'USDC'], weightsPercent: [40n, 40n, 20n], dollars: 9_000_000n, feePpm: 1500 },
  { tokens: ['CRV', 'UNI', 'LINK', 'WETH'], weightsPercent: [25n, 25n, 25n, 25n], dollars: 3_000_000n, feePpm: 2500 },
]

/** Composable stable pools. They value an ERC-4626 share at the rate that a rate provider reads from its vault. */
const BALANCER_STABLE_POOLS: readonly StablePoolSpec[] = [
  {
    tokens: ['DAI', 'USDC', 'USDT'],
    dollars: [2_000_000n, 1_900_000n, 2_100_000n],
    amplification: 500n,
    feePpm: 300,
  },
  { tokens: ['SDAI', 'USDC'], dollars: [1_540_000n, 1_460_000n], amplification: 200n, feePpm: 400 },
]

export const balancerV2: Recipe = async (chain, tokens) => {
  const { vault, feeProvider, queries } = await deployVault(chain, tokens.WETH.address)
  const factoryArguments = [vault.address, feeProvider.address, '', '']
  const weightedFactory = await chain.deploy(
    loadBalancerV2Artifact(WEIGHTED_TASK, 'WeightedPoolFactory'),
    factoryArguments,
  )
  const stableFactory = await chain.deploy(
    loadBalancerV2Artifact(STABLE_TASK, 'ComposableStablePoolFactory'),
    factoryArguments,
  )
  const rateProviders = await deployRateProviders(
    chain,
    tokens,
    BALANCER_STABLE_POOLS.flatMap((spec) => spec.tokens),
  )

  const pools: DevnetPool[] = []
  for (const spec of BALANCER_WEIGHTED_POOLS) {
    const vaultTokens = inAddressOrder(spec.tokens, tokens)
    const weights = vaultTokens.map(({ specIndex }) => (spec.weightsPercent[specIndex]! * ONE) / 100n)
    const pool = await createPool(chain, weightedFactory, loadBalancerV2Artifact(WEIGHTED_TASK, 'WeightedPool').abi, [
      spec.tokens.join('/'),
      'WEIGHTED',
      vaultTokens.map(({ address }) => address),
      weights,
      vaultTokens.map(() => ZeroAddress),
      BigInt(spec.feePpm) * 10n ** 12n,
      chain.from,
    ])
    const dollars = vaultTokens.map(({ specIndex }) => (spec.dollars * spec.weightsPercent[specIndex]!) / 100n)
    pools.push(await joinPool(chain, tokens, vault, pool, vaultTokens, dollars, spec.feePpm))
  }
  for (const spec of BALANCER_STABLE_POOLS) {
    const vaultTokens = inAddressOrder(spec.tokens, tokens)
    const pool = await createPool(
      chain,
      stableFactory,
      loadBalancerV2Artifact(STABLE_TASK, 'ComposableStablePool').abi,
      [
        spec.tokens.join('/'),
        'STABLE',
        vaultTokens.map(({ address }) => address),
        spec.amplification,
        vaultTokens.map(({ symbol }) => rateProviders[symbol] ?? ZeroAddress),
        vaultTokens.map(() => 0),
        vaultTokens.map(() => false),
        BigInt(spec.feePpm) * 10n ** 12n,
        chain.from,
      ],
    )
    const dollars = vaultTokens.map(({ specIndex }) => spec.dollars[specIndex]!)
    pools.push(await joinPool(chain, tokens, vault, pool, vaultTokens, dollars, spec.feePpm))
  }
  return {
    rows: [
      {
        family: FAMILY,
        brand: BRAND,
        role: 'vault',
        address: vault.address,
        startBlock: START_BLOCK,
        contracts: { weightedPoolFactory: weightedFactory.address, stablePoolFactory: stableFactory.address },
      },
    ],
    pools,
    trustedAccounts: Object.values(rateProviders),
    routers: { balancerV2Vault: vault.address, balancerV2Queries: queries.address },
  }
}

/** Deploys the Vault, its fee provider, and its queries contract. The builder's account is the administrator. */
async function deployVault(chain: Builder, weth: Address) {
  const authorizer = await chain.deploy(loadBalancerV2Artifact('20210418-authorizer', 'Authorizer'), [chain.from])
  const vault = await chain.deploy(loadBalancerV2Artifact('20210418-vault', 'Vault'), [authorizer.address, weth, 0, 0])
  const feeProvider = await chain.deploy(
    loadBalancerV2Artifact('20220725-protocol-fee-percentages-provider', 'ProtocolFeePercentagesProvider'),
    [vault.address, ONE, ONE],
  )
  const queries = await chain.deploy(loadBalancerV2Artifact('20220721-balancer-queries', 'BalancerQueries'), [
    vault.address,
  ])
  return { vault, feeProvider, queries }
}

/** A token of a pool. `specIndex` is its position in the pool's specification. */
export type VaultToken = { readonly symbol: TokenSymbol; readonly address: Address; readonly specIndex: number }

/** Returns the tokens in ascending order of their addresses, as the Vault requires. */
export function inAddressOrder(symbols: readonly TokenSymbol[], tokens: Tokens): VaultToken[] {
  return symbols
    .map((symbol, specIndex) => ({ symbol, address: tokens[symbol].address, specIndex }))
    .sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1))
}

/**
 * Deploys a rate provider for each ERC-4626 share among the symbols. Returns their addresses by symbol of the share.
 */
export async function deployRateProviders(
  chain: Builder,
  tokens: Tokens,
  symbols: readonly TokenSymbol[],
): Promise<Partial<Record<TokenSymbol, Address>>> {
  const rateProviders: Partial<Record<TokenSymbol, Address>> = {}
  for (const symbol of new Set(symbols)) {
    if (kindOf(symbol) !== 'SavingsVault') continue
    rateProviders[symbol] = (await chain.deploy(compileSources().VaultRate!, [tokens[symbol].address])).address
  }
  return rateProviders
}

async function createPool(
  chain: Builder,
  factory: Contract,
  abi: Parameters<Builder['contractAt']>[0],
  args: readonly unknown[],
): Promise<Contract> {
  const address = toAddress(await factory.read<string>('create', args))
  await factory.send('create', args)
  return chain.contractAt(abi, address)
}

/**
 * Adds the first liquidity of a pool. `dollars` are per token, in the order of `vaultTokens`. The tokens of a
 * composable stable pool include the pool's own share, of which nothing is deposited.
 */
async function joinPool(
  chain: Builder,
  tokens: Tokens,
  vault: Contract,
  pool: Contract,
  vaultTokens: readonly VaultToken[],
  dollars: readonly bigint[],
  feePpm: number,
): Promise<DevnetPool> {
  const id = await pool.read<Hex>('getPoolId')
  const { tokens: assets } = (await vault.readAll('getPoolTokens', [id])) as unknown as { tokens: readonly string[] }
  const amountByToken = new Map<Address, bigint>()
  for (const [index, { symbol, address }] of vaultTokens.entries()) {
    const amount = amountWorth(symbol, dollars[index]!)
    amountByToken.set(address, amount)
    await giveTokens(chain, tokens, symbol, chain.from, amount)
    await tokens[symbol].send('approve', [vault.address, 0])
    await tokens[symbol].send('approve', [vault.address, MaxUint256])
  }
  const JOIN_KIND_INIT = 0
  const amounts = assets.map((asset) => amountByToken.get(toAddress(asset)) ?? 0n)
  const userData = AbiCoder.defaultAbiCoder().encode(['uint256', 'uint256[]'], [JOIN_KIND_INIT, amounts])
  const maxAmountsIn = assets.map(() => MaxUint256)
  await vault.send('joinPool', [
    id,
    chain.from,
    chain.from,
    { assets, maxAmountsIn, userData, fromInternalBalance: false },
  ])
  const symbols = vaultTokens.map(({ symbol }) => symbol)
  return { dex: BRAND, family: FAMILY, address: pool.address, id, tokens: symbols, feePpm }
}
