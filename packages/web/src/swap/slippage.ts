/** Slippage of a swap: the one that is signed, and warnings about unusual values. */

/** Returns a warning about a slippage chosen by the user, or null. */
export function slippageWarning(percent: string): string | null {
  const value = Number(percent)
  if (value >= 5) return 'High slippage: a sandwich bot can take up to this much.'
  if (value < 0.05) return 'Very low: the swap will probably revert.'
  return null
}

const PPM_PER_PERCENT = 10_000
/** Maximum reduction of the slippage: 0.01 %. */
const MARGIN_PPM = 100

/**
 * Returns the slippage in percent to sign with: slightly less than the displayed quote's. Two searches in the same
 * block can differ by a fraction of a basis point. With the margin, the signed minimum is still at least the displayed
 * one.
 */
export function slippageToSign(shownSlippage: number | string): string {
  const ppm = Math.round(Number(shownSlippage) * PPM_PER_PERCENT)
  return String((ppm - Math.min(MARGIN_PPM, Math.floor(ppm / 10))) / PPM_PER_PERCENT)
}
