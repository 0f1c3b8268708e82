import type { DexFamily } from '../../family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { limitBitsOf, quote } from './math.ts'
import { curveOf, reservesOf } from './pieces.ts'
import { findPools, readStates } from './state.ts'
import type { AmbientFixed, AmbientState } from './types.ts'

const { hop, piece } = gasRow('ambient')

export const ambient: DexFamily<AmbientState> = {
  id: 'ambient',
  holdsNative: true,
  findPools,
  readStates,
  refreshStates: readStates,
  topics: [],
  applyLog: () => 'reread',

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const { amountOut, state, levelsCrossed } = quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn)
    return { amountOut, state, gas: hop + piece * levelsCrossed }
  },

  priceCurve: (pool, tokenIn, tokenOut) => ({
    ...curveOf(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),
    gasPerPiece: piece,
  }),

  reserves: ({ state }) => reservesOf(state),

  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'ambient',
    dex: pool.address,
    poolIdx: (pool.fixed as AmbientFixed).poolIdx,
    limitBits: limitBitsOf(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),
    tokenIn,
    tokenOut,
    input,
    output,
  }),
}
