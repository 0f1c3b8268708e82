/** Swaps at the numeric limits, checked against the deployed stable pool. */
import { ZERO_ADDRESS } from '@sluice/chains'
import { expect, test } from 'vitest'
import { quote } from './math.ts'
import type { SyncswapState } from './types.ts'

const stable = (reserve0: bigint, reserve1: bigint, decimals: readonly [number, number]): SyncswapState => ({
  vault: ZERO_ADDRESS,
  stable: true,
  reserve0,
  reserve1,
  fee0: 0n,
  fee1: 0n,
  multiplier0: 10n ** BigInt(18 - decimals[0]),
  multiplier1: 10n ** BigInt(18 - decimals[1]),
})
const TOO_LARGE = expect.objectContaining({ code: 'TOO_LARGE' })
const refusalOf = (quoteIt: () => unknown) => {
  try {
    return quoteIt()
  } catch (error) {
    return error
  }
}

test('a pool with almost none of one token overflows in both directions', () => {
  const state = stable(60_585_911_828_380_028_696_875_001n, 19_632_419_323_644n, [8, 6])
  expect(refusalOf(() => quote(state, false, 129n))).toEqual(TOO_LARGE)
  expect(refusalOf(() => quote(state, true, 667_970_334_485_074_721_054_843n))).toEqual(TOO_LARGE)
})

test('a reserve cannot exceed its bound', () => {
  const bound = 3_802_571_709_128_108_338_056_982_581_425_910_818n
  const state = stable(bound - 1_000n, bound - 1_000n, [18, 18])
  expect(quote(state, true, 1_000n).amountOut).toBeGreaterThan(0n)
  expect(refusalOf(() => quote(state, true, 1_001n))).toEqual(TOO_LARGE)
})
