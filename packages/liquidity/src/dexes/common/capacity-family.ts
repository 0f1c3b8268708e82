/** `maxInput` and `priceCurve` for families without closed forms, computed from quotes. */
import type { Address } from '@sluice/chains'
import { type DexFamily, type Pool, type PriceCurve, refusalOf } from '../../family.ts'
import { largestInput } from '../../math/capacity.ts'
import { emptyCurve } from '../../math/curves.ts'
import { linearCurve } from '../../math/linear-curve.ts'
import { sampledCurve } from '../../math/sampled-curve.ts'

/** One direction of a pool. */
type Side = {
  readonly quote: (amountIn: bigint) => { readonly amountOut: bigint }
  /** Approximate largest input, from which the exact search starts; a close value saves quotes. */
  readonly limit: bigint
}
type SampledSide = Side & {
  /** Large input for this pool, in base units: about its reserve. */
  readonly scale: bigint
  /** Part of the fee, in ppm of the input, that the curve states as its fee; the rest is contained in the curve. */
  readonly feePpm: number
}
type LinearSide = Side & {
  /** Output per unit of input after fees, in base units. */
  readonly rate: number
}
type SideOf<State, S> = (pool: Pool<State>, tokenIn: Address, tokenOut: Address) => S
type Capacity<State> = Pick<DexFamily<State>, 'maxInput' | 'priceCurve'>

/** A curve may end below its pool by a fraction of 2^−32. */
const CURVE_BITS = 32

/** Calls `compute`; returns `fallback` if the pool's arithmetic fails. */
function orFallback<T>(compute: () => T, fallback: T): T {
  try {
    return compute()
  } catch (error) {
    if (refusalOf(error).code === 'WRONG_TOKEN') throw error
    return fallback
  }
}

const capacityOf =
  <State>(sideOf: SideOf<State, Side>): Capacity<State>['maxInput'] =>
  (pool, tokenIn, tokenOut) =>
    orFallback(() => {
      const { quote, limit } = sideOf(pool, tokenIn, tokenOut)
      return largestInput(quote, limit)
    }, 0n)

/** Returns a function that computes the curve of a pool's state once: prices and searches both need it. */
function curveOf<State, S>(
  sideOf: SideOf<State, S>,
  buildCurve: (side: S) => PriceCurve,
): Capacity<State>['priceCurve'] {
  const curvesByPool = new WeakMap<Pool<State>, Map<string, PriceCurve>>()
  return (pool, tokenIn, tokenOut) => {
    const curves = curvesByPool.get(pool) ?? new Map<string, PriceCurve>()
    curvesByPool.set(pool, curves)
    const direction = `${tokenIn} ${tokenOut}`
    const curve = curves.get(direction) ?? orFallback(() => buildCurve(sideOf(pool, tokenIn, tokenOut)), emptyCurve(1))
    curves.set(direction, curve)
    return curve
  }
}

/** Returns both functions for pools whose price falls with the trade; the curve is sampled. */
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

/** Returns both functions for pools with a constant rate. */
export const linearTrade = <State>(sideOf: SideOf<State, LinearSide>): Capacity<State> => ({
  maxInput: capacityOf(sideOf),
  priceCurve: curveOf(sideOf, ({ quote, limit, rate }) =>
    linearCurve({ rate, maxInput: largestInput(quote, limit, CURVE_BITS) }),
  ),
})
