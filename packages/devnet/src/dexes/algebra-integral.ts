/** Algebra Integral without plugins: each pool's fee is what its administrator set. */
import type { Hex } from '@sluice/chains'
import { ZeroAddress } from 'ethers'
import { hardhatArtifact } from '../artifact.ts'
import { ALGEBRA_INTEGRAL_POOLS } from '../pools.ts'
import { fund, mintRanges, sorted } from './concentrated.ts'
import { type DevnetPool, type Recipe, START_BLOCK } from './dex.ts'

const BRAND = 'Algebra Integral'
const FAMILY = 'algebra-integral'

export const algebraIntegral: Recipe = async (chain, tokens) => {
  const weth = tokens.WETH.address
  const core = (name: string) => hardhatArtifact('@cryptoalgebra/integral-core', name)
  const periphery = (name: string) => hardhatArtifact('@cryptoalgebra/integral-periphery', name)
  // Factory and deployer name each other in their constructors.
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

  await fund(chain, tokens, positions.address, ALGEBRA_INTEGRAL_POOLS)
  const pools: DevnetPool[] = []
  for (const spec of ALGEBRA_INTEGRAL_POOLS) {
    const side = sorted(spec, tokens)
    const standard = { deployer: ZeroAddress }
    await positions.send('createAndInitializePoolIfNecessary', [
      side.token0,
      side.token1,
      standard.deployer,
      side.sqrtPriceX96,
      '0x',
    ])
    const address = await factory.read<string>('poolByPair', [side.token0, side.token1])
    const pool = chain.at(core('AlgebraPool').abi, address)
    await pool.send('setFee', [spec.fee])
    const { tick } = await pool.readAll('globalState')
    const spacing = await pool.read<bigint>('tickSpacing')
    await mintRanges(chain, positions, side, { tick: Number(tick), spacing: Number(spacing) }, standard)
    pools.push({ dex: BRAND, family: FAMILY, address: pool.address, tokens: spec.pair, feePpm: spec.fee })
  }
  return {
    rows: [
      {
        family: FAMILY,
        brand: BRAND,
        role: 'factory',
        address: factory.address,
        initCodeHash: (await factory.read<string>('POOL_INIT_CODE_HASH')) as Hex,
        startBlock: START_BLOCK,
        contracts: { poolDeployer: deployer.address },
      },
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
