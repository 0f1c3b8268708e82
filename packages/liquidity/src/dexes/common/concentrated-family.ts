import type { DexFamily } from '../../family.ts'
import { type ConcentratedState, type StepEnd, swapExactInput, wordEnd } from '../../math/concentrated.ts'
import { concentratedCurve } from '../../math/curves.ts'
import { concentratedReserves } from '../../math/positions.ts'
import { isZeroForOne } from './direction.ts'
import { type GasFamily, HOP_GAS, TICK_GAS } from './gas.ts'

/** What every pool with ticks that asks for its payment in a callback has in common. */
export function concentratedTrade(
  id: GasFamily,
  stepEnd: StepEnd = wordEnd,
): Pick<
  DexFamily<ConcentratedState>,
  'quoteExactInput' | 'curve' | 'reserves' | 'prepaid' | 'takesTaxedInput' | 'step'
> {
  return {
    quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
      const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
      const { amountOut, state, ticksCrossed } = swapExactInput(pool.state, zeroForOne, amountIn, stepEnd)
      return { amountOut, state, gas: HOP_GAS[id] + TICK_GAS * ticksCrossed }
    },
    curve: (pool, tokenIn, tokenOut) => concentratedCurve(pool.state, isZeroForOne(pool, tokenIn, tokenOut)),
    reserves: ({ state }) => concentratedReserves(state),
    prepaid: false,
    takesTaxedInput: false,
    step: (pool, tokenIn, tokenOut, input, output) => ({
      op: 'uniswap-v3',
      pool: pool.address,
      zeroForOne: isZeroForOne(pool, tokenIn, tokenOut),
      tokenIn,
      input,
      output,
    }),
  }
}
