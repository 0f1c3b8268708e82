/** Builds the functions of families of pools like Curve's, which identify coins by index: quotes, curves, and steps. */
import type { Address } from '@sluice/chains'
import type { DexFamily, Pool } from '../../family.ts'
import type { TradingFunction } from '../../math/trading-function.ts'
import { sampledCapacity } from './capacity-family.ts'
import { coinIndices } from './direction.ts'

type StateWithBalances = { readonly balances: readonly bigint[] }

/** Argument type of the coin indices in a pool's swap function: `exchange`, or `swap` for `uint8`. */
type CurveVariant = 'int128' | 'uint256' | 'uint8'

/** Math of a family. `i` and `j` are the indices of the input and the output coin. */
type CurveMath<S> = {
  /** Estimated gas of a hop. */
  readonly gas: number
  readonly variant: CurveVariant
  readonly quote: (
    state: S,
    i: number,
    j: number,
    amountIn: bigint,
  ) => { readonly amountOut: bigint; readonly state: S }
  /** Returns the approximate largest input in base units. */
  readonly approximateMaxInput: (state: S, i: number, j: number) => bigint
  readonly inputFor?: (state: S, i: number, j: number, amountOut: bigint) => bigint | null
  readonly tradingFunction: (state: S) => TradingFunction | null
}

/** Returns the `step` of a family. */
export const curveStep =
  <S>(variant: CurveVariant): DexFamily<S>['step'] =>
  (pool, tokenIn, tokenOut, input, output) => {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    return { op: 'curve', pool: pool.address, variant, i, j, tokenIn, tokenOut, input, output }
  }

/** Returns the functions of a family, built from its math. */
export function curveFamily<S extends StateWithBalances>({
  gas,
  variant,
  quote,
  approximateMaxInput,
  inputFor,
  tradingFunction,
}: CurveMath<S>) {
  return {
    quoteExactInput(pool, tokenIn, tokenOut, amountIn) {
      const [i, j] = coinIndices(pool, tokenIn, tokenOut)
      return { ...quote(pool.state, i, j, amountIn), gas }
    },

    ...(inputFor && {
      inputFor(pool: Pool<S>, tokenIn: Address, tokenOut: Address, amountOut: bigint) {
        const [i, j] = coinIndices(pool, tokenIn, tokenOut)
        return inputFor(pool.state, i, j, amountOut)
      },
    }),

    ...sampledCapacity<S>((pool, tokenIn, tokenOut) => {
      const { state } = pool
      const [i, j] = coinIndices(pool, tokenIn, tokenOut)
      return {
        quote: (amountIn) => quote(state, i, j, amountIn),
        approximateLimit: approximateMaxInput(state, i, j),
        scale: state.balances[i]!,
        // The fee of some pools depends on the balances, so the sampled outputs contain the whole fee.
        feePpm: 0,
      }
    }),

    tradingFunction: ({ state }) => tradingFunction(state),

    reserves: ({ state }) => state.balances,

    // Estimated gas to write two storage slots, in pools with moving averages.
    oracleGas: 10_000,
    takesTaxedInput: false,
    step: curveStep<S>(variant),
  } satisfies Partial<DexFamily<S>>
}
