/** Builds `maxInput` and `priceCurve` of a `DexFamily` from quotes, for families that have no formulas for them. */
import type { Address } from '@sluice/chains'
import { type DexFamily, type Pool, type PriceCurve, refusalOf } from '../../family.ts'
import { largestInput } from '../../math/capacity.ts'
import { emptyCurve } from '../../math/curves.ts'
import { linearCurve } from '../../math/linear-curve.ts'
import { sampledCurve } from '../../math/sampled-curve.ts'

/** Math of a pool in one direction of trade. */
type Direction = {
  readonly quote: (amountIn: bigint) => { readonly amountOut: bigint }
  /**
   * Approximate largest input in base units. The search for the exact value starts here. The closer it is, the fewer
   * quotes the search needs.
   */
  readonly approximateLimit: bigint
}
/** Math of a pool in one direction, and how to sample its curve. */
type SampledDirection = Direction & {
  /** Approximate reserve of the input token in base units. The inputs of the first samples are multiples of it. */
  readonly scale: bigint
  /**
   * Part of the fee, in ppm of the input, that `keepIn` of the curve contains. Its pieces contain the rest of the fee.
   */
  readonly feePpm: number
}
/** Math of a pool with a constant rate in one direction. */
type LinearDirection = Direction & {
  /** Output per unit of input after fees, in base units. */
  readonly rate: number
}
/** Returns the math of a pool in the direction from `tokenIn` to `tokenOut`. */
type DirectionOf<State, S> = (pool: Pool<State>, tokenIn: Address, tokenOut: Address) => S
/** Functions that this file builds. */
type Capacity<State> = Pick<DexFamily<State>, 'maxInput' | 'priceCurve'>

/** Precision of a curve's end in bits: a curve may end below the pool's largest input by a fraction of 2^−32. */
export const CURVE_END_BITS = 32

/**
 * Calls `compute`; returns `fallback` if the pool refuses or its arithmetic fails. @throws PoolRefusal `WRONG_TOKEN`
 */
function orFallback<T>(compute: () => T, fallback: T): T {
  try {
    return compute()
  } catch (error) {
    if (refusalOf(error).code === 'WRONG_TOKEN') throw error
    return fallback
  }
}

/** Returns a `maxInput` that searches the largest input by quotes. */
const maxInputBySearch =
  <State>(directionOf: DirectionOf<State, Direction>): Capacity<State>['maxInput'] =>
  (pool, tokenIn, tokenOut) =>
    orFallback(() => {
      const { quote, approximateLimit } = directionOf(pool, tokenIn, tokenOut)
      return largestInput(quote, approximateLimit)
    }, 0n)

/** Returns a `priceCurve` that caches the curves of each pool, because prices and route searches both need them. */
function cachedCurve<State, S>(
  directionOf: DirectionOf<State, S>,
  buildCurve: (direction: S) => PriceCurve,
): Capacity<State>['priceCurve'] {
  const curvesByPool = new WeakMap<Pool<State>, Map<string, PriceCurve>>()
  return (pool, tokenIn, tokenOut) => {
    const curveByTokens = curvesByPool.get(pool) ?? new Map<string, PriceCurve>()
    const tokens = `${tokenIn} ${tokenOut}`
    const knownCurve = curveByTokens.get(tokens)
    if (knownCurve) return knownCurve
    const curve = orFallback(() => buildCurve(directionOf(pool, tokenIn, tokenOut)), emptyCurve(1))
    curvesByPool.set(pool, curveByTokens.set(tokens, curve))
    return curve
  }
}

/**
 * Returns `maxInput` and `priceCurve` of pools whose rate falls with the input. The curve goes through sample quotes.
 */
export const sampledCapacity = <State>(directionOf: DirectionOf<State, SampledDirection>): Capacity<State> => ({
  maxInput: maxInputBySearch(directionOf),
  priceCurve: cachedCurve(directionOf, ({ quote, approximateLimit, scale, feePpm }) =>
    sampledCurve({
      quote: (amountIn) => quote(amountIn).amountOut,
      maxInput: largestInput(quote, approximateLimit, CURVE_END_BITS),
      scale,
      feePpm,
    }),
  ),
})

/** Returns `maxInput` and `priceCurve` of pools with a constant rate. */
export const linearCapacity = <State>(directionOf: DirectionOf<State, LinearDirection>): Capacity<State> => ({
  maxInput: maxInputBySearch(directionOf),
  priceCurve: cachedCurve(directionOf, ({ quote, approximateLimit, rate }) =>
    linearCurve({ rate, maxInput: largestInput(quote, approximateLimit, CURVE_END_BITS) }),
  ),
})
