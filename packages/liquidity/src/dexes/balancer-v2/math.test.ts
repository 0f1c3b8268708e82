/** Tests that arithmetic errors count as refusals. */
import { describe, expect, test } from 'vitest'
import { nullIfRefused, PoolRefusal, refusalOf } from '../../family.ts'
import { sqrtRatioAtTick } from '../../math/ticks.ts'
import { balancerV2InputFor, quote, tradingFunction } from './math.ts'
import type { BalancerV2State } from './types.ts'

const ONE = 10n ** 18n
const emptied: BalancerV2State = {
  kind: 'stable',
  balances: [1n, 1n, 10n ** 12n],
  scaling: [ONE, ONE, ONE],
  swapFee: 0n,
  amp: 1_000_000n,
  roundsUp: false,
}

test('a division by zero in a nearly empty pool is a refusal', () => {
  expect(() => quote(emptied, 2, 0, 10n ** 12n)).toThrow(RangeError)
  expect(nullIfRefused(() => quote(emptied, 2, 0, 10n ** 12n))).toBeNull()
})

test('a pool without almost all of one token, whose contract overflows, refuses all amounts', () => {
  // State of a genuine pool on a local chain. The contract reverts for each of these amounts: BAL#003.
  const drained: BalancerV2State = {
    kind: 'stable',
    balances: [17_781n, 926_022_057_408_624_558_935n, 2_101_036_662_533n],
    scaling: [ONE, 10n ** 30n, 10n ** 30n],
    swapFee: 3n * 10n ** 14n,
    amp: 500_000n,
    roundsUp: false,
  }
  for (const j of [1, 2])
    for (const amountIn of [2n, 2_000n, 10n ** 6n, 10n ** 12n, ONE])
      expect(() => quote(drained, 0, j, amountIn)).toThrow(expect.objectContaining({ code: 'TOO_LARGE' }))
})

test.each([
  ['a negative exponent', () => 10n ** -1n],
  ['a float that is no integer', () => BigInt(0.5)],
  ['a tick out of range', () => sqrtRatioAtTick(887_273)],
])('an error of arithmetic is a refusal: %s', (_, compute: () => bigint) => {
  expect(compute).toThrow(RangeError)
  expect(nullIfRefused(compute)).toBeNull()
})

test('a weighted pool quotes unless its owner has suspended swaps', () => {
  const weighted: BalancerV2State = {
    ...{ kind: 'weighted', balances: [ONE, ONE], scaling: [ONE, ONE], swapFee: 0n },
    ...{ weights: [ONE / 2n, ONE / 2n], exactPowers: true },
  }
  expect(quote(weighted, 0, 1, ONE / 10n).amountOut).toBeGreaterThan(0n)
  const suspended = { ...weighted, suspended: true } as const
  expect(() => quote(suspended, 0, 1, ONE / 10n)).toThrow(expect.objectContaining({ code: 'PAUSED' }))
  expect(tradingFunction(suspended)).toBeNull()
  expect(balancerV2InputFor(suspended, 0, 1, ONE / 10n)).toBeNull()
})

test('other errors are not refusals', () => {
  for (const failure of [new RangeError('Maximum call stack size exceeded'), new TypeError('none')])
    expect(() => refusalOf(failure)).toThrow(failure)
  const refusal = new PoolRefusal('EMPTY', 'empty')
  expect(refusalOf(refusal)).toBe(refusal)
})

describe('an exact output', () => {
  const [A, B] = [10n ** 24n, 3n * 10n ** 24n]
  const common = { balances: [A, B, A], scaling: [ONE, ONE, ONE], swapFee: ONE / 1_000n }
  const pools: readonly (readonly [string, BalancerV2State])[] = [
    ['stable', { ...common, kind: 'stable', amp: 200_000n, roundsUp: false }],
    [
      'weighted',
      { ...common, kind: 'weighted', weights: [ONE / 2n, ONE / 4n, ONE / 4n], exactPowers: false } as BalancerV2State,
    ],
  ]

  test.each(pools)('of a %s pool costs what buys it, and hardly more', (_, state) => {
    for (const [i, j] of [
      [0, 1],
      [1, 0],
      [2, 1],
    ] as const) {
      const amountOut = state.balances[j]! / 20n
      const amountIn = balancerV2InputFor(state, i, j, amountOut)!
      // Powers are exact to 10⁻¹⁴ of their value, and rounded in favor of the pool on both ways.
      expect(Number(quote(state, i, j, amountIn).amountOut) / Number(amountOut)).toBeCloseTo(1, 10)
    }
    expect(balancerV2InputFor(state, 0, 1, B)).toBeNull()
  })

  test('of a weighted pool follows the power law', () => {
    const [, state] = pools[1]!
    // ((1 / (1 − 1/20))^(1/4 / 1/2) − 1) of the balance, before the fee.
    const expected = (1e24 * (Math.sqrt(20 / 19) - 1)) / 0.999
    expect(Number(balancerV2InputFor(state, 0, 1, B / 20n)) / expected).toBeCloseTo(1, 9)
  })

  test.each(pools)('of a %s pool that lacks a token is refused, which has no trading function either', (_, state) => {
    expect(tradingFunction(state)).not.toBeNull()
    for (const k of [0, 1, 2]) {
      const empty = { ...state, balances: state.balances.with(k, 0n) }
      expect(tradingFunction(empty)).toBeNull()
      expect(balancerV2InputFor(empty, 0, 1, 5n)).toBeNull()
    }
  })
})
