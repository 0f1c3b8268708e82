import { type Address, toAddress } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import { atOnce } from '@sluice/rpc'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ranged } from '../test/pools.ts'
import { IMPACT_LEVELS, sellDepth } from './impact.ts'
import type { PricedPool, PricedToken } from './token.ts'
import type { TokenPricer } from './token-pricer.ts'

const account = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
/** Returns tokens as they are, with prices already set. */
const pricer = { updatePrice: (token: PricedToken) => token } as unknown as TokenPricer
const tokenOf = (n: number, price: number, overrides: Partial<PricedToken> = {}) =>
  ({
    address: account(n),
    price,
    evidence: 0,
    isListed: false,
    pricedPools: [],
    ...overrides,
  }) as unknown as PricedToken
let pools = 0
/** A pool of x·y = k, or of a range of it that ends at the largest reserve that pairs of Uniswap can hold. */
function sold(token: PricedToken, other: PricedToken, reserve0: bigint, reserve1: bigint, isFirst = true): Pool {
  const id = account(0x1000 + ++pools)
  const tokens = isFirst ? [token, other] : [other, token]
  const [own, paid] = isFirst ? [reserve0, reserve1] : [reserve1, reserve0]
  const pool: Pool = {
    ...{ id, address: id, family: 'uniswap-v2', dex: 'test', tokens: tokens.map(({ address }) => address) },
    state: { reserve0: own, reserve1: paid, feePpm: 3_000 },
  }
  token.pricedPools.push({
    pool,
    tokens,
    reserves: [own, paid].map(Number),
    fee: 0,
    edges: [],
  } as unknown as PricedPool)
  return pool
}
/** Counts evaluations for five levels: 85 now, 120 with the widest possible first bracket. */
const LOOKS = 100
const E9 = 10n ** 9n
const END = 1n << 112n
const depthOf = (token: PricedToken) => atOnce(sellDepth(token, pricer))
/** USD that can be sold in a pool of two one-dollar tokens: the average price is r / (r + sold). */
const product = (reserve: number, impact: number) => reserve * (1 / (1 - impact / 100) - 1)

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the depth of a token', () => {
  test('of one pool follows from its reserves at every level', () => {
    const [token, other] = [tokenOf(1, 1), tokenOf(2, 1, { isListed: true })]
    sold(token, other, E9, E9)
    const depth = depthOf(token)
    expect(depth.map(({ impact }) => impact)).toEqual([...IMPACT_LEVELS])
    for (const { impact, usd } of depth) expect(usd / product(1e9, impact)).toBeCloseTo(1, 6)
  })

  test('is in dollars, whichever side of the pool the token is on', () => {
    for (const isFirst of [true, false]) {
      const [token, other] = [tokenOf(1, 4), tokenOf(2, 2, { isListed: true })]
      sold(token, other, E9, 2n * E9, isFirst)
      for (const { impact, usd } of depthOf(token)) expect(usd / product(4e9, impact)).toBeCloseTo(1, 6)
    }
  })

  test('of several pools is that of all together', () => {
    const [token, other] = [tokenOf(1, 1), tokenOf(2, 1, { isListed: true })]
    for (const reserve of [1n, 2n, 3n]) sold(token, other, reserve * E9, reserve * E9)
    for (const { impact, usd } of depthOf(token)) expect(usd / product(6e9, impact)).toBeCloseTo(1, 6)
  })

  test('is nothing where every pool pays less than the price', () => {
    const [token, other] = [tokenOf(1, 1), tokenOf(2, 1, { isListed: true })]
    sold(token, other, E9, E9 / 2n)
    expect(depthOf(token).map(({ usd }) => usd)).toEqual([0, 0, 0, 0, 0])
    expect(depthOf(tokenOf(3, 1)).map(({ usd }) => usd)).toEqual([0, 0, 0, 0, 0])
  })

  test('is all that pools take where they end before the price falls so far', () => {
    const [token, other] = [tokenOf(1, 1), tokenOf(2, 1, { isListed: true })]
    sold(token, other, END - END / 1_000n, END - END / 1_000n)
    const [half, ...more] = depthOf(token)
    // After the fee of 0.3 percent.
    const all = (Number(END) / 1_000) * 0.997
    expect(half!.usd / all).toBeCloseTo(1, 6)
    for (const { usd } of more) expect(usd).toBe(half!.usd)
  })

  test('of a pool that ends and a thin one beside it is found far below the price of either', () => {
    const [token, other] = [tokenOf(1, 1), tokenOf(2, 1, { isListed: true })]
    const wide = END - END / 1_000n
    sold(token, other, wide, wide)
    const thin = Number(END) / 1e6
    sold(token, other, BigInt(thin), BigInt(thin))
    const all = (Number(END) / 1_000) * 0.997
    const reserve = Number(wide)
    const got = (reserve * all) / (reserve + all)
    for (const { impact, usd } of depthOf(token)) {
      // The large pool is emptied; the thin one takes the rest s, until got + thin·s/(thin + s) is (1 − impact)·(all + s).
      const keep = 1 - impact / 100
      const [b, c] = [keep * (all + thin) - got - thin, thin * (keep * all - got)]
      const rest = (-b + Math.sqrt(b * b - 4 * keep * c)) / (2 * keep)
      expect(usd / (all + rest)).toBeCloseTo(1, 6)
    }
  })

  test('costs a few looks at all pools for each level, also where the price to end at is far away', () => {
    const [token, other] = [tokenOf(1, 1), tokenOf(2, 1, { isListed: true })]
    const wide = END - END / 1_000n
    for (let k = 0; k < 1_000; k++) {
      const reserve = k % 2 === 0 ? wide : END / 30n
      sold(token, other, reserve, reserve)
    }
    const steps = sellDepth(token, pricer)
    let looks = 0
    while (!steps.next().done) looks++
    expect(looks).toBeLessThan(LOOKS)
  })
})

describe('a pool of several ranges', () => {
  const [token, other] = [tokenOf(1, 1), tokenOf(2, 1, { isListed: true })]
  const ranges = [
    { from: 0.6, to: 1.7, liquidity: 1e9 },
    { from: 0.9, to: 1.02, liquidity: 9e9 },
    { from: 0.97, to: 1.01, liquidity: 4e9 },
    { from: 0.8, to: 0.93, liquidity: 7e9 },
  ]
  const depthWith = (pools: readonly Pool[]) => {
    token.pricedPools.length = 0
    for (const pool of pools) {
      const reserves = familyOf('uniswap-v3')!.reserves(pool).map(Number)
      token.pricedPools.push({ pool, tokens: [token, other], reserves, fee: 0, edges: [] } as unknown as PricedPool)
    }
    return depthOf(token).map(({ usd }) => usd)
  }

  test('is as deep as one pool for each of its ranges', () => {
    const poolWith = (of: typeof ranges) => ranged(token.address, other.address, 1, of)
    const [whole, divided] = [depthWith([poolWith(ranges)]), depthWith(ranges.map((range) => poolWith([range])))]
    for (const [k, usd] of whole.entries()) expect(usd / divided[k]!, String(k)).toBeCloseTo(1, 6)
    // All of the impacts end in the ranges, so each adds to the depth.
    expect(new Set(whole).size).toBe(5)
  })
})

describe('the work', () => {
  /** Number of yields for a token with this many pools, none of which can be sold into. */
  const yieldsWith = (poolCount: number) => {
    const [token, other] = [tokenOf(1, 1), tokenOf(2, Number.NaN, { isListed: true })]
    for (let k = 0; k < poolCount; k++) sold(token, other, E9, E9)
    return [...sellDepth(token, pricer)].length
  }

  test('is interrupted at every thousandth pool that may pay a listed token, and at every one that may be the best', () =>
    expect([3, 999, 1_000].map(yieldsWith)).toEqual([3, 999, 1_001]))
})

describe('pools that count', () => {
  test('are those that pay in a token of the registry, if there is one with a price', () => {
    const [token, named, other] = [tokenOf(1, 1), tokenOf(2, 1, { isListed: true }), tokenOf(3, 1, { evidence: 1e9 })]
    sold(token, other, 5n * E9, 5n * E9)
    sold(token, named, E9, E9)
    sold(token, tokenOf(4, Number.NaN, { isListed: true }), 7n * E9, 7n * E9)
    sold(token, tokenOf(5, 0, { isListed: true }), 7n * E9, 7n * E9)
    expect(depthOf(token)[0]!.usd / product(1e9, 0.5)).toBeCloseTo(1, 6)
  })

  test('are else the best backed one, among equals the first by its id', () => {
    const [token, thin, deep] = [tokenOf(1, 1), tokenOf(2, 1, { evidence: 10 }), tokenOf(3, 1, { evidence: 1_000 })]
    sold(token, thin, 9n * E9, 9n * E9)
    sold(token, deep, 2n * E9, 2n * E9)
    sold(token, deep, 3n * E9, 3n * E9)
    expect(depthOf(token)[0]!.usd / product(2e9, 0.5)).toBeCloseTo(1, 6)
    token.pricedPools.reverse()
    expect(depthOf(token)[0]!.usd / product(2e9, 0.5)).toBeCloseTo(1, 6)
  })

  test('are passed over where they cannot swap', () => {
    const [token, named] = [tokenOf(1, 1), tokenOf(2, 1, { isListed: true })]
    sold(token, named, 0n, 0n)
    sold(token, named, E9, E9)
    expect(depthOf(token)[0]!.usd / product(1e9, 0.5)).toBeCloseTo(1, 6)
  })

  test('of a vault that mints without a limit is at most its existing shares', () => {
    const [asset, share] = [tokenOf(1, 1), tokenOf(2, 1, { isListed: true })]
    const tokens = [asset, share]
    const totals = { totalAssets: E9, totalSupply: E9 }
    const state = { ...totals, virtualShares: 0n, maxDeposit: (1n << 256n) - 1n, cash: E9 }
    const pool: Pool = {
      ...{ id: account(0x999), address: share.address, family: 'erc4626', dex: 'test', state },
      tokens: tokens.map(({ address }) => address),
    }
    const reserves = familyOf('erc4626')!.reserves(pool).map(Number)
    asset.pricedPools.push({ pool, tokens, reserves, fee: 0, edges: [] } as unknown as PricedPool)
    for (const { usd } of depthOf(asset)) expect(usd / 1e9).toBeCloseTo(1, 6)
    // Next to a pool of x·y = k, the vault pays for its existing shares and no more.
    sold(asset, share, E9, E9)
    for (const { impact, usd } of depthOf(asset)) {
      // The pool takes the rest s, until v + r·s/(r + s) is (1 − impact)·(v + s), with v = r = 1e9.
      const keep = 1 - impact / 100
      const [b, c] = [keep * 2e9 - 2e9, 1e9 * (keep * 1e9 - 1e9)]
      const rest = (-b + Math.sqrt(b * b - 4 * keep * c)) / (2 * keep)
      expect(usd / (1e9 + rest)).toBeCloseTo(1, 5)
    }
  })

  test('are the ones kept apart for tokens of many pools', () => {
    const [token, named] = [tokenOf(1, 1), tokenOf(2, 1, { isListed: true })]
    sold(token, named, E9, E9)
    sold(token, named, E9, E9)
    const listedToken = Object.assign(token, { listedPools: new Set(token.pricedPools.slice(0, 1)) })
    expect(depthOf(listedToken)[0]!.usd / product(1e9, 0.5)).toBeCloseTo(1, 6)
  })
})

test('the curve of a pool is worked out once in each direction, as long as the pool is what it is', () => {
  const curveOf = vi.spyOn(familyOf('uniswap-v2')!, 'priceCurve')
  const [token, other] = [tokenOf(1, 1, { isListed: true }), tokenOf(2, 1, { isListed: true })]
  const pool = sold(token, other, E9, E9)
  other.pricedPools.push(...token.pricedPools)
  const first = depthOf(token)
  expect(curveOf).toHaveBeenCalledTimes(1)
  expect(depthOf(token)).toEqual(first)
  expect(curveOf).toHaveBeenCalledTimes(1)
  depthOf(other)
  expect(curveOf).toHaveBeenCalledTimes(2)
  token.pricedPools[0]!.pool = { ...pool }
  depthOf(token)
  expect(curveOf).toHaveBeenCalledTimes(3)
})
