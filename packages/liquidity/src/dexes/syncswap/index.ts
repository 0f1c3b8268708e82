/** Family of SyncSwap classic and stable pools. */
import type { DexFamily } from '../../family.ts'
import { constantProductCurve } from '../../math/curves.ts'
import { sampledTrade } from '../common/capacity-family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { quoteByDirection } from '../common/exact-input.ts'
import { limitOf, quote } from './math.ts'
import { applyLog, createdPool, creationTopics, findPools, readStates, refreshStates, topics } from './state.ts'
import type { SyncswapState } from './types.ts'

/** Fees are in units of 1/100,000. */
const PPM_PER_PART = 10

const capacity = sampledTrade<SyncswapState>((pool, tokenIn, tokenOut) => {
  const { state } = pool
  const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
  return {
    quote: (amountIn) => quote(state, zeroForOne, amountIn),
    limit: limitOf(state, zeroForOne),
    scale: zeroForOne ? state.reserve0 : state.reserve1,
    feePpm: PPM_PER_PART * Number(zeroForOne ? state.fee0 : state.fee1),
  }
})

/** SyncSwap classic and stable pools. */
export const syncswap: DexFamily<SyncswapState> = {
  id: 'syncswap',
  payment: { locks: 1 },
  rowsOf: (row) => (row.family === 'syncswap-classic' || row.family === 'syncswap-stable' ? [row] : []),
  findPools,
  readStates,
  refreshStates,
  creationTopics,
  createdPool,
  topics,
  applyLog,

  quoteExactInput: quoteByDirection('syncswap', quote),

  maxInput: capacity.maxInput,
  priceCurve(pool, tokenIn, tokenOut) {
    const { stable, reserve0, reserve1, fee0, fee1 } = pool.state
    if (stable) return capacity.priceCurve(pool, tokenIn, tokenOut)
    // Without a reserve of the input token, one unit buys the whole other reserve.
    const maxInput = capacity.maxInput(pool, tokenIn, tokenOut)
    return isZeroForOne(pool, tokenIn, tokenOut)
      ? constantProductCurve(reserve0 || 1n, reserve1, PPM_PER_PART * Number(fee0), maxInput)
      : constantProductCurve(reserve1 || 1n, reserve0, PPM_PER_PART * Number(fee1), maxInput)
  },

  reserves: ({ state }) => [state.reserve0, state.reserve1],

  takesTaxedInput: true,
  step: ({ address, state: { vault } }, tokenIn, _tokenOut, input, output) => ({
    op: 'syncswap',
    pool: address,
    vault,
    tokenIn,
    input,
    output,
  }),
}
