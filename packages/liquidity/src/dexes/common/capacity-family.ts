/** Capacity and curve of families whose pools have no closed form of them, by their quotes. */
import type { Address } from '@sluice/chains'
import { type DexFamily, type Pool, type PriceCurve, refusalOf } from '../../family.ts'
import { largestInput } from '../../math/capacity.ts'
import { emptyCurve } from '../../math/curves.ts'
import { linearCurve } from '../../math/linear-curve.ts'
import { sampledCurve } from '../../math/sampled-curve.ts'

/** A pool as it is traded in one direction. */
type Side = {
  readonly quote: (amountIn: bigint) => { readonly amountOut: bigint }
  /** About the largest input, from where the exact one is searched: the closer, the fewer quotes. */
  readonly limit: bigint
  /** Base units of the input that are much for this pool: about what it holds. */
  readonly scale: bigint
}
type SampledSide = Side & {
  /** Parts per million of the input that the curve states as its fee; the rest of the fee stays inside of the curve. */
  readonly feePpm: number
}
type LinearSide = Side & {
  /** Output for a unit of input, fee included, in base units. */
  readonly rate: number
}
type SideOf<State, S> = (pool: Pool<State>, tokenIn: Address, tokenOut: Address) => S
type Capacity<State> = Pick<Required<DexFamily<State>>, 'maxInput' | 'priceCurve'>

/** A curve may end below its pool by a part of 2^−32. */
const CURVE_BITS = 32

/** The answer about a pool, or that about one that takes nothing when its arithmetic fails. */
function orNothing<T>(ask: () => T, nothing: T): T {
  try {
    return ask()
  } catch (error) {
    if (refusalOf(error).code === 'WRONG_TOKEN') throw error
    return nothing
  }
}

const capacityOf =
  <State>(sideOf: SideOf<State, Side>): Capacity<State>['maxInput'] =>
  (pool, tokenIn, tokenOut) =>
    orNothing(() => {
      const { quote, limit } = sideOf(pool, tokenIn, tokenOut)
      return largestInput(quote, limit)
    }, 0n)

const curveOf =
  <State, S>(sideOf: SideOf<State, S>, draw: (side: S) => PriceCurve): Capacity<State>['priceCurve'] =>
  (pool, tokenIn, tokenOut) =>
    orNothing(() => draw(sideOf(pool, tokenIn, tokenOut)), emptyCurve(1))

/** Pools whose price falls with the trade: their curve is sampled up to where they end. */
export const sampledTrade = <State>(sideOf: SideOf<State, SampledSide>): Capacity<State> => ({
  maxInput: capacityOf(sideOf),
  priceCurve: curveOf(sideOf, ({ quote, limit, scale, feePpm }) =>
    sampledCurve({
      quote: (amountIn) => quote(amountIn).amountOut,
      maxInput: largestInput(quote, limit, CURVE_BITS),
      scale,
      feePpm,
    }),
  ),
})

/** Pools that pay the same for every unit up to where they end. */
export const linearTrade = <State>(sideOf: SideOf<State, LinearSide>): Capacity<State> => ({
  maxInput: capacityOf(sideOf),
  priceCurve: curveOf(sideOf, ({ quote, limit, scale, rate }) =>
    linearCurve({ rate, maxInput: largestInput(quote, limit, CURVE_BITS), scale }),
  ),
})
