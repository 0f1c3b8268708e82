/** Implements `DexFamily` for Kyber Elastic pools. */
import type { DexFamily } from '../../family.ts'
import { endCurveAt } from '../../math/curve-end.ts'
import { pathOfTicks, withConsistentState } from '../common/consistent-state.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { poolStep } from '../common/pool-step.ts'
import { curveOf } from './curve.ts'
import { inputForOutput, maxInput, reservesOf, swapExactInput } from './math.ts'
import { createdPool, creationTopics, findPools, readStates, topics } from './state.ts'
import type { KyberElasticState } from './types.ts'

const { hop: hopGas, piece: pieceGas } = gasRow('kyber-elastic')
/** Gas of a step that ends without crossing a tick, as a fraction of the gas of a step that crosses a tick. */
const EMPTY_STEP_GAS_RATIO = 0.25
/** Additional gas of the first tick that a swap crosses. There, the pool mints the tokens that represent its fees. */
const MINT_GAS = 40_600

const uncheckedFamily: DexFamily<KyberElasticState> = {
  id: 'kyber-elastic',
  findPools,
  readStates,
  creationTopics,
  createdPool,
  topics,
  // The fee of a swap adds liquidity. No log contains this liquidity, so the pool must be read again.
  applyLog: () => 'reread',

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
    const { amountOut, state, ticksCrossed, emptySteps } = swapExactInput(pool.state, zeroForOne, amountIn)
    const mintGas = ticksCrossed > 0 ? MINT_GAS : 0
    const gas = hopGas + mintGas + pieceGas * (ticksCrossed + EMPTY_STEP_GAS_RATIO * emptySteps)
    const writtenSlots = [...(ticksCrossed > 0 ? ['fees'] : []), ...(state.tick !== pool.state.tick ? ['oracle'] : [])]
    return writtenSlots.length > 0 ? { amountOut, state, gas, writtenSlots } : { amountOut, state, gas }
  },

  inputFor: (pool, tokenIn, tokenOut, amountOut) =>
    inputForOutput(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountOut),

  maxInput: (pool, tokenIn, tokenOut) => maxInput(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),

  priceCurve(pool, tokenIn, tokenOut) {
    const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
    return endCurveAt(curveOf(pool.state, zeroForOne), maxInput(pool.state, zeroForOne))
  },

  reserves: ({ state }) => reservesOf(state),

  keepsTokens: true,
  // The gas is high, because the oracle is a separate contract behind a proxy.
  oracleGas: 17_000,
  // The pool checks the received amount, so taxed inputs fail.
  takesTaxedInput: false,
  step: poolStep('kyber-elastic'),
}

/** Kyber Elastic pools. Refuses states in which liquidity would be negative. */
export const kyberElastic: DexFamily<KyberElasticState> = withConsistentState<
  KyberElasticState,
  DexFamily<KyberElasticState>
>(uncheckedFamily, ({ state }) => pathOfTicks(state.liquidity, state.tick, state.ticks))
