/** Quotes of families by the function of their maths. */
import type { DexFamily } from '../../family.ts'
import { sampledCurve } from '../../math/curves.ts'
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
const PER_PPM = 10n ** 12n

/** Price curves of such pools with a fee of the input in 18 decimals: sampled without it. */
export function curveWithoutFee<State extends { readonly swapFee: bigint; readonly balances: readonly bigint[] }>(
  quote: QuoteOfCoins<State>,
): DexFamily<State>['priceCurve'] {
  return (pool, tokenIn, tokenOut) => {
    const [i, j] = coinIndices(pool, tokenIn, tokenOut)
    const free = { ...pool.state, swapFee: 0n }
    const feePpm = Number(pool.state.swapFee / PER_PPM)
    return sampledCurve((amountIn) => quote(free, i, j, amountIn).amountOut, pool.state.balances[i]!, feePpm)
  }
}
