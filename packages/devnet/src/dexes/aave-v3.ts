/**
 * Deploys Aave V3. Borrows from each reserve at an extreme rate and repays the loan, so that the aTokens have accrued
 * interest.
 */
import { readFileSync } from 'node:fs'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { MaxUint256, ZeroAddress } from 'ethers'
import { accounts } from '../accounts.ts'
import { type Artifact, inNodeModules } from '../artifact.ts'
import type { Builder, Contract } from '../builder.ts'
import type { LendingReserveSpec } from '../pools.ts'
import { amountWorth, giveTokens, TOKENS } from '../tokens.ts'
import { type DevnetPool, type Recipe, START_BLOCK } from './dex.ts'

const BRAND = 'Aave V3'
const FAMILY = 'aave-v3'
const RAY = 10n ** 27n
/** Aave's interest rate mode of variable debt. */
const VARIABLE = 2
const AAVE_V3_RESERVES: readonly LendingReserveSpec[] = [
  { asset: 'USDC', aToken: 'AUSDC', dollars: 2_000_000n },
  { asset: 'DAI', aToken: 'ADAI', dollars: 1_000_000n },
]

/** Libraries in order of deployment: some link to earlier ones. */
const LIBRARIES = [
  ...['SupplyLogic', 'BorrowLogic', 'LiquidationLogic', 'EModeLogic', 'BridgeLogic'],
  ...['ConfiguratorLogic', 'PoolLogic', 'FlashLoanLogic'],
]
/** Runtime code of an oracle that returns one dollar with 8 decimals for every asset. */
const ORACLE_CODE: Hex = '0x6305f5e1005f5260205ff3'
const ORACLE = toAddress(`0x${'0aa7e'.padStart(40, '0')}`)

type Linkable = Artifact & {
  readonly linkReferences: Readonly<
    Record<string, Readonly<Record<string, readonly { readonly start: number; readonly length: number }[]>>>
  >
}

/** Loads an artifact of Aave's npm package. Its bytecode has placeholders for the addresses of libraries. */
export function loadAaveArtifact(path: string): Linkable {
  const file = `@aave/core-v3/artifacts/contracts/protocol/${path}.sol/${path.split('/').at(-1)}.json`
  return JSON.parse(readFileSync(inNodeModules(file), 'utf8'))
}

function linkLibraries(path: string, libraries: Readonly<Record<string, Address>>): Artifact {
  const { abi, bytecode, linkReferences } = loadAaveArtifact(path)
  const linkPositions = Object.values(linkReferences).flatMap((byName) => Object.entries(byName))
  let code: string = bytecode
  for (const [name, references] of linkPositions) {
    for (const { start, length } of references) {
      const [from, to] = [2 + 2 * start, 2 + 2 * (start + length)]
      code = code.slice(0, from) + libraries[name]!.slice(2) + code.slice(to)
    }
  }
  return { abi, bytecode: code as Hex }
}

/** A deployed Aave V3 market. */
export type AaveMarket = {
  readonly provider: Contract
  readonly pool: Contract
  readonly configurator: Contract
  /**
   * Creates reserves of assets.
   *
   * @param rate - base variable borrow rate per year, with 27 decimals
   * @returns the aTokens of the reserves
   */
  addReserves(assets: readonly { address: Address; decimals: number }[], rate: bigint): Promise<readonly Contract[]>
}

/** Deploys a market without reserves. The builder's account administers it. */
export async function deployAaveMarket(chain: Builder): Promise<AaveMarket> {
  const libraries: Record<string, Address> = {}
  const deploy = (path: string, args: readonly unknown[] = []) => chain.deploy(linkLibraries(path, libraries), args)
  const provider = await deploy('configuration/PoolAddressesProvider', ['devnet', chain.from])
  await provider.send('setACLAdmin', [chain.from])
  const acl = await deploy('configuration/ACLManager', [provider.address])
  await provider.send('setACLManager', [acl.address])
  await acl.send('addPoolAdmin', [chain.from])
  await acl.send('addAssetListingAdmin', [chain.from])
  for (const name of LIBRARIES) libraries[name] = (await deploy(`libraries/logic/${name}`)).address
  const poolCode = await deploy('pool/Pool', [provider.address])
  await provider.send('setPoolImpl', [poolCode.address])
  const configuratorCode = await deploy('pool/PoolConfigurator')
  await provider.send('setPoolConfiguratorImpl', [configuratorCode.address])
  await chain.setCode(ORACLE, ORACLE_CODE)
  await provider.send('setPriceOracle', [ORACLE])
  const pool = chain.contractAt(poolCode.abi.fragments, await provider.read<string>('getPool'))
  const configurator = chain.contractAt(
    configuratorCode.abi.fragments,
    await provider.read<string>('getPoolConfigurator'),
  )
  const aToken = await deploy('tokenization/AToken', [pool.address])
  const stableDebtToken = await deploy('tokenization/StableDebtToken', [pool.address])
  const variableDebtToken = await deploy('tokenization/VariableDebtToken', [pool.address])

  async function addReserves(assets: readonly { address: Address; decimals: number }[], rate: bigint) {
    const slopes = [RAY / 100n, RAY / 2n, RAY / 50n, RAY / 2n, RAY / 50n, RAY / 20n, RAY / 5n]
    const rateArguments = [provider.address, (RAY * 8n) / 10n, rate, ...slopes]
    const strategy = await deploy('pool/DefaultReserveInterestRateStrategy', rateArguments)
    const reserves = assets.map(({ address, decimals }) => ({
      aTokenImpl: aToken.address,
      stableDebtTokenImpl: stableDebtToken.address,
      variableDebtTokenImpl: variableDebtToken.address,
      underlyingAssetDecimals: decimals,
      interestRateStrategyAddress: strategy.address,
      underlyingAsset: address,
      treasury: chain.from,
      incentivesController: ZeroAddress,
      ...{ aTokenName: 'aToken', aTokenSymbol: 'A', variableDebtTokenName: 'debt', variableDebtTokenSymbol: 'D' },
      ...{ stableDebtTokenName: 'stable debt', stableDebtTokenSymbol: 'S', params: '0x' },
    }))
    await configurator.send('initReserves', [reserves])
    const aTokens: Contract[] = []
    for (const { address } of assets) {
      await configurator.send('configureReserveAsCollateral', [address, 7_500, 8_000, 10_500])
      await configurator.send('setReserveBorrowing', [address, true])
      const { aTokenAddress } = await pool.read<{ aTokenAddress: string }>('getReserveData', [address])
      aTokens.push(chain.contractAt(aToken.abi.fragments, aTokenAddress))
    }
    return aTokens
  }
  return { provider, pool, configurator, addReserves }
}

/** Borrow rate per year, with 27 decimals. The debt grows by about three percent per second. */
const EXTREME_RATE = RAY * 10n ** 6n
/** Supplied amount divided by the borrowed amount. */
const BORROW_DIVISOR = 2n

export const aaveV3: Recipe = async (chain, tokens) => {
  const { pool, addReserves } = await deployAaveMarket(chain)
  const assets = AAVE_V3_RESERVES.map(({ asset }) => ({
    address: tokens[asset].address,
    decimals: TOKENS[asset].decimals,
  }))
  const aTokens = await addReserves(assets, EXTREME_RATE)
  const pools: DevnetPool[] = []
  for (const [reserveIndex, { asset, aToken, dollars }] of AAVE_V3_RESERVES.entries()) {
    const { address } = tokens[asset]
    const amount = amountWorth(asset, dollars)
    await giveTokens(chain, tokens, asset, chain.from, 2n * amount)
    await tokens[asset].send('approve', [pool.address, MaxUint256])
    await pool.send('supply', [address, amount, chain.from, 0])
    await pool.send('borrow', [address, amount / BORROW_DIVISOR, VARIABLE, 0, chain.from])
    await pool.send('repay', [address, MaxUint256, VARIABLE, chain.from])
    for (const account of accounts(3))
      await pool.send('supply', [address, amountWorth(asset, 10_000n), account.address, 0])
    pools.push({
      ...{ dex: BRAND, family: FAMILY, address: aTokens[reserveIndex]!.address, feePpm: 0 },
      tokens: [asset, aToken],
      addresses: [address, aTokens[reserveIndex]!.address],
    })
  }
  return {
    rows: [{ family: FAMILY, brand: BRAND, role: 'pool', address: pool.address, startBlock: START_BLOCK }],
    pools,
    routers: { aaveV3Pool: pool.address },
  }
}
