/** Tests quotes against the pair's own check of x·y, which is another formula than the quote's. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PoolRefusal } from '../../family.ts'
import { inputFor, maxInput, quote } from './math.ts'

const PPM = 1_000_000n
const LIMIT = 1n << 112n
const refusal = (code: string) => expect.objectContaining({ code })
const reserves = fc.bigInt({ min: 1n, max: 10n ** 30n })
const fees = fc.constantFrom(0, 500, 3_000, 10_000)
const cases = fc.record({ reserve0: reserves, reserve1: reserves, feePpm: fees })

test('the output is the largest one that passes the check of x·y, and the input arrives whole', () => {
  let acceptedCount = 0
  fc.assert(
    fc.property(cases, reserves, fc.boolean(), (state, amountIn, zeroForOne) => {
      const [x, y] = zeroForOne ? [state.reserve0, state.reserve1] : [state.reserve1, state.reserve0]
      // UniswapV2Pair.swap: the balances less the fee of the input keep the product.
      const passes = (out: bigint) =>
        ((x + amountIn) * PPM - amountIn * BigInt(state.feePpm)) * (y - out) >= x * y * PPM
      if (!passes(1n)) {
        expect(() => quote(state, zeroForOne, amountIn)).toThrow(refusal('TOO_SMALL'))
        return
      }
      const { amountOut, state: after } = quote(state, zeroForOne, amountIn)
      expect([passes(amountOut), passes(amountOut + 1n)]).toEqual([true, false])
      const [sold, bought] = zeroForOne ? [after.reserve0, after.reserve1] : [after.reserve1, after.reserve0]
      expect({ sold, bought, feePpm: after.feePpm }).toEqual({
        ...{ sold: x + amountIn, bought: y - amountOut, feePpm: state.feePpm },
      })
      acceptedCount++
    }),
  )
  expect(acceptedCount).toBeGreaterThan(50)
})

test('the input for an output is the smallest one that buys it', () => {
  let solvedCount = 0
  fc.assert(
    fc.property(cases, fc.bigInt({ min: 1n, max: 999n }), fc.boolean(), (state, part, zeroForOne) => {
      const reserveOut = zeroForOne ? state.reserve1 : state.reserve0
      const amountOut = (reserveOut * part) / 1_000n
      const amountIn = inputFor(state, zeroForOne, amountOut)!
      if (amountOut === 0n || amountIn > 10n ** 33n) return
      expect(quote(state, zeroForOne, amountIn).amountOut).toBeGreaterThanOrEqual(amountOut)
      if (amountIn > 1n) {
        const less = { ...state }
        let paid = 0n
        try {
          paid = quote(less, zeroForOne, amountIn - 1n).amountOut
        } catch (error) {
          expect(error).toEqual(refusal('TOO_SMALL'))
        }
        expect(paid).toBeLessThan(amountOut)
      }
      expect(inputFor(state, zeroForOne, reserveOut)).toBeNull()
      solvedCount++
    }),
  )
  expect(solvedCount).toBeGreaterThan(50)
})

test.each([
  ['even', 10n ** 20n, 10n ** 20n],
  ['almost full', LIMIT - 3n, LIMIT - 3n],
  ['full', LIMIT - 1n, LIMIT - 1n],
  ['uneven', 10n ** 33n, 1n],
])(
  'the largest input of a pair that is %s fills the reserve, and one unit more is refused',
  (_, reserve0, reserve1) => {
    const state = { reserve0, reserve1, feePpm: 3_000 }
    for (const zeroForOne of [true, false]) {
      const max = maxInput(state, zeroForOne)
      const reserveIn = zeroForOne ? reserve0 : reserve1
      if (max > 0n) {
        expect(reserveIn + max).toBe(LIMIT - 1n)
        expect(quote(state, zeroForOne, max).amountOut).toBeGreaterThan(0n)
        expect(() => quote(state, zeroForOne, max + 1n)).toThrow(refusal('TOO_LARGE'))
      } else expect(() => quote(state, zeroForOne, LIMIT - 1n - reserveIn)).toThrow(PoolRefusal)
    }
  },
)

test('a pair sells until its output is one unit, and takes nothing if it lacks a token', () => {
  // The reserve of 2^112 − 1 buys exactly one unit: netIn · 2 = reserveIn · PPM + netIn.
  const half = (LIMIT - 1n) / 2n
  expect(maxInput({ reserve0: half, reserve1: 2n, feePpm: 0 }, true)).toBe(LIMIT - 1n - half)
  expect(maxInput({ reserve0: half + 1n, reserve1: 2n, feePpm: 0 }, true)).toBe(0n)
  // A fee of the input leaves less than one unit.
  expect(maxInput({ reserve0: half, reserve1: 2n, feePpm: 1 }, true)).toBe(0n)
  expect(maxInput({ reserve0: half + 1n, reserve1: 2n, feePpm: 0 }, false)).toBe(LIMIT - 3n)
  for (const [reserve0, reserve1] of [
    [0n, 5n],
    [5n, 0n],
  ] as const) {
    const state = { reserve0, reserve1, feePpm: 3_000 }
    for (const zeroForOne of [true, false]) {
      expect(() => quote(state, zeroForOne, 100n)).toThrow(refusal('EMPTY'))
      expect(maxInput(state, zeroForOne)).toBe(0n)
    }
  }
})
