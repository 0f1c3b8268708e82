/** Implements `DexFamily` for SyncSwap classic and stable pools. */
import type { DexFamily } from '../../family.ts'
import { constantProductCurve } from '../../math/curves.ts'
import { sampledCapacity } from '../common/capacity-family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { quoteByDirection } from '../common/exact-input.ts'
import { approximateMaxInput, quote } from './math.ts'
import { applyLog, createdPool, creationTopics, findPools, readStates, refreshStates, topics } from './state.ts'
import type { SyncswapState } from './types.ts'

/** One fee unit of the contracts, 1/100,000, in ppm. */
const PPM_PER_FEE_UNIT = 10

const capacity = sampledCapacity<SyncswapState>((pool, tokenIn, tokenOut) => {
  const { state } = pool
  const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
  return {
    quote: (amountIn) => quote(state, zeroForOne, amountIn),
    approximateLimit: approximateMaxInput(state, zeroForOne),
    scale: zeroForOne ? state.reserve0 : state.reserve1,
    feePpm: PPM_PER_FEE_UNIT * Number(zeroForOne ? state.fee0 : state.fee1),
  }
})

/** SyncSwap classic and stable pools. */
export const syncswap: DexFamily<SyncswapState> = {
  id: 'syncswap',
  payment: { lockSlots: 1 },
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
    // If the input reserve is zero, one base unit buys the whole other reserve. A reserve of 1 gives nearly this curve.
    const maxInput = capacity.maxInput(pool, tokenIn, tokenOut)
    return isZeroForOne(pool, tokenIn, tokenOut)
      ? constantProductCurve(reserve0 || 1n, reserve1, PPM_PER_FEE_UNIT * Number(fee0), maxInput)
      : constantProductCurve(reserve1 || 1n, reserve0, PPM_PER_FEE_UNIT * Number(fee1), maxInput)
  },

  reserves: ({ state }) => [state.reserve0, state.reserve1],

  takesTaxedInput: true,
  step({ address, state: { vault } }, tokenIn, _tokenOut, input, output) {
    return { op: 'syncswap', pool: address, vault, tokenIn, input, output }
  },
}
