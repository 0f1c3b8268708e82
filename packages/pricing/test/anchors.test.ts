import { type Address, type Chain, NATIVE } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { priceTokens } from '../src/index.ts'
import { address, centre, chain, DAI, dai, decimalsOf, eth, pair, snapshotOf, USDC, USDT, usdc, WETH } from './pools.ts'

const book = (pools: readonly Pool[], on: Chain = chain) =>
  priceTokens(snapshotOf(pools), on, { decimals: (token) => (token >= address(0x1000) ? 18 : undefined) })

const LOCAL = address(0x1000)
const OTHER = address(0x1001)

describe('a stable off its peg', () => {
  test('is not an anchor if the others agree on another price', () => {
    const prices = book([
      pair(WETH, USDC, eth(10_000), usdc(34e6)), // USDC trades at 0.88
      pair(WETH, USDT, eth(5_000), usdc(15e6)),
      pair(WETH, DAI, eth(5_000), dai(15e6)),
    ])
    expect(prices.usd(USDC)).toBeCloseTo(30 / 34, 2)
    expect(prices.usd(WETH)).toBeCloseTo(3_000, 0)
  })

  const dollars = [USDC, USDT, DAI] as const
  const falls = [
    ...dollars.map((token) => [token]),
    ...dollars.map((stable) => dollars.filter((token) => token !== stable)),
  ]
  const worth = (token: Address, fallen: readonly Address[]) => (fallen.includes(token) ? 0.5 : 1)
  /** Ether at 3,000 dollars against each stable, at 50 cents for those that fell. */
  const market = (stables: readonly Address[], fallen: readonly Address[]) =>
    stables.map((token, k) =>
      pair(WETH, token, eth(5_000 + k * 3_000), whole(token, (15e6 + k * 9e6) / worth(token, fallen))),
    )
  const whole = (token: Address, amount: number) => amount * 10 ** decimalsOf[token]!

  test.each(falls)('one or two of three at half a dollar are not anchors: %s %s', (...fallen: Address[]) => {
    const prices = book([...market(dollars, fallen), pair(LOCAL, USDT, eth(1e6), usdc(1e6))])
    for (const token of dollars) expect(prices.usd(token)).toBeCloseTo(worth(token, fallen), 6)
    expect(prices.usd(WETH)).toBeCloseTo(3_000, 3)
    expect(prices.usd(LOCAL)).toBeCloseTo(worth(USDT, fallen), 6)
  })

  test.each([USDC, USDT])('is not an anchor if there are only two: %s', (fallen) => {
    const on: Chain = { ...chain, stables: chain.stables.slice(0, 2), hubs: [WETH, USDC, USDT] }
    const prices = book(market([USDC, USDT], [fallen]), on)
    expect(prices.usd(fallen)).toBeCloseTo(0.5, 6)
    expect(prices.usd(WETH)).toBeCloseTo(3_000, 3)
  })

  test.each([[WETH], [USDC], [WETH, USDC], [USDC, USDT]])(
    'is not an anchor if the native asset is a dollar: %s %s',
    (...fallen: Address[]) => {
      const dollar = { address: WETH, symbol: 'WXDAI', decimals: 18 }
      const on: Chain = { ...chain, wrappedNative: dollar, stables: [dollar, ...chain.stables.slice(0, 2)] }
      const pools = [USDC, USDT].map((token) =>
        pair(WETH, token, eth(1e6 / worth(WETH, fallen)), whole(token, 1e6 / worth(token, fallen))),
      )
      const prices = book(pools, on)
      for (const token of [WETH, USDC, USDT]) expect(prices.usd(token)).toBeCloseTo(worth(token, fallen), 6)
      expect(prices.usd(NATIVE)).toBe(prices.usd(WETH))
    },
  )

  test('one of four stables with a higher price does not change the anchors', () => {
    const fourth = { address: OTHER, symbol: 'USDX', decimals: 18 }
    const on: Chain = { ...chain, stables: [...chain.stables, fourth], hubs: [...chain.hubs, OTHER] }
    const prices = book([...market(dollars, []), pair(WETH, OTHER, eth(5_000), dai(10e6))], on)
    expect(prices.usd(OTHER)).toBeCloseTo(1.5, 6)
    expect(prices.usd(WETH)).toBeCloseTo(3_000, 3)
  })

  test('may be a stable other than the native asset, if that is a dollar too', () => {
    const dollar = { address: WETH, symbol: 'WXDAI', decimals: 18 }
    const on: Chain = { ...chain, wrappedNative: dollar, stables: [dollar, ...chain.stables] }
    const pools = [
      pair(WETH, USDC, eth(1e6), usdc(1e6)),
      pair(WETH, USDT, eth(1e6), usdc(2e6)), // USDT trades at half a dollar
      pair(WETH, DAI, eth(1e6), dai(1e6)),
      pair(LOCAL, WETH, eth(1e4), eth(2e4)),
    ]
    const prices = book(pools, on)
    expect(prices.usd(NATIVE)).toBeCloseTo(1, 9)
    expect(prices.usd(USDT)).toBeCloseTo(0.5, 6)
    expect(prices.usd(LOCAL)).toBeCloseTo(2, 6)
  })

  test('is not assumed because of a thin pool', () => {
    const prices = book([...centre(), pair(DAI, USDC, dai(1_000), usdc(10))])
    expect(prices.usd(DAI)).toBeCloseTo(1, 9)
  })
})

describe('pools of different fees', () => {
  const cheap = (usd: number, price: number) => pair(WETH, USDC, eth(usd / price), usdc(usd), 500)
  const expensive = (usd: number, price: number) => pair(WETH, USDC, eth(usd / price), usdc(usd), 3_000)

  test('give the price of the lower fee, if it is within the fee of the others', () => {
    const prices = priceTokens(snapshotOf([expensive(20e6, 3_005), expensive(20e6, 3_006), cheap(15e6, 3_000)]), chain)
    expect(prices.usd(WETH)).toBeCloseTo(3_000, 6)
  })

  test('ignore a low-fee pool that deviates by more than the fee, or has little liquidity', () => {
    const off = priceTokens(snapshotOf([expensive(20e6, 3_005), expensive(20e6, 3_006), cheap(15e6, 2_950)]), chain)
    expect(off.usd(WETH)).toBeCloseTo(3_005, 6)
    const thin = priceTokens(snapshotOf([expensive(20e6, 3_005), expensive(20e6, 3_006), cheap(5e6, 3_000)]), chain)
    expect(thin.usd(WETH)).toBeCloseTo(3_005, 6)
  })
})
