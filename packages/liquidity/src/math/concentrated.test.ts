/** Tests swaps in tick pools: known answers of Uniswap/v3-core, and properties of random pools. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PoolRefusal } from '../family.ts'
import {
  amount0Between,
  amount1Between,
  type ConcentratedState,
  inputForOutput,
  lastIndexAtOrBelow,
  listEnd,
  maxConcentratedInput,
  swapExactInput,
  type Tick,
  wordEnd,
} from './concentrated.ts'
import { MAX_TICK, MIN_TICK, sqrtRatioAtTick, tickAtSqrtRatio } from './ticks.ts'

const E18 = 10n ** 18n
const Q96 = 1n << 96n
const refusal = (code: string) => expect.objectContaining({ code })
/** A pool at a price of one with liquidity at all prices. */
const full = (liquidity: bigint): ConcentratedState => ({
  ...{ sqrtPriceX96: Q96, tick: 0, liquidity, feePpm: 0, tickSpacing: 60 },
  ticks: [
    [-887_220, liquidity],
    [887_220, -liquidity],
  ],
})

describe('known answers of the tests of SqrtPriceMath and SwapMath', () => {
  test('a tenth of a token moves the price', () => {
    const swapped = (zeroForOne: boolean) => swapExactInput(full(E18), 0, zeroForOne, E18 / 10n).state.sqrtPriceX96
    expect(swapped(false)).toBe(87150978765690771352898345369n)
    expect(swapped(true)).toBe(72025602285694852357767227579n)
  })

  test('amounts between prices of 1 and 1.21', () => {
    const upper = 87150978765690771352898345369n
    expect(amount0Between(Q96, upper, E18, true)).toBe(90909090909090910n)
    expect(amount0Between(Q96, upper, E18, false)).toBe(90909090909090909n)
    expect(amount1Between(Q96, upper, E18, true)).toBe(100000000000000000n)
    expect(amount1Between(Q96, upper, E18, false)).toBe(99999999999999999n)
  })

  test('an input is spent with a fee of 600 ppm', () => {
    expect(swapExactInput(full(2n * E18), 600, false, E18).amountOut).toBe(666399946655997866n)
  })
})

test('the last tick at or below a tick', () => {
  const ticks: readonly Tick[] = [
    [-60, 1n],
    [0, 1n],
    [120, -2n],
  ]
  expect([-61, -60, -59, -1, 0, 1, 119, 120, 121].map((tick) => lastIndexAtOrBelow(ticks, tick))).toEqual([
    ...[-1, 0, 0, 0, 1, 1, 1, 2, 2],
  ])
})

test('a step ends at the end of the word that it looks up', () => {
  expect([0, 255, -1, -256, -257].map((tick) => wordEnd(tick, 1, true))).toEqual([0, 0, -256, -256, -512])
  // Upward, the search begins at the next tick.
  expect([0, 254, 255, -1, -2, -257].map((tick) => wordEnd(tick, 1, false))).toEqual([255, 255, 511, 255, -1, -1])
  expect([wordEnd(59, 60, true), wordEnd(59, 60, false), wordEnd(-1, 60, true)]).toEqual([0, 15_300, -15_360])
  expect([wordEnd(MAX_TICK, 1, false), wordEnd(MIN_TICK, 1, true)]).toEqual([MAX_TICK, MIN_TICK])
  expect([listEnd(5, 1, true), listEnd(5, 1, false)]).toEqual([MIN_TICK, MAX_TICK])
})

test('refusals name their reason', () => {
  const pool = full(E18)
  const unpriced = { ...pool, sqrtPriceX96: 0n }
  expect(() => swapExactInput(unpriced, 0, true, E18)).toThrow('no price yet')
  expect(maxConcentratedInput(unpriced, 0, true)).toBe(0n)
  for (const amountIn of [0n, -1n]) expect(() => swapExactInput(pool, 0, true, amountIn)).toThrow(refusal('TOO_SMALL'))
  const tooLarge = () => swapExactInput(pool, 0, true, 1n << 255n)
  expect(tooLarge).toThrow('an amount of 2^255 or more')
  expect(() => swapExactInput({ ...pool, liquidity: 0n, ticks: [] }, 0, true, E18)).toThrow(refusal('EMPTY'))
})

test('a swap that ends exactly on an initialized tick crosses it, and a unit less does not', () => {
  const pool: ConcentratedState = {
    ...full(E18),
    ticks: [
      [-60, E18],
      [60, -E18],
    ],
  }
  for (const zeroForOne of [true, false]) {
    const max = maxConcentratedInput(pool, 3_000, zeroForOne)!
    const end = zeroForOne ? -60 : 60
    const whole = swapExactInput(pool, 3_000, zeroForOne, max)
    expect(whole).toMatchObject({
      ticksCrossed: 1,
      state: { liquidity: 0n, sqrtPriceX96: sqrtRatioAtTick(end), tick: zeroForOne ? -61 : 60 },
    })
    const less = swapExactInput(pool, 3_000, zeroForOne, max - 2n)
    expect(less).toMatchObject({ ticksCrossed: 0, state: { liquidity: E18 } })
    expect(less.state.tick).toBe(tickAtSqrtRatio(less.state.sqrtPriceX96))
    expect(() => swapExactInput(pool, 3_000, zeroForOne, max + 1n)).toThrow(refusal('TOO_LARGE'))
    expect(() => swapExactInput(whole.state, 3_000, zeroForOne, 1n)).toThrow(refusal('EMPTY'))
  }
})

test('a trade walks at most 256 words beyond its own', () => {
  const far = (tick: number): ConcentratedState => ({
    ...{ sqrtPriceX96: Q96, tick: 0, liquidity: 0n, feePpm: 0, tickSpacing: 1 },
    ticks: [
      [tick, E18],
      [tick + 10, -E18],
    ],
  })
  // Upward, the first word ends at 255.
  expect(swapExactInput(far(255 + 65_536 - 10), 0, false, 1_000n).wordsWalked).toBe(256)
  const beyond = () => swapExactInput(far(255 + 65_536 + 1), 0, false, 1_000n)
  expect(beyond).toThrow(refusal('TOO_LARGE'))
  expect(maxConcentratedInput(far(255 + 65_536 + 1), 0, false)).toBe(0n)
  expect(swapExactInput(far(255 + 65_536 + 1), 0, false, 1_000n, listEnd).wordsWalked).toBe(0)
})

describe('random pools', () => {
  const SPACING = 10
  const liquidities = fc.bigInt({ min: 10n ** 12n, max: 10n ** 24n })
  const positions = fc.array(
    fc.tuple(fc.integer({ min: -40, max: 39 }), fc.integer({ min: 1, max: 30 }), liquidities),
    { minLength: 1, maxLength: 6 },
  )
  const pools = fc.tuple(positions, fc.integer({ min: -300, max: 300 })).map(([rows, tick]): ConcentratedState => {
    const net = new Map<number, bigint>()
    const add = (at: number, amount: bigint) => net.set(at, (net.get(at) ?? 0n) + amount)
    let liquidity = 0n
    for (const [start, width, amount] of rows) {
      const [lower, upper] = [start * SPACING, (start + width) * SPACING]
      add(lower, amount)
      add(upper, -amount)
      if (lower <= tick && tick < upper) liquidity += amount
    }
    const ticks = [...net].filter(([, amount]) => amount !== 0n).sort(([a], [b]) => a - b)
    return {
      sqrtPriceX96: sqrtRatioAtTick(tick) + 12_345n,
      tick,
      liquidity,
      feePpm: 3_000,
      tickSpacing: SPACING,
      ticks,
    }
  })
  const directions = fc.boolean()

  test('the largest input is accepted, one unit more is not, and a round trip earns nothing', () => {
    let swaps = 0
    fc.assert(
      fc.property(pools, directions, fc.integer({ min: 1, max: 1_000 }), (pool, zeroForOne, part) => {
        const max = maxConcentratedInput(pool, 3_000, zeroForOne)!
        expect(() => swapExactInput(pool, 3_000, zeroForOne, max + 1n)).toThrow(PoolRefusal)
        const amountIn = (max * BigInt(part)) / 1_000n
        if (amountIn === 0n) return
        expect(swapExactInput(pool, 3_000, zeroForOne, max).state.liquidity).toBe(0n)
        const there = swapExactInput(pool, 3_000, zeroForOne, amountIn)
        if (there.amountOut === 0n) return
        const back = swapExactInput(there.state, 3_000, !zeroForOne, there.amountOut)
        // The fee of the first swap never comes back; that of the second is less than the same part.
        expect(back.amountOut * 1_000n).toBeLessThanOrEqual(amountIn * 997n)
        if (amountIn > 10n ** 9n) expect(Number(back.amountOut) / Number(amountIn)).toBeGreaterThan(0.997 ** 2 - 1e-4)
        swaps++
      }),
    )
    expect(swaps).toBeGreaterThan(30)
  })

  test('the input for an output buys it, up to a few units, and not much less does', () => {
    let solvedCount = 0
    fc.assert(
      fc.property(pools, directions, fc.integer({ min: 1, max: 999 }), (pool, zeroForOne, part) => {
        const max = maxConcentratedInput(pool, 3_000, zeroForOne)!
        const amount = (max * BigInt(part)) / 1_000n
        if (amount < 10n ** 6n) return
        const { amountOut } = swapExactInput(pool, 3_000, zeroForOne, amount)
        const input = inputForOutput(pool, 3_000, zeroForOne, amountOut)!
        expect(input).toBeLessThanOrEqual(amount)
        expect(swapExactInput(pool, 3_000, zeroForOne, input + 8n).amountOut).toBeGreaterThanOrEqual(amountOut)
        const all = swapExactInput(pool, 3_000, zeroForOne, max).amountOut
        expect(inputForOutput(pool, 3_000, zeroForOne, all + 100n)).toBeNull()
        solvedCount++
      }),
    )
    expect(solvedCount).toBeGreaterThan(30)
  })
})
