import type { Hex } from '@sluice/chains'
import type { DexFamily, Pool } from '../../family.ts'
import { sampledCurve } from '../../math/curves.ts'
import { coinIndices } from '../common/direction.ts'
import { HOP_GAS } from '../common/gas.ts'
import { readFixed } from './control.ts'
import { quote, tradingFunction } from './math.ts'
import { applyLog, createdPool, creationTopics, poolIdOf, readStates, topics } from './state.ts'
import type { BalancerV2Fixed, BalancerV2State } from './types.ts'

const fixedOf = (pool: Pool<unknown>) => pool.fixed as BalancerV2Fixed

export const balancerV2: DexFamily<BalancerV2State> = {
  id: 'balancer-v2',
  // The vault has no getter by token: its pools are known from its logs.
  // biome-ignore lint/correctness/useYield: there is nothing to read.
  *findPools() {
    return []
  },
  readFixed,
  readStates,
  dependsOn: (pool) => fixedOf(pool).dependsOn ?? [pool.address],
  listedByLogs: true,
  creationTopics,
  createdPool,
  topics,
  poolIdOf,
  applyLog,

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    return { ...quote(pool.state, i, j, amountIn), gas: HOP_GAS['balancer-v2'] }
  },

  priceCurve(pool, tokenIn, tokenOut) {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    const feePpm = Number(pool.state.swapFee / 10n ** 12n)
    const withoutFee = { ...pool.state, swapFee: 0n }
    return sampledCurve((amountIn) => quote(withoutFee, i, j, amountIn).amountOut, pool.state.balances[i]!, feePpm)
  },

  tradingFunction: ({ state }) => tradingFunction(state),

  reserves: ({ state }) => state.balances,

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
