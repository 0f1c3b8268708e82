import type { DexFamily, Pool } from '../../family.ts'
import { sampledCurve } from '../../math/curves.ts'
import { coinIndices } from '../common/direction.ts'
import { HOP_GAS } from '../common/gas.ts'
import { quote, tradingFunction } from './math.ts'
import { applyLog, createdPool, creationTopics, poolIdOf, readStates, topics } from './state.ts'
import type { BalancerV3Fixed, BalancerV3State } from './types.ts'

const fixedOf = (pool: Pool<unknown>) => pool.fixed as Pick<BalancerV3Fixed, 'vault'> & Partial<BalancerV3Fixed>

export const balancerV3: DexFamily<BalancerV3State> = {
  id: 'balancer-v3',
  // The vault has no getter by token: its pools are known from its logs.
  // biome-ignore lint/correctness/useYield: there is nothing to read.
  *findPools() {
    return []
  },
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
    return { ...quote(pool.state, i, j, amountIn), gas: HOP_GAS['balancer-v3'] }
  },

  priceCurve(pool, tokenIn, tokenOut) {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    const { state } = pool
    // A fee that rises with the trade is left inside.
    if (state.kind === 'stable' && state.surge)
      return sampledCurve((amountIn) => quote(state, i, j, amountIn).amountOut, state.balances[i]!, 0)
    const feePpm = Number(pool.state.swapFee / 10n ** 12n)
    const withoutFee = { ...pool.state, swapFee: 0n }
    return sampledCurve((amountIn) => quote(withoutFee, i, j, amountIn).amountOut, pool.state.balances[i]!, feePpm)
  },

  tradingFunction: ({ state }) => tradingFunction(state),

  reserves: ({ state }) => state.balances,

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
