import { type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { expect, test } from 'vitest'
import { address } from '../test/pools.ts'
import { listedDecimals, pricedTokenOf } from './listed-tokens.ts'

const [WRAPPED, ERC20, STABLE, TOKEN] = [address(1), address(2), address(3), address(4)]
const chainWith = (change: object) =>
  ({
    wrappedNative: { address: WRAPPED, decimals: 18 },
    nativeCurrency: { decimals: 17 },
    ...change,
  }) as unknown as Chain

test.each([
  ['the wrapped native token', {}, WRAPPED],
  ['the wrapped native token, also next to an ERC-20 form', { nativeErc20: { address: ERC20 } }, WRAPPED],
  ['its ERC-20 form without a wrapper', { wrappedNative: null, nativeErc20: { address: ERC20 } }, ERC20],
  ['the zero address without both', { wrappedNative: null }, ZERO_ADDRESS],
])('the native token has the price of %s', (_, change, expected) => {
  for (const native of [NATIVE, ZERO_ADDRESS]) expect(pricedTokenOf(native, chainWith(change))).toBe(expected)
  for (const token of [TOKEN, ERC20, WRAPPED]) expect(pricedTokenOf(token, chainWith(change))).toBe(token)
})

test('decimals are those of all listed tokens, and unknown where the file has none', () => {
  const stables = [{ address: STABLE, decimals: 6 }]
  const tokens = [{ address: TOKEN, decimals: null }]
  expect(listedDecimals(chainWith({ stables, tokens, nativeErc20: { address: ERC20, decimals: 9 } }))).toEqual(
    new Map([
      ...([
        [ZERO_ADDRESS, 17],
        [WRAPPED, 18],
        [ERC20, 9],
        [STABLE, 6],
      ] as const),
      [TOKEN, undefined],
    ]),
  )
  expect(listedDecimals(chainWith({ wrappedNative: null, stables, tokens: [] }))).toEqual(
    new Map([
      [ZERO_ADDRESS, 17],
      [STABLE, 6],
    ]),
  )
})
