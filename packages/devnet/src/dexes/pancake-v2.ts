/** Deploys PancakeSwap V2, a fork of Uniswap V2 with another fee. Its npm package has no router. */
import { loadArtifact } from '../artifact.ts'
import { type PoolSpec, poolSpec } from '../pools.ts'
import { addFork } from './constant-product.ts'
import type { Recipe } from './dex.ts'

const BUILD = '@pancakeswap-libs/pancake-swap-core/build'
/** Fee of the pair's published bytecode. The later version on live chains has a fee of 2,500 ppm. */
const FEE_PPM = 2000

const PANCAKE_V2_POOLS: readonly PoolSpec[] = [
  poolSpec('WETH', 'USDC', 9_000_000n, 12n),
  poolSpec('WETH', 'USDT', 5_000_000n, -8n),
  poolSpec('WBTC', 'USDC', 3_000_000n, 6n),
  poolSpec('DAI', 'USDC', 3_000_000n, -3n),
  poolSpec('WETH', 'UNI', 1_000_000n, -9n),
  poolSpec('WETH', 'AAVE', 1_200_000n, 10n),
  poolSpec('WETH', 'TAXED', 500_000n, -12n),
  poolSpec('STETH', 'USDC', 700_000n, -5n),
  poolSpec('USDT', 'CRV', 600_000n, 14n),
  poolSpec('UNI', 'TAIL', 250_000n),
]

export const pancakeV2: Recipe = async (chain, tokens) => {
  const pairArtifact = loadArtifact(`${BUILD}/PancakePair.json`)
  const factory = await chain.deploy(loadArtifact(`${BUILD}/PancakeFactory.json`), [chain.from])
  const fork = { brand: 'PancakeSwap V2', feePpm: FEE_PPM, factory, pairArtifact, specs: PANCAKE_V2_POOLS }
  return { ...(await addFork(chain, tokens, fork)), routers: { pancakeV2Factory: factory.address } }
}
