/** Comparison of an output that was paid with the best that was possible: integers, so that no figure depends on rounding of floats. */

/** Parts of a basis point. */
const PARTS = 1_000n
const WHOLE = 10_000n * PARTS

/** Basis points by which an output is below another one, of that one, with 3 decimals, toward zero; negative if it is above. */
export function bpsBelow(paidAmount: bigint, best: bigint): number | null {
  return best > 0n ? Number(((best - paidAmount) * WHOLE) / best) / Number(PARTS) : null
}

/**
 * Upper bound of every route's output, by the gap between a route and the bound: the smallest integer that is no less.
 *
 * @param gapBps - basis points of the bound by which the route is below it
 */
export function boundOf(output: bigint, gapBps: number): bigint | null {
  // A gap is a float: rounded up, the bound stays one.
  const scale = 10n ** 12n
  const gap = BigInt(Math.ceil(gapBps * 1e8))
  if (gapBps < 0 || gap >= scale) return null
  const below = scale - gap
  return (output * scale + below - 1n) / below
}

/** Cost of gas in the output token, at the price of gas in output tokens that a quote implies. */
export function gasInOutput(
  costWei: bigint,
  quote: { readonly gasCostWei: bigint; readonly amountOut: bigint; readonly netAmountOut: bigint | null },
): bigint | null {
  const { gasCostWei, amountOut, netAmountOut } = quote
  if (netAmountOut === null || gasCostWei === 0n) return costWei === 0n ? 0n : null
  return (costWei * (amountOut - netAmountOut)) / gasCostWei
}
