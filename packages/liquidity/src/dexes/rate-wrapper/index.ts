import type { DexFamily } from '../../family.ts'
import { sampledCurve } from '../../math/curves.ts'
import { isZeroForOne } from '../common/direction.ts'
import { HOP_GAS } from '../common/gas.ts'
import { amountFor, quote } from './math.ts'
import { applyLog, findPools, readStates, topics } from './state.ts'
import type { RateWrapperState } from './types.ts'

export const rateWrapper: DexFamily<RateWrapperState> = {
  id: 'rate-wrapper',
  rowsAreTokens: true,
  findPools,
  readStates,
  dependsOn: ({ address }) => [address],
  topics,
  applyLog,
  // The rebasing token tells of its rate, not the wrapper, and some do not.
  refreshStates: readStates,

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const wrap = isZeroForOne(pool, tokenIn, tokenOut)
    return { ...quote(pool.state, wrap, amountIn), gas: HOP_GAS['rate-wrapper'] }
  },

  priceCurve(pool, tokenIn, tokenOut) {
    const wrap = isZeroForOne(pool, tokenIn, tokenOut)
    const { pooled, supply } = pool.state
    return sampledCurve((amountIn) => quote(pool.state, wrap, amountIn).amountOut, wrap ? pooled : supply, 0)
  },

  /** Shares can always be made; those that exist are what counts as depth. */
  reserves: ({ state }) => [amountFor(state, state.supply), state.supply],

  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'rate-wrapper',
    wrap: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    tokenOut,
    input,
    output,
  }),
}
