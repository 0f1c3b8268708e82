import type { DexFamily } from '../../family.ts'
import { sampledCurve } from '../../math/curves.ts'
import { coinIndices } from '../common/direction.ts'
import { HOP_GAS } from '../common/gas.ts'
import { findPools } from './discover.ts'
import { quote, surface } from './math.ts'
import { type CurveStableFixed, settle } from './rates.ts'
import { applyLog, readStates, topics } from './state.ts'
import type { CurveStableState } from './types.ts'

export const curveStable: DexFamily<CurveStableState> = {
  id: 'curve-stable',
  findPools,
  settle,
  readStates,
  dependsOn: ({ fixed }) => (fixed as CurveStableFixed | undefined)?.dependsOn ?? [],
  topics,
  applyLog,

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    return { ...quote(pool.state, i, j, amountIn), gas: HOP_GAS['curve-stable'] }
  },

  curve(pool, tokenIn, tokenOut) {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    // The fee moves with the balances in some pools: it is left inside.
    return sampledCurve((amountIn) => quote(pool.state, i, j, amountIn).amountOut, pool.state.balances[i]!, 0)
  },

  surface: ({ state }) => surface(state),

  reserves: ({ state }) => state.balances,

  prepaid: false,
  takesTaxedInput: false,
  step(pool, tokenIn, tokenOut, input, output) {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    return { op: 'curve', pool: pool.address, variant: 'int128', i, j, tokenIn, tokenOut, input, output }
  },
}
