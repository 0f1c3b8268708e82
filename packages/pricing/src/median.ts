import { exactSum } from './sum.ts'

/** A pool has a say when its weight is at least this share of the heaviest one's. */
export const SHARE_OF_BEST = 0.1

/** Voters up to which insertion is quicker than the sort of the language. */
const FEW = 24

/**
 * The value at which half of the weight is reached; NaN when no weight has a say. The order in which values come makes no
 * difference, not even to the last digit: equal ones are told apart by their weights.
 *
 * @param share - of the heaviest weight: what is lighter has no say
 */
export function weightedMedian(values: readonly number[], weights: readonly number[], share = SHARE_OF_BEST): number {
  if (values.length === 1) return weights[0]! > 0 ? values[0]! : Number.NaN
  let best = 0
  for (const weight of weights) if (weight > best) best = weight
  voters.length = 0
  let total = 0
  for (let k = 0; k < values.length; k++) if (weights[k]! >= best * share && weights[k]! > 0) voters.push(k)
  if (voters.length > FEW) voters.sort((x, y) => values[x]! - values[y]! || weights[x]! - weights[y]!)
  else sortFew(values, weights)
  for (const k of voters) total += weights[k]!
  let reached = 0
  for (const k of voters) {
    reached += weights[k]!
    if (reached >= total / 2) return values[k]!
  }
  return Number.NaN
}

/** A pool that keeps at most this part of another's fee knows better within the other's. */
const LOWER_FEE = 1 / 3
/** Weight that such pools need together, as a part of the heaviest pool's. */
const ENOUGH = 0.5

/**
 * The median, or where the pool that says it keeps a high fee, the median of those that keep far less and agree with it
 * within that fee: nobody trades a pool's price back to the market's by less than it keeps. So the price moves by no more than
 * one pool's fee, whoever owns the others.
 */
export function narrowed(values: readonly number[], weights: readonly number[], fees: readonly number[]): number {
  const median = weightedMedian(values, weights)
  const least = Math.max(0, ...weights) * SHARE_OF_BEST
  let fee = Number.POSITIVE_INFINITY
  for (const [k, value] of values.entries()) if (value === median && weights[k]! >= least) fee = Math.min(fee, fees[k]!)
  const closer = [...values.keys()].filter(
    (k) => weights[k]! >= least && fees[k]! <= fee * LOWER_FEE && Math.abs(values[k]! / median - 1) <= fee,
  )
  const said = closer.map((k) => weights[k]!)
  if (!(exactSum(said) >= (least / SHARE_OF_BEST) * ENOUGH) || closer.length === 0) return median
  return weightedMedian(
    closer.map((k) => values[k]!),
    said,
  )
}

/** Sorts `voters` by insertion, which takes less than half the time for as few as most tokens have. */
function sortFew(values: readonly number[], weights: readonly number[]): void {
  for (let k = 1; k < voters.length; k++) {
    const voter = voters[k]!
    const [value, weight] = [values[voter]!, weights[voter]!]
    let to = k
    for (; to > 0; to--) {
      const before = voters[to - 1]!
      if (values[before]! < value || (values[before] === value && weights[before]! <= weight)) break
      voters[to] = before
    }
    voters[to] = voter
  }
}

/** Reused: a pass over all tokens makes no garbage. */
const voters: number[] = []
