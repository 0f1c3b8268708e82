/** Tests StableSwap against its polynomials, which the solutions must satisfy to the unit. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stableBalance, stableInvariant } from '../../math/stable-swap.ts'
import { approximateMaxInput, inputFor, quote, tradingFunction } from './math.ts'
import type { CurveStableState } from './types.ts'

const ONE = 10n ** 18n
const E10 = 10n ** 10n
const refusal = (code: string) => expect.objectContaining({ code })
const pool = (change: Partial<CurveStableState> = {}): CurveStableState => ({
  ...{ balances: [10n ** 24n, 9n * 10n ** 23n, 11n * 10n ** 23n], rates: [ONE, ONE, ONE] },
  ...{ amplification: { a: 20_000n, precision: 100n }, feeE10: 4_000_000n, adminFeeE10: E10 / 2n },
  ...{ offpegMultiplierE10: 0n, rounding: 'each', margin: 1n, feeOrder: 'scaled' },
  ...change,
})

/** Sign of Ann·S + D − Ann·D − D^(n+1) / (n^n·∏x), multiplied by the product and the precision; falls as D rises. */
function excess(balances: readonly bigint[], { a, precision }: CurveStableState['amplification'], d: bigint): bigint {
  const n = BigInt(balances.length)
  const sum = balances.reduce((total, x) => total + x, 0n)
  const product = balances.reduce((total, x) => total * x, 1n) * n ** n
  return (a * n * (sum - d) + precision * d) * product - precision * d ** (n + 1n)
}
const amounts = fc.bigInt({ min: 10n ** 22n, max: 10n ** 25n })
const amplifications = fc.constantFrom(
  ...[
    { a: 100n, precision: 1n },
    { a: 20_000n, precision: 100n },
    { a: 150_000n, precision: 100n },
  ],
)

test('the invariant and the balance solve the polynomial, to a few units', () => {
  fc.assert(
    fc.property(
      fc.array(amounts, { minLength: 2, maxLength: 4 }),
      amplifications,
      fc.constantFrom('each' as const, 'end' as const),
      (balances, amplification, rounding) => {
        const d = stableInvariant(balances, amplification, rounding)
        expect(excess(balances, amplification, d - 8n) > 0n).toBe(true)
        expect(excess(balances, amplification, d + 8n) < 0n).toBe(true)
        for (const j of balances.keys()) {
          const y = stableBalance(j, balances.with(j, 0n), amplification, d)
          // More of a coin raises the invariant.
          expect(excess(balances.with(j, y + 3n), amplification, d) > 0n).toBe(true)
          expect(excess(balances.with(j, y - 3n), amplification, d) < 0n).toBe(true)
        }
      },
    ),
  )
})

test('an empty pool has an invariant of nothing, and one that lacks a coin has none', () => {
  const amplification = { a: 100n, precision: 1n }
  expect(stableInvariant([0n, 0n], amplification, 'each')).toBe(0n)
  expect(() => stableInvariant([5n, 0n], amplification, 'each')).toThrow(refusal('EMPTY'))
  expect(() => quote(pool({ balances: [0n, 0n, 0n] }), 0, 1, ONE)).toThrow(refusal('EMPTY'))
  expect(tradingFunction(pool({ balances: [ONE, 0n, ONE] }))).toBeNull()
  // Equal balances are their own invariant.
  expect(stableInvariant([ONE, ONE, ONE], amplification, 'end')).toBe(3n * ONE)
})

test.each(['each', 'end'] as const)(
  'a drained pool, whose contract overflows, refuses all amounts (%s)',
  (rounding) => {
    const drained = pool({ balances: [10n ** 9n, 10n ** 9n, 10n ** 25n], rounding })
    for (const amountIn of [2n, 10n ** 12n, 10n ** 24n])
      expect(() => quote(drained, 0, 2, amountIn)).toThrow(refusal('TOO_LARGE'))
  },
)

test('the fee is a part of the output, and a part of the fee leaves the pool', () => {
  const amountIn = 10n ** 21n
  const free = quote(pool({ feeE10: 0n }), 0, 1, amountIn)
  const { amountOut, state } = quote(pool(), 0, 1, amountIn)
  const fee = (free.amountOut * 4_000_000n) / E10
  expect(amountOut).toBe(free.amountOut - fee)
  expect(state.balances).toEqual([10n ** 24n + amountIn, 9n * 10n ** 23n - amountOut - fee / 2n, 11n * 10n ** 23n])
  expect(free.state.balances[1]).toBe(9n * 10n ** 23n - free.amountOut)
  // The margin keeps one unit.
  expect(quote(pool({ feeE10: 0n, margin: 0n }), 0, 1, amountIn).amountOut).toBe(free.amountOut + 1n)
})

test('coins of six decimals trade as coins of eighteen', () => {
  const rates = [ONE, 10n ** 30n, ONE]
  const coarse = pool({ balances: [10n ** 24n, 9n * 10n ** 11n, 11n * 10n ** 23n], rates })
  const fine = quote(pool(), 0, 1, 10n ** 21n).amountOut
  expect(quote(coarse, 0, 1, 10n ** 21n).amountOut).toBe(fine / 10n ** 12n)
  expect(quote({ ...coarse, feeOrder: 'base', feeE10: 0n }, 0, 1, 10n ** 21n).amountOut).toBe(
    quote(pool({ feeE10: 0n }), 0, 1, 10n ** 21n).amountOut / 10n ** 12n,
  )
  expect(quote(coarse, 1, 0, 10n ** 9n).amountOut).toBe(quote(pool(), 1, 0, 10n ** 21n).amountOut)
})

test('the fee rises off the peg, from the fixed fee to the multiple', () => {
  const feeOf = (balances: readonly bigint[]) => {
    const state = pool({ balances, adminFeeE10: 0n, rounding: 'end' })
    const free = quote({ ...state, feeE10: 0n }, 0, 1, ONE).amountOut
    const paid = quote({ ...state, offpegMultiplierE10: 2n * E10 }, 0, 1, ONE).amountOut
    return Number(free - paid) / Number(free) / 0.0004
  }
  expect(feeOf([10n ** 24n, 10n ** 24n, 10n ** 24n])).toBeCloseTo(1, 4)
  // Balances of 1 to 3: 2 / (4·1·3 / 16 + 1).
  expect(feeOf([10n ** 24n, 3n * 10n ** 24n, 10n ** 24n])).toBeCloseTo(2 / (0.75 + 1), 4)
  // An output that hardly differs from an even one has a fixed fee.
  expect(inputFor(pool({ offpegMultiplierE10: 2n * E10 }), 0, 1, ONE)).toBeNull()
  expect(inputFor(pool({ offpegMultiplierE10: E10 }), 0, 1, ONE)).not.toBeNull()
})

test('an unknown rounding is refused where it shows', () => {
  const both = (['each', 'end'] as const).map((rounding) => quote(pool({ rounding }), 0, 1, 10n ** 21n))
  const even = pool({ balances: [10n ** 24n, 10n ** 24n, 10n ** 24n], rounding: 'unknown' })
  expect(quote(even, 0, 1, 10n ** 21n).amountOut).toBe(quote({ ...even, rounding: 'end' }, 0, 1, 10n ** 21n).amountOut)
  const uneven = pool({ balances: [10n ** 24n + 7n, 123_456_789_123n * 10n ** 11n, 3n * 10n ** 24n + 1n] })
  const outputs = (['each', 'end'] as const).map((rounding) => quote({ ...uneven, rounding }, 1, 0, ONE).amountOut)
  if (outputs[0] !== outputs[1])
    expect(() => quote({ ...uneven, rounding: 'unknown' }, 1, 0, ONE)).toThrow(refusal('UNSUPPORTED'))
  expect(both).toHaveLength(2)
})

test('the input for an output buys it, and one per million less does not', () => {
  let solvedCount = 0
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 900 }),
      fc.constantFrom('scaled' as const, 'base' as const),
      (part, order) => {
        const state = pool({ feeOrder: order })
        const amountOut = (state.balances[1]! * BigInt(part)) / 1_000n
        const amountIn = inputFor(state, 0, 1, amountOut)!
        expect(quote(state, 0, 1, amountIn + 4n).amountOut).toBeGreaterThanOrEqual(amountOut)
        expect(quote(state, 0, 1, amountIn - amountIn / 1_000_000n).amountOut).toBeLessThan(amountOut)
        solvedCount++
      },
    ),
  )
  expect(solvedCount).toBeGreaterThan(50)
  expect(inputFor(pool(), 0, 1, 9n * 10n ** 23n)).toBeNull()
})

test('the limit is accepted, and a unit more is beyond it', () => {
  for (const rates of [
    [ONE, ONE, ONE],
    [10n ** 30n, ONE, ONE],
  ]) {
    const state = pool({ rates, balances: [(10n ** 24n * ONE) / rates[0]!, 10n ** 24n, 10n ** 24n] })
    expect(quote(state, 0, 1, approximateMaxInput(state, 0)).amountOut).toBeLessThan(state.balances[1]!)
    expect(() => quote(state, 0, 1, approximateMaxInput(state, 0) + 1n)).toThrow(refusal('TOO_LARGE'))
  }
})
