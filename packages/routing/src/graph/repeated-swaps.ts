/** Curves of pools that limit each swap by a part of a balance, over several swaps one after the other. */
import type { Address } from '@sluice/chains'
import { familyOf, orRefused, type Pool, type PriceCurve } from '@sluice/liquidity'

/** Swaps through one pool in one direction that a route makes at most. Each costs the gas of a hop. */
export const MAX_SWAPS = 3

/** Part by which prices of neighboring pieces may differ for rounding. */
const ROUNDING = 1e-12

/**
 * The curve of a pool, continued by that of further swaps if the pool limits each: the curve of the next swap is the same, scaled by as
 * much as the largest input and its output change from one swap to the next.
 */
export function withRepeatedSwaps(curve: PriceCurve, pool: Pool, i: number, j: number): PriceCurve {
  const count = curve.liquidity.length
  if (count === 0 || !familyOf(pool.family)!.limitsEachSwap?.(pool)) return curve
  const scales = orRefused(() => scalesOf(pool, pool.tokens[i]!, pool.tokens[j]!))
  if (!scales) return curve
  const { grown, left } = scales
  const sqrtPrice = [...curve.sqrtPrice]
  const liquidity = [...curve.liquidity]
  for (let swap = 1; swap < MAX_SWAPS; swap++) {
    const price = Math.sqrt(left / grown) ** swap
    const depth = Math.sqrt(left * grown) ** swap
    // The fee stays in the pool, so that the next swap begins at a slightly lower price.
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

type Scales = { readonly grown: number; readonly left: number }

/** Factors from the largest swap to the next one, on the input and on the output. Null if no further swap is possible. @throws PoolRefusal */
function scalesOf(pool: Pool, tokenIn: Address, tokenOut: Address): Scales | null {
  const family = familyOf(pool.family)!
  const most = family.maxInput(pool, tokenIn, tokenOut)
  if (!most) return null
  const first = family.quoteExactInput(pool, tokenIn, tokenOut, most)
  const next = { ...pool, state: first.state }
  const mostOfNext = family.maxInput(next, tokenIn, tokenOut)
  if (!mostOfNext) return null
  const second = family.quoteExactInput(next, tokenIn, tokenOut, mostOfNext)
  const [grown, left] = [Number(mostOfNext) / Number(most), Number(second.amountOut) / Number(first.amountOut)]
  return left > 0 && Number.isFinite(grown) && Number.isFinite(left) ? { grown, left } : null
}
