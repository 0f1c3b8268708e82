/** Computes `maxInput` and `priceCurve` of a `DexFamily` from quotes, for families without closed forms. */
import type { Address } from '@sluice/chains'
import { type DexFamily, type Pool, type PriceCurve, refusalOf } from '../../family.ts'
import { largestInput } from '../../math/capacity.ts'
import { emptyCurve } from '../../math/curves.ts'
import { linearCurve } from '../../math/linear-curve.ts'
import { sampledCurve } from '../../math/sampled-curve.ts'

/** A pool in one direction of trade. */
type Direction = {
  readonly quote: (amountIn: bigint) => { readonly amountOut: bigint }
  /**
   * Approximate largest input in base units. The search of the exact value starts here, and needs few quotes if close.
   */
  readonly approximateLimit: bigint
}
type SampledDirection = Direction & {
  /** Approximate reserve of the input token in base units. Determines the sizes of the first samples. */
  readonly scale: bigint
  /**
   * Part of the fee, in ppm of the input, that the curve contains in `keepIn`. Its pieces contain the rest of the fee.
   */
  readonly feePpm: number
}
type LinearDirection = Direction & {
  /** Output per unit of input after fees, in base units. */
  readonly rate: number
}
type DirectionOf<State, S> = (pool: Pool<State>, tokenIn: Address, tokenOut: Address) => S
type Capacity<State> = Pick<DexFamily<State>, 'maxInput' | 'priceCurve'>

/** Precision of a curve's end in bits. A curve may end below the pool's largest input by a fraction of 2^−32. */
export const CURVE_END_BITS = 32

/** Calls `compute`; returns `fallback` if the pool refuses or its arithmetic fails. */
function orFallback<T>(compute: () => T, fallback: T): T {
  try {
    return compute()
  } catch (error) {
    if (refusalOf(error).code === 'WRONG_TOKEN') throw error
    return fallback
  }
}

const capacityOf =
  <State>(directionOf: DirectionOf<State, Direction>): Capacity<State>['maxInput'] =>
  (pool, tokenIn, tokenOut) =>
    orFallback(() => {
      const { quote, approximateLimit } = directionOf(pool, tokenIn, tokenOut)
      return largestInput(quote, approximateLimit)
    }, 0n)

/** Returns a `priceCurve` that caches the curves of each pool, because prices and searches both need them. */
function curveOf<State, S>(
  directionOf: DirectionOf<State, S>,
  buildCurve: (direction: S) => PriceCurve,
): Capacity<State>['priceCurve'] {
  const curvesByPool = new WeakMap<Pool<State>, Map<string, PriceCurve>>()
  return (pool, tokenIn, tokenOut) => {
    const curveByTokens = curvesByPool.get(pool) ?? new Map<string, PriceCurve>()
    const tokens = `${tokenIn} ${tokenOut}`
    const cachedCurve = curveByTokens.get(tokens)
    if (cachedCurve) return cachedCurve
    const curve = orFallback(() => buildCurve(directionOf(pool, tokenIn, tokenOut)), emptyCurve(1))
    curvesByPool.set(pool, curveByTokens.set(tokens, curve))
    return curve
  }
}

/** Returns `maxInput` and `priceCurve` of pools that pay less per unit for larger inputs. The curve is sampled. */
export const sampledCapacity = <State>(directionOf: DirectionOf<State, SampledDirection>): Capacity<State> => ({
  maxInput: capacityOf(directionOf),
  priceCurve: curveOf(directionOf, ({ quote, approximateLimit, scale, feePpm }) =>
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
  maxInput: capacityOf(directionOf),
  priceCurve: curveOf(directionOf, ({ quote, approximateLimit, rate }) =>
    linearCurve({ rate, maxInput: largestInput(quote, approximateLimit, CURVE_END_BITS) }),
  ),
})
