/** Quotes of families by the function of their maths. */
import type { DexFamily } from '../../family.ts'
import { sampledTrade } from './capacity-family.ts'
import { coinIndices, isZeroForOne } from './direction.ts'
import { gasRow } from './gas.ts'

type Quoted<State> = { readonly amountOut: bigint; readonly state: State }

/** Quotes of pools of two tokens, whose maths are told whether the first is sold. */
export function quoteByDirection<State>(
  family: string,
  quote: (state: State, zeroForOne: boolean, amountIn: bigint) => Quoted<State>,
): DexFamily<State>['quoteExactInput'] {
  const { hop: gas } = gasRow(family)
  return (pool, tokenIn, tokenOut, amountIn) => ({
    ...quote(pool.state, isZeroForOne(pool, tokenIn, tokenOut), amountIn),
    gas,
  })
}

type QuoteOfCoins<State> = (state: State, i: number, j: number, amountIn: bigint) => Quoted<State>

/** Quotes of pools of several tokens, whose maths are told the places of both. */
export function quoteByIndices<State>(family: string, quote: QuoteOfCoins<State>): DexFamily<State>['quoteExactInput'] {
  const { hop: gas } = gasRow(family)
  return (pool, tokenIn, tokenOut, amountIn) => {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    return { ...quote(pool.state, i, j, amountIn), gas }
  }
}

/** Units in a millionth of a fee of 18 decimals. */
const PER_PPM = 1e12

/**
 * Capacity and curves of such pools with a fee of the input in 18 decimals.
 *
 * @param limitOf - about the largest input of the token sold
 */
export const tradeWithInputFee = <State extends { readonly swapFee: bigint; readonly balances: readonly bigint[] }>(
  quote: QuoteOfCoins<State>,
  limitOf: (state: State, i: number) => bigint,
) =>
  sampledTrade<State>(({ state, ...pool }, tokenIn, tokenOut) => {
    const [i, j] = coinIndices({ ...pool, state }, tokenIn, tokenOut)
    return {
      quote: (amountIn) => quote(state, i, j, amountIn),
      limit: limitOf(state, i),
      scale: state.balances[i]!,
      feePpm: Number(state.swapFee) / PER_PPM,
    }
  })
