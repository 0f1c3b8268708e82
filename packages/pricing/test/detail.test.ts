import { describe, expect, test } from 'vitest'
import { Prices, priceTokens } from '../src/index.ts'
import { address, centre, chain, eth, pair, snapshotOf, USDC, usdc, WETH } from './pools.ts'

const LOCAL = address(0x1000)
const NOWHERE = address(0x2000)
const book = (pools: ReturnType<typeof centre>, decimals = (token: string) => (token >= LOCAL ? 18 : undefined)) =>
  priceTokens(snapshotOf(pools), chain, { decimals })

describe('the detail of a price', () => {
  test('lists the contributing pools, the heaviest first, with the price of each', async () => {
    const deep = pair(LOCAL, WETH, eth(1_000), eth(100))
    const near = pair(LOCAL, USDC, eth(300), usdc(90_900))
    const shallow = pair(LOCAL, USDC, eth(1), usdc(450))
    const prices = book([...centre(), deep, near, shallow])
    const detail = await prices.detail(LOCAL)
    expect(detail).toMatchObject({ usd: prices.usd(LOCAL), depthUsd: await prices.depthUsd(LOCAL), reason: null })
    expect(detail.sources.map(({ pool }) => pool.id)).toEqual([deep.id, near.id])
    expect(detail.sources[0]!.usd).toBeCloseTo(300, 6)
    expect(detail.sources[1]!.usd).toBeCloseTo(303, 6)
    expect(detail.sources.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(1, 9)
  })

  test('has less confidence with less liquidity, and if pools disagree', async () => {
    const trusted = async (...pools: ReturnType<typeof centre>) => {
      const { confidence } = await book([...centre(), ...pools]).detail(LOCAL)
      expect(confidence).toBeGreaterThan(0)
      expect(confidence).toBeLessThan(1)
      return confidence
    }
    const one = await trusted(pair(LOCAL, USDC, eth(1_000), usdc(300_000)))
    expect(await trusted(pair(LOCAL, USDC, eth(10), usdc(3_000)))).toBeLessThan(one)
    const disagreeing = [pair(LOCAL, USDC, eth(1_000), usdc(300_000)), pair(LOCAL, WETH, eth(1_000), eth(102))]
    expect(await trusted(...disagreeing)).toBeLessThan(one)
  })

  test('of a stable and a hub comes from their common pools', async () => {
    const prices = book(centre())
    for (const token of [USDC, WETH]) {
      const { usd, confidence, sources } = await prices.detail(token)
      expect(usd).toBe(prices.usd(token))
      expect(confidence).toBeGreaterThan(0)
      expect(sources.length).toBeGreaterThan(0)
    }
  })

  test('reports that a token cannot be sold, for any pools', async () => {
    const pools = [...centre(), pair(LOCAL, USDC, eth(1_000), usdc(300_000))]
    const unsellableTokens = new Set([LOCAL])
    const prices = priceTokens(snapshotOf(pools), chain, {
      decimals: (token) => (token >= LOCAL ? 18 : undefined),
      isUnsellable: (token) => unsellableTokens.has(token),
    })
    expect(await prices.detail(LOCAL)).toMatchObject({ usd: null, depthUsd: null, reason: 'unsellable' })
    expect([prices.usd(LOCAL), await prices.depthUsd(LOCAL), await prices.depthCurve(LOCAL)]).toEqual([
      null,
      null,
      null,
    ])
    unsellableTokens.clear()
    await (prices as Prices).updateSellability(LOCAL)
    expect((await prices.detail(LOCAL)).reason).toBeNull()
  })

  test('is pending until all pools were processed once', async () => {
    const prices = new Prices(chain)
    for (const token of [WETH, LOCAL])
      expect(await prices.detail(token)).toMatchObject({ usd: null, depthUsd: null, reason: 'pending' })
    await prices.follow(snapshotOf(centre()))
    expect((await prices.detail(WETH)).reason).toBeNull()
    expect((await prices.detail(LOCAL)).reason).toBe('unknown')
  })

  test('reports that a chain without a stable has no anchor', async () => {
    const prices = priceTokens(snapshotOf(centre()), { ...chain, stables: [] }, { decimals: () => 18 })
    for (const token of [WETH, USDC]) expect((await prices.detail(token)).reason).toBe('no-anchor')
  })

  test.each([
    ['unknown', centre(), undefined],
    ['no-decimals', [...centre(), pair(LOCAL, USDC, eth(100), usdc(30_000))], () => undefined],
    ['below-floor', [...centre(), pair(LOCAL, USDC, eth(1), usdc(10))], undefined],
    ['no-anchor', [...centre(), pair(LOCAL, NOWHERE, eth(1_000), eth(1_000))], undefined],
  ] as const)('reports the reason for a missing price: %s', async (reason, pools, decimals) => {
    expect(await book([...pools], decimals).detail(LOCAL)).toEqual({
      usd: null,
      depthUsd: null,
      confidence: 0,
      sources: [],
      reason,
    })
  })
})
