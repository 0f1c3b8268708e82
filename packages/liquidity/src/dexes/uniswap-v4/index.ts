import type { DexFamily } from '../../family.ts'
import { swapExactInput } from '../../math/concentrated.ts'
import { concentratedCurve } from '../../math/curves.ts'
import { concentratedReserves } from '../../math/positions.ts'
import { isZeroForOne } from '../common/direction.ts'
import { HOP_GAS, TICK_GAS } from '../common/gas.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'
import { swapFeePpm } from './math.ts'
import { applyLog, keyOf, poolIdOf, readStates, topics } from './state.ts'
import type { UniswapV4State } from './types.ts'

export const uniswapV4: DexFamily<UniswapV4State> = {
  id: 'uniswap-v4',
  findPools,
  readStates,
  listedByLogs: true,
  creationTopics,
  createdPool,
  topics,
  poolIdOf,
  applyLog,

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
    const withFee = { ...pool.state, feePpm: swapFeePpm(pool.state, zeroForOne) }
    const { amountOut, state, ticksCrossed } = swapExactInput(withFee, zeroForOne, amountIn)
    const gas = HOP_GAS['uniswap-v4'] + TICK_GAS * ticksCrossed
    return { amountOut, state: { ...state, feePpm: pool.state.feePpm }, gas }
  },

  curve(pool, tokenIn, tokenOut) {
    const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
    return concentratedCurve({ ...pool.state, feePpm: swapFeePpm(pool.state, zeroForOne) }, zeroForOne)
  },

  reserves: ({ state }) => concentratedReserves(state),

  prepaid: false,
  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'uniswap-v4',
    manager: pool.address,
    hops: [{ tokenOut, ...keyOf(pool) }],
    tokenIn,
    input,
    output,
  }),
}
