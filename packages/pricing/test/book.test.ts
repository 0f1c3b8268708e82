import { type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { priceTokens } from '../src/book.ts'
import { MIN_EVIDENCE_USD } from '../src/priced-market.ts'
import {
  address,
  centre,
  chain,
  DAI,
  eth,
  liquidityFor,
  pair,
  ranged,
  snapshotOf,
  USDC,
  USDT,
  usdc,
  WBTC,
  WETH,
} from './pools.ts'

const book = (pools: readonly Pool[], on: Chain = chain) =>
  priceTokens(snapshotOf(pools), on, { decimals: (token) => (token >= address(0x1000) ? 18 : undefined) })

const LOCAL = address(0x1000)
const OTHER = address(0x1001)

describe('prices', () => {
  test('come from the stables through the pools, for any decimals', () => {
    const prices = book(centre())
    expect(prices.usd(USDC)).toBeCloseTo(1, 9)
    expect(prices.usd(WETH)).toBeCloseTo(3_000, 6)
    expect(prices.usd(WBTC)).toBeCloseTo(60_000, 6)
  })

  test('reach a token over several hops', () => {
    const prices = book([...centre(), pair(LOCAL, WBTC, eth(1_000), 2e8), pair(OTHER, LOCAL, eth(10), eth(500))])
    expect(prices.usd(LOCAL)).toBeCloseTo(120, 6)
    expect(prices.usd(OTHER)).toBeCloseTo(6_000, 4)
  })

  test('treat the native token as its wrapper, in pools as well', async () => {
    const prices = book([...centre(), pair(ZERO_ADDRESS, LOCAL, eth(100), eth(100))])
    expect(prices.usd(NATIVE)).toBe(prices.usd(WETH))
    expect(await prices.depthUsd(NATIVE)).toBe(await prices.depthUsd(WETH))
    expect(prices.usd(LOCAL)).toBeCloseTo(3_000, 6)
  })

  test('use the ERC-20 of the native asset if there is no wrapper, although their decimals differ', () => {
    const twin = { address: OTHER, symbol: 'GAS', decimals: 6 }
    const on: Chain = { ...chain, wrappedNative: null, nativeErc20: twin, hubs: [OTHER, USDC] }
    const prices = priceTokens(snapshotOf([pair(OTHER, USDC, 1e12, usdc(2e6))]), on)
    expect(prices.usd(OTHER)).toBeCloseTo(2, 9)
    expect(prices.usd(NATIVE)).toBe(prices.usd(OTHER))
  })

  test.each([
    ['a token in no pool', centre(), LOCAL],
    [
      'a token whose pools hold less than the floor',
      [...centre(), pair(LOCAL, USDC, eth(1), usdc(MIN_EVIDENCE_USD - 1))],
      LOCAL,
    ],
    ['a token traded only against unpriced ones', [...centre(), pair(LOCAL, OTHER, eth(1e9), eth(1e9))], LOCAL],
    ['a stable without a pool', [pair(WETH, USDC, eth(100), usdc(3e5))], DAI],
  ])('are null for %s', async (_, pools, token) => {
    const prices = book(pools)
    expect(prices.usd(token)).toBeNull()
    expect(await prices.depthUsd(token)).toBeNull()
    expect(await prices.depthCurve(token)).toBeNull()
  })

  test('are null while decimals are unknown, although depth is known', async () => {
    const unknown = address(0x999)
    const prices = book([...centre(), pair(unknown, USDC, eth(1), usdc(1e6))])
    expect(prices.usd(unknown)).toBeNull()
    expect(await prices.depthUsd(unknown)).toBeCloseTo(2e6 / 1.02, 0)
  })

  test('are all null on a chain without a stable', () => {
    expect(book(centre(), { ...chain, stables: [] }).usd(WETH)).toBeNull()
  })
})

describe('concentrated liquidity', () => {
  const around = (price: number, usd: number) => [
    { from: price * 0.9, to: price * 1.1, liquidity: liquidityFor(usdc(usd), price * 0.9, price) },
  ]
  const price = usdc(2) / 1e18

  test('counts in depth by the balances of its ticks, not by its liquidity value', async () => {
    const prices = book([...centre(), ranged(LOCAL, USDC, price, around(price, 50_000))])
    expect(prices.usd(LOCAL)).toBeCloseTo(2, 6)
    expect(await prices.depthUsd(LOCAL)).toBeGreaterThan(80_000)
    expect(await prices.depthUsd(LOCAL)).toBeLessThan(101_000)
  })

  test('far below an unsupported price does not support it', () => {
    const far = ranged(LOCAL, USDC, price * 1_000, around(price, 1e6))
    expect(book([...centre(), far]).usd(LOCAL)).toBeNull()
    const both = book([...centre(), far, pair(LOCAL, WETH, eth(15_000), eth(10))])
    expect(both.usd(LOCAL)).toBeCloseTo(2, 6)
  })

  test('on one side of the price only does not support it', () => {
    const bids = ranged(LOCAL, USDC, price / 2, [
      { from: price * 0.4, to: price / 2, liquidity: liquidityFor(usdc(1e6), price * 0.4, price / 2) },
    ])
    expect(book([...centre(), bids]).usd(LOCAL)).toBeNull()
  })
})

describe('hostile pools', () => {
  const scam = (n: number) => address(0x2000 + n)
  const amount = fc.double({ min: 1, max: 1e30, noNaN: true })
  const scamPools = fc
    .array(fc.tuple(fc.nat(7), fc.nat(7), amount, amount), { maxLength: 60 })
    .map((all) => all.filter(([a, b]) => a !== b).map(([a, b, x, y]) => pair(scam(a), scam(b), x, y)))

  test('of worthless tokens only never give a price, for any balances', () => {
    fc.assert(
      fc.property(scamPools, (pools) => {
        const prices = book([...centre(), ...pools])
        for (let n = 0; n < 8; n++) expect(prices.usd(scam(n))).toBeNull()
        expect(prices.usd(WETH)).toBeCloseTo(3_000, 6)
      }),
    )
  })

  test('never give a token more depth than a few times the real value in its pools', async () => {
    const entry = fc.double({ min: 1, max: 5_000, noNaN: true })
    await fc.assert(
      fc.asyncProperty(
        scamPools,
        fc.array(fc.tuple(fc.nat(7), amount, entry), { minLength: 1, maxLength: 8 }),
        async (pools, entries) => {
          const real = entries.reduce((sum, [, , usd]) => sum + usd, 0)
          const prices = book([
            ...centre(),
            ...pools,
            ...entries.map(([n, x, usd]) => pair(scam(n), USDC, x, usdc(usd))),
          ])
          for (let n = 0; n < 8; n++) expect((await prices.depthUsd(scam(n))) ?? 0).toBeLessThanOrEqual(4 * real + 1)
        },
      ),
    )
  })

  test('do not move a price, in any number, if each holds less than a tenth of the best', () => {
    const lie = fc.tuple(
      fc.double({ min: 2, max: 1e3, noNaN: true }),
      fc.double({ min: 5_000, max: 9_000, noNaN: true }),
    )
    fc.assert(
      fc.property(fc.array(lie, { minLength: 20, maxLength: 40 }), (lies) => {
        const pools = lies.map(([factor, usd]) => pair(LOCAL, USDC, eth(usd / factor), usdc(usd)))
        const prices = book([...centre(), pair(LOCAL, USDC, eth(100_000), usdc(100_000)), ...pools])
        expect(prices.usd(LOCAL)).toBeCloseTo(1, 9)
      }),
    )
  })

  test('with a fee of 50 % have no effect', () => {
    expect(book([...centre(), pair(LOCAL, USDC, eth(1), usdc(1e6), 500_000)]).usd(LOCAL)).toBeNull()
  })

  test('with one empty side have no effect', () => {
    const prices = book([...centre(), pair(LOCAL, USDC, 0, usdc(1e6)), pair(LOCAL, WETH, eth(1), 0)])
    expect(prices.usd(LOCAL)).toBeNull()
    expect(prices.usd(WETH)).toBeCloseTo(3_000, 6)
  })
})

describe('depth', () => {
  test('adds both sides of every pool of the token', async () => {
    const prices = book(centre())
    expect(await prices.depthUsd(USDC)).toBeCloseTo(60e6, -2)
    expect(await prices.depthUsd(WBTC)).toBeCloseTo(12e6, -2)
    expect(await prices.depthUsd(WETH)).toBeCloseTo(60e6 + 30e6 + 12e6 + 12e6, -2)
  })

  test('limits a side of minted tokens to the value of the other side', async () => {
    const prices = book([
      ...centre(),
      pair(LOCAL, USDC, eth(1_000), usdc(1_000)),
      pair(LOCAL, WETH, eth(1e9), eth(0.1)),
    ])
    expect(await prices.depthUsd(LOCAL)).toBeLessThan(2_000 + 4 * 300 + 1)
  })
})

describe('the depth curve', () => {
  test('of a constant-product pool is x % of its reserve, plus the fee, at x % impact', async () => {
    const curve = (await book([...centre(), pair(LOCAL, USDC, eth(1e6), usdc(1e6))]).depthCurve(LOCAL))!
    expect(curve.map((point) => point.impact)).toEqual([0.5, 1, 2, 5, 10])
    // Average price of selling d into reserves r is r / (r + d) of the first: d = r · x / (1 − x).
    for (const { impact, usd } of curve) expect(usd).toBeCloseTo((1e6 * impact) / (100 - impact), 0)
  })

  test('adds pools, and rises with the impact', async () => {
    const one = (await book([...centre(), pair(LOCAL, USDC, eth(1e6), usdc(1e6))]).depthCurve(LOCAL))!
    const pools = [pair(LOCAL, USDC, eth(1e6), usdc(1e6)), pair(LOCAL, USDT, eth(1e6), usdc(1e6))]
    const two = (await book([...centre(), ...pools]).depthCurve(LOCAL))!
    two.forEach((point, k) => {
      expect(point.usd).toBeCloseTo(2 * one[k]!.usd, 0)
      if (k > 0) expect(point.usd).toBeGreaterThan(two[k - 1]!.usd)
    })
  })

  test('ends where concentrated liquidity ends', async () => {
    const price = usdc(2) / 1e18
    const only = [{ from: price * 0.99, to: price * 1.01, liquidity: liquidityFor(usdc(50_000), price * 0.99, price) }]
    const curve = (await book([...centre(), ranged(LOCAL, USDC, price, only)]).depthCurve(LOCAL))!
    for (const { usd } of curve) expect(usd).toBeLessThan(50_600)
    expect(curve[4]!.usd).toBeGreaterThan(50_000)
  })

  test('never falls, for any pools', async () => {
    const reserve = fc.double({ min: 1, max: 1e9, noNaN: true })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(reserve, reserve), { minLength: 1, maxLength: 8 }), async (all) => {
        const curve = await book([...centre(), ...all.map(([x, y]) => pair(LOCAL, USDC, eth(x), usdc(y)))]).depthCurve(
          LOCAL,
        )
        if (curve === null) return
        curve.forEach((point, k) => {
          expect(point.usd).toBeGreaterThanOrEqual(k === 0 ? 0 : curve[k - 1]!.usd)
        })
      }),
    )
  })
})

test('prices do not depend on the order of the pools', () => {
  const tokens = [USDC, USDT, WETH, WBTC, LOCAL, OTHER]
  const anyPool = fc.tuple(fc.nat(5), fc.nat(5), fc.integer({ min: 1, max: 1e15 }), fc.integer({ min: 1, max: 1e15 }))
  fc.assert(
    fc.property(fc.array(anyPool, { maxLength: 12 }), (all) => {
      const pools = [
        ...centre(),
        ...all.filter(([a, b]) => a !== b).map(([a, b, x, y]) => pair(tokens[a]!, tokens[b]!, x, y)),
      ]
      const forwards = book(pools)
      const backwards = book([...pools].reverse())
      for (const token of tokens) {
        const [x, y] = [forwards.usd(token), backwards.usd(token)]
        if (x === null || y === null) expect(x).toBe(y)
        else expect(Math.abs(x / y - 1)).toBeLessThan(1e-9)
      }
    }),
  )
})
