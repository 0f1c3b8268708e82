import { type Chain, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { Pool } from '../family.ts'
import { namedAccounts, namedTokens } from './named-tokens.ts'
import { isTrustedPool, namedTrust } from './trust.ts'
import { liquidityOf, type WatchedItem } from './watched-item.ts'

const testAddress = (n: number) => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const token = (n: number) => ({ address: testAddress(n), symbol: `T${n}`, decimals: 18 })
const chain = {
  wrappedNative: token(1),
  nativeErc20: token(2),
  stables: [token(3)],
  hubs: [testAddress(4)],
  tokens: [token(5)],
  dexes: [
    { family: 'uniswap-v2', brand: 'A', address: testAddress(6), contracts: { router: testAddress(7) } },
    // Each row of this family is a token.
    { family: 'rate-wrapper', brand: 'B', address: testAddress(8) },
  ],
  vouched: [testAddress(9)],
} as unknown as Chain

test('every token of the chain file is named, with the native token and rows that are tokens', () => {
  expect(namedTokens(chain)).toEqual(new Set([ZERO_ADDRESS, ...[1, 2, 3, 5, 4, 8].map(testAddress)]))
  const bare = { ...chain, wrappedNative: null, nativeErc20: undefined, stables: [], tokens: [], hubs: [], dexes: [] }
  expect(namedTokens(bare as unknown as Chain)).toEqual(new Set([ZERO_ADDRESS]))
})

test('quotes may depend on the named tokens, the rows with their contracts, and vouched accounts', () => {
  expect(namedAccounts(chain)).toEqual(new Set([ZERO_ADDRESS, ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map(testAddress)]))
  const { vouched: _, ...plain } = chain
  expect(namedAccounts(plain as Chain).has(testAddress(9))).toBe(false)
  expect(namedTrust(chain)).toEqual({
    level: 'named',
    tokens: namedTokens(chain),
    accounts: namedAccounts(chain),
    pools: new Set(),
  })
})

test('a pool is trusted if it depends on no account, on trusted ones only, or if it has earned trust itself', () => {
  const trust = namedTrust(chain)
  const pool = (family: string, fixed?: unknown): Pool => ({
    ...{
      id: 'id',
      family,
      dex: '',
      address: testAddress(50),
      tokens: [testAddress(1), testAddress(3)],
      state: null,
      fixed,
    },
  })
  expect(isTrustedPool(pool('uniswap-v2'), trust)).toBe(true)
  expect(isTrustedPool(pool('of no build'), trust)).toBe(true)
  const weighted = (...dependsOn: readonly string[]) => pool('balancer-v2', { dependsOn })
  expect(isTrustedPool(weighted(testAddress(9), testAddress(7)), trust)).toBe(true)
  expect(isTrustedPool(weighted(testAddress(9), testAddress(60)), trust)).toBe(false)
  expect(isTrustedPool(weighted(testAddress(60)), { ...trust, pools: new Set(['id']) })).toBe(true)
  expect(isTrustedPool(weighted(testAddress(60)), { ...trust, pools: new Set(['other']) })).toBe(false)
})

test('the pools of a token are summed once, and its partners counted once', () => {
  const watched: WatchedItem = {
    record: {} as WatchedItem['record'],
    contributionByPoolId: new Map([
      ['a', { depthUsd: 10, namedPartners: [testAddress(1)] }],
      ['b', { depthUsd: 5.5, namedPartners: [testAddress(1), testAddress(3)] }],
    ]),
    liquidity: null,
  }
  const sums = liquidityOf(watched)
  expect(sums).toEqual({ pools: 2, namedTokens: 2, depthUsd: 15.5 })
  expect(liquidityOf(watched)).toBe(sums)
  watched.liquidity = null
  watched.contributionByPoolId.delete('b')
  expect(liquidityOf(watched)).toEqual({ pools: 1, namedTokens: 1, depthUsd: 10 })
})
