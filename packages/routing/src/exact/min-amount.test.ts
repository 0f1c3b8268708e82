/** Tests the search for the minimum input, against functions whose minimum input is known. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AmountPoint, bracketFrom, narrowBracket, stepFrom } from './min-amount.ts'

/** Pool of constant product, whose output is rounded down; counts its quotes. */
function productPool(reserveIn: bigint, reserveOut: bigint) {
  let quotes = 0
  const pointAt = (amountIn: bigint): AmountPoint => {
    quotes++
    return { amountIn, amountOut: (amountIn * reserveOut) / (reserveIn + amountIn) }
  }
  /** Minimum input by the inverse, rounded up. */
  const minInput = (out: bigint) => (reserveIn * out + reserveOut - out - 1n) / (reserveOut - out)
  return { at: pointAt, minInput, quotes: () => quotes }
}
const reserves = fc.bigInt({ min: 10n ** 3n, max: 10n ** 24n })

test('the bracket narrows to the minimum input, to the unit', () => {
  let cases = 0
  fc.assert(
    fc.property(reserves, reserves, fc.bigInt({ min: 1n, max: 999n }), (reserveIn, reserveOut, part) => {
      const { at, minInput, quotes } = productPool(reserveIn, reserveOut)
      const required = (reserveOut * part) / 1_000n
      fc.pre(required > 0n)
      const expected = minInput(required)
      const low = { amountIn: 0n, amountOut: 0n }
      const [below, above] = narrowBracket(at, [low, at(2n * expected)], required)
      expect(above.amountIn).toBe(expected)
      expect(above.amountOut).toBeGreaterThanOrEqual(required)
      expect([below.amountIn, below.amountOut < required]).toEqual([expected - 1n, true])
      expect(quotes()).toBeLessThanOrEqual(301)
      cases++
    }),
  )
  expect(cases).toBeGreaterThan(50)
})

test('with a precision, narrowing stops once the bracket is that narrow', () => {
  const { at, minInput, quotes } = productPool(10n ** 24n, 10n ** 24n)
  const required = 10n ** 23n
  const [below, above] = narrowBracket(at, [{ amountIn: 0n, amountOut: 0n }, at(10n ** 24n)], required, 1_000n)
  expect((above.amountIn - below.amountIn) * 1_000n).toBeLessThanOrEqual(above.amountIn)
  expect(above.amountIn).toBeGreaterThanOrEqual(minInput(required))
  expect(quotes()).toBeLessThan(20)
})

test('an output that jumps is bisected', () => {
  const pointAt = (amountIn: bigint): AmountPoint => ({ amountIn, amountOut: amountIn >= 777_777n ? 10n ** 18n : 0n })
  const [, above] = narrowBracket(pointAt, [pointAt(0n), pointAt(10n ** 30n)], 1n)
  expect(above.amountIn).toBe(777_777n)
})

test('a bracket is found by doubling steps, in both directions', () => {
  const inputs: bigint[] = []
  const pointAt = (amountIn: bigint): AmountPoint => {
    inputs.push(amountIn)
    return { amountIn, amountOut: amountIn }
  }
  const point = (amount: bigint) => ({ amountIn: amount, amountOut: amount })
  expect(bracketFrom(pointAt, point(100n), 130n, 5n)).toEqual([point(115n), point(135n)])
  expect(inputs).toEqual([105n, 115n, 135n])
  expect(bracketFrom(pointAt, point(100n), 70n, 5n)).toEqual([point(65n), point(85n)])
  expect(bracketFrom(pointAt, point(100n), 100n, 5n)).toEqual([point(95n), point(100n)])
})

test('the lower end is nothing if even the smallest input pays; without an input up to twice the known one, there is none', () => {
  const pointAt = (amountIn: bigint): AmountPoint => ({ amountIn, amountOut: 7n })
  expect(bracketFrom(pointAt, pointAt(10n), 7n, 4n)?.[0]).toEqual({ amountIn: 0n, amountOut: 0n })
  expect(bracketFrom(pointAt, pointAt(10n), 8n, 4n)).toBeNull()
})

test('the first step covers the missing output at the price, with a margin, and at most the input', () => {
  const from = { amountIn: 1_000n, amountOut: 500n }
  // 101 units at half a unit per unit of input are 202; one ten-thousandth more rounds up to 203, plus one.
  expect(stepFrom(from, 600n, 0.5)).toBe(204n)
  expect(stepFrom(from, 400n, 0.5)).toBe(204n)
  expect(stepFrom(from, 10n ** 9n, 0.5)).toBe(1_001n)
  expect(stepFrom(from, 600n, 0)).toBe(2n)
})

test('narrowing stops at the first bracket of the precision, and steps end at twice the input', () => {
  const jump = (amountIn: bigint): AmountPoint => ({ amountIn, amountOut: amountIn >= 100n ? 1n : 0n })
  // 96 to 128 is a quarter of 128.
  expect(narrowBracket(jump, [jump(0n), jump(1_024n)], 1n, 4n)).toEqual([jump(96n), jump(128n)])
  const inputs: bigint[] = []
  const pointAt = (amountIn: bigint): AmountPoint => {
    inputs.push(amountIn)
    return { amountIn, amountOut: 7n }
  }
  const from = (amountIn: bigint, required: bigint) => bracketFrom(pointAt, { amountIn, amountOut: 7n }, required, 5n)
  expect(from(10n, 8n)).toBeNull()
  expect(inputs.splice(0)).toEqual([15n, 25n])
  expect(from(9n, 8n)).toBeNull()
  expect(inputs.splice(0)).toEqual([14n])
  expect(from(15n, 7n)).toEqual([
    { amountIn: 0n, amountOut: 0n },
    { amountIn: 10n, amountOut: 7n },
  ])
  expect(inputs).toEqual([10n])
})

test('the number of steps is bounded, and a bracket of one unit stays', () => {
  let quotes = 0
  const pointAt = (amountIn: bigint): AmountPoint => {
    quotes++
    return { amountIn, amountOut: amountIn > 1n << 400n ? 1n : 0n }
  }
  const [below, above] = narrowBracket(pointAt, [pointAt(0n), { amountIn: 1n << 800n, amountOut: 1n }], 1n)
  expect(quotes).toBe(301)
  expect(above.amountIn - below.amountIn).toBe(1n << 500n)
  const unit = [
    { amountIn: 5n, amountOut: 5n },
    { amountIn: 6n, amountOut: 6n },
  ] as const
  expect(narrowBracket(pointAt, unit, 6n)).toEqual(unit)
  expect(quotes).toBe(301)
})

test('slopes find the input of a smooth function in a few steps', () => {
  for (const [reserveIn, reserveOut] of [
    [10n ** 24n, 10n ** 24n],
    [10n ** 18n, 10n ** 27n],
  ] as const)
    for (const part of [10n, 100n, 10_000n]) {
      const { at, minInput, quotes } = productPool(reserveIn, reserveOut)
      const required = reserveOut / part
      const high = at(2n * minInput(required))
      const [, above] = narrowBracket(at, [{ amountIn: 0n, amountOut: 0n }, high], required)
      expect(above.amountIn).toBe(minInput(required))
      expect(quotes()).toBeLessThanOrEqual(16)
    }
})

test('after slopes that mislead, bisection goes on to the end', () => {
  let quotes = 0
  const at = (amountIn: bigint): AmountPoint => {
    quotes++
    return { amountIn, amountOut: amountIn >= 777_777n ? 10n ** 18n + amountIn : amountIn }
  }
  const [, above] = narrowBracket(at, [at(0n), at(1n << 90n)], 10n ** 18n)
  expect(above.amountIn).toBe(777_777n)
  // Three slopes, and 61 halves of what they left.
  expect(quotes).toBeLessThanOrEqual(66)
})
