import type { DexFamily } from '../../family.ts'
import { sampledCurve } from '../../math/curves.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { daiFor, quote } from './math.ts'
import { findPools, readStates, topics } from './state.ts'
import type { LitePsmState } from './types.ts'

const GAS = gasRow('lite-psm').hop

export const litePsm: DexFamily<LitePsmState> = {
  id: 'lite-psm',
  findPools,
  readStates,
  // DAI comes and goes by calls of others that other contracts tell of, and gems by the pocket's own transfers.
  refreshStates: readStates,
  topics,
  applyLog: () => 'reread',

  quoteExactInput: (pool, tokenIn, tokenOut, amountIn) => ({
    ...quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn),
    gas: GAS,
  }),

  priceCurve(pool, tokenIn, tokenOut) {
    const { state } = pool
    const sellGem = isZeroForOne(pool, tokenIn, tokenOut)
    const scale = sellGem ? state.dai / state.factor : daiFor(state, state.gems)
    return sampledCurve((amountIn) => quote(state, sellGem, amountIn).amountOut, scale, 0)
  },

  reserves: ({ state }) => [state.gems, state.dai],

  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'lite-psm',
    pool: pool.address,
    sellGem: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    tokenOut,
    input,
    output,
  }),
}
