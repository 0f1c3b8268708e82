/**
 * Computes the fee of pools whose plugin sets it during the swap, from the input that a swap up to a known price costs.
 * The fee is the sum of the pool's and the plugin's charges.
 */
import { PPM } from '@sluice/chains'
import { amount0Between, amount1Between, type ConcentratedState, lastTickAtOrBelow } from '../../math/concentrated.ts'
import { divUp } from '../../math/integers.ts'
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO, sqrtRatioAtTick } from '../../math/ticks.ts'

/** Swap to simulate. It ends at a price limit within the current range of liquidity. */
export type FeeProbe = {
  /** √price with 96 fractional bits. */
  readonly limitSqrtPrice: bigint
  /** Input up to the limit without the fee, in base units. */
  readonly netInput: bigint
}

/**
 * Returns a swap that ends half way to the next tick; null if there is no liquidity.
 *
 * @param zeroForOne - true if the price falls
 */
export function feeProbeFor(
  {
    sqrtPriceX96: sqrtPrice,
    tick,
    liquidity: liquidityInRange,
    ticks,
  }: Omit<ConcentratedState, 'feePpm' | 'tickSpacing'>,
  zeroForOne: boolean,
): FeeProbe | null {
  let liquidity = liquidityInRange
  for (let nextIndex = lastTickAtOrBelow(ticks, tick) + (zeroForOne ? 0 : 1); ; nextIndex += zeroForOne ? -1 : 1) {
    const nextTick = ticks[nextIndex]
    const boundarySqrtPrice = nextTick ? sqrtRatioAtTick(nextTick[0]) : zeroForOne ? MIN_SQRT_RATIO : MAX_SQRT_RATIO
    const limitSqrtPrice = (sqrtPrice + boundarySqrtPrice) / 2n
    if (limitSqrtPrice !== sqrtPrice && limitSqrtPrice !== boundarySqrtPrice) {
      if (liquidity <= 0n) return null
      const netInput = zeroForOne
        ? amount0Between(limitSqrtPrice, sqrtPrice, liquidity, true)
        : amount1Between(sqrtPrice, limitSqrtPrice, liquidity, true)
      return { limitSqrtPrice, netInput }
    }
    if (!nextTick) return null
    // The price is at this tick, which the swap crosses first.
    liquidity += zeroForOne ? -nextTick[1] : nextTick[1]
  }
}

/** Returns the fee in ppm with which a swap of `netInput` costs `paidAmount`; null if there is no such fee. */
export function feeFromPayment({ netInput }: FeeProbe, paidAmount: bigint): number | null {
  if (paidAmount < netInput || paidAmount === 0n) return null
  const estimate = ((paidAmount - netInput) * PPM) / paidAmount
  for (const fee of [estimate, estimate + 1n, estimate - 1n]) {
    if (fee < 0n || fee >= PPM) continue
    if (netInput + divUp(netInput * fee, PPM - fee) === paidAmount) return Number(fee)
  }
  return null
}
