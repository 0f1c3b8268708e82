/** Warnings about unusual slippage. */

/** Returns a warning about a slippage chosen by the user, or null. */
export function slippageWarning(percent: string): string | null {
  const value = Number(percent)
  if (value >= 5) return 'High slippage: a sandwich bot can take up to this much.'
  if (value < 0.05) return 'Very low: the swap will probably revert.'
  return null
}
