/** Family of Balancer V1 pools. */
import type { DexFamily } from '../../family.ts'
import { inputFeeCapacity, quoteByIndices } from '../common/exact-input.ts'
import { approximateMaxInput, type BalancerV1State, quote, tradingFunction } from './math.ts'
import { applyLog, findPools, readStates, rowsOf, topics } from './state.ts'

/** Balancer V1 pools. */
export const balancerV1: DexFamily<BalancerV1State> = {
  id: 'balancer-v1',
  payment: { pullsInput: true, forwardsOutput: true, lockSlots: 1 },
  rowsOf,
  findPools,
  readStates,
  topics,
  applyLog,

  quoteExactInput: quoteByIndices('balancer-v1', quote),
  ...inputFeeCapacity(quote, approximateMaxInput),
  limitsEachSwap: () => true,
  tradingFunction: ({ state }) => tradingFunction(state),
  reserves: ({ state }) => state.balances,

  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, inputSource, outputReceiver) => ({
    op: 'balancer-v1',
    pool: pool.address,
    tokenIn,
    tokenOut,
    input: inputSource,
    output: outputReceiver,
  }),
}
