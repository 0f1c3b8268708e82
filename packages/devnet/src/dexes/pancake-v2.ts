/** PancakeSwap V2, a fork of Uniswap V2 with another fee. The package contains no router, so tests swap at the pair. */
import { artifact } from '../artifact.ts'
import { type PoolSpec, pool } from '../pools.ts'
import { addFork } from './constant-product.ts'
import type { Recipe } from './dex.ts'

const BUILD = '@pancakeswap-libs/pancake-swap-core/build'
/** Fee of this release of the pair. The later release on live chains has 2,500. */
const FEE_PPM = 2000

const PANCAKE_V2_POOLS: readonly PoolSpec[] = [
  pool('WETH', 'USDC', 9_000_000n, 12n),
  pool('WETH', 'USDT', 5_000_000n, -8n),
  pool('WBTC', 'USDC', 3_000_000n, 6n),
  pool('DAI', 'USDC', 3_000_000n, -3n),
  pool('WETH', 'UNI', 1_000_000n, -9n),
  pool('WETH', 'AAVE', 1_200_000n, 10n),
  pool('WETH', 'TAXED', 500_000n, -12n),
  pool('STETH', 'USDC', 700_000n, -5n),
  pool('USDT', 'CRV', 600_000n, 14n),
  pool('UNI', 'TAIL', 250_000n),
]

export const pancakeV2: Recipe = async (chain, tokens) => {
  const pair = artifact(`${BUILD}/PancakePair.json`)
  const factory = await chain.deploy(artifact(`${BUILD}/PancakeFactory.json`), [chain.from])
  const fork = { brand: 'PancakeSwap V2', feePpm: FEE_PPM, factory, pair, specs: PANCAKE_V2_POOLS }
  return { ...(await addFork(chain, tokens, fork)), routers: { pancakeV2Factory: factory.address } }
}
