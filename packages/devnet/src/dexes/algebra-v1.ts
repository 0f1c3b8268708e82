/** Algebra V1, whose fee follows the pair's volatility. */
import type { Hex } from '@sluice/chains'
import { keccak256, ZeroAddress } from 'ethers'
import { type Artifact, hardhatArtifact } from '../artifact.ts'
import { type PoolSpec, pool } from '../pools.ts'
import { fund, mintRanges, sortedPool } from './concentrated.ts'
import { type DevnetPool, factoryRow, type Recipe } from './dex.ts'

const BRAND = 'Algebra V1'
const FAMILY = 'algebra-v1'

/**
 * The factory's default fees in parts per million, except for the minimum. The default minimum of 100 would make these
 * pools the cheapest of the chain, although their quotes hold for only a second.
 */
const MIN_FEE = 1_500
const FEES = [3_000 - MIN_FEE, 12_000, 360, 60_000, 59, 8_500, 0, 10, MIN_FEE]

const ALGEBRA_V1_POOLS: readonly PoolSpec[] = [
  pool('WETH', 'USDC', 7_000_000n, -11n),
  pool('WETH', 'LINK', 2_000_000n, 12n),
  pool('UNI', 'USDC', 1_500_000n, -7n),
]

export const algebraV1: Recipe = async (chain, tokens) => {
  const weth = tokens.WETH.address
  const poolCode = hardhatArtifact('@cryptoalgebra/core', 'AlgebraPool')
  const deployer = await chain.deploy(hardhatArtifact('@cryptoalgebra/core', 'AlgebraPoolDeployer'))
  const hash = keccak256(poolCode.bytecode) as Hex
  const factory = await chain.deploy(withPoolHash(hardhatArtifact('@cryptoalgebra/core', 'AlgebraFactory'), hash), [
    deployer.address,
    chain.from,
  ])
  await deployer.send('setFactory', [factory.address])
  await factory.send('setBaseFeeConfiguration', FEES)
  const periphery = (name: string) => withPoolHash(hardhatArtifact('@cryptoalgebra/periphery', name), hash)
  const positions = await chain.deploy(periphery('NonfungiblePositionManager'), [
    factory.address,
    weth,
    ZeroAddress,
    deployer.address,
  ])
  const router = await chain.deploy(periphery('SwapRouter'), [factory.address, weth, deployer.address])
  const quoter = await chain.deploy(periphery('lens/Quoter'), [factory.address, weth, deployer.address])

  await fund(chain, tokens, positions.address, ALGEBRA_V1_POOLS)
  const pools: DevnetPool[] = []
  for (const spec of ALGEBRA_V1_POOLS) {
    const side = sortedPool(spec, tokens)
    await positions.send('createAndInitializePoolIfNecessary', [side.token0, side.token1, side.sqrtPriceX96])
    const pool = chain.contractAt(poolCode.abi, await factory.read<string>('poolByPair', [side.token0, side.token1]))
    const { tick } = await pool.readAll('globalState')
    const spacing = await pool.read<bigint>('tickSpacing')
    await mintRanges(chain, positions, side, { tick: Number(tick), spacing: Number(spacing) }, {})
    pools.push({ dex: BRAND, family: FAMILY, address: pool.address, tokens: spec.pair })
  }
  return {
    rows: [
      factoryRow({ family: FAMILY, brand: BRAND }, factory.address, {
        initCodeHash: hash,
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
 * Init code hash of the optimized pool on live chains. Factory and periphery contain it, but the packages ship another
 * build of the pool.
 */
const LIVE_HASH = '6ec6c9c8091d160c0aa74b2b14ba9c1717e95093bd3ac085cee99a49aab294a4'

function withPoolHash({ abi, bytecode }: Artifact, hash: Hex): Artifact {
  if (!bytecode.includes(LIVE_HASH)) throw new TypeError('the contract does not hold the pool hash that was expected')
  return { abi, bytecode: bytecode.replaceAll(LIVE_HASH, hash.slice(2)) as Hex }
}
