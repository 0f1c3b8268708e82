/** Algebra Integral: pools with a fee set by the administrator, and pools with a fee set by a plugin. */
import type { Hex } from '@sluice/chains'
import { ZeroAddress } from 'ethers'
import { hardhatArtifact } from '../artifact.ts'
import { type PoolSpec, pool, type TieredPoolSpec, tieredPool } from '../pools.ts'
import { fund, mintRanges, sortedPool } from './concentrated.ts'
import { type DevnetPool, factoryRow, type Recipe } from './dex.ts'

const BRAND = 'Algebra Integral'
const FAMILY = 'algebra-integral'

/** Marks pools without a custom deployer. */
const STANDARD = { deployer: ZeroAddress }

/** Pools without plugin, whose fees are set by hand. */
const ALGEBRA_INTEGRAL_POOLS: readonly TieredPoolSpec[] = [
  tieredPool('WETH', 'USDT', 900, 6_000_000n, 4n),
  tieredPool('WBTC', 'WETH', 400, 9_000_000n, -3n),
  tieredPool('FRAX', 'USDC', 80, 5_000_000n),
]

/** Pools whose fee follows volatility, set by the protocol's default plugin: 1.06 basis points while prices stand still. */
const ALGEBRA_INTEGRAL_DYNAMIC_POOLS: readonly PoolSpec[] = [
  pool('WETH', 'USDC', 5_000_000n, 1n),
  pool('LINK', 'USDC', 1_200_000n, -1n),
]

export const algebraIntegral: Recipe = async (chain, tokens) => {
  const weth = tokens.WETH.address
  const core = (name: string) => hardhatArtifact('@cryptoalgebra/integral-core', name)
  const periphery = (name: string) => hardhatArtifact('@cryptoalgebra/integral-periphery', name)
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
    const side = sortedPool(spec, tokens)
    const { token0, token1, sqrtPriceX96 } = side
    const create = [token0, token1, STANDARD.deployer, sqrtPriceX96, '0x']
    await positions.send('createAndInitializePoolIfNecessary', create)
    const pool = chain.contractAt(core('AlgebraPool').abi, await factory.read<string>('poolByPair', [token0, token1]))
    if (fee !== undefined) await pool.send('setFee', [fee])
    const { tick } = await pool.readAll('globalState')
    const spacing = await pool.read<bigint>('tickSpacing')
    await mintRanges(chain, positions, side, { tick: Number(tick), spacing: Number(spacing) }, STANDARD)
    const row = { dex: BRAND, family: FAMILY, address: pool.address, tokens: spec.pair }
    return fee === undefined ? row : { ...row, feePpm: fee }
  }

  await fund(chain, tokens, positions.address, [...ALGEBRA_INTEGRAL_POOLS, ...ALGEBRA_INTEGRAL_DYNAMIC_POOLS])
  const pools: DevnetPool[] = []
  for (const spec of ALGEBRA_INTEGRAL_POOLS) pools.push(await createPool(spec, spec.fee))
  const plugins = hardhatArtifact('@cryptoalgebra/integral-base-plugin', 'BasePluginV1Factory')
  const pluginFactory = await chain.deploy(plugins, [factory.address])
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
