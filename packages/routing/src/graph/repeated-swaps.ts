/** Curves of pools that limit each swap by a part of a balance, over several swaps one after the other. */
import { familyOf, orRefused, type Pool, type PriceCurve } from '@sluice/liquidity'

/** Swaps through one pool in one direction that a route makes at most. Each costs the gas of a hop. */
export const MAX_SWAPS = 3

/** Part by which prices of neighboring pieces may differ for rounding. */
const ROUNDING = 1e-12

/**
 * The curve of a pool, continued by that of further swaps if the pool limits each: the output of a swap depends on the parts by which
 * balances change, so that the curve of the next one is the same, scaled to the balances that the one before left.
 */
export function withRepeatedSwaps(curve: PriceCurve, pool: Pool, i: number, j: number): PriceCurve {
  const family = familyOf(pool.family)!
  const count = curve.liquidity.length
  if (count === 0 || !family.limitsEachSwap?.(pool)) return curve
  const reserves = orRefused(() => family.reserves(pool))
  const { input, output } = tradedBy(curve)
  const [held, paid] = [Number(reserves?.[i] ?? 0n), Number(reserves?.[j] ?? 0n)]
  if (!(held > 0 && paid > output && Number.isFinite(input))) return curve
  const [grown, left] = [1 + input / held, 1 - output / paid]
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

/** Amounts that bring a pool to the end of its curve: what its balances change by. */
function tradedBy({ sqrtPrice, liquidity, keepIn, keepOut }: PriceCurve): {
  readonly input: number
  readonly output: number
} {
  let [input, output] = [0, 0]
  for (const [piece, depth] of liquidity.entries()) {
    const [from, to] = [sqrtPrice[piece]!, sqrtPrice[piece + 1]!]
    input += depth === 0 ? 0 : (depth * (from - to)) / (from * to)
    output += depth * (from - to)
  }
  return { input: input / keepIn, output: output * keepOut }
}
