/** Tests of the budget for pools whose parameters change without a log: which are refreshed, and how old others get. */
import { type Address, toAddress } from '@sluice/chains'
import { toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import type { Pool } from '../family.ts'
import { FollowedTokens } from './followed-tokens.ts'
import { defaultMarketLimits } from './limits.ts'
import { MAX_RECENT_GAS, RefreshBudget, TURN_GAS } from './refresh-budget.ts'
import { SAMPLED_IDLE_MS } from './sampling-budget.ts'

const token = (n: number): Address => toAddress(toBeHex(n, 20))
const WETH = token(1)
const NOW = 1_000_000_000
const none = () => false

function setUp() {
  const tokens = new FollowedTokens(new Set([WETH]), defaultMarketLimits)
  const silentIds = new Set<string>()
  const pools = new Map<string, Pool<number | null>>()
  const budget = new RefreshBudget(silentIds, tokens, ({ state }) => state as number | null)
  /** @param gas - gas of a refresh; null for a pool whose price is silent */
  const add = (id: string, gas: number | null, other = 100) => {
    silentIds.add(id)
    pools.set(id, { id, family: 'f', dex: 'x', address: token(9), tokens: [WETH, token(other)], state: gas })
  }
  const choose = (nowMs = NOW) => budget.choose(pools, none, nowMs)
  return { tokens, silentIds, pools, budget, add, choose }
}

test('pools whose price is silent are always chosen, and pools that cannot change never are', () => {
  const { pools, budget, add, choose, silentIds } = setUp()
  for (let k = 0; k < 100; k++) add(`price ${k}`, null)
  add('fixed', 0)
  silentIds.add('without state')
  add('fee', 1)
  expect(choose()).toEqual([...Array.from({ length: 100 }, (_, k) => `price ${k}`), 'fee'])
  expect(budget.choose(pools, (id) => id !== 'price 7', NOW)).toEqual(['price 7'])
})

test('all pools are refreshed at every block if their gas is within the budget', () => {
  const { add, choose } = setUp()
  const gas = (MAX_RECENT_GAS + TURN_GAS) / 4
  for (const id of ['a', 'b', 'c', 'd']) add(id, gas)
  for (let block = 0; block < 3; block++) expect([...choose()].sort()).toEqual(['a', 'b', 'c', 'd'])
})

test('recently requested pools are refreshed at every block, and the others within a bounded number of blocks', () => {
  const { tokens, add, choose } = setUp()
  const gas = 1_000_000
  const fit = MAX_RECENT_GAS / gas
  const others = 95
  for (let k = 0; k < others; k++) add(`other ${k}`, gas)
  for (let k = 0; k < fit; k++) {
    add(`recent ${k}`, gas, 200 + k)
    tokens.markRequested(token(200 + k), NOW + k)
  }
  const lastBlock = new Map<string, number>()
  const blocks = Math.ceil(others / (TURN_GAS / gas))
  for (let block = 1; block <= 5 * blocks; block++) {
    const ids = choose(NOW + fit)
    expect(ids.length).toBe(fit + TURN_GAS / gas)
    expect(ids.filter((id) => id.startsWith('recent'))).toHaveLength(fit)
    for (const id of ids) lastBlock.set(id, block)
    if (block >= blocks) {
      expect(lastBlock.size).toBe(fit + others)
      for (const refreshedAt of lastBlock.values()) expect(block - refreshedAt).toBeLessThan(blocks)
    }
  }
})

test('of too many recently requested pools, those of the last requests come first, and the rest take turns', () => {
  const { tokens, budget, add, choose } = setUp()
  const gas = MAX_RECENT_GAS / 3
  for (let k = 0; k < 5; k++) {
    add(`${k}`, gas, 200 + k)
    tokens.markRequested(token(200 + k), NOW + k)
  }
  const rest = new Set<string>()
  for (let block = 0; block < 4; block++) {
    const ids = choose(NOW + 5)
    expect(ids.slice(0, 3)).toEqual(['4', '3', '2'])
    // A pool that still waits can have parameters of an earlier block.
    for (let k = 0; k < 5; k++) expect(budget.isWaiting(`${k}`)).toBe(!ids.includes(`${k}`))
    for (const id of ids.slice(3)) rest.add(id)
  }
  expect([...rest].sort()).toEqual(['0', '1'])
})

test('a pool whose tokens are idle leaves its place to the turns', () => {
  const { tokens, add, choose } = setUp()
  add('recent', MAX_RECENT_GAS, 200)
  add('other', TURN_GAS + 1)
  tokens.markRequested(token(200), NOW)
  expect(choose(NOW)).toEqual(['recent'])
  expect(choose(NOW + SAMPLED_IDLE_MS)).toEqual(['other'])
  expect(choose(NOW + SAMPLED_IDLE_MS)).toEqual(['recent'])
})
