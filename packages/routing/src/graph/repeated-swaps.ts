/** Price curves of pools that limit each swap to a fraction of a balance, extended over several consecutive swaps. */
import type { Address } from '@sluice/chains'
import { familyOf, orRefused, type Pool, type PriceCurve } from '@sluice/liquidity'

/** Maximum number of consecutive swaps through one direction of such a pool. Each costs the gas of a hop. */
export const MAX_SWAPS = 3

/** Relative price difference of adjacent pieces that counts as rounding. */
const ROUNDING = 1e-12

/**
 * Extends the curve by further swaps if the pool limits each swap. The curve of the next swap is the same curve, scaled
 * by the change of the largest input and of its output from one swap to the next.
 */
export function withRepeatedSwaps(curve: PriceCurve, pool: Pool, i: number, j: number): PriceCurve {
  const count = curve.liquidity.length
  if (count === 0 || !familyOf(pool.family)!.limitsEachSwap?.(pool)) return curve
  const scales = orRefused(() => scalesOf(pool, pool.tokens[i]!, pool.tokens[j]!))
  if (!scales) return curve
  const { inputRatio, outputRatio } = scales
  const sqrtPrice = [...curve.sqrtPrice]
  const liquidity = [...curve.liquidity]
  for (let swap = 1; swap < MAX_SWAPS; swap++) {
    const price = Math.sqrt(outputRatio / inputRatio) ** swap
    const depth = Math.sqrt(outputRatio * inputRatio) ** swap
    // The fee stays in the pool, so the next swap starts at a slightly lower price.
    const start = Math.min(curve.sqrtPrice[0]! * price, sqrtPrice.at(-1)!)
    if (start < sqrtPrice.at(-1)! * (1 - ROUNDING)) {
      sqrtPrice.push(start)
      liquidity.push(0)
    }
    for (let piece = 0; piece < count; piece++) {
      sqrtPrice.push(Math.min(curve.sqrtPrice[piece + 1]! * price, sqrtPrice.at(-1)!))
      liquidity.push(curve.liquidity[piece]! * depth)
    }
  }
  return { ...curve, sqrtPrice: Float64Array.from(sqrtPrice), liquidity: Float64Array.from(liquidity) }
}

type Scales = { readonly inputRatio: number; readonly outputRatio: number }

/**
 * Ratio of the second largest swap to the first, for input and output. Null if no second swap is possible.
 *
 * @throws PoolRefusal
 */
function scalesOf(pool: Pool, tokenIn: Address, tokenOut: Address): Scales | null {
  const family = familyOf(pool.family)!
  const max = family.maxInput(pool, tokenIn, tokenOut)
  if (!max) return null
  const first = family.quoteExactInput(pool, tokenIn, tokenOut, max)
  const next = { ...pool, state: first.state }
  const nextMax = family.maxInput(next, tokenIn, tokenOut)
  if (!nextMax) return null
  const second = family.quoteExactInput(next, tokenIn, tokenOut, nextMax)
  const [inputRatio, outputRatio] = [Number(nextMax) / Number(max), Number(second.amountOut) / Number(first.amountOut)]
  return outputRatio > 0 && Number.isFinite(inputRatio) && Number.isFinite(outputRatio)
    ? { inputRatio, outputRatio }
    : null
}
