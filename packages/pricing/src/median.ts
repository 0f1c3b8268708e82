/**
 * The value at which half of the weight is reached.
 *
 * @param least - weights below this have no say
 * @returns NaN when no weight has a say
 */
export function weightedMedian(values: readonly number[], weights: readonly number[], least = 0): number {
  const voters = values.map((_, k) => k).filter((k) => weights[k]! >= least && weights[k]! > 0)
  voters.sort((x, y) => values[x]! - values[y]!)
  const half = voters.reduce((sum, k) => sum + weights[k]!, 0) / 2
  let reached = 0
  for (const k of voters) {
    reached += weights[k]!
    if (reached >= half) return values[k]!
  }
  return Number.NaN
}
