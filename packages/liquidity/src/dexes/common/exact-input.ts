/** Builds `DexFamily` functions from the math functions of a family. */
import type { DexFamily } from '../../family.ts'
import { linearCapacity, sampledCapacity } from './capacity-family.ts'
import { coinIndices, isZeroForOne } from './direction.ts'
import { gasRow } from './gas.ts'

/** Output in base units, and the state after the swap. */
type QuoteResult<State> = { readonly amountOut: bigint; readonly state: State }

/** Returns the `quoteExactInput` of a family of two-token pools. */
export function quoteByDirection<State>(
  family: string,
  quote: (state: State, zeroForOne: boolean, amountIn: bigint) => QuoteResult<State>,
): DexFamily<State>['quoteExactInput'] {
  const { hop: gas } = gasRow(family)
  return (pool, tokenIn, tokenOut, amountIn) => ({
    ...quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn),
    gas,
  })
}

/** Math of a family of two-token pools with a constant rate. */
type LinearMath<State> = {
  readonly quote: (state: State, zeroForOne: boolean, amountIn: bigint) => QuoteResult<State>
  /** Returns the approximate largest input in base units. */
  readonly approximateMaxInput: (state: State, zeroForOne: boolean) => bigint
  /** Returns the output per unit of input after fees, in base units. */
  readonly rateOf: (state: State, zeroForOne: boolean) => number
}

/** Returns `quoteExactInput`, `maxInput`, and `priceCurve` of a family of two-token pools with a constant rate. */
export const linearTrade = <State>(family: string, { quote, approximateMaxInput, rateOf }: LinearMath<State>) => ({
  quoteExactInput: quoteByDirection(family, quote),
  ...linearCapacity<State>((pool, tokenIn, tokenOut) => {
    const { state } = pool
    const zeroForOne = isZeroForOne(pool, tokenIn, tokenOut)
    return {
      quote: (amountIn) => quote(state, zeroForOne, amountIn),
      approximateLimit: approximateMaxInput(state, zeroForOne),
      rate: rateOf(state, zeroForOne),
    }
  }),
})

/** Quotes a swap from the token with index `i` to the token with index `j`. */
type IndexedQuote<State> = (state: State, i: number, j: number, amountIn: bigint) => QuoteResult<State>

/** Returns the `quoteExactInput` of a family of multi-token pools. */
export function quoteByIndices<State>(family: string, quote: IndexedQuote<State>): DexFamily<State>['quoteExactInput'] {
  const { hop: gas } = gasRow(family)
  return (pool, tokenIn, tokenOut, amountIn) => {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    return { ...quote(pool.state, i, j, amountIn), gas }
  }
}

/** Units of a fee with 18 decimals in one ppm. */
const FEE_UNITS_PER_PPM = 1e12

/**
 * Returns `maxInput` and `priceCurve` of multi-token pools with a fixed fee on the input. `swapFee` of their states has
 * 18 decimals.
 *
 * @param approximateMaxInput - returns the approximate largest input of token `i` in base units
 */
export const inputFeeCapacity = <State extends { readonly swapFee: bigint; readonly balances: readonly bigint[] }>(
  quote: IndexedQuote<State>,
  approximateMaxInput: (state: State, i: number) => bigint,
) =>
  sampledCapacity<State>(({ state, ...pool }, tokenIn, tokenOut) => {
    const [i, j] = coinIndices({ ...pool, state }, tokenIn, tokenOut)
    return {
      quote: (amountIn) => quote(state, i, j, amountIn),
      approximateLimit: approximateMaxInput(state, i),
      scale: state.balances[i]!,
      feePpm: Number(state.swapFee) / FEE_UNITS_PER_PPM,
    }
  })
