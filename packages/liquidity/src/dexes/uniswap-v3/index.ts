/** Implements `DexFamily` for Uniswap V3 pools and their forks. */
import type { DexFamily } from '../../family.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { concentratedLogs, readConcentrated } from '../common/concentrated-state.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'

/** Pools of Uniswap V3 and its forks. */
export const uniswapV3: DexFamily<ConcentratedState> = {
  id: 'uniswap-v3',
  findPools,
  readStates: readConcentrated,
  creationTopics,
  createdPool,
  ...concentratedLogs(),
  ...concentratedTrade('uniswap-v3'),
  readableState({ state: { sqrtPriceX96, tick, liquidity, feePpm, tickSpacing } }) {
    return { kind: 'concentrated', text: `concentrated ${sqrtPriceX96} ${tick} ${liquidity} ${feePpm} ${tickSpacing}` }
  },
  keepsTokens: true,
}
