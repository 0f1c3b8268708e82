/**
 * Computes the fee of pools whose plugin sets the fee during the swap. A swap that ends at a known price is simulated
 * on chain, and shows the input that the pool charges. Our math computes the input of this swap without a fee. The
 * difference is the sum of the pool's and the plugin's fees.
 */
import { PPM } from '@sluice/chains'
import { amount0Between, amount1Between, type ConcentratedState, lastIndexAtOrBelow } from '../../math/concentrated.ts'
import { divUp } from '../../math/integers.ts'
import { MAX_SQRT_RATIO, MIN_SQRT_RATIO, sqrtRatioAtTick } from '../../math/ticks.ts'

/** Swap to simulate. Its price limit is within the first tick range with liquidity. */
export type FeeProbe = {
  /** √price at which the swap ends, with 96 fractional bits. */
  readonly limitSqrtPrice: bigint
  /** Input that moves the price to the limit, without the fee, in base units. */
  readonly netInput: bigint
}

/**
 * Returns a swap that ends half way (in √price) to the next initialized tick. Ranges without liquidity come before it:
 * a swap crosses them without an input. Returns null if there is no liquidity in this direction.
 *
 * @param zeroForOne - true if the price falls
 */
export function feeProbeFor(
  { sqrtPriceX96, tick, liquidity: liquidityInRange, ticks }: Omit<ConcentratedState, 'feePpm' | 'tickSpacing'>,
  zeroForOne: boolean,
): FeeProbe | null {
  let liquidity = liquidityInRange
  let sqrtPrice = sqrtPriceX96
  for (let nextIndex = lastIndexAtOrBelow(ticks, tick) + (zeroForOne ? 0 : 1); ; nextIndex += zeroForOne ? -1 : 1) {
    const nextTick = ticks[nextIndex]
    const boundarySqrtPrice = nextTick ? sqrtRatioAtTick(nextTick[0]) : zeroForOne ? MIN_SQRT_RATIO : MAX_SQRT_RATIO
    const limitSqrtPrice = (sqrtPrice + boundarySqrtPrice) / 2n
    if (liquidity > 0n && limitSqrtPrice !== sqrtPrice && limitSqrtPrice !== boundarySqrtPrice) {
      const netInput = zeroForOne
        ? amount0Between(limitSqrtPrice, sqrtPrice, liquidity, true)
        : amount1Between(sqrtPrice, limitSqrtPrice, liquidity, true)
      return { limitSqrtPrice, netInput }
    }
    if (!nextTick) return null
    // The swap crosses `nextTick` first: up to it, there is no liquidity, or no √price at which a swap could end.
    if (liquidity <= 0n) sqrtPrice = boundarySqrtPrice
    liquidity += zeroForOne ? -nextTick[1] : nextTick[1]
  }
}

/** Returns the fee in ppm with which a swap of `netInput` costs `paidAmount`; null if there is no such fee. */
export function feeFromPayment({ netInput }: FeeProbe, paidAmount: bigint): number | null {
  if (paidAmount < netInput || paidAmount === 0n) return null
  // The pool rounds the fee amount up, so the estimated rate is not below the true rate.
  const estimate = ((paidAmount - netInput) * PPM) / paidAmount
  for (const fee of [estimate, estimate - 1n]) {
    if (fee < 0n || fee >= PPM) continue
    if (netInput + divUp(netInput * fee, PPM - fee) === paidAmount) return Number(fee)
  }
  return null
}
