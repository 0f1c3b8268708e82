/** Implements `DexFamily` for Balancer V3 pools and ERC-4626 buffers. */
import type { DexFamily, Pool } from '../../family.ts'
import { linearCapacity, sampledCapacity } from '../common/capacity-family.ts'
import { coinIndices } from '../common/direction.ts'
import { HOP_GAS } from '../common/gas.ts'
import { rateOf, redeemableAssets } from '../erc4626/math.ts'
import { approximateBufferMaxInput, bufferQuote, type VaultBuffer } from './buffer.ts'
import { findBuffers, readFixed } from './buffers.ts'
import { approximateMaxInput, quote, tradingFunction } from './math.ts'
import { provePools } from './prove.ts'
import {
  applyLog,
  contractTopics,
  createdPool,
  creationTopics,
  movesSilently,
  poolIdOf,
  READ_GAS,
  readStates,
  resumeTopics,
  topics,
} from './state.ts'
import type { BalancerV3Fixed, BalancerV3State, PooledState } from './types.ts'

/**
 * Gas that a swap through a buffer with enough balance saves, compared with a swap through a pool. Measured on a local
 * chain with 4 swaps through buffers and 8 swaps through pools.
 */
const BUFFER_GAS_SAVINGS = 92_000

const fixedOf = (pool: Pool<unknown>) => pool.fixed as Pick<BalancerV3Fixed, 'vault'> & Partial<BalancerV3Fixed>

const bufferCapacity = linearCapacity<VaultBuffer>(({ state, ...pool }, tokenIn, tokenOut) => {
  const [i] = coinIndices({ ...pool, state }, tokenIn, tokenOut)
  const isWrap = i === 0
  const { vault } = state
  return {
    quote: (amountIn) => bufferQuote(state, isWrap, amountIn),
    approximateLimit: approximateBufferMaxInput(state, isWrap),
    rate: rateOf(vault, isWrap),
  }
})

const pooledCapacity = sampledCapacity<PooledState>(({ state, ...pool }, tokenIn, tokenOut) => {
  const [i, j] = coinIndices({ ...pool, state }, tokenIn, tokenOut)
  // A surge fee rises with the imbalance that the trade causes. So the sampled outputs contain it, and `feePpm` is 0.
  const hasFixedFee = !((state.kind === 'stable' || state.kind === 'gyro-eclp') && state.surge)
  return {
    quote: (amountIn) => quote(state, i, j, amountIn),
    approximateLimit: approximateMaxInput(state, i, j),
    scale: state.balances[i]!,
    feePpm: hasFixedFee ? Number(state.swapFee) / 1e12 : 0,
  }
})

const isBufferState = (pool: Pool<BalancerV3State>): pool is Pool<VaultBuffer> => pool.state.kind === 'buffer'

/** Balancer V3 pools and ERC-4626 buffers. */
export const balancerV3: DexFamily<BalancerV3State> = {
  id: 'balancer-v3',
  // The vault has no getter for the pools of a token, so pools are found by its logs. Buffers are found by their
  // shares.
  findPools: findBuffers,
  // No log of a new buffer contains its asset.
  findsUnannouncedPools: true,
  readFixed,
  statesNeedFixedFacts: true,
  readStates,
  refreshStates: readStates,
  // The price of a reCLAMM pool changes with time: its `silent` flag is true. A pool from an old snapshot has no flag
  // and may be such a pool.
  parameterGas: (pool) =>
    fixedOf(pool).silent !== false || isBufferState(pool)
      ? null
      : movesSilently(pool.state as PooledState)
        ? READ_GAS
        : 0,
  dependsOn: (pool) => fixedOf(pool).dependsOn ?? [pool.address],
  listedByLogs: true,
  creationTopics,
  createdPool,
  provePools,
  topics,
  poolIdOf,
  contractTopics,
  resumeTopics,
  applyLog,

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    const { state } = pool
    return state.kind === 'buffer'
      ? { ...bufferQuote(state, i === 0, amountIn), gas: HOP_GAS['balancer-v3'] - BUFFER_GAS_SAVINGS }
      : { ...quote(state, i, j, amountIn), gas: HOP_GAS['balancer-v3'] }
  },

  maxInput: (pool, tokenIn, tokenOut) =>
    isBufferState(pool)
      ? bufferCapacity.maxInput(pool, tokenIn, tokenOut)
      : pooledCapacity.maxInput(pool as Pool<PooledState>, tokenIn, tokenOut),
  priceCurve: (pool, tokenIn, tokenOut) =>
    isBufferState(pool)
      ? bufferCapacity.priceCurve(pool, tokenIn, tokenOut)
      : pooledCapacity.priceCurve(pool as Pool<PooledState>, tokenIn, tokenOut),

  limitsEachSwap: ({ state }) => state.kind === 'weighted',
  tradingFunction: ({ state }) => (state.kind === 'buffer' ? null : tradingFunction(state)),

  // The ERC-4626 vault of a buffer mints shares, so no reserve limits them. The total supply takes the place of a
  // reserve.
  reserves: ({ state }) =>
    state.kind === 'buffer'
      ? [redeemableAssets(state.vault) + state.underlying, state.vault.totalSupply]
      : state.balances,

  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'balancer-v3',
    vault: fixedOf(pool).vault,
    hops: [{ pool: pool.address, tokenOut }],
    tokenIn,
    input,
    output,
  }),
}
