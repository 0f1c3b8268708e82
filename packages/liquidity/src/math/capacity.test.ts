import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PoolRefusal } from '../family.ts'
import { largestInput, NO_LIMIT } from './capacity.ts'

/** A pool that takes amounts up to the limit, and counts how often it is asked. */
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

test('the largest input is found from any guess, of zero, below it, at it or beyond all amounts', () => {
  fc.assert(
    fc.property(amounts, fc.oneof(amounts, fc.bigInt({ min: -5n, max: 1n << 140n })), (limit, guess) => {
      const { quote, count } = poolTo(limit)
      expect(largestInput(quote, guess)).toBe(limit >= NO_LIMIT ? null : limit)
      // Twice the bits of an amount to bracket and bisect it, and the units near the end.
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
