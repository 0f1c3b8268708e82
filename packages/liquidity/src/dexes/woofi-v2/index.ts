/** Implements `DexFamily` for WOOFi V2 pools. */
import type { DexFamily } from '../../family.ts'
import { sampledCapacity } from '../common/capacity-family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { poolStep } from '../common/pool-step.ts'
import { approximateMaxInput, quote, type WoofiV2State } from './math.ts'
import { findPools, readStates } from './state.ts'

const { hop: hopGas } = gasRow('woofi-v2')

/** WOOFi V2 pools, which trade at oracle prices. */
export const woofiV2: DexFamily<WoofiV2State> = {
  id: 'woofi-v2',
  payment: { lockSlots: 1 },
  findPools,
  readStates,
  // The oracle's prices change every few seconds, without logs.
  refreshStates: readStates,
  topics: [],
  applyLog: () => 'reread',

  quoteExactInput: (pool, tokenIn, tokenOut, amountIn) => ({
    ...quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut) ? 0 : 1, amountIn),
    gas: hopGas,
  }),

  ...sampledCapacity<WoofiV2State>((pool, tokenIn, tokenOut) => {
    const { state } = pool
    const i = isZeroForOne(pool, tokenIn, tokenOut) ? 0 : 1
    return {
      quote: (amountIn) => quote(state, i, amountIn),
      approximateLimit: approximateMaxInput(state, i),
      scale: state.tokens[i].reserve,
      feePpm: 0,
    }
  }),

  limitsEachSwap: () => true,
  reserves: ({ state }) => state.tokens.map(({ reserve }) => reserve),

  takesTaxedInput: true,
  step: poolStep('woofi-v2'),
}
