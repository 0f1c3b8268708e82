/** Weighted medians that do not depend on the order of their inputs. */
import { exactSum } from './sum.ts'

/** Minimum weight of an observation, as a share of the maximum weight. */
export const MIN_WEIGHT_SHARE = 0.1

/** Maximum number of values for which insertion sort is faster than `Array.sort`. */
const FEW_VALUES = 24

/**
 * Returns the value at which half of the weight is reached; NaN if all weights are 0. The result does not depend on
 * input order, because equal values are ordered by weight.
 */
export function weightedMedian(values: readonly number[], weights: readonly number[]): number {
  if (values.length === 1) return weights[0]! > 0 ? values[0]! : Number.NaN
  let best = 0
  for (const weight of weights) if (weight > best) best = weight
  voters.length = 0
  let total = 0
  for (let k = 0; k < values.length; k++) if (weights[k]! >= best * MIN_WEIGHT_SHARE && weights[k]! > 0) voters.push(k)
  if (voters.length > FEW_VALUES) voters.sort((x, y) => values[x]! - values[y]! || weights[x]! - weights[y]!)
  else sortFew(values, weights)
  for (const k of voters) total += weights[k]!
  let reachedWeight = 0
  for (const k of voters) {
    reachedWeight += weights[k]!
    if (reachedWeight >= total / 2) return values[k]!
  }
  return Number.NaN
}

/** Maximum fee of pools that may refine the median, as a multiple of the median pool's fee. */
const LOWER_FEE = 1 / 3
/** Minimum total weight of those pools, as a share of the maximum weight. */
const MIN_CLOSER_WEIGHT = 0.5

/**
 * Returns the median. If it comes from a pool with a high fee, prefers the median of pools with much lower fees that
 * agree with it within that fee. Arbitrage corrects a pool's price only if the deviation exceeds the fee. So the price
 * moves by at most one pool's fee, even if one account owns the others.
 */
export function feeAwareMedian(values: readonly number[], weights: readonly number[], fees: readonly number[]): number {
  const median = weightedMedian(values, weights)
  const minWeight = Math.max(0, ...weights) * MIN_WEIGHT_SHARE
  let fee = Number.POSITIVE_INFINITY
  for (const [k, value] of values.entries())
    if (value === median && weights[k]! >= minWeight) fee = Math.min(fee, fees[k]!)
  const closeIndices = [...values.keys()].filter(
    (k) => weights[k]! >= minWeight && fees[k]! <= fee * LOWER_FEE && Math.abs(values[k]! / median - 1) <= fee,
  )
  const closerWeights = closeIndices.map((k) => weights[k]!)
  if (!(exactSum(closerWeights) >= (minWeight / MIN_WEIGHT_SHARE) * MIN_CLOSER_WEIGHT) || closeIndices.length === 0)
    return median
  return weightedMedian(
    closeIndices.map((k) => values[k]!),
    closerWeights,
  )
}

/** Insertion sort of `voters`, twice as fast as `Array.sort` for few values. */
function sortFew(values: readonly number[], weights: readonly number[]): void {
  for (let k = 1; k < voters.length; k++) {
    const voter = voters[k]!
    const [value, weight] = [values[voter]!, weights[voter]!]
    let position = k
    for (; position > 0; position--) {
      const previous = voters[position - 1]!
      if (values[previous]! < value || (values[previous] === value && weights[previous]! <= weight)) break
      voters[position] = previous
    }
    voters[position] = voter
  }
}

/** Indices of the values that count. Reused to avoid garbage. */
const voters: number[] = []
