/** Tests of the search for a pool's largest input. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PoolRefusal } from '../family.ts'
import { largestInput, NO_LIMIT } from './capacity.ts'

/** A pool that accepts amounts up to a limit and counts its quotes. */
function poolTo(limit: bigint) {
  let quotes = 0
  const quote = (amount: bigint) => {
    quotes++
    if (amount < 1n || amount > NO_LIMIT) throw new Error(`asked for ${amount}`)
    if (amount > limit) throw new PoolRefusal('TOO_LARGE', 'too large')
    return amount
  }
  return { quote, count: () => quotes }
}
const amounts = fc.oneof(
  fc.bigInt({ min: 0n, max: 40n }),
  fc.bigInt({ min: 0n, max: NO_LIMIT + 10n }),
  fc.integer({ min: 0, max: 130 }).map((bits) => 1n << BigInt(bits)),
)

test('the largest input is found from any guess, including zero, the limit, and out-of-range values', () => {
  fc.assert(
    fc.property(amounts, fc.oneof(amounts, fc.bigInt({ min: -5n, max: 1n << 140n })), (limit, guess) => {
      const { quote, count } = poolTo(limit)
      expect(largestInput(quote, guess)).toBe(limit >= NO_LIMIT ? null : limit)
      // Twice the bits of an amount to bracket and bisect it, plus a few tries near the end.
      expect(count()).toBeLessThan(2 * 128 + 32)
    }),
    { numRuns: 1_000 },
  )
})

test('a guess at the limit takes two quotes', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: NO_LIMIT - 1n }), (limit) => {
      const { quote, count } = poolTo(limit)
      expect(largestInput(quote, limit)).toBe(limit)
      expect(count()).toBeLessThanOrEqual(2)
    }),
  )
})

test.each([
  ['below all amounts', -7n],
  ['of zero', 0n],
  ['of one', 1n],
  ['of the largest amount', NO_LIMIT],
  ['beyond all amounts', NO_LIMIT + 1n],
  ['far beyond all amounts', NO_LIMIT * NO_LIMIT],
])('a guess %s is clamped to valid amounts', (_name, guess) => {
  for (const limit of [0n, 1n, 7n, 10n ** 18n, NO_LIMIT - 1n]) {
    const { quote, count } = poolTo(limit)
    expect(largestInput(quote, guess)).toBe(limit)
    expect(count()).toBeLessThan(2 * 128 + 32)
  }
  expect(largestInput(poolTo(NO_LIMIT).quote, guess)).toBeNull()
})

test('a pool that refuses because of its state accepts nothing, and is quoted once', () => {
  let quotes = 0
  const paused = () => {
    quotes++
    throw new PoolRefusal('PAUSED', 'paused')
  }
  for (const guess of [1_000n, 0n, -7n]) {
    quotes = 0
    expect(largestInput(paused, guess)).toBe(0n)
    expect(quotes).toBe(1)
  }
})

test('any other error is rethrown', () => {
  const broken = () => {
    throw new TypeError('a bug')
  }
  expect(() => largestInput(broken, 1_000n)).toThrow('a bug')
})

test('with a precision the result may be too low by that fraction, and is never too high', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: NO_LIMIT - 1n }), fc.bigInt({ min: 1n, max: NO_LIMIT }), (limit, guess) => {
      const result = largestInput(poolTo(limit).quote, guess, 10)!
      expect(result).toBeLessThanOrEqual(limit)
      expect(limit - result).toBeLessThanOrEqual((limit >> 10n) + 1n)
    }),
  )
})

test('amounts near the limit that are refused for another reason are skipped', () => {
  const gaps = (limit: bigint, gap: bigint) => (amount: bigint) => {
    if (amount > limit) throw new PoolRefusal('TOO_LARGE', 'too large')
    if (amount > limit - gap) throw new PoolRefusal('UNSUPPORTED', 'not known')
    return amount
  }
  for (const gap of [1n, 15n, 16n, 40n, 999n])
    expect([gap, largestInput(gaps(1_000n, gap), 100n)]).toEqual([gap, 1_000n - gap])
  expect(largestInput(gaps(1_000n, 1_000n), 100n)).toBe(0n)
})
