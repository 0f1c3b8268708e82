/**
 * Attackers in a synthetic market must not gain from its prices; `npm run bench -- prices attacks` runs it at full size.
 */
import type { Address } from '@sluice/chains'
import { describe, expect, test } from 'vitest'
import { Prices } from '../src/index.ts'
import { type Market, makeMarket, scoreOf, snapshotAt, strategies } from '../testing/index.ts'

const SEEDS = [1, 2, 3, 4, 5, 6]
const TWICE = 2

async function expectHonest(prices: Prices, market: Market) {
  const { honest, wrong, credited } = await scoreOf(prices, market)
  expect(wrong).toEqual([])
  expect(honest.unpriced).toBeLessThanOrEqual(market.honest.size / 1_000)
  for (const strategy of strategies) expect(credited[strategy] ?? 0, strategy).toBeLessThanOrEqual(TWICE)
}

describe.each(SEEDS)('a market with attackers, drawn from seed %i', (seed) => {
  const market = makeMarket({ seed, tokens: 600, pools: 6_000 })

  test('has its true prices before, during, and after a block of manipulation', async () => {
    let readings = market.shares
    const redemptions = (token: Address) => readings.get(token)
    const prices = new Prices(market.chain, { decimals: market.decimals, redemptions })
    prices.applyNow(snapshotAt(market, 1, market.pools))
    await expectHonest(prices, market)
    readings = market.bentShares
    prices.applyNow(snapshotAt(market, 2, market.pools.with(market.spike)))
    await expectHonest(prices, market)
    readings = market.shares
    prices.applyNow(snapshotAt(market, 3, market.pools))
    await expectHonest(prices, market)
    prices.applyNow(snapshotAt(market, 4, market.pools))
    await expectHonest(prices, market)
  })

  test('has attackers of every kind, and would have false prices without the history of blocks', async () => {
    expect(market.pools.size).toBeGreaterThanOrEqual(6_000)
    expect(market.spike.length).toBeGreaterThan(10)
    const redemptions = (token: Address) => market.shares.get(token)
    const prices = new Prices(market.chain, { decimals: market.decimals, redemptions })
    prices.applyNow(snapshotAt(market, 1, market.pools.with(market.spike)))
    const { wrong } = await scoreOf(prices, market)
    expect(wrong.length).toBeGreaterThan(0)
  })
})

/** Each stable alone, and two together. */
const FALLS = [
  [0.5, 1, 1],
  [1, 0.5, 1],
  [1, 1, 0.5],
  [0.5, 0.5, 1],
  [0.5, 1, 0.5],
  [1, 0.5, 0.5],
] as const

test.each(FALLS)(
  'a market with attackers has its true prices if stables are at %d, %d, and %d dollars',
  async (...stables) => {
    const market = makeMarket({ seed: 7, tokens: 600, pools: 6_000, stables })
    const redemptions = (token: Address) => market.shares.get(token)
    const prices = new Prices(market.chain, { decimals: market.decimals, redemptions })
    prices.applyNow(snapshotAt(market, 1, market.pools))
    await expectHonest(prices, market)
  },
)
