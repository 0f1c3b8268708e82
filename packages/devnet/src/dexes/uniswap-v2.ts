import { artifact } from '../artifact.ts'
import { UNISWAP_V2_POOLS } from '../pools.ts'
import { addFork } from './constant-product.ts'
import type { Recipe } from './dex.ts'

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
