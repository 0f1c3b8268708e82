import type { DexFamily, Pool } from '../../family.ts'
import { sampledCurve } from '../../math/curves.ts'
import { coinIndices } from '../common/direction.ts'
import { HOP_GAS } from '../common/gas.ts'
import { bufferQuote } from './buffer.ts'
import { findBuffers } from './buffers.ts'
import { quote, tradingFunction } from './math.ts'
import { applyLog, createdPool, creationTopics, poolIdOf, readStates, topics } from './state.ts'
import type { BalancerV3Fixed, BalancerV3State } from './types.ts'

/** Gas that a buffer which has what it pays takes less than a pool: 4 swaps beside 8 in pools of the local chain. */
const BUFFER_LESS = 92_000

const fixedOf = (pool: Pool<unknown>) => pool.fixed as Pick<BalancerV3Fixed, 'vault'> & Partial<BalancerV3Fixed>

export const balancerV3: DexFamily<BalancerV3State> = {
  id: 'balancer-v3',
  // The vault has no getter of pools by token: they are known from its logs. Buffers are asked for by their shares.
  findPools: findBuffers,
  readStates,
  // Virtual balances of reCLAMM pools move with the time. What was saved before this was noted may be one.
  refreshStates: readStates,
  movesSilently: (pool) => fixedOf(pool).silent !== false,
  dependsOn: (pool) => fixedOf(pool).dependsOn ?? [pool.address],
  listedByLogs: true,
  creationTopics,
  createdPool,
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

  priceCurve(pool, tokenIn, tokenOut) {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    const { state } = pool
    if (state.kind === 'buffer') {
      const { totalAssets, totalSupply } = state.vault
      const most = i === 0 ? totalAssets : totalSupply
      return sampledCurve((amountIn) => bufferQuote(state, i === 0, amountIn).amountOut, most, 0)
    }
    // A fee that rises with the trade is left inside.
    if ((state.kind === 'stable' || state.kind === 'gyro-eclp') && state.surge)
      return sampledCurve((amountIn) => quote(state, i, j, amountIn).amountOut, state.balances[i]!, 0)
    const feePpm = Number(state.swapFee / 10n ** 12n)
    const withoutFee = { ...state, swapFee: 0n }
    return sampledCurve((amountIn) => quote(withoutFee, i, j, amountIn).amountOut, state.balances[i]!, feePpm)
  },

  tradingFunction: ({ state }) => (state.kind === 'buffer' ? null : tradingFunction(state)),

  // Shares can always be made; those that exist count.
  reserves: ({ state }) =>
    state.kind === 'buffer' ? [state.vault.totalAssets, state.vault.totalSupply] : state.balances,

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
