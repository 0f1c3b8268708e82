/** Limits, exact outputs, and reserves; known answers of genuine pools are in vectors/genuine/kyber-elastic.json.gz. */
import { describe, expect, test } from 'vitest'
import { PoolRefusal } from '../../family.ts'
import { amount0Between, amount1Between } from '../../math/concentrated.ts'
import { MAX_TICK, MIN_SQRT_RATIO, MIN_TICK, sqrtRatioAtTick } from '../../math/ticks.ts'
import { curveOf } from './curve.ts'
import { inputForOutput, maxInput, reservesOf, stepsOf, swapExactInput } from './math.ts'
import type { KyberElasticState } from './types.ts'

const LIQUIDITY = 10n ** 24n
const REINVESTED = 10n ** 20n
const state: KyberElasticState = {
  sqrtPriceX96: sqrtRatioAtTick(0),
  tick: 0,
  liquidity: LIQUIDITY,
  reinvestedLiquidity: REINVESTED,
  feePpm: 3_000,
  tickSpacing: 60,
  ticks: [
    [-6_000, LIQUIDITY, LIQUIDITY],
    [6_000, -LIQUIDITY, LIQUIDITY],
  ],
  lowestTick: MIN_TICK,
  highestTick: MAX_TICK,
}
const outputOf = (zeroForOne: boolean, amountIn: bigint) => swapExactInput(state, zeroForOne, amountIn).amountOut
const refusalOf = (compute: () => unknown) => {
  try {
    compute()
  } catch (error) {
    if (error instanceof PoolRefusal) return { code: error.code, isModelLimit: error.isModelLimit }
    throw error
  }
  return undefined
}

describe.each([true, false])('swaps, first token sold: %s', (zeroForOne) => {
  test('a part of the input becomes liquidity', () => {
    const { state: after, amountOut } = swapExactInput(state, zeroForOne, 10n ** 21n)
    expect(after.liquidity).toBe(LIQUIDITY)
    const added = after.reinvestedLiquidity - REINVESTED
    // Half of the fee, as liquidity at price 1.
    expect(added).toBe((10n ** 21n * 3n) / 2_000n)
    expect(amountOut).toBeLessThan((10n ** 21n * 997n) / 1_000n)
  })

  test('reinvested fees are all that trades beyond the positions', () => {
    const steps = [...stepsOf(state, zeroForOne)]
    const beyond = steps.filter(({ liquidity }) => liquidity < LIQUIDITY)
    expect(beyond.length).toBeGreaterThan(100)
    const inside = steps
      .slice(0, steps.length - beyond.length)
      .reduce((sum, { inputToTarget }) => sum + inputToTarget, 0n)
    const { state: after, ticksCrossed } = swapExactInput(state, zeroForOne, inside)
    expect(ticksCrossed).toBe(1)
    expect(after.liquidity).toBe(0n)
    expect(after.reinvestedLiquidity).toBe(beyond[0]!.liquidity)
  })

  test('an input ends at the maximum number of steps', () => {
    const largest = maxInput(state, zeroForOne)!
    expect(swapExactInput(state, zeroForOne, largest).emptySteps).toBe(128)
    expect(refusalOf(() => outputOf(zeroForOne, largest + 1n))).toEqual({ code: 'TOO_LARGE', isModelLimit: true })
  })

  test('the minimum input of an output buys it, and one unit less does not', () => {
    const whole = outputOf(zeroForOne, maxInput(state, zeroForOne)!)
    for (const amountOut of [1n, 12_345n, whole / 1_000n, whole / 3n, whole - 1n, whole]) {
      const amountIn = inputForOutput(state, zeroForOne, amountOut)!
      expect(outputOf(zeroForOne, amountIn)).toBeGreaterThanOrEqual(amountOut)
      expect(outputOf(zeroForOne, amountIn - 1n)).toBeLessThan(amountOut)
    }
    expect(inputForOutput(state, zeroForOne, whole + 1n)).toBeNull()
  })

  test('the curve pays what the pool pays, but for the fee of a step', () => {
    const { sqrtPrice, liquidity, keepIn } = curveOf(state, zeroForOne)
    let [input, output] = [0, 0]
    for (let k = 0; k < liquidity.length && k < 12; k++) {
      const [from, to] = [sqrtPrice[k]!, sqrtPrice[k + 1]!]
      input += (liquidity[k]! * (from - to)) / (from * to) / keepIn
      output += liquidity[k]! * (from - to)
      const paid = Number(outputOf(zeroForOne, BigInt(Math.round(input))))
      expect(output / paid).toBeGreaterThan(1 - 1e-9)
      expect(output / paid).toBeLessThan(1 + 4e-5)
    }
  })
})

test('a swap ends where the ticks end that were read', () => {
  const partial = { ...state, ticks: [], lowestTick: -6_000, highestTick: 6_000 }
  for (const zeroForOne of [true, false]) {
    const largest = maxInput(partial, zeroForOne)!
    const { state: after, amountOut } = swapExactInput(partial, zeroForOne, largest)
    expect(after.sqrtPriceX96).toBe(sqrtRatioAtTick(zeroForOne ? -6_000 : 6_000))
    expect(amountOut).toBe(outputOf(zeroForOne, largest))
    expect(refusalOf(() => swapExactInput(partial, zeroForOne, largest + 1n))).toEqual({
      code: 'TOO_LARGE',
      isModelLimit: true,
    })
    // On the way back the pool crosses the same tick first.
    const back = swapExactInput(after, !zeroForOne, amountOut)
    expect(back.amountOut).toBe(
      swapExactInput(swapExactInput(state, zeroForOne, largest).state, !zeroForOne, amountOut).amountOut,
    )
  }
  const untouched = { ...partial, lowestTick: 0, highestTick: 0 }
  expect(maxInput(untouched, false)).toBe(0n)
  expect(maxInput(untouched, true)).toBe(0n)
})

test('a swap ends at the lowest price', () => {
  const low = {
    ...state,
    sqrtPriceX96: sqrtRatioAtTick(-880_000),
    tick: -880_000,
    liquidity: 0n,
    reinvestedLiquidity: 10n ** 9n,
  }
  const largest = maxInput(low, true)!
  expect(swapExactInput(low, true, largest).state.sqrtPriceX96).toBe(MIN_SQRT_RATIO + 1n)
  expect(refusalOf(() => swapExactInput(low, true, largest + 1n))).toEqual({ code: 'TOO_LARGE', isModelLimit: false })
})

test('states without a price, and impossible ones, are refused', () => {
  const refused = (changes: Partial<KyberElasticState>, amountIn = 1_000n) =>
    refusalOf(() => swapExactInput({ ...state, ...changes }, true, amountIn))?.code
  expect(refused({ sqrtPriceX96: 0n })).toBe('EMPTY')
  expect(maxInput({ ...state, sqrtPriceX96: 0n }, true)).toBe(0n)
  expect(refused({ sqrtPriceX96: sqrtRatioAtTick(-7_000) })).toBe('UNSUPPORTED')
  expect(refused({ reinvestedLiquidity: 1n << 128n })).toBe('EMPTY')
  expect(refused({ feePpm: 1_999_999 })).toBe('UNSUPPORTED')
  expect(refused({}, 0n)).toBe('TOO_SMALL')
  expect(refused({}, 1n << 255n)).toBe('TOO_LARGE')
})

test('reserves are those of positions and of reinvested fees', () => {
  const [lower, price, upper] = [-6_000, 0, 6_000].map(sqrtRatioAtTick) as [bigint, bigint, bigint]
  const [amount0, amount1] = reservesOf(state)
  const [positions0, positions1] = [
    amount0Between(price, upper, LIQUIDITY, false),
    amount1Between(lower, price, LIQUIDITY, false),
  ]
  // At price 1 reinvested liquidity holds as much of each token.
  for (const excess of [amount0 - positions0 - REINVESTED, amount1 - positions1 - REINVESTED]) {
    expect(excess).toBeGreaterThan(-100n)
    expect(excess).toBeLessThan(100n)
  }
  expect(reservesOf({ ...state, sqrtPriceX96: 0n })).toEqual([0n, 0n])
})
