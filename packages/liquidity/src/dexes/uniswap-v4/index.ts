import { ZERO_ADDRESS } from '@sluice/chains'
import type { DexFamily } from '../../family.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'
import { swapFeePpm } from './math.ts'
import { applyLog, keyOf, poolIdOf, readStates, topics } from './state.ts'
import type { UniswapV4State } from './types.ts'

export const uniswapV4: DexFamily<UniswapV4State> = {
  id: 'uniswap-v4',
  findPools,
  readStates,
  dependsOn: (pool) => [keyOf(pool).hooks].filter((hooks) => hooks !== ZERO_ADDRESS),
  listedByLogs: true,
  creationTopics,
  createdPool,
  topics,
  poolIdOf,
  applyLog,

  ...concentratedTrade('uniswap-v4', { swapFeePpm }),
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'uniswap-v4',
    manager: pool.address,
    hops: [{ tokenOut, ...keyOf(pool) }],
    tokenIn,
    input,
    output,
  }),
}
