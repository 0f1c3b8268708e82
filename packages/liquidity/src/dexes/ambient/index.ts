/** Implements `DexFamily` for Ambient (CrocSwap) pools. */
import type { DexFamily } from '../../family.ts'
import { endCurveAt } from '../../math/curve-end.ts'
import { CURVE_END_BITS } from '../common/capacity-family.ts'
import { pathOfTicks, withConsistentState } from '../common/consistent-state.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { liquidityNetOf, tickAtRoot } from './curve.ts'
import { limitBitsOf, maxInput, quote } from './math.ts'
import { curveOf, reservesOf } from './price-curve.ts'
import { findPools, readStates } from './state.ts'
import type { AmbientFixed, AmbientState } from './types.ts'

const { hop: hopGas, piece: pieceGas } = gasRow('ambient')

const uncheckedFamily: DexFamily<AmbientState> = {
  id: 'ambient',
  payment: { pullsInput: true, forwardsOutput: true },
  holdsNative: true,
  findPools,
  readStates,
  refreshStates: readStates,
  topics: [],
  applyLog: () => 'reread',

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const { amountOut, state, levelsCrossed } = quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn)
    return { amountOut, state, gas: hopGas + pieceGas * levelsCrossed }
  },

  maxInput: (pool, tokenIn, tokenOut) => maxInput(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),

  priceCurve(pool, tokenIn, tokenOut) {
    const isBuy = isZeroForOne(pool, tokenIn, tokenOut)
    return endCurveAt(curveOf(pool.state, isBuy, pieceGas), maxInput(pool.state, isBuy, CURVE_END_BITS))
  },

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

/** Ambient pools of the standard pool type. Refuses states in which liquidity would be negative. */
export const ambient: DexFamily<AmbientState> = withConsistentState<AmbientState, DexFamily<AmbientState>>(
  uncheckedFamily,
  ({ state }) =>
    pathOfTicks(
      state.concLiq,
      tickAtRoot(state.priceRoot),
      state.levels.map((level) => [level[0], liquidityNetOf(level)] as const),
    ),
)
