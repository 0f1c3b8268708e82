import type { DexFamily } from '../../family.ts'
import { constantProductCurve } from '../../math/curves.ts'
import { constantProductOutline } from '../../math/outline.ts'
import { isZeroForOne } from '../common/direction.ts'
import { HOP_GAS } from '../common/gas.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'
import { readFixed } from './fee.ts'
import { inputFor, quote } from './math.ts'
import { applyLog, readStates, topics } from './state.ts'
import type { UniswapV2State } from './types.ts'

export const uniswapV2: DexFamily<UniswapV2State> = {
  id: 'uniswap-v2',
  findPools,
  readFixed,
  stateNeedsFixed: true,
  readStates,
  topics,
  applyLog,
  creationTopics,
  createdPool,

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const { amountOut, state } = quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn)
    return { amountOut, state, gas: HOP_GAS['uniswap-v2'] }
  },

  inputFor: (pool, tokenIn, tokenOut, amountOut) =>
    inputFor(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountOut),

  priceCurve(pool, tokenIn, tokenOut) {
    const { reserve0, reserve1, feePpm } = pool.state
    return isZeroForOne(pool, tokenIn, tokenOut)
      ? constantProductCurve(reserve0, reserve1, feePpm)
      : constantProductCurve(reserve1, reserve0, feePpm)
  },

  outline: ({ state }, band) => constantProductOutline(state.reserve0, state.reserve1, state.feePpm, band),
  reserves: ({ state }) => [state.reserve0, state.reserve1],

  // Two accumulators.
  keepsTokens: true,
  oracleGas: 10_400,
  takesTaxedInput: true,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'uniswap-v2',
    pool: pool.address,
    zeroForOne: isZeroForOne(pool, tokenIn, tokenOut),
    feePpm: pool.state.feePpm,
    tokenIn,
    input,
    output,
  }),
}
