/** A warning of one's own choice, or null. */
export function slippageWarning(percent: string): string | null {
  const value = Number(percent)
  if (value >= 5) return 'Whoever orders the block may take most of it from you.'
  if (value < 0.05) return 'The smallest move of the price undoes the swap.'
  return null
}
