/** Price curves with gaps and ends, compared with sums over their pieces. */
import { describe, expect, test } from 'vitest'
import {
  capacityOf,
  compileCurve,
  crossesFlat,
  flatAt,
  hiddenEarnings,
  inputBeforeFlat,
  inputOf,
  outputOf,
  pointAt,
  upToInput,
  upToPiece,
} from './price-curve.ts'

/** Liquidity of 1000 from price 1 to 0.81, none to 0.64, 500 to 0.25, and nothing below. */
const curve = compileCurve({
  sqrtPrice: Float64Array.of(1, 0.9, 0.8, 0.5),
  liquidity: Float64Array.of(1000, 0, 500),
  keepIn: 0.99,
  keepOut: 1,
  gasPerPiece: 30_000,
})
const BEFORE_GAP = 1000 * (1 / 0.9 - 1)
const BEHIND_GAP = 500 * (1 / 0.5 - 1 / 0.8)

test('the capacity is the input of all pieces, before the fee', () => {
  expect(capacityOf(curve)).toBeCloseTo((BEFORE_GAP + BEHIND_GAP) / 0.99, 9)
  expect(outputOf(curve, capacityOf(curve) * 2)).toBeCloseTo(1000 * 0.1 + 500 * 0.3, 9)
  expect(
    capacityOf(compileCurve({ sqrtPrice: Float64Array.of(1), liquidity: new Float64Array(), keepIn: 1, keepOut: 1 })),
  ).toBe(0)
  const endless = { sqrtPrice: Float64Array.of(1, 0), liquidity: Float64Array.of(7), keepIn: 1, keepOut: 1 }
  expect(capacityOf(compileCurve(endless))).toBe(Number.POSITIVE_INFINITY)
})

test('a gap at the current price is skipped: the first unit trades beyond it', () => {
  const behind = compileCurve({
    sqrtPrice: Float64Array.of(1, 0.8, 0.5),
    liquidity: Float64Array.of(0, 500),
    keepIn: 1,
    keepOut: 1,
  })
  expect(pointAt(behind, 0.7).input).toBe(0)
  expect(pointAt(behind, 0.6).input).toBeGreaterThan(0)
  expect(outputOf(behind, BEHIND_GAP)).toBeCloseTo(500 * 0.3, 9)
})

test.each([
  ['in the gap', 0.7, Math.log(0.99 * 0.81), Math.log(0.99 * 0.64)],
  ['below the end', 0.1, Math.log(0.99 * 0.25), Number.NEGATIVE_INFINITY],
])('the flat range %s has the rates of its start and end', (_, rate, high, low) => {
  const flat = flatAt(curve, rate)
  expect(flat.highLogRate).toBeCloseTo(high, 12)
  if (Number.isFinite(low)) expect(flat.lowLogRate).toBeCloseTo(low, 12)
  else expect(flat.lowLogRate).toBe(low)
  // Just above the range, the pool responds with this conductance.
  const [at, above] = [pointAt(curve, Math.exp(high)), pointAt(curve, Math.exp(high + 1e-6))]
  expect((at.input - above.input) / 1e-6 / flat.conductanceAbove).toBeCloseTo(1, 4)
  if (!Number.isFinite(low)) return
  const [end, below] = [pointAt(curve, Math.exp(low)), pointAt(curve, Math.exp(low - 1e-6))]
  expect((below.input - end.input) / 1e-6 / flat.conductanceBelow).toBeCloseTo(1, 4)
})

test('a curve cut after an input has that capacity and the same outputs up to it', () => {
  for (const input of [1, 50, BEFORE_GAP / 0.99, 150, 300]) {
    const cut = upToInput(curve, input)
    expect(capacityOf(cut)).toBeCloseTo(input, 9)
    for (const part of [0.3, 0.9, 1]) expect(outputOf(cut, input * part)).toBeCloseTo(outputOf(curve, input * part), 9)
    expect(outputOf(cut, input * 2)).toBeCloseTo(outputOf(curve, input), 9)
  }
  expect(upToInput(curve, capacityOf(curve))).toBe(curve)
})

test('inputs that end at a gap or at the end of a pool are reduced, others are not', () => {
  const gap = BEFORE_GAP / 0.99
  expect(inputBeforeFlat(curve, gap)).toBeLessThan(gap)
  expect(inputBeforeFlat(curve, gap) / gap).toBeGreaterThan(1 - 1e-6)
  expect(inputBeforeFlat(curve, gap * (1 + 1e-9))).toBeLessThan(gap)
  expect(inputBeforeFlat(curve, capacityOf(curve))).toBeLessThan(capacityOf(curve))
  for (const input of [gap * 0.99, gap * 1.01, capacityOf(curve) * 0.99])
    expect(inputBeforeFlat(curve, input)).toBe(input)
  expect(crossesFlat(curve, gap * 0.99, gap * 1.01)).toBe(true)
  expect(crossesFlat(curve, gap * 0.5, gap * 0.99)).toBe(false)
  expect(crossesFlat(curve, gap * 1.01, gap * 1.1)).toBe(false)
  expect(crossesFlat(curve, gap * 1.01, capacityOf(curve))).toBe(true)
})

test('the input for an output is the inverse of the output, also across a gap', () => {
  for (const input of [1, 80, 120, 200, 400]) expect(inputOf(curve, outputOf(curve, input))).toBeCloseTo(input, 8)
})

test('a curve cut before a tick ends short of it, with all of its output', () => {
  const cut = upToPiece(curve, 0)
  expect(capacityOf(cut)).toBeLessThan(BEFORE_GAP / 0.99)
  expect(capacityOf(cut)).toBeGreaterThan((BEFORE_GAP / 0.99) * (1 - 1e-6))
  expect(outputOf(cut, capacityOf(cut))).toBeCloseTo(outputOf(curve, capacityOf(cut)), 9)
  expect(pointAt(cut, 0.1).input).toBe(capacityOf(cut))
})

describe('hidden earnings', () => {
  /** Returns the curve with errors by piece, or with only the largest of them. */
  const sampled = (outputErrors?: Float64Array) =>
    compileCurve({
      sqrtPrice: Float64Array.of(1, 0.9, 0.8, 0.7),
      liquidity: Float64Array.of(1000, 700, 500),
      ...{ keepIn: 0.99, keepOut: 1, outputError: 1e-3 },
      ...(outputErrors && { outputErrors }),
    })
  const exact = sampled(Float64Array.of(1e-6, 1e-3, 1e-6))
  const rough = sampled()

  test('are at least those of any trade that pays more by the error of its piece', () => {
    let hidden = 0
    for (let rate = 0.45; rate < 1.02; rate += 0.01) {
      const best = pointAt(exact, rate)
      const onCurve = Math.max(0, best.output - rate * best.input)
      for (const value of [1, 30, 100, 1_000]) {
        const stated = hiddenEarnings(exact, rate, 1, value)
        expect(stated).toBeLessThanOrEqual(hiddenEarnings(rough, rate, 1, value) + 1e-12)
        if (stated > 0) hidden++
        for (let input = 0.5; input <= Math.min(value / rate, capacityOf(exact)); input += 0.5) {
          const output = outputOf(exact, input)
          const error = output < 100 || output > 170 ? 1e-6 : 1e-3
          expect(onCurve + stated).toBeGreaterThanOrEqual(output * (1 + error) - input * rate - 1e-9)
        }
      }
    }
    expect(hidden).toBeGreaterThan(50)
  })

  test('of a trade too small for the rough piece are those of the first piece', () => {
    const [rate, value] = [0.9, 20]
    expect(hiddenEarnings(rough, rate, 1, value)).toBeGreaterThan(0.01)
    expect(hiddenEarnings(exact, rate, 1, value)).toBeLessThan(1e-4)
  })
})
