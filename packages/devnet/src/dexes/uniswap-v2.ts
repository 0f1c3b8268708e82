/** Deploys Uniswap V2 and its pools. */
import { loadArtifact } from '../artifact.ts'
import { type PoolSpec, poolSpec } from '../pools.ts'
import { addFork } from './constant-product.ts'
import type { Recipe } from './dex.ts'

const UNISWAP_V2_POOLS: readonly PoolSpec[] = [
  poolSpec('WETH', 'USDC', 20_000_000n),
  poolSpec('WETH', 'USDT', 12_000_000n, 9n),
  poolSpec('WETH', 'DAI', 8_000_000n, -6n),
  poolSpec('WETH', 'WBTC', 6_000_000n, 4n),
  poolSpec('WETH', 'LINK', 3_000_000n, -11n),
  poolSpec('WETH', 'UNI', 2_000_000n, 7n),
  poolSpec('WETH', 'STETH', 4_000_000n, 3n),
  poolSpec('WETH', 'TAXED', 1_500_000n),
  poolSpec('USDC', 'TAXED', 400_000n, 15n),
  poolSpec('WETH', 'PEPE', 1_000_000n, 5n),
  poolSpec('USDC', 'USDT', 2_000_000n, 2n),
  poolSpec('USDC', 'GUSD', 500_000n, -4n),
  poolSpec('LINK', 'HEX', 300_000n, 8n),
  poolSpec('UNI', 'FAR', 120_000n, -20n),
  poolSpec('TAIL', 'FAR', 60_000n, 25n),
]

export const uniswapV2: Recipe = async (chain, tokens) => {
  const pairArtifact = loadArtifact('@uniswap/v2-core/build/UniswapV2Pair.json')
  const factory = await chain.deploy(loadArtifact('@uniswap/v2-core/build/UniswapV2Factory.json'), [chain.from])
  const router = await chain.deploy(loadArtifact('@uniswap/v2-periphery/build/UniswapV2Router02.json'), [
    factory.address,
    tokens.WETH.address,
  ])
  const fork = { brand: 'Uniswap V2', feePpm: 3000, factory, pairArtifact, specs: UNISWAP_V2_POOLS }
  return {
    ...(await addFork(chain, tokens, fork)),
    routers: { uniswapV2Factory: factory.address, uniswapV2Router02: router.address },
  }
}
