/** Tests where the curves of families without closed forms end, and how many quotes they take. */
import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { type Pool, PoolRefusal, type PriceCurve } from '../../family.ts'
import { linearCapacity, sampledCapacity } from './capacity-family.ts'

const [A, B] = [toAddress(`0x${'1'.repeat(40)}`), toAddress(`0x${'2'.repeat(40)}`)]
const pool = { id: 'x', family: 'test', dex: 'test', address: A, tokens: [A, B], state: null } as Pool<null>
const LIMIT = 123_456_789_012_345_678_901_234_567n

/** One direction of a pool that takes up to the limit; the guess of it is half. */
function side(isLinear: boolean) {
  let quotes = 0
  const quote = (amountIn: bigint) => {
    quotes++
    if (amountIn > LIMIT) throw new PoolRefusal('TOO_LARGE', 'too large')
    return { amountOut: isLinear ? (amountIn * 9n) / 10n : (amountIn * LIMIT * 9n) / (10n * (LIMIT + amountIn)) }
  }
  const terms = { quote, approximateLimit: LIMIT / 2n, scale: LIMIT, feePpm: 0, rate: 0.9 }
  return { terms, count: () => quotes }
}
const endOf = ({ sqrtPrice, liquidity, keepIn }: PriceCurve) =>
  liquidity.reduce((sum, depth, k) => sum + depth * (1 / sqrtPrice[k + 1]! - 1 / sqrtPrice[k]!), 0) / keepIn

test.each([
  ['linear', linearCapacity<null>],
  ['sampled', sampledCapacity<null>],
] as const)('a %s curve ends at most 2^−32 below the exact largest input', (_, trade) => {
  const { terms, count } = side(trade === linearCapacity)
  const family = trade(() => terms)
  expect(family.maxInput(pool, A, B)).toBe(LIMIT)
  const exactQuotes = count()
  const curve = family.priceCurve(pool, A, B)
  expect(endOf(curve)).toBeLessThanOrEqual(Number(LIMIT))
  expect(endOf(curve) / Number(LIMIT)).toBeGreaterThan(1 - 1e-6)
  expect(curve.sqrtPrice[0]! ** 2).toBeCloseTo(0.9, 6)
  // The exact search needs a quote for each bit of the amount.
  if (trade === linearCapacity) expect(count() - exactQuotes).toBeLessThan(exactQuotes - 40)
})

test('a pool that fails takes nothing and has an empty curve; a wrong token is an error', () => {
  const failing = (error: Error) =>
    linearCapacity<null>(() => {
      throw error
    })
  for (const error of [new PoolRefusal('EMPTY', 'empty'), new RangeError('Division by zero')]) {
    expect(failing(error).maxInput(pool, A, B)).toBe(0n)
    expect(failing(error).priceCurve(pool, A, B).liquidity).toHaveLength(0)
  }
  for (const error of [new PoolRefusal('WRONG_TOKEN', 'not of this pool'), new TypeError('a bug')]) {
    expect(() => failing(error).maxInput(pool, A, B)).toThrow(error)
    expect(() => failing(error).priceCurve(pool, A, B)).toThrow(error)
  }
})

test('a token of several has one curve for each token that it buys', () => {
  const C = toAddress(`0x${'3'.repeat(40)}`)
  const { priceCurve } = linearCapacity<null>((_, _tokenIn, tokenOut) => ({
    ...{ quote: (amountIn) => ({ amountOut: amountIn }), approximateLimit: LIMIT, rate: tokenOut === B ? 1 : 4 },
  }))
  const threeTokens = { ...pool, tokens: [A, B, C] }
  const curves = [B, C, B].map((tokenOut) => priceCurve(threeTokens, A, tokenOut))
  expect(curves.map(({ sqrtPrice }) => sqrtPrice[0])).toEqual([1, 2, 1])
  expect(curves[2]).toBe(curves[0])
})

test('a curve is computed once for each direction of a state', () => {
  const { terms, count } = side(false)
  const directions: string[] = []
  const { priceCurve } = sampledCapacity<null>((_, tokenIn) => {
    directions.push(tokenIn)
    return terms
  })
  const curve = priceCurve(pool, A, B)
  const quotesOfOne = count()
  expect(priceCurve(pool, A, B)).toBe(curve)
  expect(count()).toBe(quotesOfOne)
  priceCurve(pool, B, A)
  // The next state of a pool is another object.
  expect(priceCurve({ ...pool }, A, B)).toEqual(curve)
  expect(directions).toEqual([A, B, A])
})
