/** Tests of ticks and their prices. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MAX_TICK, MIN_SQRT_RATIO, MIN_TICK, sqrtRatioAtTick, tickAtSqrtRatio } from './ticks.ts'

const tick = fc.integer({ min: MIN_TICK, max: MAX_TICK - 1 })

test('a price maps to the tick at or below it, to the last unit', () => {
  fc.assert(
    fc.property(tick, (index) => {
      const price = sqrtRatioAtTick(index)
      expect(tickAtSqrtRatio(price)).toBe(index)
      expect(tickAtSqrtRatio(sqrtRatioAtTick(index + 1) - 1n)).toBe(index)
      if (price > MIN_SQRT_RATIO) expect(tickAtSqrtRatio(price - 1n)).toBe(index - 1)
    }),
    { numRuns: 5_000, seed: 1 },
  )
})

test('prices between two ticks map to the lower one', () => {
  fc.assert(
    fc.property(tick, fc.integer({ min: 0, max: 1_000_000 }), (index, part) => {
      const [price, next] = [sqrtRatioAtTick(index), sqrtRatioAtTick(index + 1)]
      expect(tickAtSqrtRatio(price + ((next - price - 1n) * BigInt(part)) / 1_000_000n)).toBe(index)
    }),
    { numRuns: 5_000, seed: 1 },
  )
})

test('ticks out of range have no price', () => {
  expect(() => sqrtRatioAtTick(MAX_TICK + 1)).toThrow(RangeError)
  expect(() => sqrtRatioAtTick(MIN_TICK - 1)).toThrow(RangeError)
  expect(() => sqrtRatioAtTick(Number.NaN)).toThrow(RangeError)
})
