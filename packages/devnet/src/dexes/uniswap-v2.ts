/** Deploys Uniswap V2 and its pools. */
import { artifact } from '../artifact.ts'
import { type PoolSpec, pool } from '../pools.ts'
import { addFork } from './constant-product.ts'
import type { Recipe } from './dex.ts'

const UNISWAP_V2_POOLS: readonly PoolSpec[] = [
  pool('WETH', 'USDC', 20_000_000n),
  pool('WETH', 'USDT', 12_000_000n, 9n),
  pool('WETH', 'DAI', 8_000_000n, -6n),
  pool('WETH', 'WBTC', 6_000_000n, 4n),
  pool('WETH', 'LINK', 3_000_000n, -11n),
  pool('WETH', 'UNI', 2_000_000n, 7n),
  pool('WETH', 'STETH', 4_000_000n, 3n),
  pool('WETH', 'TAXED', 1_500_000n),
  pool('USDC', 'TAXED', 400_000n, 15n),
  pool('WETH', 'PEPE', 1_000_000n, 5n),
  pool('USDC', 'USDT', 2_000_000n, 2n),
  pool('USDC', 'GUSD', 500_000n, -4n),
  pool('LINK', 'HEX', 300_000n, 8n),
  pool('UNI', 'FAR', 120_000n, -20n),
  pool('TAIL', 'FAR', 60_000n, 25n),
]

export const uniswapV2: Recipe = async (chain, tokens) => {
  const pair = artifact('@uniswap/v2-core/build/UniswapV2Pair.json')
  const factory = await chain.deploy(artifact('@uniswap/v2-core/build/UniswapV2Factory.json'), [chain.from])
  const router = await chain.deploy(artifact('@uniswap/v2-periphery/build/UniswapV2Router02.json'), [
    factory.address,
    tokens.WETH.address,
  ])
  const fork = { brand: 'Uniswap V2', feePpm: 3000, factory, pair, specs: UNISWAP_V2_POOLS }
  return {
    ...(await addFork(chain, tokens, fork)),
    routers: { uniswapV2Factory: factory.address, uniswapV2Router02: router.address },
  }
}
