/** Property tests of quotes between samples, of the amounts that are sampled, and of the curve. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { outputDownTo } from '../../math/outline.ts'
import { isSameAmount, LADDER_LENGTH, ladderOf, MAX_FOCUS, searchLadder, withFocus } from './sampled-ladder.ts'
import {
  byDirection,
  directionBetween,
  estimateErrorAt,
  indexPairsOf,
  maxSampledInput,
  outputAt,
  quoteSampled,
  type SampledAmount,
  type SampledState,
  sampledPoolCurve,
  toSamples,
} from './sampled-state.ts'

type Pool = (amountIn: bigint) => bigint
/** x·y = k with a fee of 0.3 %. */
const constantProduct =
  (x: bigint, y: bigint): Pool =>
  (amountIn) => {
    const net = (amountIn * 997n) / 1_000n
    return (net * y) / (x + net)
  }
/** One price up to a limit, and nothing above it. */
const upTo =
  (limit: bigint): Pool =>
  (amountIn) =>
    amountIn > limit ? 0n : (amountIn * 999n) / 1_000n

/** Samples a pool as the family does: a search, then ladders until nothing changes. */
function sampled(pool: Pool, rounds = 8): SampledState {
  const at = (amounts: readonly bigint[]) => toSamples(amounts, amounts.map(pool))
  let state: SampledState = { samples: [at(searchLadder()), []], focus: [[], []], sold: [0n, 0n], stamp: '' }
  for (let round = 0; round < rounds; round++) state = { ...state, samples: [at(ladderOf(state, 0)), []] }
  return state
}

test('every ordered pair of a pool has a direction of its own', () => {
  for (const tokenCount of [2, 3, 4, 8]) {
    const indices = Array.from({ length: tokenCount }, (_, i) => i)
    const directions = indices.flatMap((i) =>
      indices.flatMap((j) => (i === j ? [] : [directionBetween(i, j, tokenCount)])),
    )
    expect(directions.sort((a, b) => a - b)).toEqual(directions.map((_, k) => k))
    expect(directions.length).toBe(2 * indexPairsOf(tokenCount).length)
    for (const [p, [first, second]] of indexPairsOf(tokenCount).entries())
      expect([directionBetween(first, second, tokenCount), directionBetween(second, first, tokenCount)]).toEqual([
        2 * p,
        2 * p + 1,
      ])
  }
  expect(() => byDirection(0, () => 0)).toThrow(RangeError)
})

const reserve = fc.bigInt(10n ** 9n, 10n ** 30n)

describe('samples of x·y = k', () => {
  test('quote every amount within a billionth, or a few units', () => {
    fc.assert(
      fc.property(reserve, reserve, fc.double({ min: 1e-6, max: 5, noNaN: true }), (x, y, part) => {
        const pool = constantProduct(x, y)
        const state = sampled(pool)
        const amountIn = (x * BigInt(Math.ceil(part * 1e6))) / 1_000_000n
        const real = pool(amountIn)
        if (real < 1_000n || amountIn > state.samples[0].at(-1)![0]) return
        const { amountOut } = quoteSampled(state, 0, amountIn)
        const off = amountOut > real ? amountOut - real : real - amountOut
        // Units of the input and of the output are steps, which no curve through samples follows.
        expect(Number(off)).toBeLessThanOrEqual(
          4 + (2 * Number(y)) / Number(x) + Number(real) * 1e-9 + Number(real) / Number(state.samples[0][0]![1]),
        )
      }),
    )
  })

  test('reach at least nine tenths of the reserve, with a first sample of a ten-thousandth of it or less', () => {
    fc.assert(
      fc.property(reserve, reserve, (x, y) => {
        const { samples } = sampled(constantProduct(x, y))
        expect(samples[0].at(-1)![1] * 10n).toBeGreaterThanOrEqual(y * 9n)
        if (y > 10n ** 12n) expect(samples[0][0]![0] * 5_000n).toBeLessThanOrEqual(x)
      }),
    )
  })

  test('a curve has the outputs of the samples', () => {
    const state = sampled(constantProduct(10n ** 24n, 10n ** 24n))
    const curve = sampledPoolCurve(state, 0)
    const last = state.samples[0].at(-1)!
    expect(outputDownTo(curve, 0) / Number(last[1])).toBeCloseTo(1, 6)
    expect(curve.outputError).toBeLessThan(1e-5)
  })
})

test('a limit of the pool is found within a factor of two, and a larger trade is refused as our own limit', () => {
  fc.assert(
    fc.property(fc.bigInt(10n ** 6n, 10n ** 30n), (limit) => {
      const state = sampled(upTo(limit), 12)
      const last = maxSampledInput(state, 0)
      expect(last).toBeLessThanOrEqual(limit)
      expect(last * 2n).toBeGreaterThanOrEqual(limit)
      expect(() => quoteSampled(state, 0, last + 1n)).toThrow(
        expect.objectContaining({ code: 'TOO_LARGE', isModelLimit: true }),
      )
    }),
  )
})

/** Any answers, as a hostile pool gives them. */
const answers = fc.array(fc.tuple(fc.bigInt(1n, 1n << 127n), fc.bigInt(0n, 1n << 127n)), {
  minLength: 1,
  maxLength: 16,
})
const stateOf = (pairs: readonly (readonly [bigint, bigint])[]): SampledState => ({
  samples: [
    toSamples(
      pairs.map(([amountIn]) => amountIn),
      pairs.map(([, amountOut]) => amountOut),
    ),
    [],
  ],
  focus: [[], []],
  sold: [0n, 0n],
  stamp: '',
})

describe('whatever a pool answers', () => {
  test('outputs rise with the input, are exact at samples, and stay between the neighbors', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat(1_000_000), { maxLength: 20 }), (pairs, parts) => {
        const { samples } = stateOf(pairs)
        const all = samples[0]
        for (const [amountIn, amountOut] of all) expect(outputAt(all, amountIn)).toBe(amountOut)
        const last = all.at(-1)?.[0] ?? 0n
        for (const part of parts) {
          const amountIn = (last * BigInt(part)) / 1_000_000n
          if (amountIn === 0n) continue
          const k = all.findIndex(([sampledIn]) => sampledIn >= amountIn)
          const out = outputAt(all, amountIn)
          expect(out).toBeGreaterThanOrEqual(all[k - 1]?.[1] ?? 0n)
          expect(out).toBeLessThanOrEqual(all[k]![1])
          const error = estimateErrorAt(all, amountIn)
          if (error !== null) expect(error >= 0 && error <= 1).toBe(true)
        }
      }),
    )
  })

  test('the curve falls in price, ends at the last sample, and never throws', () => {
    fc.assert(
      fc.property(answers, (pairs) => {
        const state = stateOf(pairs)
        const { sqrtPrice, liquidity } = sampledPoolCurve(state, 0)
        for (let k = 1; k < sqrtPrice.length; k++) expect(sqrtPrice[k]!).toBeLessThan(sqrtPrice[k - 1]!)
        for (const depth of liquidity) expect(depth >= 0 && Number.isFinite(depth)).toBe(true)
      }),
    )
  })

  test('the next amounts are few, positive, and ascending', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.bigInt(1n, 1n << 127n), { maxLength: 9 }), (pairs, wanted) => {
        const state = { ...stateOf(pairs), focus: [wanted.reduce(withFocus, [] as readonly bigint[]), []] as const }
        const amounts = ladderOf(state, 0)
        if (state.samples[0].length > 0) expect(amounts.length).toBeLessThanOrEqual(LADDER_LENGTH)
        expect(state.focus[0].length).toBeLessThanOrEqual(MAX_FOCUS)
        for (const [k, amount] of amounts.entries()) {
          expect(amount).toBeGreaterThan(amounts[k - 1] ?? 0n)
          expect(amount < 1n << 127n).toBe(true)
        }
      }),
    )
  })
})

test('a larger sample that buys no more than a smaller one is dropped', () => {
  expect(toSamples([3n, 1n, 2n, 4n], [20n, 10n, 20n, 21n])).toEqual([
    [1n, 10n],
    [2n, 20n],
    [4n, 21n],
  ])
})

test('three swaps sell no more than was sampled in total', () => {
  const pool = constantProduct(10n ** 24n, 10n ** 24n)
  const state = sampled(pool)
  const third = maxSampledInput(state, 0) / 3n
  const second = quoteSampled(quoteSampled(state, 0, third).state, 0, third)
  const rest = maxSampledInput(second.state, 0)
  expect(rest).toBe(maxSampledInput(state, 0) - 2n * third)
  expect(quoteSampled(second.state, 0, rest).state.sold[0]).toBe(maxSampledInput(state, 0))
  expect(() => quoteSampled(second.state, 0, rest + 1n)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
})

test('a second swap continues where the first ended; the opposite direction is refused', () => {
  const pool = constantProduct(10n ** 24n, 10n ** 24n)
  const state = { ...sampled(pool), focus: [[], []] as const }
  const both: SampledState = { ...state, samples: [state.samples[0], state.samples[0]] }
  const first = quoteSampled(both, 0, 10n ** 21n)
  const second = quoteSampled(first.state, 0, 10n ** 21n)
  expect(first.amountOut + second.amountOut).toBe(quoteSampled(both, 0, 2n * 10n ** 21n).amountOut)
  expect(maxSampledInput(first.state, 0)).toBe(maxSampledInput(both, 0) - 10n ** 21n)
  expect(() => quoteSampled(first.state, 1, 1n)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }))
  expect(maxSampledInput(first.state, 1)).toBe(0n)
})

test('after a swap in a pool of three tokens, no other direction is quoted', () => {
  const { samples } = sampled(constantProduct(10n ** 24n, 10n ** 24n))
  const state: SampledState = {
    samples: byDirection(6, () => samples[0]),
    focus: byDirection(6, () => []),
    sold: byDirection(6, () => 0n),
    stamp: '',
  }
  for (let direction = 0; direction < 6; direction++) {
    const { state: traded } = quoteSampled(state, direction, 10n ** 21n)
    const stillQuoted = [0, 1, 2, 3, 4, 5].filter((other) => maxSampledInput(traded, other) > 0n)
    expect(stillQuoted).toEqual([direction])
    const next = (direction + 2) % 6
    expect(() => quoteSampled(traded, next, 1n)).toThrow(expect.objectContaining({ code: 'UNSUPPORTED' }))
  }
})

test('a pool without samples is paused, and one unit too few is too small', () => {
  const empty: SampledState = { samples: [[], []], focus: [[], []], sold: [0n, 0n], stamp: '' }
  expect(() => quoteSampled(empty, 0, 1n)).toThrow(expect.objectContaining({ code: 'PAUSED' }))
  const coarse: SampledState = { ...empty, samples: [[[1_000n, 10n] as SampledAmount], []] }
  expect(() => quoteSampled(coarse, 0, 1n)).toThrow(expect.objectContaining({ code: 'TOO_SMALL' }))
  expect(() => quoteSampled(coarse, 0, 0n)).toThrow(expect.objectContaining({ code: 'TOO_SMALL' }))
})

test('amounts within two thousandths count as the same', () => {
  expect(isSameAmount(1_000n, 1_002n)).toBe(true)
  expect(isSameAmount(1_000n, 1_004n)).toBe(false)
  expect(withFocus([1_000n, 5_000n], 1_001n)).toEqual([1_001n, 5_000n])
})
