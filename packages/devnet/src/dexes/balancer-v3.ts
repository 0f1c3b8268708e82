/**
 * Deploys Balancer V3 from its sources: the Vault (three contracts), weighted and stable pools, and ERC-4626 buffers.
 */
import type { Address, Hex } from '@sluice/chains'
import { MaxUint256, ZeroAddress } from 'ethers'
import type { Artifact } from '../artifact.ts'
import type { Builder, Contract } from '../builder.ts'
import { compileSources } from '../compile.ts'
import type { StablePoolSpec, WeightedPoolSpec } from '../pools.ts'
import { compile, publishedSources } from '../solc.ts'
import { amountWorth, giveTokens, type TokenSymbol, type Tokens } from '../tokens.ts'
import { deployRateProviders, inAddressOrder, type VaultToken } from './balancer-v2.ts'
import { type DevnetPool, type Recipe, START_BLOCK } from './dex.ts'

const BRAND = 'Balancer V3'
const FAMILY = 'balancer-v3'
const ONE = 10n ** 18n
const DAY_SECONDS = 86_400

/**
 * Compiles the sources without `viaIR`, with which compilation would take minutes. The Vault therefore exceeds the
 * EVM's code size limit, which `prepare.ts` disables.
 */
export const compileBalancerV3 = () =>
  compile({
    compiler: 'solc',
    evmVersion: 'cancun',
    runs: 1,
    sources: publishedSources([
      ...['Vault', 'VaultExtension', 'VaultAdmin', 'ProtocolFeeController'].map(
        (name) => `@balancer-labs/v3-vault/contracts/${name}.sol`,
      ),
      '@balancer-labs/v3-pool-weighted/contracts/WeightedPool.sol',
      '@balancer-labs/v3-pool-stable/contracts/StablePool.sol',
    ]),
    packages: ['vault', 'interfaces', 'solidity-utils', 'pool-utils', 'pool-weighted', 'pool-stable']
      .map((name) => `@balancer-labs/v3-${name}`)
      .concat('@openzeppelin/contracts'),
  })

const BALANCER_V3_WEIGHTED_POOLS: readonly WeightedPoolSpec[] = [
  { tokens: ['UNI', 'WETH'], weightsPercent: [80n, 20n], dollars: 2_200_000n, feePpm: 3000 },
  { tokens: ['WBTC', 'USDC', 'LINK'], weightsPercent: [50n, 30n, 20n], dollars: 5_000_000n, feePpm: 1000 },
]

const BALANCER_V3_STABLE_POOLS: readonly StablePoolSpec[] = [
  { tokens: ['USDC', 'USDT', 'DAI'], dollars: [1_550_000n, 1_600_000n, 1_500_000n], amplification: 1000n, feePpm: 100 },
  { tokens: ['SDAI', 'DAI'], dollars: [970_000n, 1_030_000n], amplification: 150n, feePpm: 500 },
  { tokens: ['SDAI', 'USDT'], dollars: [400_000n, 410_000n], amplification: 300n, feePpm: 300 },
]

type BufferSpec = {
  readonly share: TokenSymbol
  readonly asset: TokenSymbol
  readonly dollars: readonly [asset: bigint, share: bigint]
}

const BALANCER_V3_BUFFERS: readonly BufferSpec[] = [
  { share: 'SDAI', asset: 'DAI', dollars: [60_000n, 40_000n] },
  { share: 'SUSDC', asset: 'USDC', dollars: [20_000n, 30_000n] },
]

/** Accounts with a role in a pool, and ways to add and remove liquidity: arguments of `registerPool`. */
const NO_MANAGERS = { pauseManager: ZeroAddress, swapFeeManager: ZeroAddress, poolCreator: ZeroAddress }
const LIQUIDITY_MANAGEMENT = {
  disableUnbalancedLiquidity: false,
  enableAddLiquidityCustom: false,
  enableRemoveLiquidityCustom: false,
  enableDonation: false,
}

export const balancerV3: Recipe = async (chain, tokens) => {
  const contracts = compileBalancerV3()
  const { vault, extension } = await deployVault(chain, contracts)
  const trader = await chain.deploy(compileSources().BalancerV3Trader!, [vault.address])
  const rateProviders = await deployRateProviders(
    chain,
    tokens,
    BALANCER_V3_STABLE_POOLS.flatMap((spec) => spec.tokens),
  )

  /** Registers a pool and adds its first liquidity. `dollars` are per token, in the order of `vaultTokens`. */
  async function addPool(
    pool: Contract,
    vaultTokens: readonly VaultToken[],
    dollars: readonly bigint[],
    feePpm: number,
  ) {
    const tokenConfig = vaultTokens.map(({ symbol, address }) => tokenConfigOf(address, rateProviders[symbol]))
    const fee = BigInt(feePpm) * 10n ** 12n
    await extension.send('registerPool', [
      pool.address,
      tokenConfig,
      fee,
      0,
      false,
      NO_MANAGERS,
      ZeroAddress,
      LIQUIDITY_MANAGEMENT,
    ])
    const deposits = vaultTokens.map(({ symbol }, index) => amountWorth(symbol, dollars[index]!))
    for (const [index, { symbol }] of vaultTokens.entries()) {
      await giveTokens(chain, tokens, symbol, chain.from, deposits[index]!)
      await tokens[symbol].send('approve', [trader.address, 0])
      await tokens[symbol].send('approve', [trader.address, MaxUint256])
    }
    await trader.send('initialize', [pool.address, vaultTokens.map(({ address }) => address), deposits])
    const symbols: readonly TokenSymbol[] = vaultTokens.map(({ symbol }) => symbol)
    pools.push({ dex: BRAND, family: FAMILY, address: pool.address, tokens: symbols, feePpm })
  }

  const pools: DevnetPool[] = []
  for (const spec of BALANCER_V3_WEIGHTED_POOLS) {
    const vaultTokens = inAddressOrder(spec.tokens, tokens)
    const decimals = await Promise.all(vaultTokens.map(({ symbol }) => tokens[symbol].read<bigint>('decimals')))
    const poolParameters = {
      name: spec.tokens.join('/'),
      symbol: 'WEIGHTED',
      numTokens: vaultTokens.length,
      normalizedWeights: vaultTokens.map(({ specIndex }) => (spec.weightsPercent[specIndex]! * ONE) / 100n),
      version: '',
      // Minimum balances as the factory sets them: at least a base unit, and at least the vault's minimum trade.
      minTokenBalances: decimals.map((tokenDecimals) =>
        tokenDecimals < 12n ? 10n ** (18n - tokenDecimals) : 10n ** 6n,
      ),
    }
    const pool = await chain.deploy(contracts.WeightedPool!, [poolParameters, vault.address])
    const dollars = vaultTokens.map(({ specIndex }) => (spec.dollars * spec.weightsPercent[specIndex]!) / 100n)
    await addPool(pool, vaultTokens, dollars, spec.feePpm)
  }
  for (const spec of BALANCER_V3_STABLE_POOLS) {
    const vaultTokens = inAddressOrder(spec.tokens, tokens)
    const { amplification: amplificationParameter } = spec
    const poolParameters = { name: spec.tokens.join('/'), symbol: 'STABLE', amplificationParameter, version: '' }
    const pool = await chain.deploy(contracts.StablePool!, [poolParameters, vault.address])
    const dollars = vaultTokens.map(({ specIndex }) => spec.dollars[specIndex]!)
    await addPool(pool, vaultTokens, dollars, spec.feePpm)
  }
  pools.push(...(await fillBuffers(chain, tokens, vault.address, trader)))
  return {
    rows: [{ family: FAMILY, brand: BRAND, role: 'vault', address: vault.address, startBlock: START_BLOCK }],
    pools,
    trustedAccounts: Object.values(rateProviders),
    routers: { balancerV3Vault: vault.address, balancerV3Trader: trader.address },
  }
}

/** Returns the Vault's configuration of a pool token. Type 1 means a token with a rate provider. */
function tokenConfigOf(token: Address, rateProvider: Address | undefined) {
  return {
    token,
    tokenType: rateProvider ? 1 : 0,
    rateProvider: rateProvider ?? ZeroAddress,
    paysYieldFees: Boolean(rateProvider),
  }
}

/** Creates and fills the Vault's buffers. A buffer holds an ERC-4626 share and its asset, and swaps between them. */
async function fillBuffers(chain: Builder, tokens: Tokens, vault: Address, trader: Contract): Promise<DevnetPool[]> {
  const pools: DevnetPool[] = []
  for (const { share, asset, dollars } of BALANCER_V3_BUFFERS) {
    const amounts = [amountWorth(asset, dollars[0]), amountWorth(share, dollars[1])]
    for (const [i, symbol] of [asset, share].entries()) {
      await giveTokens(chain, tokens, symbol, chain.from, amounts[i]!)
      await tokens[symbol].send('approve', [trader.address, MaxUint256])
    }
    const { address } = tokens[share]
    await trader.send('initializeBuffer', [address, ...amounts])
    // The first 20 bytes of the id are the address of the ERC-4626 vault; the rest is the start of the Vault's address.
    const id = `${address}${vault.slice(2, 26)}` as Hex
    pools.push({ dex: BRAND, family: FAMILY, address, id, tokens: [asset, share], feePpm: 0 })
  }
  return pools
}

type Vault = {
  readonly vault: Contract
  /** The Vault's address with the ABI of VaultExtension, to which the Vault delegates calls. */
  readonly extension: Contract
}

/**
 * Deploys the Vault. First deploys the contracts whose constructors take the future address of the Vault. The protocol
 * fee is half of swap fees and a tenth of yields.
 */
async function deployVault(chain: Builder, contracts: Readonly<Record<string, Artifact>>): Promise<Vault> {
  const MIN_SWAP = 10n ** 6n
  const MIN_WRAP = 10n ** 4n
  const address: Address = await chain.nextAddress(3)
  const admin = await chain.deploy(contracts.VaultAdmin!, [
    address,
    365 * DAY_SECONDS,
    90 * DAY_SECONDS,
    MIN_SWAP,
    MIN_WRAP,
  ])
  const extension = await chain.deploy(contracts.VaultExtension!, [address, admin.address])
  const feeController = await chain.deploy(contracts.ProtocolFeeController!, [address, ONE / 2n, ONE / 10n])
  const vault = await chain.deploy(contracts.Vault!, [extension.address, chain.from, feeController.address])
  return { vault, extension: chain.contractAt(contracts.VaultExtension!.abi, vault.address) }
}
