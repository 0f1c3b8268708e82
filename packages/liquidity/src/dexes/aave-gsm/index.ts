import type { DexFamily } from '../../family.ts'
import { sampledCurve } from '../../math/curves.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { buying, quote, selling } from './math.ts'
import { findPools, readStates, topics } from './state.ts'
import type { AaveGsmState } from './types.ts'

const GAS = gasRow('aave-gsm').hop

export const aaveGsm: DexFamily<AaveGsmState> = {
  id: 'aave-gsm',
  findPools,
  readStates,
  // How much GHO it may make, and fees that a strategy's own code tells, change without a log of the module.
  refreshStates: readStates,
  topics,
  applyLog: () => 'reread',

  quoteExactInput: (pool, tokenIn, tokenOut, amountIn) => ({
    ...quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn),
    gas: GAS,
  }),

  priceCurve(pool, tokenIn, tokenOut) {
    const { state } = pool
    const sellAsset = isZeroForOne(pool, tokenIn, tokenOut)
    const scale = sellAsset ? state.exposure : buying(state, state.liquidity).gho
    return sampledCurve((amountIn) => quote(state, sellAsset, amountIn).amountOut, scale, 0)
  },

  // What it may still make counts as what it can pay.
  reserves: ({ state }) => [state.liquidity, selling(state, state.exposure).gho],

  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'aave-gsm',
    pool: pool.address,
    sellAsset: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    tokenOut,
    input,
    output,
  }),
}
