/** Implements `DexFamily` for Balancer V1 pools. */
import type { DexFamily } from '../../family.ts'
import { inputFeeCapacity, quoteByIndices } from '../common/exact-input.ts'
import { poolStep } from '../common/pool-step.ts'
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
  step: poolStep('balancer-v1'),
}
