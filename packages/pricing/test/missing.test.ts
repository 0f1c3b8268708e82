/** Tests of pools that hold less than their reserves, of holders, and of the native token's price on each kind of chain. */
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { describe, expect, test } from 'vitest'
import { detailOf } from '../src/detail.ts'
import { Prices, priceTokens } from '../src/index.ts'
import { pricedTokenOf } from '../src/listed-tokens.ts'
import { address, centre, chain, eth, pair, snapshotOf, USDC, USDT, usdc, WETH } from './pools.ts'

const LOCAL = address(0x1000)
const decimals = (token: string) => (token >= LOCAL ? 18 : undefined)

describe('a pool with missing balances', () => {
  const full = pair(LOCAL, USDC, eth(1_000), usdc(300_000))
  const other = pair(LOCAL, WETH, eth(10), eth(1.01))
  const pools = [...centre(), full, other]

  test('counts as far as it can pay: in depth, and in the price', async () => {
    const prices = priceTokens(snapshotOf(pools), chain, { decimals }) as Prices
    const before = { usd: prices.usd(LOCAL)!, depth: (await prices.depthUsd(LOCAL))! }
    expect(before.usd).toBeCloseTo(300, 6)
    expect(prices.setMissing(full.id, [0, usdc(299_000)])).toBe(true)
    // What is left of the dollars is less than the other pool has, so that one sets the price.
    expect(prices.usd(LOCAL)).toBeCloseTo(303, 6)
    expect(await prices.depthUsd(LOCAL)).toBeLessThan(before.depth / 10)
    expect(prices.setMissing(full.id, [0, usdc(299_000)])).toBe(false)
    expect(prices.setMissing(full.id, [0, 0])).toBe(true)
    expect([prices.usd(LOCAL), await prices.depthUsd(LOCAL)]).toEqual([before.usd, before.depth])
  })

  test('still lacks them in the next block, also if they were reported while that one was applied', async () => {
    const prices = new Prices(chain, { decimals })
    prices.applyNow(snapshotOf(pools))
    prices.setMissing(full.id, [0, usdc(299_000)])
    const moved = pair(LOCAL, WETH, eth(10), eth(1.02))
    prices.applyNow(snapshotOf([...centre(), full, { ...moved, id: other.id }]))
    expect(prices.usd(LOCAL)).toBeGreaterThan(301)
    const busy = new Prices(chain, { decimals })
    const following = busy.follow(snapshotOf(pools))
    expect(busy.setMissing(full.id, [0, usdc(299_000)])).toBe(true)
    await following
    expect(busy.usd(LOCAL)).toBeCloseTo(303, 6)
  })

  describe('counts with less at once after the first block, because missing balances are no jump', () => {
    const moved = (dollars: number) => ({ ...pair(LOCAL, USDC, eth(1_000), usdc(dollars)), id: full.id })
    /** Prices after several blocks. In each block the pool holds other dollars. */
    const pricesAfter = (dollars: readonly number[]) => {
      const prices = new Prices(chain, { decimals })
      const hubs = centre()
      const applyBlock = (number: number, amount: number) => {
        const snapshot = snapshotOf([...hubs, moved(amount), other])
        const hash = `0x${number.toString(16).padStart(64, '0')}` as const
        prices.applyNow({ ...snapshot, block: { ...snapshot.block, number, hash } })
      }
      for (const [k, amount] of dollars.entries()) applyBlock(k + 1, amount)
      return { prices, applyBlock }
    }

    test.each([
      ['the pool has not changed', [300_000, 300_000]],
      ['it changed a little in this block', [300_000, 300_010]],
      ['it jumped in the last block', [300_000, 200_000, 300_000]],
      ['it jumped earlier', [200_000, 300_000, 300_000, 300_000]],
    ])('if %s', (_, dollars) => {
      const { prices, applyBlock } = pricesAfter(dollars)
      expect(prices.usd(LOCAL)).toBeCloseTo(300, 1)
      const expectLower = () =>
        expect([prices.usd(LOCAL), prices.hasNoPendingJumps]).toEqual([expect.closeTo(303, 6), true])
      prices.setMissing(full.id, [0, usdc(299_000)])
      expectLower()
      // The pool may change again in the same block.
      applyBlock(dollars.length, dollars.at(-1)! + 20)
      expectLower()
      prices.setMissing(full.id, [0, usdc(301_000)])
      expectLower()
    })

    test('but a jump of the price in the same block still is one', () => {
      const { prices } = pricesAfter([300_000, 600_000])
      prices.setMissing(full.id, [0, usdc(1_000)])
      expect([prices.usd(LOCAL), prices.hasNoPendingJumps]).toEqual([expect.closeTo(300, 6), false])
    })
  })

  test('is ignored while no such pool is known', () => {
    const prices = priceTokens(snapshotOf(centre()), chain, { decimals }) as Prices
    expect(prices.setMissing('unknown', [1, 2])).toBe(true)
    expect(prices.usd(WETH)).not.toBeNull()
  })
})

test('a token is held by its pools, and an unknown one by nobody', () => {
  const pool = pair(LOCAL, USDC, eth(1_000), usdc(300_000))
  const prices = new Prices(chain, { decimals })
  expect([prices.holderOf(LOCAL), prices.poolsOf(LOCAL)]).toEqual([undefined, []])
  prices.applyNow(snapshotOf([...centre(), pool]))
  expect([prices.holderOf(LOCAL), prices.poolsOf(LOCAL)]).toEqual([pool.address, [pool]])
  prices.applyNow(snapshotOf(centre()))
  expect([prices.holderOf(LOCAL), prices.poolsOf(LOCAL)]).toEqual([undefined, []])
})

test('the native token has the price of its wrapper, else of its ERC-20 form, else of its own pools', () => {
  const nativeErc20 = { symbol: 'MET', address: USDT, decimals: 18 }
  const priced = (kind: object) =>
    [NATIVE, ZERO_ADDRESS, USDC].map((token) => pricedTokenOf(token, { ...chain, ...kind } as never))
  expect(priced({})).toEqual([WETH, WETH, USDC])
  expect(priced({ nativeErc20 })).toEqual([WETH, WETH, USDC])
  expect(priced({ wrappedNative: null, nativeErc20 })).toEqual([USDT, USDT, USDC])
  expect(priced({ wrappedNative: null })).toEqual([ZERO_ADDRESS, ZERO_ADDRESS, USDC])
})

test('a hub that is no dollar is priced by the pools of earlier hubs only', async () => {
  const prices = priceTokens(snapshotOf(centre()), chain, { decimals })
  const pools = async (token: typeof WETH) => (await prices.detail(token)).sources.map(({ pool }) => pool.tokens)
  // Each source pool of the wrapped native token has a dollar on its other side.
  for (const tokens of await pools(WETH)) {
    expect(tokens).toContain(WETH)
    expect(chain.stables.some(({ address }) => tokens.includes(address))).toBe(true)
  }
})

test('sources of equal weight are in the order of their prices, then of their ids, however they arrive', () => {
  const pool = (id: string) => ({ id }) as never
  const observations = [
    { pool: pool('b'), value: 2, weight: 10 },
    { pool: pool('c'), value: 1, weight: 10 },
    { pool: pool('a'), value: 2, weight: 10 },
  ]
  const weighty = { pool: pool('d'), value: 3, weight: 20 }
  const orderOf = (sorted: typeof observations) =>
    detailOf({ price: 2, evidence: 20 }, sorted, 1, 100).sources.map((source) => source.pool.id)
  for (let shift = 0; shift < 3; shift++)
    for (const order of [observations, observations.toReversed()])
      expect(orderOf([...order.slice(shift), ...order.slice(0, shift)])).toEqual(['c', 'a', 'b'])
  expect(orderOf([...observations, weighty])).toEqual(['d', 'c', 'a'])
})

test('prices may change without a block only while one has just jumped', () => {
  const prices = new Prices(chain, { decimals })
  const hubs = centre()
  const blockOf = (number: number, pools: readonly object[]) => {
    const snapshot = snapshotOf(pools as never)
    const hash = `0x${number.toString(16).padStart(64, '0')}` as const
    prices.applyNow({ ...snapshot, block: { ...snapshot.block, number, hash } })
    return prices.hasNoPendingJumps
  }
  const [low, high] = [pair(LOCAL, USDC, eth(1_000), usdc(300_000)), pair(LOCAL, WETH, eth(1_000), eth(100))]
  const moved = (dollars: number) => ({ ...pair(LOCAL, USDC, eth(1_000), usdc(dollars)), id: low.id })
  expect(blockOf(1, [...hubs, low, high])).toBe(true)
  expect(blockOf(2, [...hubs, moved(300_010), high])).toBe(true)
  expect(blockOf(3, [...hubs, moved(600_000), high])).toBe(false)
  expect(blockOf(4, [...hubs, moved(600_010), high])).toBe(true)
  expect(blockOf(5, [...hubs, moved(600_020), high])).toBe(true)
})

test('of a pool of two listed tokens each side counts in depth, of one with an unlisted token at most the other side', async () => {
  const depthOf = async (token: typeof WETH, pool: object) => {
    const [before, after] = [centre(), [...centre(), pool]].map((pools) =>
      priceTokens(snapshotOf(pools as never), chain, { decimals }).depthUsd(token),
    )
    return ((await after) ?? 0) - ((await before) ?? 0)
  }
  // At 3,000 dollars, 100 of the wrapped native token are worth three times what is on the other side.
  const listedPool = pair(WETH, USDC, eth(100), usdc(100_000))
  expect(await depthOf(WETH, listedPool)).toBeCloseTo(400_000, -3)
  expect(await depthOf(USDC, listedPool)).toBeCloseTo(400_000, -3)
  const unlistedPool = pair(LOCAL, USDC, eth(100), usdc(100_000))
  const addedToUsdc = await depthOf(USDC, unlistedPool)
  expect(addedToUsdc).toBeGreaterThan(150_000)
  expect(addedToUsdc).toBeLessThanOrEqual(200_001)
})
