import type { DexFamily } from '../../family.ts'
import { endingAt } from '../../math/curve-end.ts'
import { concentratedReserves } from '../../math/positions.ts'
import { isZeroForOne } from '../common/direction.ts'
import { gasRow } from '../common/gas.ts'
import { curveOf } from './curve.ts'
import { maxInput, sell } from './math.ts'
import { findPools, readStates, topics } from './state.ts'
import type { IziswapState } from './types.ts'

const { hop, piece } = gasRow('iziswap')

export const iziswap: DexFamily<IziswapState> = {
  id: 'iziswap',
  findPools,
  readStates,
  topics,
  // No log tells which limit orders a swap has filled, nor how much of the point's liquidity it has turned.
  applyLog: () => 'reread',

  quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
    const { amountOut, state, pointsPassed } = sell(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn)
    return { amountOut, state, gas: hop + piece * pointsPassed }
  },

  maxInput: (pool, tokenIn, tokenOut) => maxInput(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),

  priceCurve(pool, tokenIn, tokenOut) {
    const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
    return endingAt(curveOf(pool.state, zeroForOne), maxInput(pool.state, zeroForOne))
  },

  reserves: ({ state }) => reservesOf(state),

  // A pool measures what arrived.
  // As two slots of storage take; not measured.
  keepsTokens: true,
  oracleGas: 10_000,
  takesTaxedInput: false,
  step: (pool, tokenIn, tokenOut, input, output) => ({
    op: 'iziswap',
    pool: pool.address,
    zeroForOne: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    input,
    output,
  }),
}

/** Reserves of positions, as if prices lay between points too, and what limit orders sell. */
function reservesOf({ points, point, sqrtPriceX96, liquidity, feePpm, pointDelta }: IziswapState): [bigint, bigint] {
  const ticks = points.flatMap(({ point, endpoint, liquidityNet }) =>
    endpoint ? [[point, liquidityNet] as const] : [],
  )
  const held = concentratedReserves({ ticks, sqrtPriceX96, tick: point, liquidity, feePpm, tickSpacing: pointDelta })
  return [
    points.reduce((sum, { sellingX }) => sum + sellingX, held[0]),
    points.reduce((sum, { sellingY }) => sum + sellingY, held[1]),
  ]
}
