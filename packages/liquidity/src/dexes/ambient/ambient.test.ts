/** Tests of levels, bitmap words, and refusals that the vectors do not cover, and of the price curve. */
import { type Address, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { describe, expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import { MAX_ROOT, MAX_TICK, MIN_ROOT, MIN_TICK, rootAtTick, tickAtRoot } from './curve.ts'
import { ambient } from './index.ts'
import { limitBitsOf, quote, swapExactInput } from './math.ts'
import type { AmbientState } from './types.ts'

const ONE = 1n << 64n
const token = toAddress(`0x${'b'.repeat(40)}`)
const dex = toAddress(`0x${'d'.repeat(40)}`)
const state: AmbientState = {
  feeRate: 3000n,
  protocolTake: 0n,
  priceRoot: ONE + 1n,
  ambientSeeds: 10n ** 21n,
  concLiq: 0n,
  seedDeflator: 0n,
  concGrowth: 0n,
  levels: [],
}
const poolOf = (overrides: Partial<AmbientState>): Pool<AmbientState> => {
  const tokens: readonly Address[] = [ZERO_ADDRESS, token]
  return {
    id: 'x',
    family: 'ambient',
    dex: 'test',
    address: dex,
    tokens,
    fixed: { poolIdx: 420 },
    state: { ...state, ...overrides },
  }
}
const refusal = (code: string) => expect.objectContaining({ code })
const lots = (amount: bigint) => amount << 1n

test('prices of ticks end at the limits of the contract', () => {
  expect(rootAtTick(MIN_TICK)).toBe(MIN_ROOT)
  expect(rootAtTick(MAX_TICK)).toBe(MAX_ROOT)
  for (const tick of [MIN_TICK, -70_000, -257, -256, -1, 0, 1, 255, 256, 66_000, MAX_TICK - 1]) {
    expect(tickAtRoot(rootAtTick(tick))).toBe(tick)
    if (tick > MIN_TICK) expect(tickAtRoot(rootAtTick(tick) - 1n)).toBe(tick - 1)
  }
})

describe('levels', () => {
  const range = (lower: number, upper: number, amount: bigint): Partial<AmbientState> => ({
    levels: [
      [lower, lots(amount), 0n],
      [upper, 0n, lots(amount)],
    ],
  })

  test('add liquidity when crossed, and remove it again', () => {
    const pool = poolOf(range(10, 400, 10n ** 18n))
    const inside = swapExactInput(pool.state, true, 10n ** 18n, rootAtTick(100))
    expect(inside.levelsCrossed).toBe(1)
    expect(inside.state.concLiq).toBe(lots(10n ** 18n) << 10n)
    const beyond = swapExactInput(pool.state, true, 10n ** 30n, rootAtTick(600))
    expect(beyond.levelsCrossed).toBe(2)
    expect(beyond.state.concLiq).toBe(0n)
    expect(beyond.state.priceRoot).toBe(rootAtTick(600))
  })

  test('at the end of a bitmap word are crossed once', () => {
    const up = swapExactInput(poolOf(range(256, 300, 10n ** 18n)).state, true, 10n ** 30n, rootAtTick(280))
    expect({ crossed: up.levelsCrossed, concLiq: up.state.concLiq }).toEqual({
      crossed: 1,
      concLiq: lots(10n ** 18n) << 10n,
    })
    const down = swapExactInput(poolOf(range(-300, -256, 10n ** 18n)).state, false, 10n ** 30n, rootAtTick(-280))
    expect({ crossed: down.levelsCrossed, concLiq: down.state.concLiq }).toEqual({
      crossed: 1,
      concLiq: lots(10n ** 18n) << 10n,
    })
  })

  test('with knockout liquidity make the pool refuse further quotes once crossed', () => {
    const knockout: Partial<AmbientState> = {
      concLiq: lots(10n ** 18n) << 10n,
      levels: [
        [-10, lots(10n ** 18n) | 1n, 0n],
        [16, 0n, lots(10n ** 18n)],
      ],
    }
    const swap = swapExactInput(poolOf(knockout).state, false, 10n ** 30n, rootAtTick(-50))
    expect(swap.state).toMatchObject({ knockedOut: true, concLiq: 0n })
    expect(() => quote(swap.state, true, 10n ** 18n)).toThrow(refusal('UNSUPPORTED'))
  })
})

test('a price limit is a power of two from 16 to 32 times the root away', () => {
  for (const root of [1n << 40n, (1n << 64n) - 1n, 1n << 64n, (1n << 64n) + 1n, (1n << 100n) + 12_345n]) {
    const changedState = { ...state, priceRoot: root }
    const [up, down] = [1n << BigInt(limitBitsOf(changedState, true)), 1n << BigInt(limitBitsOf(changedState, false))]
    expect(up).toBeGreaterThanOrEqual(16n * root)
    expect(up).toBeLessThanOrEqual(32n * root)
    expect(down).toBeLessThanOrEqual(root / 16n)
    expect(down * 32n).toBeGreaterThanOrEqual(root / 2n)
  }
  // The program's limits count from the state that was read, also for a second swap.
  const { state: moved } = swapExactInput(state, true, 10n ** 30n, rootAtTick(60_000))
  expect(limitBitsOf(moved, true)).toBe(limitBitsOf(state, true))
  expect(limitBitsOf(swapExactInput(moved, true, 10n ** 30n, rootAtTick(70_000)).state, false)).toBe(
    limitBitsOf(state, false),
  )
  expect(1n << BigInt(limitBitsOf({ ...state, priceRoot: MAX_ROOT - 1n }, true))).toBeLessThan(MAX_ROOT)
  expect(1n << BigInt(limitBitsOf({ ...state, priceRoot: MIN_ROOT }, false))).toBeGreaterThan(MIN_ROOT)
})

test('a partial fill and an output of zero are refused', () => {
  expect(() => quote(state, true, 10n ** 30n)).toThrow(refusal('TOO_LARGE'))
  expect(() => quote(state, true, 1n << 127n)).toThrow(refusal('TOO_LARGE'))
  expect(() => quote(state, true, 3n)).toThrow(refusal('TOO_SMALL'))
  expect(() => quote({ ...state, priceRoot: MAX_ROOT - 1n }, true, 10n ** 18n)).toThrow(refusal('TOO_LARGE'))
})

test('both curves match the quotes', () => {
  const pool = poolOf({ ambientSeeds: 10n ** 22n })
  for (const [sold, bought] of [
    [ZERO_ADDRESS, token],
    [token, ZERO_ADDRESS],
  ] as const) {
    const { sqrtPrice, keepIn, keepOut } = ambient.priceCurve(pool, sold, bought)
    const { amountOut } = ambient.quoteExactInput(pool, sold, bought, 10n ** 15n)
    expect(Number(amountOut) / 1e15).toBeCloseTo(sqrtPrice[0]! ** 2 * keepIn * keepOut, 5)
  }
  const [base, quoteHeld] = ambient.reserves(pool)
  expect(Number(base) / 1e22).toBeCloseTo(1, 4)
  expect(Number(quoteHeld) / 1e22).toBeCloseTo(1, 4)
})

test('the step names the kind of pool and the limit', () => {
  const step = ambient.step(poolOf({}), token, ZERO_ADDRESS, { kind: 'rest' }, { kind: 'executor' })
  expect(step).toMatchObject({ op: 'ambient', dex, tokenOut: ZERO_ADDRESS, poolIdx: 420, limitBits: 60 })
})

test('the flag of knockout liquidity counts neither in the reserves nor in the price curve', () => {
  const ranged = (flag: bigint) =>
    poolOf({
      ambientSeeds: 10n ** 6n,
      concLiq: lots(10n ** 5n) << 10n,
      levels: [
        [-1_000, lots(10n ** 5n) | flag, 0n],
        [1_000, 0n, lots(10n ** 5n) | flag],
      ],
    })
  expect(ambient.reserves(ranged(1n))).toEqual(ambient.reserves(ranged(0n)))
  // One lot is 1,024 units of liquidity; between two prices these are worth L · (√b − √a).
  const [, quoteTokens] = ambient.reserves(ranged(0n))
  const expected = 2 * 10 ** 5 * 1_024 * (1 - 1.0001 ** -500) + 10 ** 6
  expect(Number(quoteTokens) / expected).toBeCloseTo(1, 2)
})

test('an output of exactly nothing is refused, too', () => {
  const shallow = { ...state, ambientSeeds: 10n ** 6n }
  const outputs = Array.from(
    { length: 64 },
    (_, k) => swapExactInput(shallow, true, BigInt(k + 1), MAX_ROOT - 1n).amountOut,
  )
  expect(outputs).toContain(0n)
  for (const [k, output] of outputs.entries())
    if (output <= 0n) expect(() => quote(shallow, true, BigInt(k + 1))).toThrow(refusal('TOO_SMALL'))
    else expect(quote(shallow, true, BigInt(k + 1)).amountOut).toBe(output)
})
