/** Deploys Uniswap V3 and its pools. */
import type { Hex } from '@sluice/chains'
import { keccak256, ZeroAddress } from 'ethers'
import { loadHardhatArtifact } from '../artifact.ts'
import { type TieredPoolSpec, tieredPoolSpec } from '../pools.ts'
import { fundDeployer, mintRanges, sortPool } from './concentrated.ts'
import { type DevnetPool, factoryRow, type Recipe } from './dex.ts'

const BRAND = 'Uniswap V3'
const FAMILY = 'uniswap-v3'

const UNISWAP_V3_POOLS: readonly TieredPoolSpec[] = [
  tieredPoolSpec('WETH', 'USDC', 500, 60_000_000n, 2n),
  tieredPoolSpec('WETH', 'USDC', 3000, 30_000_000n, -7n),
  tieredPoolSpec('WETH', 'USDC', 10000, 1_000_000n, 31n),
  tieredPoolSpec('WETH', 'USDT', 500, 25_000_000n, -3n),
  tieredPoolSpec('WETH', 'USDT', 3000, 14_000_000n, 11n),
  tieredPoolSpec('WETH', 'DAI', 3000, 10_000_000n, 5n),
  tieredPoolSpec('WBTC', 'WETH', 500, 18_000_000n, -2n),
  tieredPoolSpec('WBTC', 'WETH', 3000, 20_000_000n, 8n),
  tieredPoolSpec('WBTC', 'USDC', 3000, 6_000_000n, -10n),
  tieredPoolSpec('WBTC', 'TBTC', 100, 5_000_000n, 1n),
  tieredPoolSpec('USDC', 'USDT', 100, 40_000_000n, 1n),
  tieredPoolSpec('DAI', 'USDC', 100, 30_000_000n),
  tieredPoolSpec('DAI', 'USDC', 500, 2_000_000n, 3n),
  tieredPoolSpec('FRAX', 'USDC', 500, 8_000_000n, -2n),
  tieredPoolSpec('SDAI', 'USDC', 100, 1_500_000n),
  tieredPoolSpec('SUSDC', 'USDC', 500, 800_000n, 4n),
  tieredPoolSpec('WSTETH', 'WETH', 100, 6_000_000n, 1n),
  tieredPoolSpec('LINK', 'WETH', 3000, 7_000_000n, 6n),
  tieredPoolSpec('UNI', 'WETH', 3000, 5_000_000n, -6n),
  tieredPoolSpec('AAVE', 'WETH', 3000, 3_000_000n, 4n),
  tieredPoolSpec('CRV', 'WETH', 10000, 900_000n, -16n),
  tieredPoolSpec('PEPE', 'WETH', 10000, 1_500_000n, 13n),
]

export const uniswapV3: Recipe = async (chain, tokens) => {
  const weth = tokens.WETH.address
  const poolCode = loadHardhatArtifact('@uniswap/v3-core', 'UniswapV3Pool')
  const factory = await chain.deploy(loadHardhatArtifact('@uniswap/v3-core', 'UniswapV3Factory'))
  // The constructor enables three fee tiers. Governance later added the tier of 100 ppm for stable pairs.
  await factory.send('enableFeeAmount', [100, 1])
  const periphery = (name: string) => loadHardhatArtifact('@uniswap/v3-periphery', name)
  const positions = await chain.deploy(periphery('NonfungiblePositionManager'), [factory.address, weth, ZeroAddress])
  const router = await chain.deploy(periphery('SwapRouter'), [factory.address, weth])
  const quoter = await chain.deploy(periphery('lens/QuoterV2'), [factory.address, weth])
  const tickLens = await chain.deploy(periphery('lens/TickLens'))

  await fundDeployer(chain, tokens, positions.address, UNISWAP_V3_POOLS)
  const pools: DevnetPool[] = []
  for (const spec of UNISWAP_V3_POOLS) {
    const sortedSpec = sortPool(spec, tokens)
    const key = [sortedSpec.token0, sortedSpec.token1, spec.fee]
    await positions.send('createAndInitializePoolIfNecessary', [...key, sortedSpec.sqrtPriceX96])
    const pool = chain.contractAt(poolCode.abi, await factory.read<string>('getPool', key))
    // Reads the tick that the pool has computed from its price.
    const { tick } = await pool.readAll('slot0')
    const spacing = await pool.read<bigint>('tickSpacing')
    const startTick = { tick: Number(tick), spacing: Number(spacing) }
    await mintRanges(chain, positions, sortedSpec, startTick, { fee: spec.fee })
    pools.push({ dex: BRAND, family: FAMILY, address: pool.address, tokens: spec.pair, feePpm: spec.fee })
  }
  return {
    rows: [
      factoryRow({ family: FAMILY, brand: BRAND }, factory.address, {
        initCodeHash: keccak256(poolCode.bytecode) as Hex,
      }),
    ],
    pools,
    routers: {
      uniswapV3Factory: factory.address,
      uniswapV3PositionManager: positions.address,
      uniswapV3SwapRouter: router.address,
      uniswapV3QuoterV2: quoter.address,
      uniswapV3TickLens: tickLens.address,
    },
  }
}
