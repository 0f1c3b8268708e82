/** Price curves of pools that limit each swap to a fraction of a balance, extended over several consecutive swaps. */
import type { Address } from '@sluice/chains'
import { familyOf, nullIfRefused, type Pool, type PriceCurve } from '@sluice/liquidity'

/**
 * Maximum number of consecutive swaps in one direction of a pool that limits each swap. Each costs the gas of a hop.
 */
export const MAX_SWAPS = 3

/** Relative price difference of adjacent pieces that counts as rounding. */
const ROUNDING = 1e-12

/** A price curve that may cover several consecutive swaps. */
export type SwapsCurve = PriceCurve & {
  /**
   * Present if the curve covers several swaps: the input above which a trade takes several swaps, and the fraction by
   * which these may pay more than the curve.
   */
  readonly multiSwap?: { readonly minInput: number; readonly outputError: number }
}

/**
 * Extends the curve by further swaps if the pool limits each swap. Each further swap has the curve of the swap before,
 * scaled in two ways. Its inputs are scaled by the ratio of the maximum inputs of the two swaps. Its outputs are scaled
 * by the ratio of the outputs for these inputs.
 */
export function withRepeatedSwaps(curve: PriceCurve, pool: Pool, inputIndex: number, outputIndex: number): SwapsCurve {
  const pieceCount = curve.liquidity.length
  if (pieceCount === 0 || !familyOf(pool.family)!.limitsEachSwap?.(pool)) return curve
  const scales = nullIfRefused(() => scalesOf(pool, pool.tokens[inputIndex]!, pool.tokens[outputIndex]!))
  if (!scales) return curve
  const { maxFirstInput, inputRatio, outputRatio } = scales
  const sqrtPrice = [...curve.sqrtPrice]
  const liquidity = [...curve.liquidity]
  let outputError = 0
  for (let swap = 1; swap < MAX_SWAPS; swap++) {
    const lastSqrtPrice = sqrtPrice.at(-1)!
    const startSqrtPrice = curve.sqrtPrice[0]! * Math.sqrt(outputRatio / inputRatio) ** swap
    // In some pools, the next swap starts at a higher marginal price than the price at which the previous swap ended.
    // The price of a curve must fall, so the prices of the whole next swap are lowered.
    const loweringFactor = Math.min(1, lastSqrtPrice / startSqrtPrice)
    outputError = Math.max(outputError, 1 / loweringFactor ** 2 - 1)
    const sqrtPriceFactor = (loweringFactor * startSqrtPrice) / curve.sqrtPrice[0]!
    const liquidityFactor = sqrtPriceFactor * inputRatio ** swap
    // The fee stays in the pool, so the next swap may also start at a slightly lower price.
    if (startSqrtPrice < lastSqrtPrice * (1 - ROUNDING)) {
      sqrtPrice.push(startSqrtPrice)
      liquidity.push(0)
    }
    for (let piece = 0; piece < pieceCount; piece++) {
      sqrtPrice.push(Math.min(curve.sqrtPrice[piece + 1]! * sqrtPriceFactor, sqrtPrice.at(-1)!))
      liquidity.push(curve.liquidity[piece]! * liquidityFactor)
    }
  }
  return {
    ...curve,
    sqrtPrice: Float64Array.from(sqrtPrice),
    liquidity: Float64Array.from(liquidity),
    multiSwap: { minInput: maxFirstInput, outputError },
  }
}

/** Maximum input of the first swap; ratio of the second swap's maximum input to it; ratio of the two outputs. */
type Scales = { readonly maxFirstInput: number; readonly inputRatio: number; readonly outputRatio: number }

/**
 * Quotes two swaps in a row, each with the maximum input. Null if no second swap is possible.
 *
 * @throws PoolRefusal
 */
function scalesOf(pool: Pool, tokenIn: Address, tokenOut: Address): Scales | null {
  const family = familyOf(pool.family)!
  const maxInput = family.maxInput(pool, tokenIn, tokenOut)
  if (!maxInput) return null
  const firstQuote = family.quoteExactInput(pool, tokenIn, tokenOut, maxInput)
  const poolAfter = { ...pool, state: firstQuote.state }
  const nextMaxInput = family.maxInput(poolAfter, tokenIn, tokenOut)
  if (!nextMaxInput) return null
  const secondQuote = family.quoteExactInput(poolAfter, tokenIn, tokenOut, nextMaxInput)
  const [inputRatio, outputRatio] = [
    Number(nextMaxInput) / Number(maxInput),
    Number(secondQuote.amountOut) / Number(firstQuote.amountOut),
  ]
  return outputRatio > 0 && Number.isFinite(inputRatio) && Number.isFinite(outputRatio)
    ? { maxFirstInput: Number(maxInput), inputRatio, outputRatio }
    : null
}
