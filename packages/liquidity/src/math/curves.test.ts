/** Tests that price curves end at the largest input of their pools: never above it, and only a margin below. */
import { describe, expect, test } from 'vitest'
import type { PriceCurve } from '../family.ts'
import { type ConcentratedState, listEnd, maxConcentratedInput, type StepEnd, wordEnd } from './concentrated.ts'
import { END_MARGIN, endCurveAt } from './curve-end.ts'
import { concentratedCurve, constantProductCurve } from './curves.ts'

const E18 = 10n ** 18n

/** Largest input of a curve, before the fee. */
function inputOf({ sqrtPrice, liquidity, keepIn }: PriceCurve): number {
  const inputs = Array.from(liquidity, (depth, k) => depth / sqrtPrice[k + 1]! - depth / sqrtPrice[k]!)
  return inputs.reduce((sum, input) => sum + input, 0) / keepIn
}

function expectEnd(curve: PriceCurve, maxInput: bigint): void {
  const share = inputOf(curve) / Number(maxInput)
  expect(share).toBeLessThan(1)
  expect(share).toBeGreaterThan(1 - 4 * END_MARGIN)
}

test.each([0, 3_000, 200_000])('a limited constant-product curve with a fee of %d ppm ends at its limit', (feePpm) => {
  const maxInput = 10n ** 20n
  expectEnd(constantProductCurve(10n ** 21n, 10n ** 24n, feePpm, maxInput), maxInput)
  const unlimited = constantProductCurve(10n ** 21n, 10n ** 24n, feePpm)
  expect(inputOf(unlimited)).toBe(Number.POSITIVE_INFINITY)
  expectEnd(endCurveAt(unlimited, maxInput), maxInput)
})

describe.each([true, false])('a concentrated curve, zero for one: %s', (zeroForOne) => {
  /** Two positions on either side of the price; the far ones begin after `distance` ticks. */
  const stateOf = (distance: number, feePpm: number): ConcentratedState => ({
    ...{ sqrtPriceX96: 1n << 96n, tick: 0, liquidity: E18, feePpm, tickSpacing: 1 },
    ticks: [
      [-distance - 10, E18],
      [-distance, -E18],
      [-10, E18],
      [10, -E18],
      [distance, E18],
      [distance + 10, -E18],
    ],
  })
  const expectEnds = (state: ConcentratedState, stepEnd: StepEnd) => {
    const maxInput = maxConcentratedInput(state, state.feePpm, zeroForOne, stepEnd)!
    expectEnd(concentratedCurve(state, zeroForOne, stepEnd), maxInput)
    return maxInput
  }

  test.each([0, 3_000, 200_000])('with a fee of %d ppm includes near positions', (feePpm) => {
    const [near, far] = [stateOf(1_000, feePpm), stateOf(70_000, feePpm)]
    expect(expectEnds(near, wordEnd)).toBeGreaterThan(expectEnds(far, wordEnd))
  })

  test('ends before positions that are more than 256 bitmap words away, which a list of ticks reaches', () => {
    const far = stateOf(70_000, 500)
    expect(expectEnds(far, listEnd)).toBeGreaterThan(expectEnds(far, wordEnd))
  })
})
