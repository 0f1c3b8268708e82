import type { DexFamily } from '../../family.ts'
import { sampledTrade } from '../common/capacity-family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { limitOf, quote, scaleOf } from './math.ts'
import { createdPool, creationTopics, findPools, readStates, rowsOf } from './state.ts'
import type { EulerSwapFixed, EulerSwapState } from './types.ts'

const GAS = gasRow('euler-swap').hop
/** Units in a millionth of a fee of 18 decimals. */
const PER_PPM = 10 ** 12

export const eulerSwap: DexFamily<EulerSwapState> = {
  id: 'euler-swap',
  rowsOf,
  findPools,
  creationTopics,
  createdPool,
  readStates,
  // What the vaults hold, lend and take in moves with everyone else's business there, and with time.
  refreshStates: readStates,
  topics: [],
  applyLog: () => 'reread',
  // Whoever owns the account may set price and fee anew, and take out what backs them.
  dependsOn: ({ fixed }) => [(fixed as EulerSwapFixed).account],

  quoteExactInput: (pool, tokenIn, tokenOut, amountIn) => ({
    ...quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut) ? 0 : 1, amountIn),
    gas: GAS,
  }),

  ...sampledTrade<EulerSwapState>((pool, tokenIn, tokenOut) => {
    const { state } = pool
    const i = isZeroForOne(pool, tokenIn, tokenOut) ? 0 : 1
    return {
      quote: (amountIn) => quote(state, i, amountIn),
      limit: limitOf(state, i),
      scale: scaleOf(state, i),
      feePpm: Number(state.fees[i]) / PER_PPM,
    }
  }),

  reserves: ({ state: { limits } }) => [limits[1]?.out ?? 0n, limits[0]?.out ?? 0n],

  takesTaxedInput: true,
  step: ({ address }, tokenIn, tokenOut, input, output) => ({
    op: 'euler-swap',
    pool: address,
    tokenIn,
    tokenOut,
    input,
    output,
  }),
}
