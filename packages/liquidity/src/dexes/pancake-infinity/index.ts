/**
 * Implements `DexFamily` for PancakeSwap Infinity pools. Pools of the kind `cl` have ticks, and pools of the kind `bin`
 * have bins.
 */
import type { DexFamily } from '../../family.ts'
import { binReserves } from '../../math/bins.ts'
import { concentratedReserves } from '../../math/positions.ts'
import { pathOfTicks, withConsistentState } from '../common/consistent-state.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { createdPool, creationTopics, findPools, provePools, rowsOf } from './discover.ts'
import { hasDynamicFee, keyOf } from './key.ts'
import { curveOf, maxInput, swap } from './math.ts'
import { applyLog, contractTopics, poolIdOf, readStates, topics } from './state.ts'
import type { InfinityState } from './types.ts'

const { hop: hopGas, piece: pieceGas } = gasRow('pancake-infinity')

const uncheckedFamily: DexFamily<InfinityState> = {
  id: 'pancake-infinity',
  holdsNative: true,
  rowsOf,
  findPools,
  readStates,
  // The family quotes only pools whose hook takes no part in swaps. Such a hook can still set a dynamic fee.
  dependsOn: (pool) => (hasDynamicFee(keyOf(pool)) ? [keyOf(pool).hooks] : []),
  listedByLogs: true,
  creationTopics,
  createdPool,
  provePools,
  topics,
  poolIdOf,
  contractTopics,
  applyLog,

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const { amountOut, state, crossings } = swap(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn)
    return { amountOut, state, gas: hopGas + pieceGas * crossings }
  },

  maxInput: (pool, tokenIn, tokenOut) => maxInput(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),
  priceCurve: (pool, tokenIn, tokenOut) => ({
    ...curveOf(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),
    gasPerPiece: pieceGas,
  }),

  reserves: ({ state }) => (state.kind === 'cl' ? concentratedReserves(state) : binReserves(state)),

  takesTaxedInput: false,
  step(pool, tokenIn, tokenOut, input, output) {
    const { vault, ...key } = keyOf(pool)
    const hops = [{ tokenOut, manager: pool.address, ...key }]
    return { op: 'pancake-infinity', vault, hops, tokenIn, input, output }
  },
}

/** Pancake Infinity pools whose hooks take no part in swaps. Refuses states in which liquidity would be negative. */
export const pancakeInfinity: DexFamily<InfinityState> = withConsistentState<InfinityState, DexFamily<InfinityState>>(
  uncheckedFamily,
  ({ state }) => (state.kind === 'cl' ? pathOfTicks(state.liquidity, state.tick, state.ticks) : null),
)
