/** Compares a paid output with the best possible output, in integers, so that no result depends on float rounding. */

/** Results have a resolution of 1/1,000 basis point. */
const PARTS_PER_BPS = 1_000n
const PARTS_OF_WHOLE = 10_000n * PARTS_PER_BPS

/**
 * Returns the best output minus the paid output in basis points of the best output. Rounds toward zero to 3 decimals.
 * Returns null if the best output is 0.
 */
export function bpsBelow(paidAmount: bigint, bestAmount: bigint): number | null {
  return bestAmount > 0n
    ? Number(((bestAmount - paidAmount) * PARTS_OF_WHOLE) / bestAmount) / Number(PARTS_PER_BPS)
    : null
}

/**
 * Returns the upper bound on every route's output, rounded up, from the output of a route and its gap to the bound.
 * Returns null if the gap is negative, or as large as the bound.
 *
 * @param gapBps - gap between the route and the bound, in basis points of the bound
 */
export function boundOf(output: bigint, gapBps: number): bigint | null {
  // The gap as a fraction is `gap / scale`. Rounding up the float `gapBps` keeps the result an upper bound.
  const scale = 10n ** 12n
  const gap = BigInt(Math.ceil(gapBps * 1e8))
  if (gapBps < 0 || gap >= scale) return null
  const keptShare = scale - gap
  return (output * scale + keptShare - 1n) / keptShare
}

/**
 * Converts a gas cost in wei to base units of the output token, at the price of gas that a quote implies. Returns null
 * if the quote implies no price.
 */
export function gasInOutput(
  costWei: bigint,
  quote: { readonly gasCostWei: bigint; readonly amountOut: bigint; readonly netAmountOut: bigint | null },
): bigint | null {
  const { gasCostWei, amountOut, netAmountOut } = quote
  if (netAmountOut === null || gasCostWei === 0n) return costWei === 0n ? 0n : null
  return (costWei * (amountOut - netAmountOut)) / gasCostWei
}
