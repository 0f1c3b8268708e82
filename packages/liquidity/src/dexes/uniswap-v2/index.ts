/** Implements `DexFamily` for Uniswap V2 pairs and their forks. */
import { IUniswapV2Factory__factory } from '@sluice/bindings'
import type { DexFamily } from '../../family.ts'
import { constantProductCurve } from '../../math/curves.ts'
import { constantProductOutline } from '../../math/outline.ts'
import { isZeroForOne } from '../common/direction.ts'
import { HOP_GAS } from '../common/gas.ts'
import { pairFactory } from '../common/pair-discover.ts'
import { readFixed } from './fee.ts'
import { inputFor, maxInput, quote } from './math.ts'
import { applyLog, readStates, topics } from './state.ts'
import type { UniswapV2State } from './types.ts'

/** Pairs of Uniswap V2 and its forks. */
export const uniswapV2: DexFamily<UniswapV2State> = {
  id: 'uniswap-v2',
  payment: { lockSlots: 1 },
  ...pairFactory(IUniswapV2Factory__factory.createInterface(), 'getPair', 'PairCreated'),
  readFixed,
  statesNeedFixedFacts: true,
  readStates,
  topics,
  applyLog,

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const { amountOut, state } = quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn)
    return { amountOut, state, gas: HOP_GAS['uniswap-v2'] }
  },

  inputFor: (pool, tokenIn, tokenOut, amountOut) =>
    inputFor(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountOut),

  maxInput: (pool, tokenIn, tokenOut) => maxInput(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),

  priceCurve(pool, tokenIn, tokenOut) {
    const { reserve0, reserve1, feePpm } = pool.state
    const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
    const [reserveIn, reserveOut] = zeroForOne ? [reserve0, reserve1] : [reserve1, reserve0]
    return constantProductCurve(reserveIn, reserveOut, feePpm, maxInput(pool.state, zeroForOne))
  },

  outline: ({ state }, priceBand) => constantProductOutline(state.reserve0, state.reserve1, state.feePpm, priceBand),
  reserves: ({ state }) => [state.reserve0, state.reserve1],

  readableState({ state: { reserve0, reserve1, feePpm } }) {
    return { kind: 'constant-product', text: `constant-product ${reserve0} ${reserve1} ${feePpm}`, feePpm }
  },

  keepsTokens: true,
  // The swap writes two price accumulators.
  oracleGas: 10_400,
  takesTaxedInput: true,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'uniswap-v2',
    pool: pool.address,
    zeroForOne: isZeroForOne(pool, tokenIn, tokenOut),
    feePpm: pool.state.feePpm,
    tokenIn,
    input,
    output,
  }),
}
