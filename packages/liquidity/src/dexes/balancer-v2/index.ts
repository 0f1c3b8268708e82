/** Implements `DexFamily` for Balancer V2 weighted and stable pools. */
import type { Hex } from '@sluice/chains'
import type { DexFamily, Pool } from '../../family.ts'
import { inputFeeCapacity, quoteByIndices } from '../common/exact-input.ts'
import { readFixed } from './control.ts'
import { approximateMaxInput, quote, tradingFunction } from './math.ts'
import {
  applyLog,
  contractTopics,
  createdPool,
  creationTopics,
  poolIdOf,
  provePools,
  READ_GAS,
  readStates,
  topics,
} from './state.ts'
import type { BalancerV2Fixed, BalancerV2State } from './types.ts'

const fixedOf = (pool: Pool<unknown>) => pool.fixed as BalancerV2Fixed

/** Balancer V2 pools. */
export const balancerV2: DexFamily<BalancerV2State> = {
  id: 'balancer-v2',
  payment: { pullsInput: true, lockSlots: 1 },
  // The vault has no getter for the pools of a token, so pools are found by its logs.
  // biome-ignore lint/correctness/useYield: there is nothing to read.
  *findPools() {
    return []
  },
  readFixed,
  readStates,
  refreshStates: readStates,
  parameterGas: ({ state }) => (state.moves ? READ_GAS : 0),
  dependsOn: (pool) => fixedOf(pool).dependsOn ?? [pool.address],
  listedByLogs: true,
  creationTopics,
  createdPool,
  provePools,
  topics,
  poolIdOf,
  contractTopics,
  applyLog,

  quoteExactInput: quoteByIndices('balancer-v2', quote),
  ...inputFeeCapacity(quote, approximateMaxInput),
  limitsEachSwap: ({ state }) => state.kind === 'weighted',
  tradingFunction: ({ state }) => tradingFunction(state),

  reserves: ({ state }) => state.balances,

  // When cached token rates expire, the pool calls its rate providers. Estimated for two providers behind proxies.
  laterGas: 120_000,

  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'balancer-v2',
    vault: fixedOf(pool).vault,
    hops: [{ poolId: pool.id as Hex, tokenOut }],
    tokenIn,
    input,
    output,
  }),
}
