/** Implements `DexFamily` for iZiSwap pools. */
import type { DexFamily } from '../../family.ts'
import { endCurveAt } from '../../math/curve-end.ts'
import { concentratedReserves } from '../../math/positions.ts'
import { pathOfTicks, withConsistentState } from '../common/consistent-state.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { poolStep } from '../common/pool-step.ts'
import { curveOf } from './curve.ts'
import { maxInput, sellExact } from './math.ts'
import { findPools, readStates, topics } from './state.ts'
import type { IziswapState } from './types.ts'

const { hop: hopGas, piece: pieceGas } = gasRow('iziswap')

const uncheckedFamily: DexFamily<IziswapState> = {
  id: 'iziswap',
  findPools,
  readStates,
  topics,
  // Logs contain neither the limit orders that a swap filled nor the liquidity that it exchanged at the last point.
  applyLog: () => 'reread',

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const { amountOut, state, pointsPassed } = sellExact(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn)
    return { amountOut, state, gas: hopGas + pieceGas * pointsPassed }
  },

  maxInput: (pool, tokenIn, tokenOut) => maxInput(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),

  priceCurve(pool, tokenIn, tokenOut) {
    const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
    return endCurveAt(curveOf(pool.state, zeroForOne), maxInput(pool.state, zeroForOne))
  },

  reserves: ({ state }) => reservesOf(state),

  keepsTokens: true,
  // Estimated gas to write two storage slots.
  oracleGas: 10_000,
  // The pool checks the received amount, so taxed inputs fail.
  takesTaxedInput: false,
  step: poolStep('iziswap'),
}

/** Returns the points at which positions start or end, as ticks. */
const endpointsOf = ({ points }: Pick<IziswapState, 'points'>) =>
  points.flatMap(({ point, endpoint, liquidityNet }) => (endpoint ? [[point, liquidityNet] as const] : []))

/**
 * Returns the total reserves of limit orders and positions. The reserves of positions are
 * computed with continuous prices, as in a Uniswap V3 pool.
 */
function reservesOf({ points, point, sqrtPriceX96, liquidity, feePpm, pointDelta }: IziswapState): [bigint, bigint] {
  const ticks = endpointsOf({ points })
  const positionReserves = concentratedReserves({
    ticks,
    sqrtPriceX96,
    tick: point,
    liquidity,
    feePpm,
    tickSpacing: pointDelta,
  })
  return [
    points.reduce((sum, { sellingX }) => sum + sellingX, positionReserves[0]),
    points.reduce((sum, { sellingY }) => sum + sellingY, positionReserves[1]),
  ]
}

/** iZiSwap pools. Refuses states in which liquidity would be negative. */
export const iziswap: DexFamily<IziswapState> = withConsistentState<IziswapState, DexFamily<IziswapState>>(
  uncheckedFamily,
  ({ state }) => pathOfTicks(state.liquidity, state.point, endpointsOf(state)),
)
