/** Tests that a token that cannot be sold has no influence on the prices of other tokens. */
import type { Address } from '@sluice/chains'
import type { Pool, Redemption, Snapshot } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { address, centre, chain, eth, pair, snapshotOf, USDC, usdc, WETH } from '../test/pools.ts'
import { Prices } from './book.ts'

const [X, T, SECOND, BELOW] = [0x1000, 0x1001, 0x1002, 0x1003].map(address) as [Address, Address, Address, Address]
const decimals = (token: Address) => (token >= X ? 18 : undefined)

/** X at $1 in an honest pool, and the attacker's pools that price X at $10 through T. */
const honest = pair(X, USDC, eth(500_000), usdc(500_000))
const attackersDollars = pair(T, USDC, eth(650_000), usdc(650_000))
const attackersPrice = pair(T, X, eth(650_000), eth(65_000))
const attack = [...centre(), honest, attackersDollars, attackersPrice]

/** Same price of X through two tokens of the attacker, of which only the second one is in a pool with dollars. */
const attackByTwo = [
  ...[...centre(), honest, pair(SECOND, USDC, eth(650_000), usdc(650_000))],
  ...[pair(T, SECOND, eth(650_000), eth(650_000)), pair(T, X, eth(650_000), eth(65_000))],
]

let blockNumber = 0
function blockOf(pools: readonly Pool[]): Snapshot {
  blockNumber++
  const snapshot = snapshotOf(pools)
  const hash = `0x${blockNumber.toString(16).padStart(64, '0')}` as const
  return { ...snapshot, block: { ...snapshot.block, number: blockNumber, hash } }
}

/** Prices after the given number of blocks, with a set of unsellable tokens that the test changes. */
function pricesOf(pools: readonly Pool[], { unsellable = [] as readonly Address[], blockCount = 3 } = {}) {
  const unsellableTokens = new Set(unsellable)
  const prices = new Prices(chain, { decimals, isUnsellable: (token) => unsellableTokens.has(token) })
  for (let k = 0; k < blockCount; k++) prices.applyNow(blockOf(pools))
  return { prices, unsellableTokens }
}

/** Everything that prices report of tokens. */
const reportOf = async (prices: Prices) =>
  Promise.all(
    [X, T, SECOND, BELOW, WETH].map(async (token) => [
      await prices.detail(token),
      await prices.depthUsd(token),
      await prices.depthCurve(token),
    ]),
  )

describe('a token that cannot be sold', () => {
  test('prices no other token, in the first block and in later ones', async () => {
    expect(pricesOf(attack).prices.usd(X)).toBeCloseTo(10, 6)
    for (const blockCount of [1, 3]) {
      const { prices } = pricesOf(attack, { unsellable: [T], blockCount })
      expect(prices.usd(X)).toBeCloseTo(1, 6)
      expect((await prices.detail(X)).sources.map(({ pool }) => pool.id)).toEqual([honest.id])
      expect((await prices.detail(T)).reason).toBe('unsellable')
    }
  })

  test('adds nothing to the depth of others', async () => {
    const { prices } = pricesOf(attack, { unsellable: [T] })
    const { prices: withoutAttack } = pricesOf([...centre(), honest])
    for (const token of [X, USDC])
      expect([await prices.depthUsd(token), await prices.depthCurve(token)]).toEqual([
        await withoutAttack.depthUsd(token),
        await withoutAttack.depthCurve(token),
      ])
    expect(await pricesOf(attack).prices.depthUsd(X)).toBeGreaterThan((await prices.depthUsd(X))!)
  })

  test('loses its influence with the result of the test sale, also on levels, and without a new block', async () => {
    const pools = [...attack, pair(BELOW, X, eth(1_000), eth(1_000)), pair(BELOW, T, eth(1_000), eth(1_000))]
    const { prices, unsellableTokens } = pricesOf(pools)
    expect(prices.usd(X)).toBeCloseTo(10, 6)
    unsellableTokens.add(T)
    await prices.updateSellability(T)
    expect([prices.usd(X), prices.usd(BELOW), prices.usd(T)]).toEqual([
      ...[expect.closeTo(1, 6), expect.closeTo(1, 6), null],
    ])
    expect(await reportOf(prices)).toEqual(await reportOf(pricesOf(pools, { unsellable: [T] }).prices))
  })

  test('counts again from the next block on after its result has expired', async () => {
    const { prices, unsellableTokens } = pricesOf(attack, { unsellable: [T] })
    unsellableTokens.clear()
    expect([prices.usd(X), prices.isUnsellable(T)]).toEqual([expect.closeTo(1, 6), true])
    prices.applyNow(blockOf(attack))
    expect([prices.usd(X), prices.isUnsellable(T)]).toEqual([expect.closeTo(10, 6), false])
    expect(await reportOf(prices)).toEqual(await reportOf(pricesOf(attack).prices))
  })

  test('loses its influence also if the result arrives while a block is applied', async () => {
    const { prices, unsellableTokens } = pricesOf(attack)
    const following = prices.follow(blockOf([...attack, ...manyPools(5_000)]))
    expect(prices.isCurrent).toBe(false)
    unsellableTokens.add(T)
    const update = prices.updateSellability(T)
    expect(prices.usd(X)).toBeCloseTo(1, 6)
    await Promise.all([update, following])
    expect([prices.isCurrent, prices.usd(X)]).toEqual([true, expect.closeTo(1, 6)])
  })

  test('before the first block, or without pools, changes nothing', async () => {
    const { prices, unsellableTokens } = pricesOf([], { blockCount: 0 })
    unsellableTokens.add(T)
    await prices.updateSellability(T)
    expect(prices.isUnsellable(T)).toBe(false)
    prices.applyNow(blockOf(attack))
    expect([prices.usd(X), prices.isUnsellable(T)]).toEqual([expect.closeTo(1, 6), true])
    prices.applyNow(blockOf([...centre(), honest]))
    expect([prices.usd(X), prices.isUnsellable(T)]).toEqual([expect.closeTo(1, 6), false])
  })

  test('takes the price of a token that only it prices', async () => {
    expect(pricesOf(attackByTwo).prices.usd(X)).toBeCloseTo(10, 6)
    const { prices } = pricesOf(attackByTwo, { unsellable: [SECOND] })
    expect([prices.usd(X), prices.usd(T)]).toEqual([expect.closeTo(1, 6), expect.closeTo(0.1, 6)])
    const { prices: withoutX } = pricesOf(attackByTwo.slice(0, -1), { unsellable: [SECOND] })
    expect((await withoutX.detail(T)).reason).toBe('no-anchor')
  })

  test('is never a listed one', async () => {
    const { prices } = pricesOf(attack, { unsellable: [WETH, USDC] })
    expect([prices.usd(WETH), prices.usd(USDC)]).toEqual([expect.closeTo(3_000, 0), expect.closeTo(1, 6)])
  })
})

test('a paused token moves prices of others only as far as their other pools differ, and only while it is paused', async () => {
  const paused = pair(T, USDC, eth(1e6), usdc(1e6))
  const pools = [
    ...centre(),
    paused,
    honest,
    pair(X, T, eth(900_000), eth(909_000)),
    pair(BELOW, T, eth(1e5), eth(1e5)),
  ]
  const { prices, unsellableTokens } = pricesOf(pools)
  const before = await reportOf(prices)
  expect([prices.usd(X), prices.usd(BELOW)]).toEqual([expect.closeTo(1.01, 6), expect.closeTo(1, 6)])
  unsellableTokens.add(T)
  await prices.updateSellability(T)
  expect([prices.usd(X), prices.usd(BELOW)]).toEqual([expect.closeTo(1, 6), null])
  unsellableTokens.delete(T)
  await prices.updateSellability(T)
  expect(await reportOf(prices)).toEqual(before)
})

describe('the tokens on which a price depends', () => {
  test('are all listed unless one of them counts', () => {
    const listedOnly = (pools: readonly Pool[], unsellable: readonly Address[] = []) =>
      pricesOf(pools, { unsellable }).prices.isPricedByListedTokens(X)
    expect([listedOnly([...centre(), honest]), listedOnly(attack)]).toEqual([true, false])
    expect([listedOnly(attack, [T]), listedOnly(attackByTwo, [SECOND])]).toEqual([true, true])
    const tokens = Array.from({ length: 33 }, (_, k) => address(0x3000 + k))
    const links = tokens.map((token, k) => pair(token, tokens[k + 1] ?? USDC, eth(1e9), k < 32 ? eth(1e9) : usdc(1e9)))
    expect(listedOnly([...centre(), ...links, pair(X, tokens[0]!, eth(1e6), eth(1e6))])).toBe(false)
  })

  test('may set any price of a token with few pools for a little money, which is recognizable', () => {
    const pools = [...centre(), pair(X, USDC, eth(5_000), usdc(5_000)), pair(T, USDC, eth(6_000), usdc(6_000))]
    const { prices } = pricesOf([...pools, pair(T, X, eth(6_000), eth(0.006))])
    expect([prices.usd(X), prices.isPricedByListedTokens(X)]).toEqual([expect.closeTo(1e6, 0), false])
  })

  test('are those that decide it, along the path to listed tokens', () => {
    expect(pricesOf(attack).prices.intermediatesOf(X)).toEqual([T])
    expect(pricesOf(attackByTwo).prices.intermediatesOf(X)).toEqual([T, SECOND])
    for (const token of [USDC, WETH, T, SECOND]) expect(pricesOf(attack).prices.intermediatesOf(token)).toEqual([])
  })

  test('are not those that cannot move it, because other pools have most of the weight', () => {
    const pools = [
      ...centre(),
      honest,
      pair(T, USDC, eth(450_000), usdc(450_000)),
      pair(T, X, eth(450_000), eth(45_000)),
    ]
    const { prices } = pricesOf(pools)
    expect([prices.usd(X), prices.intermediatesOf(X)]).toEqual([expect.closeTo(1, 6), []])
  })

  test('include the unsellable token with which the most is pooled, so that it is tested again', () => {
    const pools = [...attack, pair(SECOND, X, eth(1), eth(100))]
    const { prices } = pricesOf(pools, { unsellable: [SECOND, T] })
    expect([prices.intermediatesOf(X), prices.intermediatesOf(T)]).toEqual([[T], []])
  })

  test('are the heaviest ones that together have most of the weight', () => {
    const tokens = Array.from({ length: 12 }, (_, k) => address(0x2000 + k))
    const pools = tokens.flatMap((token) => [
      pair(token, USDC, eth(650_000), usdc(650_000)),
      pair(token, X, eth(100_000), eth(10_000)),
    ])
    const { prices } = pricesOf([...centre(), honest, ...pools])
    expect(prices.usd(X)).toBeCloseTo(10, 6)
    // Of $1.7M, the honest pool has $500k, and four others $400k.
    expect(prices.intermediatesOf(X)).toHaveLength(4)
  })

  test('are unknown if there are too many to test', () => {
    const chainOf = (length: number) => {
      const tokens = Array.from({ length }, (_, k) => address(0x3000 + k))
      const links = tokens.map((token, k) =>
        pair(token, tokens[k + 1] ?? USDC, eth(1e9), k + 1 < length ? eth(1e9) : usdc(1e9)),
      )
      return pricesOf([...centre(), ...links, pair(X, tokens[0]!, eth(1e6), eth(1e6))]).prices.intermediatesOf(X)
    }
    expect([chainOf(32)?.length, chainOf(33)]).toEqual([32, null])
  })

  test('include the unlisted components of a share', () => {
    const part = (token: Address) => ({ token, balance: 10n ** 24n, scale: 1 })
    const share = {
      ...{ share: BELOW, kind: 'vault', supply: 10n ** 24n, rate: 1 },
      parts: [part(X), part(WETH)],
    } as unknown as Redemption
    const prices = new Prices(chain, { decimals, redemptions: (token) => (token === BELOW ? [share] : undefined) })
    prices.applyNow(blockOf(attack))
    expect(prices.intermediatesOf(BELOW)).toEqual([X, T])
  })
})

describe('the pools that decide the price of a token', () => {
  const dollars = (n: number, price: number) => pair(T, USDC, eth(n / price), usdc(n))

  test('are the heaviest one, not the one with the largest reserve of the token, also if the token is unsellable', () => {
    const decoy = pair(T, USDC, eth(9_000_000), usdc(1_000))
    for (const unsellable of [[], [T]])
      expect(pricesOf([...attack, decoy], { unsellable }).prices.decidingPoolsOf(T)).toEqual([attackersDollars])
  })

  test('include the one with the median price, if it is another one', () => {
    const [light, median, heaviest] = [dollars(100_000, 9), dollars(100_000, 10), dollars(110_000, 1)]
    const { prices } = pricesOf([...centre(), light, median, heaviest, dollars(9_000, 9.5)])
    expect(prices.usd(T)).toBeCloseTo(9, 6)
    expect(prices.decidingPoolsOf(T)).toEqual([heaviest, light])
  })

  test('do not depend on pools of less than a tenth of the heaviest weight', () => {
    const [heaviest, second] = [dollars(100_000, 1), dollars(60_000, 2)]
    const decidingPoolsWith = (amount: number) => {
      const lightPools = Array.from({ length: 5 }, () => dollars(amount, 3))
      return pricesOf([...centre(), heaviest, second, ...lightPools]).prices.decidingPoolsOf(T)
    }
    expect(decidingPoolsWith(9_900)).toEqual([heaviest])
    expect(decidingPoolsWith(10_000)).toEqual([heaviest, second])
  })

  test('of equal prices are the heavier ones, and a single one of equal weights is not repeated', () => {
    const [one, two] = [dollars(100_000, 1), dollars(200_000, 1)]
    expect(pricesOf([...centre(), two, one]).prices.decidingPoolsOf(T)).toEqual([two])
    expect(pricesOf([...centre(), one]).prices.decidingPoolsOf(T)).toEqual([one])
  })

  test('are none for hubs, for tokens without liquidity, and before the first block', () => {
    const { prices } = pricesOf([...centre(), dollars(100, 1)])
    expect([T, WETH, USDC, X].map((token) => prices.decidingPoolsOf(token))).toEqual([[], [], [], []])
    expect(pricesOf([], { blockCount: 0 }).prices.decidingPoolsOf(T)).toEqual([])
  })
})

const manyPools = (count: number) =>
  Array.from({ length: count }, (_, k) => pair(address(0x10_0000 + k), USDC, eth(1), usdc(1_000)))
