/** Curves of pools that pay the same for every unit: wrappers, vaults, modules at a fixed price. */
import type { PriceCurve } from '../family.ts'
import { UNLIMITED_INPUT } from './capacity.ts'
import { curveEnd } from './curve-end.ts'
import { emptyCurve } from './curves.ts'

/**
 * Relative fall of √price from one piece to the next. The search needs prices that fall; the curve begins at the exact rate and stays
 * below it, so that a deposit and its redemption never gain.
 */
const FALL = 1e-9
/** Input of the first piece as a part of the scale, and growth of a piece over all before it: the fall is about as steep for every amount. */
const FIRST_PART = 1e-4
const GROWTH = 8

export type StraightLine = {
  /** Output for a unit of input, fee included, in base units. */
  readonly rate: number
  /** As `DexFamily.maxInput`. */
  readonly maxInput: bigint | null
  /** Base units of the input that are much for this pool, such as all that it has taken in so far. */
  readonly scale: bigint
}

/** A straight line up to where the pool ends. */
export function linearCurve({ rate, maxInput, scale }: StraightLine): PriceCurve {
  if (!(rate > 0) || maxInput === 0n) return emptyCurve(1)
  const end = curveEnd(maxInput ?? UNLIMITED_INPUT, 1)
  const sqrtPrice = [Math.sqrt(rate)]
  const liquidity: number[] = []
  let reached = 0
  for (let next = Math.max(1, Number(scale)) * FIRST_PART; reached < end; next *= GROWTH) {
    const to = Math.min(next, end)
    const from = sqrtPrice.at(-1)!
    const fallen = from * (1 - FALL)
    liquidity.push(((to - reached) * from * fallen) / (from - fallen))
    sqrtPrice.push(fallen)
    reached = to
  }
  return { sqrtPrice: Float64Array.from(sqrtPrice), liquidity: Float64Array.from(liquidity), keepIn: 1, keepOut: 1 }
}
