import { expect, test } from 'vitest'
import { orRefused, PoolRefusal, refusalOf } from '../../family.ts'
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

test('a pool that is all but emptied divides by zero, as its contract does, and that is a refusal', () => {
  expect(() => quote(emptied, 2, 0, 10n ** 12n)).toThrow(RangeError)
  expect(orRefused(() => quote(emptied, 2, 0, 10n ** 12n))).toBeNull()
})

test('no other failure of the program is one', () => {
  for (const failure of [new RangeError('Maximum call stack size exceeded'), new TypeError('none')])
    expect(() => refusalOf(failure)).toThrow(failure)
  const refusal = new PoolRefusal('EMPTY', 'empty')
  expect(refusalOf(refusal)).toBe(refusal)
})
