/** Shares that redeem for another token, by what they redeem for and up to what can be redeemed now. */
import type { Address } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
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
  test('of a vault is worth what it redeems for', async () => {
    const prices = book(vault(1.25, 1e6))
    expect(prices.usd(SHARE)).toBeCloseTo(1.25, 4)
    expect((await prices.detail(SHARE)).sources).toMatchObject([{ pool: { family: 'erc4626' } }])
  })

  test('of wrapped staked ether is worth its rate', () => {
    expect(book(...wrapper(LOCAL, 1.17)).usd(SHARE)).toBeCloseTo(3_000 * 1.17, 0)
  })

  test('counts up to what the vault can pay now, whatever it claims to have', async () => {
    expect(book(vault(1.25, 100, 1e9)).usd(SHARE)).toBeNull()
    const prices = book(vault(1.25, 5_000, 1e12))
    expect(prices.usd(SHARE)).toBeCloseTo(1.25, 4)
    expect(await prices.depthUsd(SHARE)).toBeLessThanOrEqual(10_001)
  })

  test('is priced by its pool where a thin vault says something else, and by the vault where the pool is thin', () => {
    const pool = (usd: number) => pair(SHARE, USDC, eth(usd), usdc(usd))
    expect(book(vault(40, 2_000, 1e12), pool(1e6)).usd(SHARE)).toBeCloseTo(1, 6)
    expect(book(vault(1.25, 1e6), pool(2_000)).usd(SHARE)).toBeCloseTo(1.25, 4)
  })

  test('lifts what is paired with it no higher than it is founded itself', async () => {
    const prices = book(vault(1.25, 1_000, 1e12), pair(SHARE, LOCAL, eth(1e9), eth(1e9)))
    expect(await prices.depthUsd(LOCAL)).toBeLessThanOrEqual(2_001)
    expect(prices.usd(WETH)).toBeCloseTo(3_000, 6)
  })
})
