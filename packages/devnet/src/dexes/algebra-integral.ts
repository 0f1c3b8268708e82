/** Deploys Algebra Integral. The administrator sets the fee of some pools, and a plugin sets the fee of the others. */
import type { Hex } from '@sluice/chains'
import { ZeroAddress } from 'ethers'
import { loadHardhatArtifact } from '../artifact.ts'
import { type PoolSpec, poolSpec, type TieredPoolSpec, tieredPoolSpec } from '../pools.ts'
import { fundDeployer, mintRanges, sortPool } from './concentrated.ts'
import { type DevnetPool, factoryRow, type Recipe } from './dex.ts'

const BRAND = 'Algebra Integral'
const FAMILY = 'algebra-integral'

/** Pool key field of pools that were not created by a custom deployer. */
const NO_CUSTOM_DEPLOYER = { deployer: ZeroAddress }

/** Pools without a plugin, whose fees the recipe sets. */
const ALGEBRA_INTEGRAL_POOLS: readonly TieredPoolSpec[] = [
  tieredPoolSpec('WETH', 'USDT', 900, 6_000_000n, 4n),
  tieredPoolSpec('WBTC', 'WETH', 400, 9_000_000n, -3n),
  tieredPoolSpec('FRAX', 'USDC', 80, 5_000_000n),
]

/** Pools whose fee follows volatility by the protocol's default plugin: 1.06 basis points while prices do not move. */
const ALGEBRA_INTEGRAL_DYNAMIC_POOLS: readonly PoolSpec[] = [
  poolSpec('WETH', 'USDC', 5_000_000n, 1n),
  poolSpec('LINK', 'USDC', 1_200_000n, -1n),
]

export const algebraIntegral: Recipe = async (chain, tokens) => {
  const weth = tokens.WETH.address
  const core = (name: string) => loadHardhatArtifact('@cryptoalgebra/integral-core', name)
  const periphery = (name: string) => loadHardhatArtifact('@cryptoalgebra/integral-periphery', name)
  // Factory and deployer reference each other in their constructors.
  const factory = await chain.deploy(core('AlgebraFactory'), [await chain.nextAddress(1)])
  const deployer = await chain.deploy(core('AlgebraPoolDeployer'), [factory.address])
  const positions = await chain.deploy(periphery('NonfungiblePositionManager'), [
    factory.address,
    weth,
    ZeroAddress,
    deployer.address,
  ])
  const router = await chain.deploy(periphery('SwapRouter'), [factory.address, weth, deployer.address])
  const quoter = await chain.deploy(periphery('lens/QuoterV2'), [factory.address, weth, deployer.address])

  async function createPool(spec: PoolSpec, fee?: number): Promise<DevnetPool> {
    const sortedSpec = sortPool(spec, tokens)
    const { token0, token1, sqrtPriceX96 } = sortedSpec
    const createArguments = [token0, token1, NO_CUSTOM_DEPLOYER.deployer, sqrtPriceX96, '0x']
    await positions.send('createAndInitializePoolIfNecessary', createArguments)
    const pool = chain.contractAt(core('AlgebraPool').abi, await factory.read<string>('poolByPair', [token0, token1]))
    if (fee !== undefined) await pool.send('setFee', [fee])
    const { tick } = await pool.readAll('globalState')
    const spacing = await pool.read<bigint>('tickSpacing')
    await mintRanges(chain, positions, sortedSpec, { tick: Number(tick), spacing: Number(spacing) }, NO_CUSTOM_DEPLOYER)
    const row = { dex: BRAND, family: FAMILY, address: pool.address, tokens: spec.pair }
    return fee === undefined ? row : { ...row, feePpm: fee }
  }

  await fundDeployer(chain, tokens, positions.address, [...ALGEBRA_INTEGRAL_POOLS, ...ALGEBRA_INTEGRAL_DYNAMIC_POOLS])
  const pools: DevnetPool[] = []
  for (const spec of ALGEBRA_INTEGRAL_POOLS) pools.push(await createPool(spec, spec.fee))
  const pluginFactoryArtifact = loadHardhatArtifact('@cryptoalgebra/integral-base-plugin', 'BasePluginV1Factory')
  const pluginFactory = await chain.deploy(pluginFactoryArtifact, [factory.address])
  await factory.send('setDefaultPluginFactory', [pluginFactory.address])
  for (const spec of ALGEBRA_INTEGRAL_DYNAMIC_POOLS) pools.push(await createPool(spec))
  return {
    rows: [
      factoryRow({ family: FAMILY, brand: BRAND }, factory.address, {
        initCodeHash: (await factory.read<string>('POOL_INIT_CODE_HASH')) as Hex,
        contracts: { poolDeployer: deployer.address },
      }),
    ],
    pools,
    routers: {
      algebraIntegralFactory: factory.address,
      algebraIntegralPositionManager: positions.address,
      algebraIntegralSwapRouter: router.address,
      algebraIntegralQuoterV2: quoter.address,
    },
  }
}
