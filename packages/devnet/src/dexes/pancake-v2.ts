/** The second fork of Uniswap V2, with a fee of its own. Its authors published no router: tests swap at the pair. */
import type { Hex } from '@sluice/chains'
import { keccak256 } from 'ethers'
import { artifact } from '../artifact.ts'
import { PANCAKE_V2_POOLS } from '../pools.ts'
import { fillPairs } from './constant-product.ts'
import { type Recipe, START_BLOCK } from './dex.ts'

/** What this release of the pair keeps; the later one on live chains keeps 2,500. */
const FEE_PPM = 2000

export const pancakeV2: Recipe = async (chain, tokens) => {
  const pair = artifact('@pancakeswap-libs/pancake-swap-core/build/PancakePair.json')
  const factory = await chain.deploy(artifact('@pancakeswap-libs/pancake-swap-core/build/PancakeFactory.json'), [
    chain.from,
  ])
  const pools = await fillPairs(chain, tokens, factory, pair, PANCAKE_V2_POOLS)
  return {
    rows: [
      {
        family: 'uniswap-v2',
        brand: 'PancakeSwap V2',
        role: 'factory',
        address: factory.address,
        feePpm: FEE_PPM,
        feeBasis: 'measured',
        initCodeHash: keccak256(pair.bytecode) as Hex,
        startBlock: START_BLOCK,
      },
    ],
    pools: pools.map((address, index) => ({
      dex: 'PancakeSwap V2',
      family: 'uniswap-v2',
      address,
      tokens: PANCAKE_V2_POOLS[index]!.pair,
      feePpm: FEE_PPM,
    })),
    routers: { pancakeV2Factory: factory.address },
  }
}
