/** Swaps checked against the deployed contract, which differed while all 160 vectors matched. */
import { describe, expect, test } from 'vitest'
import { sqrtRatioAtTick } from '../../math/ticks.ts'
import { curveOf } from './curve.ts'
import { sellExact, sellUpTo } from './math.ts'
import type { IziswapState, LiquidityPoint } from './types.ts'

const point = (at: number, overrides: Partial<LiquidityPoint>): LiquidityPoint => ({
  point: at,
  endpoint: false,
  order: false,
  liquidityNet: 0n,
  sellingX: 0n,
  sellingY: 0n,
  ...overrides,
})
const stateAt = (at: number, more: Omit<IziswapState, 'point' | 'sqrtPriceX96'>): IziswapState => ({
  point: at,
  sqrtPriceX96: sqrtRatioAtTick(at),
  ...more,
})

test('the amount of X in whole points is computed from the price step below the upper price', () => {
  const whole = 16_101_196_419_128_174_713n
  const rest = 136_407_479_312_760_965n
  const state = stateAt(-406_617, {
    liquidity: whole + rest,
    liquidityX: whole + rest,
    feePpm: 400,
    pointDelta: 8,
    points: [
      point(-406_616, { endpoint: true, liquidityNet: -whole }),
      point(-405_512, { endpoint: true, liquidityNet: -rest }),
    ],
  })
  expect(sellExact(state, false, 40_127_639_086n).amountOut).toBe(18_232_361_786_653_670_855_670_012_560n)
})

test('a swap from below without liquidity fills the last orders', () => {
  const state = stateAt(13_720, {
    liquidity: 0n,
    liquidityX: 0n,
    feePpm: 2_000,
    pointDelta: 40,
    points: [point(18_840, { order: true, sellingX: 90_254_254_116_831_184_402_738n })],
  })
  expect(sellExact(state, false, 425_759_106_643n).amountOut).toBe(64_583_948_198n)
  expect(sellExact(state, false, 194n).amountOut).toBe(29n)
})

test('an order in a range pays no more than the curve', () => {
  const state = stateAt(0, {
    liquidity: 11n * 10n ** 15n,
    liquidityX: 0n,
    feePpm: 400,
    pointDelta: 8,
    points: [
      point(-16, { order: true, sellingY: 3n * 10n ** 15n }),
      point(-800, { endpoint: true, liquidityNet: 11n * 10n ** 15n }),
    ].toReversed(),
  })
  const curve = curveOf(state, true)
  let compared = 0
  for (let amountIn = 10n ** 15n; amountIn < 4n * 10n ** 17n; amountIn += 10n ** 15n) {
    const output = Number(sellExact(state, true, amountIn).amountOut)
    const beyond = output / outputOfCurve(curve, Number(amountIn) * curve.keepIn) - 1
    expect(beyond, String(amountIn)).toBeLessThanOrEqual(curve.outputError!)
    compared++
  }
  expect(compared).toBe(399)
})

/** @param amountIn - after the fee */
function outputOfCurve({ sqrtPrice, liquidity }: ReturnType<typeof curveOf>, amountIn: number): number {
  let [rest, output] = [amountIn, 0]
  for (const [k, depth] of liquidity.entries()) {
    const [from, to] = [sqrtPrice[k]!, sqrtPrice[k + 1]!]
    const width = depth === 0 ? 0 : (depth * (from - to)) / (from * to)
    const end = rest >= width ? to : from / (1 + (rest * from) / depth)
    output += depth * (from - end)
    rest -= Math.min(rest, width)
    if (rest === 0) break
  }
  return output
}

test.each([
  ['X', true, { sellingY: 500n }],
  ['Y', false, { sellingX: 500n }],
])('an order at the current point is filled for %s, without liquidity or other points', (_, zeroForOne, order) => {
  const noLiquidity = { liquidity: 0n, liquidityX: 0n, feePpm: 10_000, pointDelta: 8 }
  const state = stateAt(0, { ...noLiquidity, points: [point(0, { order: true, ...order })] })
  // At point 0, both tokens have the same price. The fee is 1 %.
  const trade = sellExact(state, zeroForOne, 100n)
  expect([trade.amountOut, trade.pointsPassed, trade.state.point]).toEqual([99n, 1, 0])
  const [[remaining]] = [trade.state.points]
  expect([remaining!.sellingX + remaining!.sellingY, remaining!.order]).toEqual([401n, true])
  // An order behind the current point is not in reach.
  const behind = { ...state, points: [point(zeroForOne ? 8 : -8, { order: true, ...order })] }
  expect(() => sellExact(behind, zeroForOne, 100n)).toThrow('too little to buy anything')
})

describe('a trade that ends in an order stays at its point', () => {
  const noLiquidity = { liquidity: 0n, liquidityX: 0n, feePpm: 0, pointDelta: 8 }

  test.each([
    ['X', true, -8],
    ['Y', false, 8],
  ])('if %s pays for the whole order', (_, zeroForOne, nextPoint) => {
    const order = { order: true, sellingX: 100n, sellingY: 100n }
    const points = [point(0, order), point(nextPoint, order)].sort((a, b) => a.point - b.point)
    const { amountIn, amountOut, pointsPassed, state } = sellUpTo(
      stateAt(0, { ...noLiquidity, points }),
      zeroForOne,
      100n,
    )
    expect([amountIn, amountOut, pointsPassed, state.point]).toEqual([100n, 100n, 1, 0])
  })

  test('if the rest of the input buys nothing at its price', () => {
    // At point 20,000, one X costs about 7.39 Y. The cost is rounded up twice.
    const order = { order: true, sellingX: 500n }
    const state = stateAt(20_000, { ...noLiquidity, points: [point(20_000, order), point(20_008, order)] })
    const trade = sellUpTo(state, false, 100n)
    expect([trade.amountIn, trade.amountOut, trade.pointsPassed, trade.state.point]).toEqual([98n, 13n, 1, 20_000])
  })
})
