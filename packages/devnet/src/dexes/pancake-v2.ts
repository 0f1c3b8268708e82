/** The second fork of Uniswap V2, with a fee of its own. Its authors published no router: tests swap at the pair. */
import { artifact } from '../artifact.ts'
import { PANCAKE_V2_POOLS } from '../pools.ts'
import { addFork } from './constant-product.ts'
import type { Recipe } from './dex.ts'

const BUILD = '@pancakeswap-libs/pancake-swap-core/build'
/** Fee of this release of the pair; the later one on live chains keeps 2,500. */
const FEE_PPM = 2000

export const pancakeV2: Recipe = async (chain, tokens) => {
  const pair = artifact(`${BUILD}/PancakePair.json`)
  const factory = await chain.deploy(artifact(`${BUILD}/PancakeFactory.json`), [chain.from])
  const fork = { brand: 'PancakeSwap V2', feePpm: FEE_PPM, factory, pair, specs: PANCAKE_V2_POOLS }
  return { ...(await addFork(chain, tokens, fork)), routers: { pancakeV2Factory: factory.address } }
}
