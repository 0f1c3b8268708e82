/** Tests which pools price a token, and with what weight. Levels are set by hand. */
import type { Address } from '@sluice/chains'
import { describe, expect, test } from 'vitest'
import { graphWith } from '../test/graph.ts'
import { address } from '../test/pools.ts'
import type { TokenPrice } from './token.ts'
import { TokenPricer } from './token-pricer.ts'

const [DOLLAR, HUB, ONE, TWO, THREE] = [address(1), address(2), address(3), address(4), address(5)]
const MIN_WEIGHT_USD = 300
const ANCHOR: TokenPrice = { price: 1, evidence: Number.POSITIVE_INFINITY }

/** Pricer of a graph with an anchor of level 400 and a hub of level 50. */
function pricerWith(hubPrices: Readonly<Record<Address, TokenPrice>> = { [DOLLAR]: ANCHOR }) {
  const world = graphWith({ listed: [DOLLAR, HUB] })
  const pricer = new TokenPricer(MIN_WEIGHT_USD)
  const put = (id: string, a: Address, b: Address, rate: number, backing: number) =>
    world.put(id, [a, b], [{ rate, backing }])
  put('hub', HUB, DOLLAR, 10, 1_000_000)
  /** Sets levels, passes the prices of hubs, and returns the updated token. */
  const price = (token: Address, levels: Readonly<Record<Address, number>>) => {
    const allLevels: Readonly<Record<Address, number>> = { [DOLLAR]: 400, [HUB]: 50, ...levels }
    for (const [name, level] of Object.entries(allLevels)) world.tokenAt(name as Address).finalLevel = level
    const prices = Object.entries(hubPrices).map(([name, price]) => [world.tokenAt(name as Address), price] as const)
    pricer.invalidate(new Map(prices))
    return pricer.updatePrice(world.tokenAt(token))
  }
  const observed = (token: Address) =>
    pricer.observationsOf(world.tokenAt(token)).map(({ pool, value, weight }) => [pool.id, value, weight])
  return { ...world, pricer, put, price, observed }
}

describe('the price of a token', () => {
  test('is the median of its pools with tokens of a higher level, with the most weight as evidence', () => {
    const { put, price, observed } = pricerWith()
    put('a', ONE, DOLLAR, 2, 1_000)
    put('b', ONE, DOLLAR, 3, 5_000)
    put('c', ONE, DOLLAR, 4, 900)
    put('level', ONE, TWO, 1, 1e9)
    expect(price(ONE, { [ONE]: 5, [TWO]: 5 })).toMatchObject({ price: 3, evidence: 5_000 })
    expect(observed(ONE)).toEqual([
      ['a', 2, 1_000],
      ['b', 3, 5_000],
      ['c', 4, 900],
    ])
  })

  test('has no more evidence than the token that prices it', () => {
    const { put, price, observed } = pricerWith()
    put('a', ONE, DOLLAR, 2, 1_000)
    put('b', TWO, ONE, 5, 1e9)
    expect(price(TWO, { [ONE]: 5, [TWO]: 4 })).toMatchObject({ price: 10, evidence: 1_000 })
    expect(observed(TWO)).toEqual([['b', 10, 1_000]])
  })

  test('counts pools from the minimum weight on', () => {
    for (const [backing, expected] of [
      [MIN_WEIGHT_USD, { price: 2, evidence: MIN_WEIGHT_USD }],
      [MIN_WEIGHT_USD - 1, { price: Number.NaN, evidence: 0 }],
    ] as const) {
      const { put, price, observed } = pricerWith()
      put('a', ONE, DOLLAR, 2, backing)
      expect(price(ONE, { [ONE]: 5 })).toMatchObject(expected)
      expect(observed(ONE)).toHaveLength(backing === MIN_WEIGHT_USD ? 1 : 0)
    }
  })

  test('is none without a level, and none from a token without a price', () => {
    const { put, price, observed } = pricerWith()
    put('a', ONE, DOLLAR, 2, 1_000)
    put('b', TWO, ONE, 5, 1e9)
    const none = { price: Number.NaN, evidence: 0, bestEdgeIndex: -1 }
    expect(price(TWO, { [ONE]: 0, [TWO]: 0 })).toMatchObject(none)
    expect(price(ONE, { [ONE]: 0, [TWO]: 0 })).toMatchObject(none)
    put('a', ONE, DOLLAR, 2, 1)
    expect(price(TWO, { [ONE]: 5, [TWO]: 4 })).toMatchObject(none)
    expect(observed(TWO)).toEqual([])
  })

  test('of a hub is the given one, not that of its pools', () => {
    const { price } = pricerWith({ [DOLLAR]: ANCHOR, [HUB]: { price: 7, evidence: 20_000 } })
    expect(price(HUB, {})).toMatchObject({ price: 7, evidence: 20_000, bestEdgeIndex: -1 })
    expect(pricerWith().price(HUB, {})).toMatchObject({ price: 10, evidence: 1_000_000 })
  })

  test('names the edge with the most weight', () => {
    const { put, price } = pricerWith()
    put('a', ONE, DOLLAR, 2, 1_000)
    put('b', ONE, DOLLAR, 3, 5_000)
    put('c', ONE, DOLLAR, 4, 5_000)
    const token = price(ONE, { [ONE]: 5 })
    expect(token.edges[token.bestEdgeIndex]!.pricedPool.pool.id).toBe('b')
  })
})

describe('a computed price', () => {
  test('is kept until prices are invalidated', () => {
    const { put, price, pricer, tokenAt } = pricerWith()
    put('a', ONE, DOLLAR, 2, 1_000)
    const token = price(ONE, { [ONE]: 5 })
    put('a', ONE, DOLLAR, 3, 1_000)
    expect([pricer.isUpToDate(token), pricer.updatePrice(token).price]).toEqual([true, 2])
    pricer.invalidate()
    expect([pricer.isUpToDate(token), pricer.updatePrice(token).price]).toEqual([false, 3])
    expect(pricer.updatePrice(tokenAt(DOLLAR)).price).toBe(1)
  })

  test('has its depth checked once until prices are invalidated', () => {
    const { price, pricer } = pricerWith()
    const token = price(DOLLAR, {})
    const answers = [true, false]
    const isDeep = () => pricer.cachedIsDeep(token, () => answers.shift()!)
    expect([isDeep(), isDeep(), answers.length]).toEqual([true, true, 1])
    pricer.invalidate()
    expect([isDeep(), isDeep(), answers.length]).toEqual([false, false, 0])
  })
})

describe('the observations of a hub', () => {
  const hubPrices = {
    [DOLLAR]: ANCHOR,
    [HUB]: { price: 10, evidence: 1_000_000 },
    [ONE]: { price: 20, evidence: 50_000 },
  }
  const world = () => {
    const pricing = pricerWith(hubPrices)
    pricing.put('one', ONE, HUB, 2, 5_000)
    pricing.put('other', HUB, TWO, 2, 1e9)
    pricing.put('thin', HUB, DOLLAR, 10, MIN_WEIGHT_USD - 1)
    pricing.price(ONE, { [ONE]: 40, [TWO]: 45 })
    return pricing
  }

  test('are those of pools with hubs that were priced before it', () => {
    const { observed } = world()
    expect(observed(HUB)).toEqual([['hub', 10, 1_000_000]])
    expect(observed(ONE)).toEqual([['one', 20, 50_000]])
  })

  test('are those of pools with all hubs for an anchor', () => {
    expect(world().observed(DOLLAR)).toEqual([['hub', 1, 1_000_000]])
  })
})

describe('the tokens that decide a price', () => {
  /** Deciding tokens of a token with pools that derive from TWO and THREE at one dollar each. */
  const deciding = (weightOfTwo: number, weightOfThree: number) => {
    const { put, price, pricer, tokenAt } = pricerWith()
    for (const token of [TWO, THREE]) put(`dollar${token}`, token, DOLLAR, 1, 100_000)
    put('a', ONE, TWO, 2, weightOfTwo)
    put('b', ONE, THREE, 3, weightOfThree)
    price(ONE, { [ONE]: 5, [TWO]: 10, [THREE]: 10 })
    return pricer.decidingTokens(tokenAt(ONE)).map(({ address }) => address)
  }

  test('are those of the heaviest pools with more than half of the weight', () => {
    expect(deciding(1_001, 1_000)).toEqual([TWO])
    expect(deciding(1_000, 1_001)).toEqual([THREE])
  })

  test('are those of both pools where each has half of the weight, because the median is one of their prices', () => {
    expect(deciding(1_000, 1_000)).toEqual([TWO, THREE])
  })
})

describe('a pool with a price jump', () => {
  /** Token with a pool that jumps from 2 to 6 dollars, and with another pool of the given liquidity. */
  const jumped = (otherBacking: number) => {
    const world = pricerWith()
    world.put('a', ONE, DOLLAR, 2, 1_000)
    if (otherBacking > 0) world.put('b', ONE, DOLLAR, 2.5, otherBacking)
    world.graph.startBlock()
    world.put('a', ONE, DOLLAR, 6, 4_000)
    return world
  }

  test('counts with its rate before the jump if another pool prices the token', () => {
    const { price, observed } = jumped(MIN_WEIGHT_USD)
    expect(price(ONE, { [ONE]: 5 })).toMatchObject({ price: 2, evidence: 1_000, priceBeforeJump: undefined })
    expect(observed(ONE)).toEqual([
      ['a', 2, 1_000],
      ['b', 2.5, MIN_WEIGHT_USD],
    ])
  })

  test('counts with its new rate if no other pool has enough weight', () => {
    for (const otherBacking of [0, MIN_WEIGHT_USD - 1]) {
      const { price, observed } = jumped(otherBacking)
      const before = { price: 2, evidence: 1_000 }
      expect(price(ONE, { [ONE]: 5 })).toMatchObject({ price: 6, evidence: 4_000, priceBeforeJump: before })
      expect(observed(ONE)).toEqual([['a', 6, 4_000]])
    }
  })

  test('counts at once for tokens that only it prices, and before the jump for others', () => {
    const world = jumped(0)
    world.put('c', TWO, ONE, 1, 1e9)
    const levels = { [ONE]: 5, [TWO]: 4 }
    // The pool is new in this block.
    expect(world.price(TWO, levels)).toMatchObject({ price: 6, evidence: 4_000 })
    const other = pricerWith()
    other.put('a', ONE, DOLLAR, 2, 1_000)
    other.put('c', TWO, ONE, 1, 1e9)
    other.put('d', TWO, DOLLAR, 2.5, MIN_WEIGHT_USD)
    other.graph.startBlock()
    other.put('a', ONE, DOLLAR, 6, 4_000)
    expect(other.price(TWO, levels)).toMatchObject({ price: 2, evidence: 1_000 })
    expect(other.observed(TWO)).toEqual([
      ['c', 2, 1_000],
      ['d', 2.5, MIN_WEIGHT_USD],
    ])
  })

  test('counts for all tokens from the next block on', () => {
    const world = pricerWith()
    world.put('a', ONE, DOLLAR, 2, 1_000)
    world.put('c', TWO, ONE, 1, 1e9)
    world.put('d', TWO, DOLLAR, 2.5, MIN_WEIGHT_USD)
    const levels = { [ONE]: 5, [TWO]: 4 }
    world.graph.startBlock()
    world.put('a', ONE, DOLLAR, 6, 4_000)
    expect(world.price(TWO, levels)).toMatchObject({ price: 2, evidence: 1_000 })
    world.graph.startBlock()
    expect(world.price(TWO, levels)).toMatchObject({ price: 6, evidence: 4_000 })
    expect(world.tokenAt(ONE).priceBeforeJump).toBeUndefined()
  })

  test('that had too little weight before does not count next to another pool', () => {
    const world = pricerWith()
    world.put('a', ONE, DOLLAR, 9, MIN_WEIGHT_USD - 1)
    world.put('b', ONE, DOLLAR, 2.5, 1_000)
    world.graph.startBlock()
    world.put('a', ONE, DOLLAR, 9, 1e6)
    expect(world.price(ONE, { [ONE]: 5 })).toMatchObject({ price: 2.5, evidence: 1_000 })
    expect(world.observed(ONE)).toEqual([['b', 2.5, 1_000]])
    world.graph.startBlock()
    expect(world.price(ONE, { [ONE]: 5 })).toMatchObject({ price: 9, evidence: 1e6 })
  })

  test.each([30, 29])('with %i tokens of ten dollars in the other pool counts by their value', (backing) => {
    const world = pricerWith()
    world.put('a', ONE, HUB, 0.2, 100)
    world.put('b', ONE, HUB, 0.25, backing)
    expect(world.price(ONE, { [ONE]: 5 })).toMatchObject({ price: 2, evidence: 1_000, priceBeforeJump: undefined })
    expect(world.observed(ONE)).toHaveLength(backing === 30 ? 2 : 1)
    world.graph.startBlock()
    world.put('a', ONE, HUB, 0.6, 400)
    const before = { price: 2, evidence: 1_000 }
    expect(world.price(ONE, { [ONE]: 5 })).toMatchObject(
      backing === 30
        ? { ...before, priceBeforeJump: undefined }
        : { price: 6, evidence: 4_000, priceBeforeJump: before },
    )
    expect(world.observed(ONE)).toHaveLength(backing === 30 ? 2 : 1)
  })

  test('with a token of a lower level has no effect', () => {
    const world = pricerWith()
    world.put('a', ONE, DOLLAR, 2, 1_000)
    world.put('c', ONE, TWO, 1, 1e9)
    world.graph.startBlock()
    world.put('c', ONE, TWO, 5, 1e9)
    expect(world.price(ONE, { [ONE]: 5, [TWO]: 4 })).toMatchObject({ price: 2, priceBeforeJump: undefined })
    expect(world.observed(ONE)).toEqual([['a', 2, 1_000]])
  })
})
