import type { DexFamily } from '../../family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { HOP_GAS, PIECE_GAS } from '../common/gas.ts'
import { binsCurve } from './curve.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'
import { swapBins } from './math.ts'
import { readStates, refreshStates, topics } from './state.ts'
import type { LiquidityBookState } from './types.ts'

export const liquidityBook: DexFamily<LiquidityBookState> = {
  id: 'liquidity-book',
  findPools,
  readStates,
  creationTopics,
  createdPool,
  refreshStates,
  topics,
  applyLog: () => 'reread',

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const { amountOut, state, binsCrossed } = swapBins(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn)
    return { amountOut, state, gas: HOP_GAS['liquidity-book'] + PIECE_GAS['liquidity-book'] * binsCrossed }
  },

  curve: (pool, tokenIn, tokenOut) => binsCurve(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),

  reserves: ({ state }) => [
    state.bins.reduce((sum, { reserveX }) => sum + reserveX, 0n),
    state.bins.reduce((sum, { reserveY }) => sum + reserveY, 0n),
  ],

  prepaid: true,
  takesTaxedInput: true,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'liquidity-book',
    pool: pool.address,
    swapForY: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    input,
    output,
  }),
}
