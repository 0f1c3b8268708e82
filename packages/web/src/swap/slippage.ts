/** Computes the slippage that the user signs, and warns about unusual values. */

/** Returns a warning about an unusual slippage; null for a usual one. */
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
 * Returns the slippage to sign, in percent: slightly less than that of the displayed quote. The quote that is signed
 * can pay a fraction of a basis point less than the displayed one. The margin keeps its minimum from falling below the
 * displayed minimum.
 */
export function slippageToSign(displayedPercent: number | string): string {
  const ppm = Math.round(Number(displayedPercent) * PPM_PER_PERCENT)
  return String((ppm - Math.min(MARGIN_PPM, Math.floor(ppm / 10))) / PPM_PER_PERCENT)
}
