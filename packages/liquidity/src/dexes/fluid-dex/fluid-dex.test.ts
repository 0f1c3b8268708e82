/** Tests of discovery, and of exact limits that the vectors do not reach; expected values computed by hand. */
import { FluidDexLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { describe, expect, test } from 'vitest'
import { approximateMaxInput, quote } from './math.ts'
import { findPools } from './state.ts'
import type { FluidDexState, FluidReserves } from './types.ts'

const DEEP = 10n ** 15n
const PRICE_ONE = 10n ** 27n
type Pair = readonly [bigint, bigint]
const curve = (imaginary: Pair, real: Pair = imaginary): FluidReserves => ({ imaginary, real: real })

/** A pool with one curve of equal depth and no fee. */
const pool = (overrides: Partial<FluidDexState> = {}): FluidDexState => ({
  paused: false,
  feePpm: 0n,
  lastPrice: PRICE_ONE,
  centerPrice: PRICE_ONE,
  collateral: curve([DEEP, DEEP]),
  debt: null,
  decimals: [12n, 12n],
  ...overrides,
})
const refused = (code: string) => expect.objectContaining({ code })
const buys = (state: FluidDexState, zeroForOne: boolean, amountIn: bigint) =>
  quote(state, zeroForOne, amountIn).amountOut

describe('amounts', () => {
  test('must be at least a millionth of a token and a hundred base units', () => {
    expect(buys(pool(), true, 1_000_000n)).toBe(999_999n)
    expect(() => quote(pool(), true, 999_999n)).toThrow(refused('TOO_SMALL'))
    const coarse = pool({ decimals: [4n, 12n] })
    expect(buys(coarse, true, 100n)).toBe(9_999_900_000n)
    expect(() => quote(coarse, true, 99n)).toThrow(refused('TOO_SMALL'))
  })

  test('must fit 96 bits', () => {
    const maxInput = 2n ** 96n - 1n
    const huge = pool({ collateral: curve([2n ** 104n, 2n ** 104n]) })
    expect(buys(huge, true, maxInput)).toBe((maxInput * 2n ** 104n) / (2n ** 104n + maxInput))
    expect(() => quote(huge, true, maxInput + 1n)).toThrow(refused('TOO_LARGE'))
  })

  test('must be at most half of the depth', () => {
    // From a price of 1 to (2/3) / (3/2) = 4/9.
    const falling = pool({ lastPrice: (PRICE_ONE * 4n) / 9n })
    expect(buys(falling, true, DEEP / 2n)).toBe(DEEP / 3n)
    expect(() => quote(falling, true, DEEP / 2n + 1n)).toThrow(refused('TOO_LARGE'))
  })

  test('are refused if the output is below one base unit or the pool has no curves', () => {
    expect(() => quote(pool({ decimals: [12n, 2n] }), true, 1_000_000n)).toThrow(refused('TOO_SMALL'))
    expect(() => quote(pool({ collateral: null }), true, 1_000_000n)).toThrow(refused('EMPTY'))
  })
})

describe('remaining reserves', () => {
  const amountIn = 10n ** 13n
  const out = (amountIn * DEEP) / (DEEP + amountIn)

  test('must be worth at least a ten-thousandth of the other reserve, at the center price', () => {
    for (const zeroForOne of [true, false]) {
      const left = 10n ** 10n
      const reserves = (less: bigint): Pair => {
        const [sold, bought] = [left * 10_000n - amountIn, out + left - less]
        return zeroForOne ? [sold, bought] : [bought, sold]
      }
      const leaving = (less: bigint) => pool({ collateral: curve([DEEP, DEEP], reserves(less)) })
      expect(buys(leaving(0n), zeroForOne, amountIn)).toBe(out)
      expect(() => quote(leaving(1n), zeroForOne, amountIn)).toThrow(refused('TOO_LARGE'))
    }
  })

  test('must not be negative', () => {
    const short = pool({ collateral: curve([DEEP, DEEP], [DEEP, out - 1n]) })
    expect(() => quote(short, true, amountIn)).toThrow(refused('TOO_LARGE'))
  })

  test('are not checked for a curve that takes no part', () => {
    // The debt curve has a far worse price, so the whole input goes to the other.
    const debt = curve([DEEP, DEEP / 100n], [DEEP, 0n])
    expect(buys(pool({ debt }), true, amountIn)).toBe(out)
  })
})

test('the price moves by at most a twentieth of the final price', () => {
  // The price falls to 998002996004633727729993168, or rises to 1002001000000241482362121029.
  for (const [zeroForOne, amountIn, stored] of [
    [true, 1_000_000_000_181n, 1_047_903_145_804_865_415_114_495_822n],
    [false, 1_000_000_000_121n, 951_900_950_000_229_408_244_014_978n],
  ] as const) {
    const away = zeroForOne ? 1n : -1n
    expect(buys(pool({ lastPrice: stored }), zeroForOne, amountIn)).toBeGreaterThan(0n)
    expect(() => quote(pool({ lastPrice: stored + away }), zeroForOne, amountIn)).toThrow(refused('TOO_LARGE'))
  }
})

test('an input is divided by the roots of both products, scaled by 18 decimals', () => {
  const between = (collateral: Pair, debt: Pair) =>
    buys(pool({ collateral: curve(collateral), debt: curve(debt) }), true, 1_000_000n)
  // With the roots of the unscaled products, both results would be one more.
  expect(between([30_000_007n, 30_000_014n], [30_000_002n, 29_999_958n])).toBe(983_604n)
  expect(between([30_000_007n, 30_000_011n], [30_000_002n, 29_999_967n])).toBe(983_605n)
})

describe('findings of random tests against the deployed pool', () => {
  test('the price includes the fee, without the protocol cut', () => {
    const fees = { feePpm: 10_000n }
    // Ends at (10^15 − 19,415,571,680,721) / (10^15 + 20,000,000,000,000) including the fee, and closer to one without
    // it.
    const stored = ((DEEP - 19_415_571_680_721n) * PRICE_ONE) / (DEEP + 20_000_000_000_000n)
    const maxStored = (stored * 105n) / 100n
    const less = ((DEEP - 19_415_571_680_721n) * PRICE_ONE) / (DEEP + 19_820_000_000_000n)
    expect(buys(pool({ ...fees, lastPrice: maxStored }), true, 20_000_000_000_000n)).toBe(19_415_571_680_721n)
    const beyond = pool({ ...fees, lastPrice: (less * 105n) / 100n })
    expect(() => quote(beyond, true, 20_000_000_000_000n)).toThrow(refused('TOO_LARGE'))
    expect(buys({ ...beyond, revenueCut: 90n }, true, 20_000_000_000_000n)).toBe(19_415_571_680_721n)
  })

  test('the repaid amount, including the fee, is at most the debt', () => {
    const state = pool({
      feePpm: 10_000n,
      collateral: null,
      debt: curve([DEEP, DEEP]),
      owed: [2_000_000_000_000n, DEEP],
    })
    expect(buys(state, true, 2_000_000_000_000n)).toBeGreaterThan(0n)
    expect(() => quote(state, true, 2_000_000_000_001n)).toThrow(refused('TOO_LARGE'))
  })

  test('an input that loses more than 1 % to rounding is refused', () => {
    const state = pool({ feePpm: 100n, revenueCut: 10n, decimals: [6n, 12n] })
    expect(() => quote(state, true, 100n)).toThrow(refused('TOO_SMALL'))
    expect(buys(state, true, 101n)).toBeGreaterThan(0n)
  })
})

test('the limit is about the largest input, in both directions, and zero beyond the move allowed', () => {
  for (const zeroForOne of [true, false]) {
    const limit = approximateMaxInput(pool(), zeroForOne)
    expect(buys(pool(), zeroForOne, (limit * 999n) / 1_000n)).toBeGreaterThan(0n)
    expect(() => quote(pool(), zeroForOne, (limit * 1_001n) / 1_000n)).toThrow(refused('TOO_LARGE'))
    // A pool of debt alone has its limit, too.
    expect(approximateMaxInput(pool({ collateral: null, debt: curve([DEEP, DEEP]) }), zeroForOne)).toBe(limit)
    const farPrice = zeroForOne ? 2n * PRICE_ONE : PRICE_ONE / 2n
    expect(approximateMaxInput(pool({ lastPrice: farPrice }), zeroForOne)).toBe(0n)
    // Half of the depth at most, however far the last price is.
    expect(approximateMaxInput(pool({ lastPrice: zeroForOne ? PRICE_ONE / 9n : 9n * PRICE_ONE }), zeroForOne)).toBe(
      DEEP / 2n,
    )
    expect(approximateMaxInput(pool({ collateral: null }), zeroForOne)).toBe(0n)
    expect(approximateMaxInput(pool({ collateral: curve([0n, 0n]) }), zeroForOne)).toBe(0n)
  }
})

describe('discovery', () => {
  const [wrapped, usdc, other, ofNative, ofTokens, resolver] = ['a', 'b', 'c', 'd', 'e', 'f'].map((digit) =>
    toAddress(`0x${digit.repeat(40)}`),
  ) as [Address, Address, Address, Address, Address, Address]
  const row: DexRow = {
    ...{ family: 'fluid-dex', brand: 'test', role: 'reserves resolver', address: resolver },
    contracts: { wrappedNative: wrapped },
  }
  const answer = FluidDexLens__factory.createInterface().encodeFunctionResult('list', [
    [ofNative, ofTokens],
    [usdc, ZERO_ADDRESS, other, usdc],
  ]) as Hex
  /** Tokens of the pools that are found for a pair. */
  const findFor = (...pair: readonly [Address, Address]) => {
    const reads = findPools(row, [pair])
    expect(reads.next([])).toMatchObject({ done: false })
    const { done, value } = reads.next([answer])
    return done ? value.map(({ id, tokens }) => ({ id, tokens })) : null
  }

  test('finds pools of the native token for a pair of its wrapper', () => {
    expect(findFor(wrapped, usdc)).toEqual([{ id: ofNative, tokens: [usdc, ZERO_ADDRESS] }])
    expect(findFor(ZERO_ADDRESS, usdc)).toEqual([{ id: ofNative, tokens: [usdc, ZERO_ADDRESS] }])
  })

  test('finds pools of two tokens in either order, and no others', () => {
    expect(findFor(usdc, other)).toEqual([{ id: ofTokens, tokens: [other, usdc] }])
    expect(findFor(wrapped, other)).toEqual([])
  })
})
