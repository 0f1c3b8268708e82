/** Exact math of Liquidity Book pairs. Checked against LBPair.swap and FeeHelper of joe-v2 2.1 and 2.2. */
import { PoolRefusal, type PriceCurve } from '../../family.ts'
import { type BinFee, binsCurve, maxBinsInput, walkBins } from '../../math/bins.ts'
import { totalFee, updateAccumulator, updateReferences } from './fee.ts'
import type { LiquidityBookState } from './types.ts'

/** Maximum fee that the contract allows: 10 %, in units of 10⁻¹⁸. */
const MAX_FEE = 10n ** 17n

/**
 * Sells exactly `amountIn`, bin by bin, with the volatility fee at `timestamp` of the state.
 *
 * @param swapForY - true to sell token X
 * @throws PoolRefusal as `walkBins`
 */
export function swapBins(
  state: LiquidityBookState,
  swapForY: boolean,
  amountIn: bigint,
): { readonly amountOut: bigint; readonly state: LiquidityBookState; readonly binsCrossed: number } {
  const fees = createFeeTracker(state)
  const { amountOut, binsCrossed, activeId, bins } = walkBins(state, swapForY, amountIn, fees.ofBin)
  return { amountOut, binsCrossed, state: { ...state, bins, activeId, fee: fees.afterLastBin() } }
}

/**
 * Returns two functions. `ofBin` returns the fee of a bin. It must be called once for each bin that a trade uses, in
 * order. `afterLastBin` then returns the fee parameters after the trade.
 */
function createFeeTracker({ fee: storedFee, activeId, timestamp, binStep }: LiquidityBookState) {
  let fee = updateReferences(storedFee, activeId, timestamp)
  let isFirst = true
  const protocolShare = BigInt(fee.protocolShare)
  return {
    ofBin(id: number): BinFee {
      fee = updateAccumulator(fee, id)
      const rate = totalFee(fee, binStep)
      // A smaller amount may end in an earlier bin, where the fee is lower. No bin is earlier than the first one.
      if (rate > MAX_FEE)
        throw new PoolRefusal(isFirst ? 'UNSUPPORTED' : 'TOO_LARGE', 'the fee is above the maximum of the pair')
      isFirst = false
      return { rate, protocolFeeOf: (amount) => (amount * protocolShare) / 10_000n }
    },
    afterLastBin: () => fee,
  }
}

/** Returns the largest input that `swapBins` accepts, as `DexFamily.maxInput`. */
export const maxInput = (state: LiquidityBookState, swapForY: boolean): bigint | null =>
  maxBinsInput(state, swapForY, createFeeTracker(state).ofBin)

/** Returns the price curve of a pair. */
export const curveOf = (state: LiquidityBookState, swapForY: boolean): PriceCurve =>
  binsCurve(state, swapForY, createFeeTracker(state).ofBin)
