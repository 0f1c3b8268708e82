/** Tests curves through samples against pools whose outputs have a formula: how exact they are, and where they end. */
import { describe, expect, test } from 'vitest'
import { PoolRefusal, type PriceCurve } from '../family.ts'
import { sampledCurve } from './sampled-curve.ts'

const RESERVE = 10n ** 24n

/** Sells an input along the pieces of a curve. */
function outputOf({ sqrtPrice, liquidity, keepIn, keepOut }: PriceCurve, amountIn: number): number {
  let [input, output] = [amountIn * keepIn, 0]
  for (let k = 0; k < liquidity.length && input > 0; k++) {
    const [from, to, depth] = [sqrtPrice[k]!, sqrtPrice[k + 1]!, liquidity[k]!]
    const whole = depth * (1 / to - 1 / from)
    const end = input < whole ? 1 / (1 / from + input / depth) : to
    output += depth * (from - end)
    input -= whole
  }
  return output * keepOut
}
const endOf = (curve: PriceCurve) =>
  curve.liquidity.reduce((sum, depth, k) => sum + depth * (1 / curve.sqrtPrice[k + 1]! - 1 / curve.sqrtPrice[k]!), 0)

/** Output of 3 % more than the input that is in the smaller parts of the pool, by shape; all are concave. */
const shapes: Readonly<Record<string, (x: bigint) => bigint>> = {
  'x·y = k': (x) => (x * RESERVE) / (RESERVE + x),
  'a quadratic fall of the price': (x) => (x > RESERVE ? RESERVE / 2n : x - (x * x) / (2n * RESERVE)),
  'x·y = k twice, with a kink': (x) => {
    const deep = x < RESERVE / 10n ? x : RESERVE / 10n
    const rest = x - deep
    const first = (deep * RESERVE) / (RESERVE + deep)
    return first + (rest * RESERVE) / (3n * RESERVE + 2n * rest)
  },
  'a straight line that bends': (x) => {
    const straight = x < RESERVE / 3n ? x : RESERVE / 3n
    const rest = x - straight
    return straight + (rest * (RESERVE / 2n)) / (RESERVE / 2n + rest)
  },
}
const fractions = [1e-4, 1e-3, 0.01, 0.03, 0.09, 0.11, 0.2, 0.32, 0.35, 0.5, 0.7, 0.9, 0.99]

describe.each(Object.entries(shapes))('a pool with %s', (_, quoteOf) => {
  test.each([
    ['limited', RESERVE],
    ['unlimited', null],
  ] as const)('that is %s: the curve errs by no more than it states, with few quotes', (_kind, maxInput) => {
    let quotes = 0
    const quote = (amountIn: bigint) => {
      quotes++
      if (maxInput !== null && amountIn > maxInput) throw new PoolRefusal('TOO_LARGE', 'too large')
      return quoteOf(amountIn)
    }
    const curve = sampledCurve({ quote, maxInput, scale: RESERVE, feePpm: 0 })
    expect(quotes).toBeLessThanOrEqual(80)
    expect(curve.outputError!).toBeLessThan(5e-3)
    for (const fraction of fractions) {
      const amountIn = BigInt(Math.round(fraction * 1e6)) * (RESERVE / 1_000_000n)
      const [estimate, exact] = [outputOf(curve, Number(amountIn)), Number(quoteOf(amountIn))]
      expect(Math.abs(estimate / exact - 1)).toBeLessThanOrEqual(curve.outputError!)
      expect(Math.abs(estimate / exact - 1)).toBeLessThan(1e-4)
    }
    for (let k = 0; k < curve.liquidity.length; k++) expect(curve.sqrtPrice[k + 1]!).toBeLessThan(curve.sqrtPrice[k]!)
    if (maxInput === null) expect(endOf(curve)).toBeGreaterThan(1e27)
    else {
      expect(endOf(curve)).toBeLessThanOrEqual(Number(maxInput))
      expect(endOf(curve) / Number(maxInput)).toBeGreaterThan(1 - 1e-6)
    }
  })
})

test('a curve of x·y = k is exact to a millionth, and states its fee apart', () => {
  const feePpm = 3_000
  const quote = (x: bigint) => {
    const net = (x * 997n) / 1_000n
    return (net * RESERVE) / (RESERVE + net)
  }
  const curve = sampledCurve({ quote, maxInput: null, scale: RESERVE, feePpm })
  expect(curve).toMatchObject({ keepIn: 0.997, keepOut: 1 })
  for (const fraction of [1e-9, 1e-7, ...fractions, 3, 20, 100]) {
    const amountIn = fraction * 1e24
    const exact = (amountIn * 0.997 * 1e24) / (1e24 + amountIn * 0.997)
    expect(Math.abs(outputOf(curve, amountIn) / exact - 1)).toBeLessThan(1e-6)
  }
  expect(curve.sqrtPrice[0]).toBeCloseTo(1, 5)
})

test('a pool that takes or pays nothing has an empty curve', () => {
  const refuse = () => {
    throw new PoolRefusal('EMPTY', 'empty')
  }
  for (const curve of [
    sampledCurve({ quote: (x) => x, maxInput: 0n, scale: RESERVE, feePpm: 3_000 }),
    sampledCurve({ quote: refuse, maxInput: null, scale: RESERVE, feePpm: 3_000 }),
  ])
    expect([curve.liquidity.length, curve.keepIn]).toEqual([0, 0.997])
})
