import type { DexFamily } from '../../family.ts'
import { swapExactInput } from '../../math/concentrated.ts'
import { concentratedCurve } from '../../math/curves.ts'
import { concentratedReserves } from '../../math/positions.ts'
import { isZeroForOne } from '../direction.ts'
import { HOP_GAS, TICK_GAS } from '../gas.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'
import { applyLog, readStates, topics } from './state.ts'
import type { UniswapV3State } from './types.ts'

export const uniswapV3: DexFamily<UniswapV3State> = {
  id: 'uniswap-v3',
  findPools,
  readStates,
  topics,
  applyLog,
  creationTopics,
  createdPool,

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
    const { amountOut, state, ticksCrossed } = swapExactInput(pool.state, zeroForOne, amountIn)
    return { amountOut, state, gas: HOP_GAS['uniswap-v3'] + TICK_GAS * ticksCrossed }
  },

  curve: (pool, tokenIn, tokenOut) => concentratedCurve(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),

  reserves: ({ state }) => concentratedReserves(state),

  prepaid: false,
  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'uniswap-v3',
    pool: pool.address,
    zeroForOne: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    input,
    output,
  }),
}
