/** Price jumps of some pools while other pools stay the same. */
import type { Pool, Snapshot } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { Prices } from '../src/index.ts'
import { address, centre, chain, eth, pair, snapshotOf, USDC, usdc, WETH } from './pools.ts'

const LOCAL = address(0x1000)
const decimals = (token: string) => (token >= LOCAL ? 18 : undefined)
const hubs = centre()
const deep = pair(LOCAL, USDC, eth(1e6), usdc(1e6))
const other = pair(LOCAL, WETH, eth(30_000), eth(10))
/** The deep pool after a trade that tripled the token's price. */
const bent = { ...pair(LOCAL, USDC, eth(1e6 / Math.sqrt(3)), usdc(1e6 * Math.sqrt(3))), id: deep.id }

function at(number: number, ...pools: readonly Pool[]): Snapshot {
  const snapshot = snapshotOf([...hubs, ...pools])
  return { ...snapshot, block: { ...snapshot.block, number, hash: `0x${String(number).padStart(64, '0')}` } }
}

function after(...snapshots: readonly Snapshot[]): Prices {
  const prices = new Prices(chain, { decimals })
  for (const snapshot of snapshots) prices.applyNow(snapshot)
  return prices
}

test('a pool price that jumps for one block has no effect while another pool disagrees, nor when it returns', () => {
  const before = after(at(1, deep, other)).usd(LOCAL)
  expect(after(at(1, deep, other), at(2, bent, other)).usd(LOCAL)).toBe(before)
  expect(after(at(1, deep, other), at(2, bent, other), at(3, deep, other)).usd(LOCAL)).toBe(before)
})

test('a jump that lasts for a second block counts', () => {
  const prices = after(at(1, deep, other), at(2, bent, other), at(3, bent, other))
  expect(prices.usd(LOCAL)).toBeCloseTo(3, 6)
  expect(prices.hasNoPendingJumps).toBe(true)
})

test('a jump of the only pool of a token counts at once', () => {
  expect(after(at(1, deep), at(2, bent)).usd(LOCAL)).toBeCloseTo(3, 6)
})

test('a new pool does not outweigh existing pools in its first block', () => {
  const fresh = pair(LOCAL, USDC, eth(1e7), usdc(5e7))
  const before = after(at(1, deep, other)).usd(LOCAL)
  expect(after(at(1, deep, other), at(2, deep, other, fresh)).usd(LOCAL)).toBe(before)
  expect(after(at(1, deep, other), at(2, deep, other, fresh), at(3, deep, other, fresh)).usd(LOCAL)).toBeCloseTo(5, 6)
})

test('a thin pool does not set the price while liquidity moves to another pool', () => {
  const emptied = { ...pair(LOCAL, USDC, 1, 1), id: deep.id }
  const moved = pair(LOCAL, WETH, eth(999_000), eth(333))
  const thin = pair(LOCAL, USDC, eth(10), usdc(1_000))
  const prices = after(at(1, deep, thin), at(2, emptied, moved, thin))
  expect(prices.usd(LOCAL)).toBeCloseTo(1, 6)
})

test('without a new block for long, the prices of the last block count', async () => {
  const prices = after(at(1, deep, other), at(2, bent, other))
  expect(prices.hasNoPendingJumps).toBe(false)
  await prices.acceptJumps()
  expect(prices.hasNoPendingJumps).toBe(true)
  expect(prices.usd(LOCAL)).toBeCloseTo(3, 6)
})
