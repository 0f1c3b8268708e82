import type { DexFamily } from '../../family.ts'
import { sampledCurve } from '../../math/curves.ts'
import { coinIndices } from '../common/direction.ts'
import { HOP_GAS } from '../common/gas.ts'
import { findPools } from './discover.ts'
import { quote, surface } from './math.ts'
import { applyLog, readStates, topics } from './state.ts'
import type { CurveCryptoState } from './types.ts'

export const curveCrypto: DexFamily<CurveCryptoState> = {
  id: 'curve-crypto',
  findPools,
  readStates,
  topics,
  applyLog,

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    return { ...quote(pool.state, i, j, amountIn), gas: HOP_GAS['curve-crypto'] }
  },

  curve(pool, tokenIn, tokenOut) {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    // The fee moves with the balances: it is left inside.
    return sampledCurve((amountIn) => quote(pool.state, i, j, amountIn).amountOut, pool.state.balances[i]!, 0)
  },

  surface: ({ state }) => surface(state),

  reserves: ({ state }) => state.balances,

  prepaid: false,
  takesTaxedInput: false,
  step(pool, tokenIn, tokenOut, input, output) {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    return { op: 'curve', pool: pool.address, variant: 'uint256', i, j, tokenIn, tokenOut, input, output }
  },
}
