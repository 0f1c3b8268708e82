/** Computes weighted medians, independent of the order of the values. */
import { exactSum } from './sum.ts'

/** Minimum weight of a value that counts, as a share of the maximum weight. */
export const MIN_WEIGHT_SHARE = 0.1

/** Maximum number of values for which insertion sort is faster than `Array.sort`. */
const MAX_INSERTION_SORT = 24

/**
 * Returns the value at which half of the total weight is reached; NaN if all weights are 0. Equal values are ordered by
 * weight, so the result does not depend on the order of the values.
 */
export function weightedMedian(values: readonly number[], weights: readonly number[]): number {
  if (values.length === 1) return weights[0]! > 0 ? values[0]! : Number.NaN
  let maxWeight = 0
  for (const weight of weights) if (weight > maxWeight) maxWeight = weight
  countedIndices.length = 0
  let totalWeight = 0
  for (let k = 0; k < values.length; k++)
    if (weights[k]! >= maxWeight * MIN_WEIGHT_SHARE && weights[k]! > 0) countedIndices.push(k)
  if (countedIndices.length > MAX_INSERTION_SORT)
    countedIndices.sort((a, b) => values[a]! - values[b]! || weights[a]! - weights[b]!)
  else insertionSort(values, weights)
  for (const k of countedIndices) totalWeight += weights[k]!
  let reachedWeight = 0
  for (const k of countedIndices) {
    reachedWeight += weights[k]!
    if (reachedWeight >= totalWeight / 2) return values[k]!
  }
  return Number.NaN
}

/** Maximum fee of a low-fee pool, as a multiple of the fee of the pool with the median price. */
const MAX_FEE_RATIO = 1 / 3
/** Minimum total weight of the low-fee pools, as a share of the maximum weight. */
const MIN_LOW_FEE_WEIGHT_SHARE = 0.5

/**
 * Returns the weighted median of pool prices, refined by pools with much lower fees. Arbitrage corrects a pool's price
 * only if the deviation exceeds the fee, so the price of a pool with a high fee is inexact. Returns the median of the
 * low-fee pools whose prices differ from the median by at most the fee of the median's pool. So the result differs from
 * the median by at most that fee, even if one account owns all low-fee pools.
 *
 * @param values - prices, one per pool
 * @param fees - fees of the pools as shares of a swap
 */
export function feeAwareMedian(values: readonly number[], weights: readonly number[], fees: readonly number[]): number {
  const median = weightedMedian(values, weights)
  const minWeight = Math.max(0, ...weights) * MIN_WEIGHT_SHARE
  let medianFee = Number.POSITIVE_INFINITY
  for (const [k, value] of values.entries())
    if (value === median && weights[k]! >= minWeight) medianFee = Math.min(medianFee, fees[k]!)
  const lowFeeIndices = [...values.keys()].filter(
    (k) =>
      weights[k]! >= minWeight &&
      fees[k]! <= medianFee * MAX_FEE_RATIO &&
      Math.abs(values[k]! / median - 1) <= medianFee,
  )
  const lowFeeWeights = lowFeeIndices.map((k) => weights[k]!)
  if (
    !(exactSum(lowFeeWeights) >= (minWeight / MIN_WEIGHT_SHARE) * MIN_LOW_FEE_WEIGHT_SHARE) ||
    lowFeeIndices.length === 0
  )
    return median
  return weightedMedian(
    lowFeeIndices.map((k) => values[k]!),
    lowFeeWeights,
  )
}

/** Sorts `countedIndices` by insertion, which is twice as fast as `Array.sort` for few values. */
function insertionSort(values: readonly number[], weights: readonly number[]): void {
  for (let k = 1; k < countedIndices.length; k++) {
    const index = countedIndices[k]!
    const [value, weight] = [values[index]!, weights[index]!]
    let position = k
    for (; position > 0; position--) {
      const previous = countedIndices[position - 1]!
      if (values[previous]! < value || (values[previous] === value && weights[previous]! <= weight)) break
      countedIndices[position] = previous
    }
    countedIndices[position] = index
  }
}

/** Indices of the values that count in `weightedMedian`. Reused to avoid garbage. */
const countedIndices: number[] = []
