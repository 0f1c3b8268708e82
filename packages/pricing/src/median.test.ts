import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { feeAwareMedian, MIN_WEIGHT_SHARE, weightedMedian } from './median.ts'

/** Weighted median by definition, with one entry per unit of weight. */
function medianOf(values: readonly number[], weights: readonly number[], share = MIN_WEIGHT_SHARE): number {
  const best = Math.max(...weights)
  const entries = values.flatMap((value, k) => {
    const weight = weights[k]!
    return weight > 0 && weight >= best * share ? new Array<number>(weight).fill(value) : []
  })
  return entries.sort((a, b) => a - b)[Math.ceil(entries.length / 2) - 1] ?? Number.NaN
}

const votes = (maxVoters: number) =>
  fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 0, max: 12 })), {
    minLength: 1,
    maxLength: maxVoters,
  })
const split = (pairs: readonly (readonly [number, number])[]) =>
  [pairs.map(([value]) => value), pairs.map(([, weight]) => weight)] as const

describe('the weighted median', () => {
  test.each([5, 24, 60])('is the middle of all votes, of up to %d voters', (maxVoters) => {
    fc.assert(
      fc.property(votes(maxVoters), (pairs) => {
        const [values, weights] = split(pairs)
        expect(weightedMedian(values, weights)).toBe(medianOf(values, weights))
      }),
    )
  })

  test('does not depend on the order of the voters', () => {
    fc.assert(
      fc.property(votes(40), (pairs) => {
        expect(weightedMedian(...split(pairs.toReversed()))).toBe(weightedMedian(...split(pairs)))
      }),
    )
  })

  test('does not depend on the order of equal values, whose weights add up to about half', () => {
    // Sums of the same weights in another order differ in the last bit, which decides here.
    const weight = fc.double({ min: 1, max: 9, noNaN: true })
    let cases = 0
    fc.assert(
      fc.property(fc.array(weight, { minLength: 15, maxLength: 30 }), (half) => {
        cases++
        const values = [...half.map(() => 1), ...half.map(() => 2)]
        const results = [half, half.toReversed(), half.toSorted((a, b) => b - a)].flatMap((first) =>
          [half, half.toReversed()].map((second) => weightedMedian(values, [...first, ...second])),
        )
        expect(new Set(results).size).toBe(1)
      }),
    )
    expect(cases).toBeGreaterThanOrEqual(100)
  })

  test('leaves out voters below a tenth of the heaviest, and hears those at it', () => {
    expect(weightedMedian([1, 1, 9], [9, 9, 100])).toBe(9)
    expect(weightedMedian([1, 2, 9], [10, 90, 100])).toBe(2)
    expect(weightedMedian([1, 2, 9], [9, 90, 100])).toBe(9)
  })

  test('takes the lower value where exactly half of the weight is reached', () => {
    expect(weightedMedian([4, 8], [5, 5])).toBe(4)
    expect(weightedMedian([8, 4], [5, 6])).toBe(4)
    expect(weightedMedian([8, 4], [6, 5])).toBe(8)
  })

  test('is none without a weight', () => {
    expect(weightedMedian([], [])).toBeNaN()
    expect(weightedMedian([3], [0])).toBeNaN()
    expect(weightedMedian([3], [1])).toBe(3)
    expect(weightedMedian([3, 4], [0, 0])).toBeNaN()
  })
})

describe('the median narrowed by pools of lower fees', () => {
  /** A deep pool with a fee of 3 % and one with 0.3 %. */
  const two = (value: number, weight: number, fee = 0.003) => feeAwareMedian([100, value], [100, weight], [0.03, fee])

  test('is that of pools that keep at most a third and agree within the higher fee', () => {
    expect(two(102, 60)).toBe(102)
    expect(two(98, 60)).toBe(98)
    expect(two(102, 60, 0.0099)).toBe(102)
  })

  test('stays if they keep more than a third, disagree by more than the fee, or weigh less than half', () => {
    expect(two(102, 60, 0.0101)).toBe(100)
    expect(two(103.1, 60)).toBe(100)
    expect(two(96.9, 60)).toBe(100)
    expect(two(102, 49)).toBe(100)
    expect(two(102, 50)).toBe(102)
  })

  test('includes a pool at exactly a third of the fee, or exactly the fee away', () => {
    expect(feeAwareMedian([1, 1.25], [100, 60], [0.75, 0.25])).toBe(1.25)
    expect(feeAwareMedian([1, 1.5], [100, 60], [0.5, 0.125])).toBe(1.5)
    expect(feeAwareMedian([1, 0.5], [100, 60], [0.5, 0.125])).toBe(0.5)
  })

  test('adds up the pools of lower fees, without those that have no say', () => {
    const fees = [0.03, 0.003, 0.003]
    expect(feeAwareMedian([100, 101, 102], [100, 30, 31], fees)).toBe(102)
    expect(feeAwareMedian([100, 101, 102], [100, 31, 30], fees)).toBe(101)
    expect(feeAwareMedian([100, 101, 102], [100, 45, 9], fees)).toBe(100)
  })

  test('does not use the fee of a pool at the median that is too thin to count', () => {
    const of = (thinWeight: number) => feeAwareMedian([1, 1, 1.005], [100, thinWeight, 60], [0.03, 0.000_1, 0.003])
    expect(of(9.9)).toBe(1.005)
    expect(of(100 * MIN_WEIGHT_SHARE)).toBe(1)
  })

  test('uses the lowest fee of the pools that show the median', () => {
    expect(feeAwareMedian([100, 100, 101], [100, 100, 100], [0.03, 0.006, 0.003])).toBe(100)
    expect(feeAwareMedian([100, 100, 101], [100, 100, 100], [0.03, 0.03, 0.003])).toBe(101)
  })
})
