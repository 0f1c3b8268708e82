/** Implements `DexFamily` for Uniswap V4 pools whose hooks take no part in swaps. */
import type { DexFamily } from '../../family.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { createdPool, creationTopics, findPools, provePools } from './discover.ts'
import { swapFeePpm } from './fee.ts'
import { hasDynamicFee } from './hooks.ts'
import { applyLog, keyOf, poolIdOf, readStates, refreshStates, topics } from './state.ts'
import type { UniswapV4State } from './types.ts'

/**
 * Maximum amount of a swap, because the manager stores balance changes as int128. @see BalanceDelta, Uniswap/v4-core
 */
const MAX_AMOUNT = (1n << 127n) - 1n

/** Uniswap V4 pools without hooks, or with hooks that take no part in swaps. */
export const uniswapV4: DexFamily<UniswapV4State> = {
  id: 'uniswap-v4',
  holdsNative: true,
  findPools,
  readStates,
  // The family quotes only pools whose hook takes no part in swaps. Such a hook can still set a dynamic fee.
  dependsOn: (pool) => (hasDynamicFee(keyOf(pool)) ? [keyOf(pool).hooks] : []),
  refreshStates,
  movesSilently: (pool) => hasDynamicFee(keyOf(pool)),
  listedByLogs: true,
  creationTopics,
  createdPool,
  provePools,
  topics,
  poolIdOf,
  applyLog,

  ...concentratedTrade<UniswapV4State>('uniswap-v4', { swapFeePpm, maxAmount: MAX_AMOUNT, observesTicks: false }),
  step(pool, tokenIn, tokenOut, input, output) {
    return { op: 'uniswap-v4', manager: pool.address, hops: [{ tokenOut, ...keyOf(pool) }], tokenIn, input, output }
  },
}
