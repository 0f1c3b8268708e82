/** Adapts the math functions of families to `DexFamily` functions. */
import type { DexFamily } from '../../family.ts'
import { sampledCapacity } from './capacity-family.ts'
import { coinIndices, isZeroForOne } from './direction.ts'
import { gasRow } from './gas.ts'

type QuoteResult<State> = { readonly amountOut: bigint; readonly state: State }

/** Adapts the math of a two-token pool, which takes a direction. */
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

type QuoteOfCoins<State> = (state: State, i: number, j: number, amountIn: bigint) => QuoteResult<State>

/** Adapts the math of a multi-token pool, which takes two indices. */
export function quoteByIndices<State>(family: string, quote: QuoteOfCoins<State>): DexFamily<State>['quoteExactInput'] {
  const { hop: gas } = gasRow(family)
  return (pool, tokenIn, tokenOut, amountIn) => {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    return { ...quote(pool.state, i, j, amountIn), gas }
  }
}

/** Units of an 18-decimal fee in one ppm. */
const PER_PPM = 1e12

/**
 * Returns capacity and curves of multi-token pools with an 18-decimal fee on the input.
 *
 * @param approximateMaxInput - approximate largest input of token `i`
 */
export const tradeWithInputFee = <State extends { readonly swapFee: bigint; readonly balances: readonly bigint[] }>(
  quote: QuoteOfCoins<State>,
  approximateMaxInput: (state: State, i: number) => bigint,
) =>
  sampledCapacity<State>(({ state, ...pool }, tokenIn, tokenOut) => {
    const [i, j] = coinIndices({ ...pool, state }, tokenIn, tokenOut)
    return {
      quote: (amountIn) => quote(state, i, j, amountIn),
      approximateLimit: approximateMaxInput(state, i),
      scale: state.balances[i]!,
      feePpm: Number(state.swapFee) / PER_PPM,
    }
  })
