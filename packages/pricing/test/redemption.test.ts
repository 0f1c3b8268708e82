/** Shares that redeem for another token, by what they redeem for and up to what can be redeemed now. */
import type { Address } from '@sluice/chains'
import type { Pool, Redemption, RedemptionKind } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { priceTokens } from '../src/index.ts'
import { address, centre, chain, eth, pair, snapshotOf, USDC, usdc, WETH } from './pools.ts'

const SHARE = address(0x1000)
const LOCAL = address(0x1001)

/** A vault of dollars: shares of 18 decimals. */
function vault(rate: number, cashUsd: number, claimedUsd = cashUsd): Pool {
  const units = (usd: number) => BigInt(Math.round(usd * 1e6))
  const totalSupply = BigInt(Math.round(claimedUsd / rate)) * 10n ** 18n
  const state = {
    ...{ totalAssets: units(claimedUsd), totalSupply, virtualShares: 0n, maxDeposit: 2n ** 255n, cash: units(cashUsd) },
  }
  return { id: SHARE, family: 'erc4626', dex: 'vault', address: SHARE, tokens: [USDC, SHARE], state }
}

/** Wrapped shares of staked ether, which is worth as much as ether by a pool. */
function wrapper(staked: Address, rate: number): readonly Pool[] {
  const supply = 10n ** 22n
  const state = { pooled: BigInt(Math.round(Number(supply) * rate)), shares: supply, supply }
  return [
    pair(WETH, staked, eth(5_000), eth(5_000)),
    { id: SHARE, family: 'rate-wrapper', dex: 'wrapper', address: SHARE, tokens: [staked, SHARE], state },
  ]
}

const book = (...pools: readonly Pool[]) =>
  priceTokens(snapshotOf([...centre(), ...pools]), chain, {
    decimals: (token) => (token >= SHARE ? 18 : undefined),
  })

describe('a share', () => {
  test('of a vault has its redemption value', async () => {
    const prices = book(vault(1.25, 1e6))
    expect(prices.usd(SHARE)).toBeCloseTo(1.25, 4)
    expect((await prices.detail(SHARE)).sources).toMatchObject([{ pool: { family: 'erc4626' } }])
  })

  test('of wrapped staked ether is worth its rate', () => {
    expect(book(...wrapper(LOCAL, 1.17)).usd(SHARE)).toBeCloseTo(3_000 * 1.17, 0)
  })

  test('counts up to the amount that the vault can pay now, not its claimed assets', async () => {
    expect(book(vault(1.25, 100, 1e9)).usd(SHARE)).toBeNull()
    const prices = book(vault(1.25, 5_000, 1e12))
    expect(prices.usd(SHARE)).toBeCloseTo(1.25, 4)
    expect(await prices.depthUsd(SHARE)).toBeLessThanOrEqual(10_001)
  })

  test('is priced by its pool against a thin vault, and by the vault against a thin pool', () => {
    const pool = (usd: number) => pair(SHARE, USDC, eth(usd), usdc(usd))
    expect(book(vault(40, 2_000, 1e12), pool(1e6)).usd(SHARE)).toBeCloseTo(1, 6)
    expect(book(vault(1.25, 1e6), pool(2_000)).usd(SHARE)).toBeCloseTo(1.25, 4)
  })

  test('adds depth to a paired token only up to its own backing', async () => {
    const prices = book(vault(1.25, 1_000, 1e12), pair(SHARE, LOCAL, eth(1e9), eth(1e9)))
    expect(await prices.depthUsd(LOCAL)).toBeLessThanOrEqual(2_001)
    expect(prices.usd(WETH)).toBeCloseTo(3_000, 6)
  })
})

/** Whole tokens of each part, at 18 decimals but for dollars. */
type Part = { readonly token: Address; readonly whole: number; readonly scale?: number }
const placesOf = (token: Address) => (token === USDC ? 6 : 18)

function reading(kind: RedemptionKind, parts: readonly Part[], supply: number, rate = 1): Redemption {
  return {
    ...{ share: SHARE, kind, rate, maxRedeemable: null, supply: BigInt(Math.round(supply * 1e9)) * 10n ** 9n },
    parts: parts.map(({ token, whole, scale = 0 }) => {
      return { token, balance: BigInt(Math.round(whole * 1e6)) * 10n ** BigInt(placesOf(token) - 6), scale }
    }),
  }
}

/** Prices that read these of the share, the newest first. */
const pricesWith = (readings: readonly Redemption[], ...pools: readonly Pool[]) =>
  priceTokens(snapshotOf([...centre(), ...pools]), chain, {
    decimals: (token) => (token >= SHARE ? 18 : undefined),
    redemptions: (token) => (token === SHARE ? readings : undefined),
  })

describe('a share that is not a pool', () => {
  /** Ether at 3,000 dollars. */
  const lp = (eths: number, dollars: number, supply = 100) =>
    reading(
      'pair',
      [
        { token: WETH, whole: eths },
        { token: USDC, whole: dollars },
      ],
      supply,
    )

  test('of a reserve is worth its underlying token 1:1, up to the holdings of the reserve', async () => {
    const prices = pricesWith([reading('reserve', [{ token: WETH, whole: 10 }], 1e9)])
    expect(prices.usd(SHARE)).toBeCloseTo(3_000, 6)
    const { sources, depthUsd, reason } = await prices.detail(SHARE)
    expect(sources).toMatchObject([{ pool: { id: SHARE, family: 'redemption', dex: 'reserve' }, weight: 1 }])
    expect(depthUsd).toBeLessThanOrEqual(30_001)
    expect(reason).toBeNull()
    const empty = pricesWith([reading('reserve', [{ token: WETH, whole: 0.05 }], 1e9)])
    expect(empty.usd(SHARE)).toBeNull()
    expect((await empty.detail(SHARE)).reason).toBe('below-floor')
  })

  test('with a withdrawal limit counts up to that limit', async () => {
    const all = reading('vault', [{ token: USDC, whole: 1e6 }], 8e5, 1.25e-12)
    expect(pricesWith([all]).usd(SHARE)).toBeCloseTo(1.25, 6)
    expect(pricesWith([{ ...all, maxRedeemable: 0n }]).usd(SHARE)).toBeNull()
    const some = pricesWith([{ ...all, maxRedeemable: 5_000n * 10n ** 6n }])
    expect(some.usd(SHARE)).toBeCloseTo(1.25, 6)
    expect(await some.depthUsd(SHARE)).toBeLessThanOrEqual(5_001)
  })

  test('of a pair is worth its part of the reserves, which a trade of any size does not change', async () => {
    expect(pricesWith([lp(100, 3e5)]).usd(SHARE)).toBeCloseTo(6_000, 6)
    for (const times of [0.01, 0.5, 3, 100])
      expect(pricesWith([lp(100 * times, 3e5 / times)]).usd(SHARE)).toBeCloseTo(6_000, 3)
    // Given to the pair: it is there for all who hold shares.
    expect(pricesWith([lp(400, 12e5)]).usd(SHARE)).toBeCloseTo(24_000, 3)
  })

  test('of a pair with a worthless token counts at its sale value', async () => {
    const parts = [
      { token: WETH, whole: 1 },
      { token: LOCAL, whole: 1e9 },
    ]
    expect(pricesWith([reading('pair', parts, 100)]).usd(SHARE)).toBeNull()
    // The other token has a door of 1,000 dollars.
    const prices = pricesWith([reading('pair', parts, 100)], pair(LOCAL, USDC, eth(1_000), usdc(1_000)))
    expect(await prices.depthUsd(SHARE)).toBeLessThanOrEqual(3_000 + 1_000)
  })

  test('of a weighted pool is worth its part of the balances, by the weights', () => {
    const parts = [
      { token: WETH, whole: 80, scale: 0.8 },
      { token: USDC, whole: 60_000, scale: 0.2 },
    ]
    expect(pricesWith([reading('weighted', parts, 300)]).usd(SHARE)).toBeCloseTo(1_000, 6)
    // After a trade that keeps the product of powers.
    const traded = [
      { token: WETH, whole: 80 * 2, scale: 0.8 },
      { token: USDC, whole: 60_000 / 2 ** 4, scale: 0.2 },
    ]
    expect(pricesWith([reading('weighted', traded, 300)]).usd(SHARE)).toBeCloseTo(1_000, 4)
  })

  test('of a pool of equal coins is worth its virtual price times the cheapest coin, up to the balances', () => {
    const staked = (whole: number, scale: number) => [
      { token: WETH, whole, scale: 1 },
      { token: LOCAL, whole, scale },
    ]
    // A staked ether that stands for 1.25.
    const market = pair(WETH, LOCAL, eth(5_000), eth(4_000))
    expect(pricesWith([reading('stable', staked(100, 1.25), 220, 1.02)], market).usd(SHARE)).toBeCloseTo(3_060, 3)
    // What the pool says counts only as far as it is borne out.
    expect(pricesWith([reading('stable', staked(100, 1.25), 220, 50)], market).usd(SHARE)).toBeCloseTo(3_068.18, 1)
    // In units of something else: not understood.
    expect(pricesWith([reading('stable', staked(100, 1.25), 220, 0.02)], market).usd(SHARE)).toBeNull()
  })

  test('of a stable pool is worth its virtual price despite jumps of one block, and its balances if it is drained', async () => {
    const market = pair(USDC, LOCAL, usdc(1e6), eth(1e6))
    const pool = (dollars: number, others: number, virtualPrice = 1.03) => {
      const parts = [
        { token: USDC, whole: dollars },
        { token: LOCAL, whole: others },
      ]
      return reading('stable', parts, 1.94e6, virtualPrice)
    }
    const calm = pool(1e6, 1e6)
    expect(pricesWith([calm], market).usd(SHARE)).toBeCloseTo(1.03, 6)
    // All of one coin traded for the other: what there is stays.
    expect(pricesWith([pool(1_000, 1_999_000)], market).usd(SHARE)).toBeCloseTo(1.03, 3)
    // A virtual price that lasts one block does not count; one that lasts counts up to the value of the balances.
    expect(pricesWith([pool(1e6, 1e6, 40), calm], market).usd(SHARE)).toBeCloseTo(1.03, 6)
    expect(pricesWith([pool(1e6, 1e6, 40)], market).usd(SHARE)).toBeCloseTo(2 / 1.94, 6)
    // Robbed of one coin, then of nearly all, while its virtual price stays.
    const robbed = pricesWith([pool(1e6, 0), calm], market)
    expect(robbed.usd(SHARE)).toBeCloseTo(1 / 1.94, 6)
    expect(await robbed.depthUsd(SHARE)).toBeLessThanOrEqual(1e6)
    const empty = pricesWith([pool(100, 0), calm], market)
    expect(empty.usd(SHARE)).toBeNull()
    expect((await empty.detail(SHARE)).reason).toBe('below-floor')
  })

  test('of a pool of unequal coins is worth its virtual price times their mean', () => {
    const parts = [
      { token: WETH, whole: 100 },
      { token: USDC, whole: 3e5 },
    ]
    const shares = 2 * Math.sqrt(100 * 3e5)
    expect(pricesWith([reading('crypto', parts, shares / 2, 1)]).usd(SHARE)).toBeCloseTo(2 * Math.sqrt(3_000), 6)
  })

  test('does not rise by a donation for one block, and falls at once', () => {
    const calm = reading('vault', [{ token: USDC, whole: 1e6 }], 8e5, 1.25e-12)
    const raised = { ...calm, rate: 40e-12 }
    expect(pricesWith([raised, calm]).usd(SHARE)).toBeCloseTo(1.25, 6)
    expect(pricesWith([raised, raised]).usd(SHARE)).toBeCloseTo(40, 6)
    expect(pricesWith([calm, raised]).usd(SHARE)).toBeCloseTo(1.25, 6)
  })

  test('is weighted together with its pools, each by its backing', async () => {
    const vault = (usd: number, rate: number) => [reading('vault', [{ token: USDC, whole: usd }], 1e9, rate * 1e-12)]
    const pool = (usd: number) => pair(SHARE, USDC, eth(usd), usdc(usd))
    expect(pricesWith(vault(2_000, 40), pool(1e6)).usd(SHARE)).toBeCloseTo(1, 6)
    const prices = pricesWith(vault(1e6, 1.25), pool(2_000))
    expect(prices.usd(SHARE)).toBeCloseTo(1.25, 6)
    expect((await prices.depthCurve(SHARE))!.every(({ usd }) => usd >= 9e5 && usd <= 1.01e6)).toBe(true)
  })

  test('of shares has the value of those shares, and a share of itself has no value', () => {
    const inner = { ...reading('reserve', [{ token: USDC, whole: 1e6 }], 1e6, 1e-12), share: LOCAL }
    const outer = reading('vault', [{ token: LOCAL, whole: 5e5 }], 4e5, 1.25)
    const book = (redemptions: Readonly<Record<Address, readonly Redemption[]>>) =>
      priceTokens(snapshotOf(centre()), chain, {
        decimals: (token) => (token >= SHARE ? 18 : undefined),
        redemptions: (token) => redemptions[token],
      })
    expect(book({ [SHARE]: [outer], [LOCAL]: [inner] }).usd(SHARE)).toBeCloseTo(1.25, 6)
    expect(book({ [SHARE]: [outer], [LOCAL]: [{ ...outer, share: LOCAL }] }).usd(SHARE)).toBeNull()
  })
})
