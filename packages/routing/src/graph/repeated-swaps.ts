/** Price curves of pools that limit each swap to a fraction of a balance, extended over several consecutive swaps. */
import type { Address } from '@sluice/chains'
import { familyOf, nullIfRefused, type Pool, type PriceCurve } from '@sluice/liquidity'

/** Maximum number of consecutive swaps through one direction of such a pool. Each costs the gas of a hop. */
export const MAX_SWAPS = 3

/** Relative price difference of adjacent pieces that counts as rounding. */
const ROUNDING = 1e-12

export type SwapsCurve = PriceCurve & {
  /** Input from which a trade takes several swaps, and relative amount by which these may pay more than the curve. */
  readonly repeats?: { readonly from: number; readonly outputError: number }
}

/**
 * Extends the curve by further swaps if the pool limits each swap. The curve of the next swap is the same curve, scaled
 * by the change of the largest input and of its output from one swap to the next.
 */
export function withRepeatedSwaps(curve: PriceCurve, pool: Pool, i: number, j: number): SwapsCurve {
  const count = curve.liquidity.length
  if (count === 0 || !familyOf(pool.family)!.limitsEachSwap?.(pool)) return curve
  const scales = nullIfRefused(() => scalesOf(pool, pool.tokens[i]!, pool.tokens[j]!))
  if (!scales) return curve
  const { from, inputRatio, outputRatio } = scales
  const sqrtPrice = [...curve.sqrtPrice]
  const liquidity = [...curve.liquidity]
  let outputError = 0
  for (let swap = 1; swap < MAX_SWAPS; swap++) {
    const last = sqrtPrice.at(-1)!
    const start = curve.sqrtPrice[0]! * Math.sqrt(outputRatio / inputRatio) ** swap
    // Some pools start the next swap above the marginal price at which the last one ended. A curve must fall, so this one
    // takes the whole input of such a swap at a lower price.
    const lowered = Math.min(1, last / start)
    outputError = Math.max(outputError, 1 / lowered ** 2 - 1)
    const price = (lowered * start) / curve.sqrtPrice[0]!
    const depth = price * inputRatio ** swap
    // The fee stays in the pool, so the next swap may also start at a slightly lower price.
    if (start < last * (1 - ROUNDING)) {
      sqrtPrice.push(start)
      liquidity.push(0)
    }
    for (let piece = 0; piece < count; piece++) {
      sqrtPrice.push(Math.min(curve.sqrtPrice[piece + 1]! * price, sqrtPrice.at(-1)!))
      liquidity.push(curve.liquidity[piece]! * depth)
    }
  }
  return {
    ...curve,
    sqrtPrice: Float64Array.from(sqrtPrice),
    liquidity: Float64Array.from(liquidity),
    repeats: { from, outputError },
  }
}

type Scales = { readonly from: number; readonly inputRatio: number; readonly outputRatio: number }

/**
 * Input of the largest swap, and the ratios of the next one's input and output to its own. Null if no second swap is possible.
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
    ? { from: Number(max), inputRatio, outputRatio }
    : null
}
