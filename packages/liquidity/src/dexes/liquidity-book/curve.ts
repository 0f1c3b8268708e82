import type { Curve } from '../../family.ts'
import { totalFee, updateAccumulator, updateReferences } from './fee.ts'
import { binPrice } from './math.ts'
import type { LiquidityBookState } from './types.ts'

const SCALE = 2 ** 128
/** Part of a price by which it falls within a bin: a bin is flat, and the search wants prices that fall. */
const FALL = 1e-7

/** One piece a bin, at the fee of the active one, and gaps of nothing between them. */
export function binsCurve(state: LiquidityBookState, swapForY: boolean): Curve {
  const { bins, activeId, binStep } = state
  const fee = updateAccumulator(updateReferences(state.fee, activeId, state.timestamp), activeId)
  const ahead = bins.filter(({ id, reserveX, reserveY }) =>
    swapForY ? id <= activeId && reserveY > 0n : id >= activeId && reserveX > 0n,
  )
  const sqrtPrice: number[] = []
  const liquidity: number[] = []
  for (const { id, reserveX, reserveY } of swapForY ? ahead.toReversed() : ahead) {
    const price = Number(binPrice(id, binStep)) / SCALE
    const top = Math.sqrt(swapForY ? price : 1 / price)
    const bottom = top * (1 - FALL)
    if (sqrtPrice.length > 0) {
      sqrtPrice.push(top)
      liquidity.push(0)
    } else sqrtPrice.push(top)
    sqrtPrice.push(bottom)
    liquidity.push(Number(swapForY ? reserveY : reserveX) / (top - bottom))
  }
  if (sqrtPrice.length === 0) sqrtPrice.push(0)
  return {
    sqrtPrice: Float64Array.from(sqrtPrice),
    liquidity: Float64Array.from(liquidity),
    keepIn: 1 - Number(totalFee(fee, binStep)) / 1e18,
    keepOut: 1,
  }
}
