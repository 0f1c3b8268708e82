/** Implements `DexFamily` for Camelot V2 pairs. */
import type { Address } from '@sluice/chains'
import type { DexFamily, Pool } from '../../family.ts'
import { constantProductCurve } from '../../math/curves.ts'
import { approximateStableLimit } from '../../math/solidly.ts'
import { sampledCapacity } from '../common/capacity-family.ts'
import { isZeroForOne } from '../common/direction.ts'
import { quoteByDirection } from '../common/exact-input.ts'
import { poolStep } from '../common/pool-step.ts'
import { maxInput } from '../uniswap-v2/math.ts'
import type { UniswapV2State } from '../uniswap-v2/types.ts'
import { type CamelotV2State, feeOf, quote } from './math.ts'
import { applyLog, createdPool, creationTopics, findPools, readStates, topics } from './state.ts'

const stableCapacity = sampledCapacity<CamelotV2State>((pool, tokenIn, tokenOut) => {
  const { state } = pool
  const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
  const feePpm = feeOf(state, zeroForOne)
  return {
    quote: (amountIn) => quote(state, zeroForOne, amountIn),
    approximateLimit: approximateStableLimit({ ...state, feePpm }, zeroForOne),
    scale: zeroForOne ? state.reserve0 : state.reserve1,
    feePpm,
  }
})

/** Converts the state of a volatile pair to that of a Uniswap V2 pair whose first token is the input token. */
function uniswapStateOf(pool: Pool<CamelotV2State>, tokenIn: Address, tokenOut: Address): UniswapV2State {
  const { reserve0, reserve1, fee0Ppm, fee1Ppm } = pool.state
  return isZeroForOne(pool, tokenIn, tokenOut)
    ? { reserve0, reserve1, feePpm: fee0Ppm }
    : { reserve0: reserve1, reserve1: reserve0, feePpm: fee1Ppm }
}

/** Camelot V2 pairs, volatile and stable. */
export const camelotV2: DexFamily<CamelotV2State> = {
  id: 'camelot-v2',
  payment: { lockSlots: 1 },
  findPools,
  readStates,
  creationTopics,
  createdPool,
  topics,
  applyLog,

  quoteExactInput: quoteByDirection('camelot-v2', quote),

  maxInput: (pool, tokenIn, tokenOut) =>
    pool.state.stable
      ? stableCapacity.maxInput(pool, tokenIn, tokenOut)
      : maxInput(uniswapStateOf(pool, tokenIn, tokenOut), true),

  priceCurve(pool, tokenIn, tokenOut) {
    if (pool.state.stable) return stableCapacity.priceCurve(pool, tokenIn, tokenOut)
    const pairState = uniswapStateOf(pool, tokenIn, tokenOut)
    const { reserve0, reserve1, feePpm } = pairState
    return constantProductCurve(reserve0, reserve1, feePpm, maxInput(pairState, true))
  },

  reserves: ({ state }) => [state.reserve0, state.reserve1],

  keepsTokens: true,
  // Estimated gas to write two storage slots.
  oracleGas: 10_000,
  takesTaxedInput: true,
  step: poolStep('solidly'),
}
