/** Implements `DexFamily` for EulerSwap pools. */
import type { DexFamily } from '../../family.ts'
import { sampledCapacity } from '../common/capacity-family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { poolStep } from '../common/pool-step.ts'
import { approximateMaxInput, quote, samplingScaleOf } from './math.ts'
import { createdPool, creationTopics, findPools, readStates, rowsOf } from './state.ts'
import type { EulerSwapFixed, EulerSwapState } from './types.ts'

const { hop: hopGas } = gasRow('euler-swap')
/** One ppm as a fee with 18 decimals. */
const FEE_PER_PPM = 10 ** 12

/** EulerSwap V2 pools. */
export const eulerSwap: DexFamily<EulerSwapState> = {
  id: 'euler-swap',
  rowsOf,
  findPools,
  creationTopics,
  createdPool,
  readStates,
  // The balances and limits of the Euler vaults behind a pool change with time, and with all other use of the vaults.
  refreshStates: readStates,
  topics: [],
  applyLog: () => 'reread',
  // The owner of the pool's account can change price and fee, and withdraw the backing assets.
  dependsOn: ({ fixed }) => [(fixed as EulerSwapFixed).account],

  quoteExactInput: (pool, tokenIn, tokenOut, amountIn) => ({
    ...quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut) ? 0 : 1, amountIn),
    gas: hopGas,
  }),

  ...sampledCapacity<EulerSwapState>((pool, tokenIn, tokenOut) => {
    const { state } = pool
    const i = isZeroForOne(pool, tokenIn, tokenOut) ? 0 : 1
    return {
      quote: (amountIn) => quote(state, i, amountIn),
      approximateLimit: approximateMaxInput(state, i),
      scale: samplingScaleOf(state, i),
      feePpm: Number(state.fees[i]) / FEE_PER_PPM,
    }
  }),

  reserves: ({ state: { limits } }) => [limits[1]?.out ?? 0n, limits[0]?.out ?? 0n],

  takesTaxedInput: true,
  step: poolStep('euler-swap'),
}
