import type { DexFamily, Pool } from '../../family.ts'
import { linearTrade, sampledTrade } from '../common/capacity-family.ts'
import { coinIndices } from '../common/direction.ts'
import { HOP_GAS } from '../common/gas.ts'
import { payable, rateOf } from '../erc4626/math.ts'
import { type Buffer, bufferLimit, bufferQuote } from './buffer.ts'
import { findBuffers, readFixed } from './buffers.ts'
import { limitOf, quote, tradingFunction } from './math.ts'
import { provePools } from './prove.ts'
import { applyLog, createdPool, creationTopics, poolIdOf, readStates, topics } from './state.ts'
import type { BalancerV3Fixed, BalancerV3State, PooledState } from './types.ts'

/** Gas that a buffer which has what it pays takes less than a pool: 4 swaps beside 8 in pools of the local chain. */
const BUFFER_LESS = 92_000

const fixedOf = (pool: Pool<unknown>) => pool.fixed as Pick<BalancerV3Fixed, 'vault'> & Partial<BalancerV3Fixed>

const buffers = linearTrade<Buffer>(({ state, ...pool }, tokenIn, tokenOut) => {
  const [i] = coinIndices({ ...pool, state }, tokenIn, tokenOut)
  const wrap = i === 0
  const { vault } = state
  return {
    quote: (amountIn) => bufferQuote(state, wrap, amountIn),
    limit: bufferLimit(state, wrap),
    scale: wrap ? vault.totalAssets : vault.totalSupply,
    rate: rateOf(vault, wrap),
  }
})

const pooled = sampledTrade<PooledState>(({ state, ...pool }, tokenIn, tokenOut) => {
  const [i, j] = coinIndices({ ...pool, state }, tokenIn, tokenOut)
  // A fee that rises with the trade is left inside.
  const isFixed = !((state.kind === 'stable' || state.kind === 'gyro-eclp') && state.surge)
  return {
    quote: (amountIn) => quote(state, i, j, amountIn),
    limit: limitOf(state, i, j),
    scale: state.balances[i]!,
    feePpm: isFixed ? Number(state.swapFee) / 1e12 : 0,
  }
})

const isBufferState = (pool: Pool<BalancerV3State>): pool is Pool<Buffer> => pool.state.kind === 'buffer'

export const balancerV3: DexFamily<BalancerV3State> = {
  id: 'balancer-v3',
  // The vault has no getter of pools by token: they are known from its logs. Buffers are asked for by their shares.
  findPools: findBuffers,
  readFixed,
  stateNeedsFixed: true,
  readStates,
  // Virtual balances of reCLAMM pools move with the time. What was saved before this was noted may be one.
  refreshStates: readStates,
  movesSilently: (pool) => fixedOf(pool).silent !== false,
  dependsOn: (pool) => fixedOf(pool).dependsOn ?? [pool.address],
  listedByLogs: true,
  creationTopics,
  createdPool,
  provePools,
  topics,
  poolIdOf,
  applyLog,

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    const { state } = pool
    return state.kind === 'buffer'
      ? { ...bufferQuote(state, i === 0, amountIn), gas: HOP_GAS['balancer-v3'] - BUFFER_LESS }
      : { ...quote(state, i, j, amountIn), gas: HOP_GAS['balancer-v3'] }
  },

  maxInput: (pool, tokenIn, tokenOut) =>
    isBufferState(pool)
      ? buffers.maxInput(pool, tokenIn, tokenOut)
      : pooled.maxInput(pool as Pool<PooledState>, tokenIn, tokenOut),
  priceCurve: (pool, tokenIn, tokenOut) =>
    isBufferState(pool)
      ? buffers.priceCurve(pool, tokenIn, tokenOut)
      : pooled.priceCurve(pool as Pool<PooledState>, tokenIn, tokenOut),

  limitsEachSwap: ({ state }) => state.kind === 'weighted',
  tradingFunction: ({ state }) => (state.kind === 'buffer' ? null : tradingFunction(state)),

  // Shares can always be made; those that exist count.
  reserves: ({ state }) =>
    state.kind === 'buffer' ? [payable(state.vault) + state.underlying, state.vault.totalSupply] : state.balances,

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
