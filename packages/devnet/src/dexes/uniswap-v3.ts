/** Deploys Uniswap V3 and its pools. */
import type { Hex } from '@sluice/chains'
import { keccak256, ZeroAddress } from 'ethers'
import { hardhatArtifact } from '../artifact.ts'
import { type TieredPoolSpec, tieredPool } from '../pools.ts'
import { fund, mintRanges, sortedPool } from './concentrated.ts'
import { type DevnetPool, factoryRow, type Recipe } from './dex.ts'

const BRAND = 'Uniswap V3'
const FAMILY = 'uniswap-v3'

const UNISWAP_V3_POOLS: readonly TieredPoolSpec[] = [
  tieredPool('WETH', 'USDC', 500, 60_000_000n, 2n),
  tieredPool('WETH', 'USDC', 3000, 30_000_000n, -7n),
  tieredPool('WETH', 'USDC', 10000, 1_000_000n, 31n),
  tieredPool('WETH', 'USDT', 500, 25_000_000n, -3n),
  tieredPool('WETH', 'USDT', 3000, 14_000_000n, 11n),
  tieredPool('WETH', 'DAI', 3000, 10_000_000n, 5n),
  tieredPool('WBTC', 'WETH', 500, 18_000_000n, -2n),
  tieredPool('WBTC', 'WETH', 3000, 20_000_000n, 8n),
  tieredPool('WBTC', 'USDC', 3000, 6_000_000n, -10n),
  tieredPool('WBTC', 'TBTC', 100, 5_000_000n, 1n),
  tieredPool('USDC', 'USDT', 100, 40_000_000n, 1n),
  tieredPool('DAI', 'USDC', 100, 30_000_000n),
  tieredPool('DAI', 'USDC', 500, 2_000_000n, 3n),
  tieredPool('FRAX', 'USDC', 500, 8_000_000n, -2n),
  tieredPool('SDAI', 'USDC', 100, 1_500_000n),
  tieredPool('SUSDC', 'USDC', 500, 800_000n, 4n),
  tieredPool('WSTETH', 'WETH', 100, 6_000_000n, 1n),
  tieredPool('LINK', 'WETH', 3000, 7_000_000n, 6n),
  tieredPool('UNI', 'WETH', 3000, 5_000_000n, -6n),
  tieredPool('AAVE', 'WETH', 3000, 3_000_000n, 4n),
  tieredPool('CRV', 'WETH', 10000, 900_000n, -16n),
  tieredPool('PEPE', 'WETH', 10000, 1_500_000n, 13n),
]

export const uniswapV3: Recipe = async (chain, tokens) => {
  const weth = tokens.WETH.address
  const poolCode = hardhatArtifact('@uniswap/v3-core', 'UniswapV3Pool')
  const factory = await chain.deploy(hardhatArtifact('@uniswap/v3-core', 'UniswapV3Factory'))
  // The factory starts with three tiers. Governance later added the tier of stable pairs.
  await factory.send('enableFeeAmount', [100, 1])
  const periphery = (name: string) => hardhatArtifact('@uniswap/v3-periphery', name)
  const positions = await chain.deploy(periphery('NonfungiblePositionManager'), [factory.address, weth, ZeroAddress])
  const router = await chain.deploy(periphery('SwapRouter'), [factory.address, weth])
  const quoter = await chain.deploy(periphery('lens/QuoterV2'), [factory.address, weth])
  const tickLens = await chain.deploy(periphery('lens/TickLens'))

  await fund(chain, tokens, positions.address, UNISWAP_V3_POOLS)
  const pools: DevnetPool[] = []
  for (const spec of UNISWAP_V3_POOLS) {
    const sortedSpec = sortedPool(spec, tokens)
    const key = [sortedSpec.token0, sortedSpec.token1, spec.fee]
    await positions.send('createAndInitializePoolIfNecessary', [...key, sortedSpec.sqrtPriceX96])
    const pool = chain.contractAt(poolCode.abi, await factory.read<string>('getPool', key))
    // The pool has computed its tick from the price, so this code needs no logarithm.
    const { tick } = await pool.readAll('slot0')
    const spacing = await pool.read<bigint>('tickSpacing')
    const tickPlace = { tick: Number(tick), spacing: Number(spacing) }
    await mintRanges(chain, positions, sortedSpec, tickPlace, { fee: spec.fee })
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
