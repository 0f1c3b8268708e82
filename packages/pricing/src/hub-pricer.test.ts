/** Tests which stables count as one dollar, and which hubs price other tokens. */
import { type Address, type Chain, toAddress } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { TokenGraph } from './graph.ts'
import { HubPricer } from './hub-pricer.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
/** The native token, another hub, four stables, and a token that is neither. */
const [ETH, BTC, S1, S2, S3, S4, OTHER] = [1, 2, 3, 4, 5, 6, 7].map(at) as [Address, ...Address[]] as Address[] & {
  readonly length: 7
}
const FLOOR = 5_000

/** A hub pricer over pools of two tokens; amounts are in whole tokens, and stables have no decimals. */
function hubPricerOf({
  decimals = () => 0 as number | undefined,
  stables = [S1!, S2!, S3!, S4!],
  hubs = [ETH!, BTC!],
} = {}) {
  const chain = { wrappedNative: null, hubs, stables: stables.map((address) => ({ address })) } as unknown as Chain
  const graph = new TokenGraph(chain, new Set([...hubs, ...stables]))
  const hubPricer = new HubPricer(graph, chain, decimals)
  /** @param mid - units of b per unit of a; `backing` in units of b */
  const put = (id: string, a: Address, b: Address, backing: number, mid: number, fee = 0) => {
    const existingPool = graph.findPool(id)
    const pool = { id, tokens: [a, b] } as unknown as Pool
    const pairs = [{ i: 0, j: 1, midPrice: mid, backingI: backing / mid, backingJ: backing }]
    const pricedPool = graph.addOrUpdate(pool, { reserves: [backing / mid, backing], fee, pairs }, existingPool)
    hubPricer.addOrUpdate(pricedPool, !existingPool)
    return pricedPool
  }
  const remove = (id: string) => hubPricer.remove(graph.remove(id)!)
  const renew = () => hubPricer.updatePrices(FLOOR)
  const prices = () => Object.fromEntries([...renew()!].map(([{ address }, { price }]) => [address, price]))
  const evidence = () => Object.fromEntries([...renew()!].map(([{ address }, { evidence }]) => [address, evidence]))
  return { hubPricer, graph, put, remove, renew, prices, evidence }
}
const ANCHORED = { price: 1, evidence: Number.POSITIVE_INFINITY }

describe('a stable', () => {
  /** Pools of each stable with 100 of the native token, at the given dollars per stable. */
  const pegged = (...dollars: readonly number[]) => {
    const world = hubPricerOf({ stables: [S1!, S2!, S3!, S4!].slice(0, dollars.length) })
    for (const [k, dollar] of dollars.entries()) world.put(`s${k}`, [S1, S2, S3, S4][k]!, ETH!, 100, dollar / 2_000)
    return world
  }
  const anchorsOf = (world: ReturnType<typeof hubPricerOf>) =>
    [...world.renew()!]
      .filter(([, { evidence }]) => evidence === Number.POSITIVE_INFINITY)
      .map(([{ address }]) => address)

  test.each([
    [0.971, true],
    [0.969, false],
    [1.029, true],
    [1.031, false],
  ])('at %d of the others counts as a dollar: %s', (dollar, counts) => {
    // Three others hold the majority, also against a higher one.
    const world = pegged(1, 1, 1, dollar)
    expect(anchorsOf(world)).toEqual(counts ? [S1, S2, S3, S4] : [S1, S2, S3])
  })

  test('that lost its peg has the price of its pools', () => {
    const world = pegged(1, 1, 0.9)
    const prices = world.prices()
    expect([prices[S1!], prices[S2!]]).toEqual([1, 1])
    expect(prices[S3!]).toBeCloseTo(0.9, 9)
    expect(prices[ETH!]).toBeCloseTo(2_000, 6)
  })

  test('above the others is the dollar only with a third of the votes', () => {
    // Two of five tenths fell: the higher value counts.
    expect(anchorsOf(pegged(1, 0.8))).toEqual([S1])
    expect(anchorsOf(pegged(1, 0.8, 0.8))).toEqual([S1])
    // One of four is ignored.
    expect(anchorsOf(pegged(1.2, 1, 1, 1))).toEqual([S2, S3, S4])
  })

  test('with less than a tenth of the deepest market has a smaller vote', () => {
    const world = hubPricerOf({ stables: [S1!, S2!] })
    world.put('a', S1!, ETH!, 4, 1.2 / 2_000)
    world.put('b', S2!, ETH!, 100, 1 / 2_000)
    // Votes of 4 and 10: less than a third.
    expect(anchorsOf(world)).toEqual([S2])
    world.put('a', S1!, ETH!, 5.1, 1.2 / 2_000)
    expect(anchorsOf(world)).toEqual([S1])
  })

  test('counts as a dollar if no pool compares it, and if the native token is not known', () => {
    const apart = hubPricerOf({ stables: [S1!, S2!] })
    apart.put('a', S1!, S2!, 50_000, 0.5)
    expect(anchorsOf(apart)).toEqual([S1, S2])
    const noPools = hubPricerOf({ stables: [S1!, S2!] })
    expect([...noPools.renew()!]).toEqual([])
    noPools.put('x', S1!, OTHER!, 50_000, 1)
    noPools.put('y', ETH!, OTHER!, 50_000, 1)
    expect([...noPools.renew()!].map(([{ address }]) => address)).toEqual([S1])
  })

  test('of unknown decimals is no anchor until they are known', () => {
    let decimals: number | undefined
    const world = hubPricerOf({ stables: [S1!], decimals: () => decimals })
    world.put('a', S1!, ETH!, 100, 1e-6 / 2_000)
    expect([[...world.renew()!], world.hubPricer.isMissingDecimals]).toEqual([[], true])
    expect(world.renew()).toBeNull()
    decimals = 6
    const prices = world.renew()!
    expect(prices.get(world.graph.findToken(S1!)!)).toEqual({ ...ANCHORED, price: 1e-6 })
    expect(prices.get(world.graph.findToken(ETH!)!)!.price).toBeCloseTo(2_000, 6)
    expect([world.hubPricer.isMissingDecimals, world.renew()]).toEqual([false, null])
  })
})

describe('a hub', () => {
  test('is priced in the order of the dollars behind it, over hubs before it', () => {
    const world = hubPricerOf({ stables: [S1!] })
    world.put('a', ETH!, S1!, 1_000_000, 2_000)
    world.put('b', BTC!, ETH!, 100, 10)
    // A shallow pool of the two does not count for more than its dollars.
    world.put('c', BTC!, S1!, 20_000, 30_000)
    const prices = world.prices()
    expect(prices[ETH!]).toBeCloseTo(2_000, 6)
    expect(prices[BTC!]).toBeCloseTo(20_000, 3)
    world.put('d', BTC!, ETH!, 101, 10)
    expect(world.evidence()).toMatchObject({ [ETH!]: 1_000_000, [BTC!]: 202_000 })
  })

  test('prices others from 10,000 dollars on, over pools of at least the floor', () => {
    const world = hubPricerOf({ stables: [S1!] })
    world.put('a', ETH!, S1!, 9_999, 2_000)
    expect(Object.keys(world.prices())).toEqual([S1])
    world.put('a', ETH!, S1!, 10_000, 2_000)
    expect(world.evidence()).toMatchObject({ [ETH!]: 10_000 })
    // Pools below the floor have no say in its price, also if they are most of the liquidity.
    const others = ['b', 'c', 'd']
    for (const id of others) world.put(id, ETH!, S1!, FLOOR - 1, 2_100)
    expect(world.prices()[ETH!]).toBeCloseTo(2_000, 6)
    for (const id of others) world.put(id, ETH!, S1!, FLOOR, 2_100)
    expect(world.prices()[ETH!]).toBeCloseTo(2_100, 6)
    for (const id of others) world.remove(id)
    expect(world.prices()[ETH!]).toBeCloseTo(2_000, 6)
  })

  test('has no more behind it than the token that prices it', () => {
    const world = hubPricerOf({ stables: [S1!] })
    world.put('a', ETH!, S1!, 20_000, 2_000)
    world.put('b', BTC!, ETH!, 1_000, 10)
    expect(world.evidence()).toMatchObject({ [ETH!]: 20_000, [BTC!]: 20_000 })
  })
})

describe('prices are computed again', () => {
  test('only after a change of a pool between two different hubs or stables', () => {
    const world = hubPricerOf()
    world.put('a', ETH!, S1!, 100_000, 2_000)
    expect(world.renew()).not.toBeNull()
    expect(world.renew()).toBeNull()
    const outside = world.put('x', ETH!, OTHER!, 100_000, 1)
    expect(world.renew()).toBeNull()
    const twice = world.put('y', ETH!, ETH!, 100_000, 1)
    expect(world.renew()).toBeNull()
    for (const pool of [outside, twice]) {
      world.hubPricer.startBlock(pool)
      world.hubPricer.addOrUpdate(pool, false)
      expect(world.renew()).toBeNull()
    }
    world.remove('x')
    expect(world.renew()).toBeNull()
    const inside = world.put('a', ETH!, S1!, 100_000, 2_001)
    expect(world.prices()[ETH!]).toBeCloseTo(2_001, 6)
    world.hubPricer.startBlock(inside)
    expect(world.renew()).not.toBeNull()
    world.remove('a')
    expect(world.renew()).not.toBeNull()
  })

  test('when a hub becomes known', () => {
    const world = hubPricerOf()
    world.put('a', ETH!, S1!, 100_000, 2_000)
    world.renew()
    world.put('x', BTC!, OTHER!, 1, 1)
    expect(world.renew()).not.toBeNull()
    expect(world.renew()).toBeNull()
  })
})

test.each([[[ETH!, S3!, S4!]], [[ETH!, S4!, S3!]]])(
  'of two hubs with the same liquidity the one with the lower address is priced first, in the order %j',
  (hubs) => {
    const { put, prices } = hubPricerOf({ hubs, stables: [S1!] })
    put('low', S3!, S1!, 50_000, 2)
    put('high', S4!, S1!, 50_000, 3)
    // One unit for one: the hub that is priced later takes the lower of its two prices.
    put('between', S3!, S4!, 50_000, 1)
    expect(prices()).toMatchObject({ [S3!]: 2, [S4!]: 2 })
  },
)
