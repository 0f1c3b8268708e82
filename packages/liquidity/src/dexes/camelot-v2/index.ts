import type { DexFamily } from '../../family.ts'
import { constantProductCurve, sampledCurve } from '../../math/curves.ts'
import { isZeroForOne } from '../common/direction.ts'
import { quoteByDirection } from '../common/exact-input.ts'
import { type CamelotV2State, feeOf, quote } from './math.ts'
import { applyLog, createdPool, creationTopics, findPools, readStates, topics } from './state.ts'

export const camelotV2: DexFamily<CamelotV2State> = {
  id: 'camelot-v2',
  findPools,
  readStates,
  creationTopics,
  createdPool,
  topics,
  applyLog,

  quoteExactInput: quoteByDirection('camelot-v2', quote),

  priceCurve({ state, ...pool }, tokenIn, tokenOut) {
    const zeroForOne = isZeroForOne({ ...pool, state }, tokenIn, tokenOut)
    const [reserveIn, reserveOut] = zeroForOne ? [state.reserve0, state.reserve1] : [state.reserve1, state.reserve0]
    const feePpm = feeOf(state, zeroForOne)
    if (!state.stable) return constantProductCurve(reserveIn, reserveOut, feePpm)
    const free = { ...state, fee0Ppm: 0, fee1Ppm: 0 }
    return sampledCurve((amountIn) => quote(free, zeroForOne, amountIn).amountOut, reserveIn, feePpm)
  },

  reserves: ({ state }) => [state.reserve0, state.reserve1],

  // As two slots of storage take; not measured.
  keepsTokens: true,
  oracleGas: 10_000,
  takesTaxedInput: true,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'solidly',
    pool: pool.address,
    zeroForOne: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    input,
    output,
  }),
}
