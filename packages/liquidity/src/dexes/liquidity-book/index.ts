/** Implements `DexFamily` for Liquidity Book pairs. */
import type { DexFamily } from '../../family.ts'
import { binReserves } from '../../math/bins.ts'
import { isZeroForOne } from '../common/direction.ts'
import { HOP_GAS, PIECE_GAS } from '../common/gas.ts'
import { poolStep } from '../common/pool-step.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'
import { curveOf, maxInput, swapBins } from './math.ts'
import { readStates, refreshStates, topics } from './state.ts'
import type { LiquidityBookState } from './types.ts'

/**
 * Liquidity Book pairs of versions 2.1 and 2.2. Pairs of version 2.0 have no state here: their sampled twin quotes
 * them.
 */
export const liquidityBook: DexFamily<LiquidityBookState> = {
  id: 'liquidity-book',
  payment: { lockSlots: 1 },
  rowsOf: (row) => (row.family === 'liquidity-book' ? [row] : []),
  findPools,
  readStates,
  creationTopics,
  createdPool,
  refreshStates,
  topics,
  applyLog: () => 'reread',

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const { amountOut, state, binsCrossed } = swapBins(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn)
    return { amountOut, state, gas: HOP_GAS['liquidity-book'] + PIECE_GAS['liquidity-book'] * binsCrossed }
  },

  maxInput: (pool, tokenIn, tokenOut) => maxInput(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),
  priceCurve: (pool, tokenIn, tokenOut) => curveOf(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),

  reserves: ({ state }) => binReserves(state),

  keepsTokens: true,
  // Estimated gas to write two storage slots.
  oracleGas: 10_000,
  // If the oracle's last sample is two minutes old, a swap writes a new sample to a new storage slot.
  laterGas: 22_100,
  takesTaxedInput: true,
  step: poolStep('liquidity-book'),
}
