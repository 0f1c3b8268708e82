/** Tests of the reserves of concentrated positions, and of changes of a position. */
import { describe, expect, test } from 'vitest'
import type { ConcentratedState, Tick } from './concentrated.ts'
import { changeLiquidity, concentratedReserves } from './positions.ts'
import { sqrtRatioAtTick } from './ticks.ts'

const stateAt = (tick: number, liquidity: bigint, ticks: readonly Tick[]) =>
  ({ tick, sqrtPriceX96: sqrtRatioAtTick(tick), liquidity, ticks }) as unknown as ConcentratedState

describe('reserves', () => {
  const E18 = 10n ** 18n
  const ticks: readonly Tick[] = [
    [-100, E18, E18],
    [100, -E18, E18],
  ]
  const reservesAt = (tick: number) => concentratedReserves(stateAt(tick, 0n, ticks))

  test('of a position are token 1 below the price, and token 0 above it', () => {
    const [below0, below1] = reservesAt(-200)
    const [above0, above1] = reservesAt(200)
    expect([below1, above0]).toEqual([0n, 0n])
    // A range of 2 % holds about 1 % of its liquidity in one token, which is worth the same on both sides of price 1.
    expect(Number(below0) / 1e18).toBeCloseTo(1.0001 ** 50 - 1.0001 ** -50, 9)
    expect(above1 - below0).toBeLessThanOrEqual(1n)
    expect(below0 - above1).toBeLessThanOrEqual(1n)
  })

  test('at the price in its middle are half of each', () => {
    const [amount0, amount1] = reservesAt(0)
    expect(Number(amount0) / 1e18).toBeCloseTo(1 - 1.0001 ** -50, 9)
    expect(Number(amount1) / 1e18).toBeCloseTo(1 - 1.0001 ** -50, 9)
  })

  test('of gaps between positions are zero', () => {
    const apart: readonly Tick[] = [...ticks, [300, E18, E18], [400, -E18, E18]]
    const [, alone1] = reservesAt(200)
    const [amount0, amount1] = concentratedReserves(stateAt(200, 0n, apart))
    expect(amount1).toBe(alone1)
    expect(Number(amount0) / 1e18).toBeCloseTo(1.0001 ** -150 - 1.0001 ** -200, 9)
  })
})

describe('a changed position', () => {
  const ticks: readonly Tick[] = [
    [-20, 100n, 100n],
    [20, -100n, 100n],
  ]
  const changed = (tick: number, lower: number, upper: number, delta: bigint, of = ticks) =>
    changeLiquidity(stateAt(tick, 100n, of), lower, upper, delta)

  test.each([
    [-11, 100n],
    [-10, 107n],
    [0, 107n],
    [9, 107n],
    [10, 100n],
  ])('from tick -10 to tick 10 makes the liquidity at tick %d %s', (tick, liquidity) => {
    expect(changed(tick, -10, 10, 7n)!.liquidity).toBe(liquidity)
  })

  test('adds its ticks in their order', () => {
    expect(changed(0, -10, 10, 7n)!.ticks).toEqual([
      [-20, 100n, 100n],
      [-10, 7n, 7n],
      [10, -7n, 7n],
      [20, -100n, 100n],
    ])
    expect(changed(0, -30, 30, 7n)!.ticks).toEqual([
      [-30, 7n, 7n],
      [-20, 100n, 100n],
      [20, -100n, 100n],
      [30, -7n, 7n],
    ])
  })

  test('changes ticks that exist, and removes those without liquidity', () => {
    expect(changed(0, -20, 20, 7n)).toMatchObject({
      liquidity: 107n,
      ticks: [
        [-20, 107n, 107n],
        [20, -107n, 107n],
      ],
    })
    expect(changed(0, -20, 20, -40n)).toMatchObject({
      liquidity: 60n,
      ticks: [
        [-20, 60n, 60n],
        [20, -60n, 60n],
      ],
    })
    expect(changed(0, -20, 20, -100n)).toMatchObject({ liquidity: 0n, ticks: [] })
  })

  test('keeps a tick at which equal positions meet: its net liquidity is zero, but a position still ends there', () => {
    const adjacent = changed(0, 20, 40, 100n)!
    expect(adjacent.ticks).toEqual([
      [-20, 100n, 100n],
      [20, 0n, 200n],
      [40, -100n, 100n],
    ])
    expect(changed(0, 20, 40, -100n, adjacent.ticks)!.ticks).toEqual(ticks)
  })

  test('without a difference changes nothing', () => {
    const state = stateAt(0, 100n, ticks)
    expect(changeLiquidity(state, -10, 10, 0n)).toBe(state)
  })

  test('is not known if it takes from a tick that lacks the liquidity, or whose gross liquidity is unknown', () => {
    expect(changed(0, -10, 20, -7n)).toBeNull()
    expect(changed(0, -20, 10, -7n)).toBeNull()
    expect(changed(0, -20, 20, -101n)).toBeNull()
    expect(changed(0, -20, 20, 7n, [[-20, 100n, undefined] as unknown as Tick, ticks[1]!])).toBeNull()
  })
})
