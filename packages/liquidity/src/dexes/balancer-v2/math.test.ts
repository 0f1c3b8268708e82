/** Tests that arithmetic errors count as refusals. */
import { expect, test } from 'vitest'
import { orRefused, PoolRefusal, refusalOf } from '../../family.ts'
import { sqrtRatioAtTick } from '../../math/ticks.ts'
import { quote } from './math.ts'
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
  expect(orRefused(() => quote(emptied, 2, 0, 10n ** 12n))).toBeNull()
})

test.each([
  ['a negative exponent', () => 10n ** -1n],
  ['a float that is no integer', () => BigInt(0.5)],
  ['a tick out of range', () => sqrtRatioAtTick(887_273)],
])('an error of arithmetic is a refusal: %s', (_, compute: () => bigint) => {
  expect(compute).toThrow(RangeError)
  expect(orRefused(compute)).toBeNull()
})

test('other errors are not refusals', () => {
  for (const failure of [new RangeError('Maximum call stack size exceeded'), new TypeError('none')])
    expect(() => refusalOf(failure)).toThrow(failure)
  const refusal = new PoolRefusal('EMPTY', 'empty')
  expect(refusalOf(refusal)).toBe(refusal)
})
