/** Tests of `outline` against the values derived from price curves. */
import { toAddress, ZERO_ADDRESS } from '@sluice/chains'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { familyOf } from '../dexes/index.ts'
import type { PairOutline, Pool } from '../family.ts'
import type { ConcentratedState } from './concentrated.ts'
import { outlineOfCurves, outputDownTo } from './outline.ts'

const BAND = 0.05
const one = toAddress('0x0000000000000000000000000000000000000001')
const two = toAddress('0x0000000000000000000000000000000000000002')
const pool = (family: string, state: unknown): Pool => {
  return { id: ZERO_ADDRESS, family, dex: family, address: ZERO_ADDRESS, tokens: [one, two], state }
}

/** Derives the outline from curves; reserves between ticks are rounded as `reserves` rounds them. */
function byCurves(pool: Pool): PairOutline {
  const family = familyOf(pool.family)!
  const [sell, buy] = [family.priceCurve(pool, one, two), family.priceCurve(pool, two, one)]
  const holdings = { firstReserve: outputDownTo(buy, 0), secondReserve: outputDownTo(sell, 0) }
  return outlineOfCurves(sell, buy, holdings, BAND)
}

function expectAlike(pool: Pool): void {
  const [actual, expected] = [familyOf(pool.family)!.outline!(pool, BAND), byCurves(pool)]
  // Compare relative to the reserves; smaller differences are rounding.
  const scale = { first: expected.firstReserve, second: expected.secondReserve }
  const near = (value: number, expected: number, size: number) =>
    expect(Math.abs(value - expected)).toBeLessThanOrEqual(1e-9 * size)
  near(actual.price, expected.price, expected.price)
  near(actual.fee, expected.fee, 1)
  near(actual.firstDepth, expected.firstDepth, scale.first)
  near(actual.secondDepth, expected.secondDepth, scale.second)
  near(actual.firstReserve, expected.firstReserve, scale.first)
  near(actual.secondReserve, expected.secondReserve, scale.second)
}

test('the fee is the higher one of both directions, whichever token it is taken from', () => {
  const curve = { sqrtPrice: Float64Array.of(1, 0.5), liquidity: Float64Array.of(1) }
  const [ofInput, ofOutput] = [
    { ...curve, keepIn: 0.99, keepOut: 1 },
    { ...curve, keepIn: 1, keepOut: 0.98 },
  ]
  const feeOf = (...[sell, buy]: readonly [typeof ofInput, typeof ofInput]) =>
    outlineOfCurves(sell, buy, { firstReserve: 1, secondReserve: 1 }, BAND).fee
  expect(feeOf(ofInput, ofInput)).toBeCloseTo(0.01, 12)
  expect(feeOf(ofInput, ofOutput)).toBeCloseTo(0.02, 12)
  expect(feeOf(ofOutput, ofInput)).toBeCloseTo(0.02, 12)
})

/** Reserves far below the 2^112 limit of a pair, so that its curves show all of them. */
const amount = fc.oneof(fc.constant(0n), fc.bigInt({ min: 2n ** 16n, max: 2n ** 80n }))

test('the outline of a constant-product pool equals that of its curves', () => {
  fc.assert(
    fc.property(amount, amount, fc.integer({ min: 0, max: 100_000 }), (reserve0, reserve1, feePpm) => {
      const drained = reserve0 === 0n || reserve1 === 0n
      const of = pool('uniswap-v2', { reserve0, reserve1, feePpm })
      if (!drained) return expectAlike(of)
      const { price, firstDepth, secondDepth } = familyOf('uniswap-v2')!.outline!(of, BAND)
      // No reserve can be traded against.
      expect(Math.min(secondDepth, firstDepth * price)).toBe(0)
    }),
  )
})

const position = fc.record({
  lower: fc.integer({ min: -3_000, max: 2_999 }),
  width: fc.integer({ min: 1, max: 1_500 }),
  liquidity: fc.bigInt({ min: 1n, max: 10n ** 24n }),
})

test.each(['uniswap-v3', 'pancake-v3', 'algebra-v1'])(
  '%s: the outline of a pool with ticks equals that of its curves',
  (id) => {
    fc.assert(
      fc.property(
        fc.array(position, { maxLength: 12 }),
        fc.integer({ min: -3_500, max: 4_500 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        // Sometimes leave out distant ticks, so that the liquidity does not end.
        fc.option(fc.record({ below: fc.nat(2_000), above: fc.nat(2_000) }), { nil: null }),
        (positions, tick, part, expected) => {
          const net = new Map<number, bigint>()
          let liquidity = 0n
          for (const { lower, width, liquidity: added } of positions) {
            net.set(lower, (net.get(lower) ?? 0n) + added)
            net.set(lower + width, (net.get(lower + width) ?? 0n) - added)
            if (lower <= tick && tick < lower + width) liquidity += added
          }
          const sqrtPriceX96 = BigInt(Math.floor(1.0001 ** ((tick + part) / 2) * 2 ** 96))
          const isKnown = (at: number) =>
            expected === null || (at >= tick - expected.below && at <= tick + expected.above)
          const ticks = [...net].filter(([at]) => isKnown(at)).sort(([x], [y]) => x - y)
          // A tick spacing at which curves reach the end of all prices.
          const state: ConcentratedState = { sqrtPriceX96, tick, liquidity, feePpm: 3_000, tickSpacing: 60, ticks }
          expectAlike(pool(id, { ...state, fee1Ppm: 500 }))
        },
      ),
    )
  },
)
