/** Checked against LBPair.swap and FeeHelper of joe-v2 2.1 and 2.2. */

import { PoolRefusal, type PriceCurve } from '../../family.ts'
import { binsCurve, walkBins } from '../../math/bins.ts'
import { totalFee, updateAccumulator, updateReferences } from './fee.ts'
import type { LiquidityBookState } from './types.ts'

/** Parts in 10¹⁸ above which a pair refuses: 10 %. */
const MAX_FEE = 10n ** 17n

/**
 * Sells exactly `amountIn`, bin after bin, at the time the state was read.
 *
 * @param swapForY - token X is sold
 * @throws PoolRefusal as `walkBins` does
 */
export function swapBins(
  state: LiquidityBookState,
  swapForY: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: LiquidityBookState; readonly binsCrossed: number } {
  let fee = updateReferences(state.fee, state.activeId, state.timestamp)
  const share = BigInt(fee.protocolShare)
  const { amountOut, binsCrossed, activeId, bins } = walkBins(state, swapForY, amountIn, (id) => {
    fee = updateAccumulator(fee, id)
    const rate = totalFee(fee, state.binStep)
    if (rate > MAX_FEE) throw new PoolRefusal('UNSUPPORTED', 'the fee is above what the pair allows')
    return { rate, protocolPart: (of) => (of * share) / 10_000n }
  })
  return { amountOut, binsCrossed, state: { ...state, bins, activeId, fee } }
}

/** At the fee of the active bin. */
export function curveOf(state: LiquidityBookState, swapForY: boolean): PriceCurve {
  const fee = updateAccumulator(updateReferences(state.fee, state.activeId, state.timestamp), state.activeId)
  return binsCurve(state, swapForY, totalFee(fee, state.binStep))
}
