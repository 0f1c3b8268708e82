import type { DexFamily } from '../../family.ts'
import { constantProductCurve, sampledCurve } from '../../math/curves.ts'
import { isZeroForOne } from '../common/direction.ts'
import { quoteByDirection } from '../common/exact-input.ts'
import { quote } from './math.ts'
import { applyLog, createdPool, creationTopics, findPools, readStates, refreshStates, topics } from './state.ts'
import type { SyncswapState } from './types.ts'

/** Parts per million in a hundred-thousandth. */
const PPM_PER_PART = 10

export const syncswap: DexFamily<SyncswapState> = {
  id: 'syncswap',
  // Factories of aqua pools are another kind: no source of those is public.
  rowsOf: (row) => (row.family === 'syncswap-classic' || row.family === 'syncswap-stable' ? [row] : []),
  findPools,
  readStates,
  refreshStates,
  creationTopics,
  createdPool,
  topics,
  applyLog,

  quoteExactInput: quoteByDirection('syncswap', quote),

  priceCurve(pool, tokenIn, tokenOut) {
    const { state } = pool
    const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
    const [reserveIn, reserveOut] = zeroForOne ? [state.reserve0, state.reserve1] : [state.reserve1, state.reserve0]
    const feePpm = PPM_PER_PART * Number(zeroForOne ? state.fee0 : state.fee1)
    if (!state.stable) return constantProductCurve(reserveIn, reserveOut, feePpm)
    const free = { ...state, fee0: 0n, fee1: 0n }
    return sampledCurve((amountIn) => quote(free, zeroForOne, amountIn).amountOut, reserveIn, feePpm)
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
