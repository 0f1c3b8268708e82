import type { DexFamily } from '../../family.ts'
import { type ConcentratedState, type StepEnd, swapExactInput, wordEnd } from '../../math/concentrated.ts'
import { concentratedCurve } from '../../math/curves.ts'
import { concentratedReserves } from '../../math/positions.ts'
import { isZeroForOne } from './direction.ts'
import { type GasFamily, HOP_GAS, PIECE_GAS } from './gas.ts'

/** How a family's pools differ from those of uniswap-v3. */
export type ConcentratedKind<State> = {
  readonly stepEnd?: StepEnd
  /** Parts per million that a swap in this direction pays in all. */
  readonly swapFeePpm?: (state: State, zeroForOne: boolean) => number
}

/** What every pool with ticks that asks for its payment in a callback has in common. */
export function concentratedTrade<State extends ConcentratedState>(
  id: GasFamily,
  { stepEnd = wordEnd, swapFeePpm = ({ feePpm }) => feePpm }: ConcentratedKind<State> = {},
): Pick<DexFamily<State>, 'quoteExactInput' | 'curve' | 'reserves' | 'prepaid' | 'takesTaxedInput' | 'step'> {
  return {
    quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
      const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
      const feePpm = swapFeePpm(pool.state, zeroForOne)
      const { amountOut, state, ticksCrossed } = swapExactInput(pool.state, feePpm, zeroForOne, amountIn, stepEnd)
      return { amountOut, state, gas: HOP_GAS[id] + PIECE_GAS[id] * ticksCrossed }
    },
    curve(pool, tokenIn, tokenOut) {
      const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
      const withFee = { ...pool.state, feePpm: swapFeePpm(pool.state, zeroForOne) }
      return { ...concentratedCurve(withFee, zeroForOne), gasPerPiece: PIECE_GAS[id] }
    },
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
