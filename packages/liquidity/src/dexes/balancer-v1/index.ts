import type { DexFamily } from '../../family.ts'
import { sampledCurve } from '../../math/curves.ts'
import { coinIndices } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { type BalancerV1State, quote, tradingFunction } from './math.ts'
import { applyLog, findPools, readStates, rowsOf, topics } from './state.ts'

const GAS = gasRow('balancer-v1').hop
/** Units in a millionth of a fee of 18 decimals. */
const PER_PPM = 10n ** 12n

export const balancerV1: DexFamily<BalancerV1State> = {
  id: 'balancer-v1',
  rowsOf,
  findPools,
  readStates,
  topics,
  applyLog,

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    return { ...quote(pool.state, i, j, amountIn), gas: GAS }
  },

  priceCurve(pool, tokenIn, tokenOut) {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    const withoutFee = { ...pool.state, swapFee: 0n }
    const feePpm = Number(pool.state.swapFee / PER_PPM)
    return sampledCurve((amountIn) => quote(withoutFee, i, j, amountIn).amountOut, pool.state.balances[i]!, feePpm)
  },

  tradingFunction: ({ state }) => tradingFunction(state),

  reserves: ({ state }) => state.balances,

  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'balancer-v1',
    pool: pool.address,
    tokenIn,
    tokenOut,
    input,
    output,
  }),
}
