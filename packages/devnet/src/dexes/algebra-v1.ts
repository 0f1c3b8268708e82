/** Deploys Algebra V1, whose pools compute their fee from the volatility of their price. */
import type { Hex } from '@sluice/chains'
import { keccak256, ZeroAddress } from 'ethers'
import { type Artifact, loadHardhatArtifact } from '../artifact.ts'
import { type PoolSpec, poolSpec } from '../pools.ts'
import { fundDeployer, mintRanges, sortPool } from './concentrated.ts'
import { type DevnetPool, factoryRow, type Recipe } from './dex.ts'

const BRAND = 'Algebra V1'
const FAMILY = 'algebra-v1'

/**
 * Minimum fee. With the factory's default of 100 ppm these pools would be the cheapest of the chain. Quotes would
 * depend on them, although their fee changes within a second.
 */
const MIN_FEE_PPM = 1_500
/**
 * Arguments of `setBaseFeeConfiguration`: alpha1, alpha2, beta1, beta2, gamma1, gamma2, volumeBeta, volumeGamma,
 * baseFee. The values without `MIN_FEE_PPM` are the factory's defaults. The maximum fee is alpha1 + alpha2 + baseFee.
 */
const FEE_CONFIGURATION = [3_000 - MIN_FEE_PPM, 12_000, 360, 60_000, 59, 8_500, 0, 10, MIN_FEE_PPM]

const ALGEBRA_V1_POOLS: readonly PoolSpec[] = [
  poolSpec('WETH', 'USDC', 7_000_000n, -11n),
  poolSpec('WETH', 'LINK', 2_000_000n, 12n),
  poolSpec('UNI', 'USDC', 1_500_000n, -7n),
]

export const algebraV1: Recipe = async (chain, tokens) => {
  const weth = tokens.WETH.address
  const poolCode = loadHardhatArtifact('@cryptoalgebra/core', 'AlgebraPool')
  const deployer = await chain.deploy(loadHardhatArtifact('@cryptoalgebra/core', 'AlgebraPoolDeployer'))
  const poolHash = keccak256(poolCode.bytecode) as Hex
  const factory = await chain.deploy(
    withPoolHash(loadHardhatArtifact('@cryptoalgebra/core', 'AlgebraFactory'), poolHash),
    [deployer.address, chain.from],
  )
  await deployer.send('setFactory', [factory.address])
  await factory.send('setBaseFeeConfiguration', FEE_CONFIGURATION)
  const periphery = (name: string) => withPoolHash(loadHardhatArtifact('@cryptoalgebra/periphery', name), poolHash)
  const positions = await chain.deploy(periphery('NonfungiblePositionManager'), [
    factory.address,
    weth,
    ZeroAddress,
    deployer.address,
  ])
  const router = await chain.deploy(periphery('SwapRouter'), [factory.address, weth, deployer.address])
  const quoter = await chain.deploy(periphery('lens/Quoter'), [factory.address, weth, deployer.address])

  await fundDeployer(chain, tokens, positions.address, ALGEBRA_V1_POOLS)
  const pools: DevnetPool[] = []
  for (const spec of ALGEBRA_V1_POOLS) {
    const sortedSpec = sortPool(spec, tokens)
    await positions.send('createAndInitializePoolIfNecessary', [
      sortedSpec.token0,
      sortedSpec.token1,
      sortedSpec.sqrtPriceX96,
    ])
    const pool = chain.contractAt(
      poolCode.abi,
      await factory.read<string>('poolByPair', [sortedSpec.token0, sortedSpec.token1]),
    )
    const { tick } = await pool.readAll('globalState')
    const spacing = await pool.read<bigint>('tickSpacing')
    await mintRanges(chain, positions, sortedSpec, { tick: Number(tick), spacing: Number(spacing) }, {})
    pools.push({ dex: BRAND, family: FAMILY, address: pool.address, tokens: spec.pair })
  }
  return {
    rows: [
      factoryRow({ family: FAMILY, brand: BRAND }, factory.address, {
        initCodeHash: poolHash,
        contracts: { poolDeployer: deployer.address },
      }),
    ],
    pools,
    routers: {
      algebraV1Factory: factory.address,
      algebraV1PositionManager: positions.address,
      algebraV1SwapRouter: router.address,
      algebraV1Quoter: quoter.address,
    },
  }
}

/**
 * Init code hash of the pool on live chains, where it is built with the optimizer. The published factory and periphery
 * contain this hash, but the published pool is another build.
 */
const LIVE_POOL_HASH = '6ec6c9c8091d160c0aa74b2b14ba9c1717e95093bd3ac085cee99a49aab294a4'

function withPoolHash({ abi, bytecode }: Artifact, poolHash: Hex): Artifact {
  if (!bytecode.includes(LIVE_POOL_HASH))
    throw new TypeError(`the bytecode does not contain the pool hash ${LIVE_POOL_HASH}`)
  return { abi, bytecode: bytecode.replaceAll(LIVE_POOL_HASH, poolHash.slice(2)) as Hex }
}
