/** Tests the limits of KyberSwap Classic pairs that the vectors do not reach. */
import { expect, test } from 'vitest'
import { PoolRefusal } from '../../family.ts'
import { type KyberClassicState, maxInput, quote } from './math.ts'

const E18 = 10n ** 18n
const pair = (change: Partial<KyberClassicState>): KyberClassicState => ({
  ...{ reserve0: 100n * E18, reserve1: 200n * E18, virtual0: 100n * E18, virtual1: 200n * E18, fee: E18 / 300n },
  ...change,
})

test.each([
  ['amplified', pair({ virtual0: 150n * E18, virtual1: 300n * E18 })],
  ['plain', pair({})],
  ['almost full', pair({ virtual0: (1n << 112n) - 5n, virtual1: (1n << 112n) - 9n })],
  ['without a fee', pair({ fee: 0n })],
])('the largest input of a pair that is %s is accepted, and one unit more is not', (_, state) => {
  for (const zeroForOne of [true, false]) {
    const max = maxInput(state, zeroForOne)!
    if (max > 0n) expect(quote(state, zeroForOne, max).amountOut).toBeGreaterThan(0n)
    expect(() => quote(state, zeroForOne, max + 1n)).toThrow(PoolRefusal)
  }
})

test('a pair without tokens, or whose fee is the whole input, takes nothing', () => {
  for (const zeroForOne of [true, false]) {
    expect(maxInput(pair({ reserve0: 0n, reserve1: 0n, virtual0: 0n, virtual1: 0n }), zeroForOne)).toBe(0n)
    expect(maxInput(pair({ fee: E18 }), zeroForOne)).toBe(0n)
  }
})

test('an output is rounded down, after a fee that is rounded up', () => {
  const state = pair({ reserve0: 1_000n, reserve1: 1_000n, virtual0: 1_000n, virtual1: 1_000n, fee: E18 / 100n })
  // 199 · 0.99 is 197.01; 197 · 1,000 / 1,197 is 164.57.
  expect(quote(state, true, 199n)).toMatchObject({ amountOut: 164n, state: { reserve0: 1_199n, reserve1: 836n } })
  expect(quote(state, false, 199n)).toMatchObject({ amountOut: 164n, state: { virtual0: 836n, virtual1: 1_199n } })
  expect(() => quote(state, true, 1n)).toThrow(expect.objectContaining({ code: 'TOO_SMALL' }))
})
