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

test('the price moves by five times a hundredth of the stored one, rounded down, and no more', () => {
  // The price falls to 998002996004633727729993168, or rises to 1002001000000241482362121029.
  for (const [zeroForOne, amountIn, stored] of [
    [true, 1_000_000_000_181n, 1_050_529_469_478_561_818_663_150_698n],
    [false, 1_000_000_000_121n, 954_286_666_666_896_649_868_686_699n],
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
