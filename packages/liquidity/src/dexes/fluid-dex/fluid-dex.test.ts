/** Limits of Fluid's pools to the unit, which the answers of the deployed pool do not meet: each is worked out by hand. */
import { describe, expect, test } from 'vitest'
import { quote } from './math.ts'
import type { FluidDexState, FluidReserves } from './types.ts'

const DEEP = 10n ** 15n
const PRICE_ONE = 10n ** 27n
type Pair = readonly [bigint, bigint]
const curve = (imaginary: Pair, real: Pair = imaginary): FluidReserves => ({ imaginary, real })

/** One curve of even depth without a fee, whose price may be anything before. */
const pool = (more: Partial<FluidDexState> = {}): FluidDexState => ({
  paused: false,
  feePpm: 0n,
  lastPrice: PRICE_ONE,
  centerPrice: PRICE_ONE,
  collateral: curve([DEEP, DEEP]),
  debt: null,
  decimals: [12n, 12n],
  ...more,
})
const refused = (code: string) => expect.objectContaining({ code })
const buys = (state: FluidDexState, zeroForOne: boolean, amountIn: bigint) =>
  quote(state, zeroForOne, amountIn).amountOut

describe('amounts', () => {
  test('a millionth of a token is taken, and a hundred base units; less is not', () => {
    expect(buys(pool(), true, 1_000_000n)).toBe(999_999n)
    expect(() => quote(pool(), true, 999_999n)).toThrow(refused('TOO_SMALL'))
    const coarse = pool({ decimals: [4n, 12n] })
    expect(buys(coarse, true, 100n)).toBe(9_999_900_000n)
    expect(() => quote(coarse, true, 99n)).toThrow(refused('TOO_SMALL'))
  })

  test('96 bits of an input are counted, and no more', () => {
    const most = 2n ** 96n - 1n
    const huge = pool({ collateral: curve([2n ** 104n, 2n ** 104n]) })
    expect(buys(huge, true, most)).toBe((most * 2n ** 104n) / (2n ** 104n + most))
    expect(() => quote(huge, true, most + 1n)).toThrow(refused('TOO_LARGE'))
  })

  test('half of the depth is taken, and no more', () => {
    // From a price of one to (2/3) / (3/2) = 4/9.
    const falling = pool({ lastPrice: (PRICE_ONE * 4n) / 9n })
    expect(buys(falling, true, DEEP / 2n)).toBe(DEEP / 3n)
    expect(() => quote(falling, true, DEEP / 2n + 1n)).toThrow(refused('TOO_LARGE'))
  })

  test('an output below a base unit is none, and a pool without curves is empty', () => {
    expect(() => quote(pool({ decimals: [12n, 2n] }), true, 1_000_000n)).toThrow(refused('TOO_SMALL'))
    expect(() => quote(pool({ collateral: null }), true, 1_000_000n)).toThrow(refused('EMPTY'))
  })
})

describe('what is left', () => {
  const amountIn = 10n ** 13n
  const out = (amountIn * DEEP) / (DEEP + amountIn)

  test('a ten-thousandth of the other reserve may be left, at the centre price, and no less', () => {
    for (const zeroForOne of [true, false]) {
      const left = 10n ** 10n
      const held = (less: bigint): Pair => {
        const [sold, bought] = [left * 10_000n - amountIn, out + left - less]
        return zeroForOne ? [sold, bought] : [bought, sold]
      }
      const leaving = (less: bigint) => pool({ collateral: curve([DEEP, DEEP], held(less)) })
      expect(buys(leaving(0n), zeroForOne, amountIn)).toBe(out)
      expect(() => quote(leaving(1n), zeroForOne, amountIn)).toThrow(refused('TOO_LARGE'))
    }
  })

  test('more than a curve has is refused', () => {
    const short = pool({ collateral: curve([DEEP, DEEP], [DEEP, out - 1n]) })
    expect(() => quote(short, true, amountIn)).toThrow(refused('TOO_LARGE'))
  })

  test('a curve that gives nothing may have nothing', () => {
    // The debt curve sells far dearer: all goes to the other.
    const debt = curve([DEEP, DEEP / 100n], [DEEP, 0n])
    expect(buys(pool({ debt }), true, amountIn)).toBe(out)
  })
})

test('the price moves by a twentieth of the one that a swap leaves, and no more', () => {
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

test('an input is divided by roots of products of 18 more decimals, of either curve', () => {
  const between = (collateral: Pair, debt: Pair) =>
    buys(pool({ collateral: curve(collateral), debt: curve(debt) }), true, 1_000_000n)
  // With the root of the first product itself, and of the second, each would be one more.
  expect(between([30_000_007n, 30_000_014n], [30_000_002n, 29_999_958n])).toBe(983_604n)
  expect(between([30_000_007n, 30_000_011n], [30_000_002n, 29_999_967n])).toBe(983_605n)
})

describe('what the deployed pool did with random states', () => {
  test('the price counts the fee as well, but for the cut that the protocol takes of it', () => {
    const fees = { feePpm: 10_000n }
    // Ends at (10^15 − 19,415,571,680,721) / (10^15 + 20,000,000,000,000), fee and all, and without it nearer to one.
    const stored = ((DEEP - 19_415_571_680_721n) * PRICE_ONE) / (DEEP + 20_000_000_000_000n)
    const most = (stored * 105n) / 100n
    const less = ((DEEP - 19_415_571_680_721n) * PRICE_ONE) / (DEEP + 19_820_000_000_000n)
    expect(buys(pool({ ...fees, lastPrice: most }), true, 20_000_000_000_000n)).toBe(19_415_571_680_721n)
    const beyond = pool({ ...fees, lastPrice: (less * 105n) / 100n })
    expect(() => quote(beyond, true, 20_000_000_000_000n)).toThrow(refused('TOO_LARGE'))
    expect(buys({ ...beyond, revenueCut: 90n }, true, 20_000_000_000_000n)).toBe(19_415_571_680_721n)
  })

  test('no more is paid back than is owed, fee and all', () => {
    const state = pool({
      feePpm: 10_000n,
      collateral: null,
      debt: curve([DEEP, DEEP]),
      owed: [2_000_000_000_000n, DEEP],
    })
    expect(buys(state, true, 2_000_000_000_000n)).toBeGreaterThan(0n)
    expect(() => quote(state, true, 2_000_000_000_001n)).toThrow(refused('TOO_LARGE'))
  })

  test('an input of which more than a hundredth is not accounted for is refused', () => {
    const state = pool({ feePpm: 100n, revenueCut: 10n, decimals: [6n, 12n] })
    expect(() => quote(state, true, 100n)).toThrow(refused('TOO_SMALL'))
    expect(buys(state, true, 101n)).toBeGreaterThan(0n)
  })
})
