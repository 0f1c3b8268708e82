import type { Hex } from '@sluice/chains'
import { keccak256 } from 'ethers'
import { artifact } from '../artifact.ts'
import { UNISWAP_V2_POOLS } from '../pools.ts'
import { fillPairs } from './constant-product.ts'
import { type Recipe, START_BLOCK } from './dex.ts'

const FEE_PPM = 3000

export const uniswapV2: Recipe = async (chain, tokens) => {
  const pair = artifact('@uniswap/v2-core/build/UniswapV2Pair.json')
  const factory = await chain.deploy(artifact('@uniswap/v2-core/build/UniswapV2Factory.json'), [chain.from])
  const router = await chain.deploy(artifact('@uniswap/v2-periphery/build/UniswapV2Router02.json'), [
    factory.address,
    tokens.WETH.address,
  ])
  const pools = await fillPairs(chain, tokens, factory, pair, UNISWAP_V2_POOLS)
  return {
    rows: [
      {
        family: 'uniswap-v2',
        brand: 'Uniswap V2',
        role: 'factory',
        address: factory.address,
        feePpm: FEE_PPM,
        feeBasis: 'measured',
        initCodeHash: keccak256(pair.bytecode) as Hex,
        startBlock: START_BLOCK,
      },
    ],
    pools: pools.map((address, index) => ({
      dex: 'Uniswap V2',
      family: 'uniswap-v2',
      address,
      tokens: UNISWAP_V2_POOLS[index]!.pair,
      feePpm: FEE_PPM,
    })),
    routers: { uniswapV2Factory: factory.address, uniswapV2Router02: router.address },
  }
}
