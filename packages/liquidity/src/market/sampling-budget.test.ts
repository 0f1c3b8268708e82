/** Tests of the budget for sampled pools: how many, which, and that no number of worthless pools hides another. */
import { type Address, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { toBeHex } from 'ethers'
import { describe, expect, test } from 'vitest'
import type { Pool } from '../family.ts'
import { FollowedTokens } from './followed-tokens.ts'
import { defaultMarketLimits } from './limits.ts'
import {
  MAX_OF_SAME_TOKENS,
  MAX_SAMPLED_PAIRS,
  MAX_UNSAMPLED,
  SAMPLED_IDLE_MS,
  SamplingBudget,
} from './sampling-budget.ts'

const token = (n: number): Address => toAddress(toBeHex(n, 20))
const [WETH, USDC] = [token(1), token(2)]
const NOW = 1_000_000_000
const row = { family: 'sampled', brand: 'x', role: 'manager', address: token(9) } as const

function setUp() {
  const tokens = new FollowedTokens(new Set([WETH, USDC, ZERO_ADDRESS]), defaultMarketLimits)
  const budget = new SamplingBudget(
    tokens,
    ({ family }) => family === 'sampled',
    ({ state }) => state as readonly bigint[],
  )
  const add = (id: string, poolTokens: readonly Address[]) =>
    budget.add({ row, pool: { id, family: 'sampled', dex: 'x', address: token(9), tokens: poolTokens, state: null } })
  return { tokens, budget, add }
}
/** A pool with samples. */
const sampledPool = (id: string, poolTokens: readonly Address[], reserves = poolTokens.map(() => 1n)): Pool => ({
  id,
  family: 'sampled',
  dex: 'x',
  address: token(9),
  tokens: poolTokens,
  state: reserves,
})
const all = ({ sampledIds: again, unsampledIds: fresh }: ReturnType<SamplingBudget['choose']>) => [...again, ...fresh]

test('pools of other families are not counted', () => {
  const { budget } = setUp()
  budget.add({
    row: { ...row, family: 'other' },
    pool: { id: 'a', family: 'other', dex: 'x', address: token(9), tokens: [WETH, USDC], state: null },
  })
  expect(budget.has('a')).toBe(false)
  expect(budget.size).toBe(0)
})

test('only pools whose token was requested lately are sampled; named tokens do not count for others', () => {
  const { tokens, budget, add } = setUp()
  add('asked', [WETH, token(5)])
  add('not asked', [WETH, token(6)])
  add('named', [WETH, USDC])
  add('native', [ZERO_ADDRESS, USDC])
  tokens.markRequested(token(5), NOW)
  tokens.markRequested(WETH, NOW)
  expect(all(budget.choose(new Map(), 1, NOW))).toEqual(['asked'])
  tokens.markRequested(USDC, NOW)
  expect(all(budget.choose(new Map(), 1, NOW)).sort()).toEqual(['asked', 'named', 'native'])
  expect(all(budget.choose(new Map(), 1, NOW + SAMPLED_IDLE_MS))).toEqual([])
})

test('the most recently requested tokens come first, within the limit', () => {
  const { tokens, budget, add } = setUp()
  const pools = new Map<string, Pool>()
  for (let k = 0; k < 2 * MAX_SAMPLED_PAIRS; k++) {
    add(`${k}`, [WETH, token(10 + k)])
    tokens.markRequested(token(10 + k), NOW + k)
    pools.set(`${k}`, sampledPool(`${k}`, [WETH, token(10 + k)]))
  }
  const { sampledIds: again } = budget.choose(pools, 1, NOW + 1_000)
  expect([...again]).toEqual(Array.from({ length: MAX_SAMPLED_PAIRS }, (_, k) => `${2 * MAX_SAMPLED_PAIRS - 1 - k}`))
})

test('a pool of more tokens takes a place for each pair, and is sampled when one of its pairs is requested', () => {
  const { tokens, budget, add } = setUp()
  const pools = new Map<string, Pool>()
  const addPool = (id: string, poolTokens: readonly Address[]) => {
    add(id, poolTokens)
    pools.set(id, sampledPool(id, poolTokens))
  }
  for (let k = 0; k < 3; k++) addPool(`three ${k}`, [WETH, token(5 + k), token(6 + k)])
  addPool('four', [WETH, token(20), token(21), token(22)])
  addPool('pair', [WETH, token(30)])
  expect(all(budget.choose(pools, 1, NOW))).toEqual([])
  tokens.markRequested(token(30), NOW)
  tokens.markRequested(token(21), NOW + 1)
  expect(all(budget.choose(pools, 1, NOW + 2))).toEqual(['four', 'pair'])
  for (let k = 0; k < 4; k++) tokens.markRequested(token(5 + k), NOW + 3)
  // Three pools of three pairs leave no place for the six pairs of the other pool.
  expect(all(budget.choose(pools, 1, NOW + 4))).toEqual(['three 0', 'three 1', 'three 2', 'pair'])
})

describe('many pools of the same tokens', () => {
  test('share a few places, and those without samples take turns', () => {
    const { tokens, budget, add } = setUp()
    tokens.markRequested(token(5), NOW)
    for (let k = 0; k < 20; k++) add(`${k}`, [WETH, token(5)])
    const tried = new Set<string>()
    for (let block = 0; block < 40; block++) {
      const { sampledIds: again, unsampledIds: fresh } = budget.choose(new Map(), block, NOW)
      expect(again.size).toBe(0)
      expect(fresh.size).toBeLessThanOrEqual(MAX_UNSAMPLED)
      for (const id of fresh) tried.add(id)
    }
    expect(tried.size).toBe(20)
  })

  test('that refuse every swap are tried ever more rarely, so that another gets its turn', () => {
    const { tokens, budget, add } = setUp()
    tokens.markRequested(token(5), NOW)
    for (let k = 0; k < 60; k++) add(`bad ${k}`, [WETH, token(5)])
    add('good', [WETH, token(5)])
    let goodAt: number | undefined
    for (let block = 0; block < 200 && goodAt === undefined; block++)
      for (const id of budget.choose(new Map(), block, NOW).unsampledIds) {
        if (id === 'good') goodAt = block
        budget.recordSample(id, id === 'good', block)
      }
    expect(goodAt).toBeLessThan(100)
  })

  test('that have samples keep them, and leave room for no more than the limit', () => {
    const { tokens, budget, add } = setUp()
    tokens.markRequested(token(5), NOW)
    const pools = new Map<string, Pool>()
    for (let k = 0; k < 9; k++) {
      add(`${k}`, [WETH, token(5)])
      pools.set(`${k}`, sampledPool(`${k}`, [WETH, token(5)]))
    }
    const { sampledIds: again, unsampledIds: fresh } = budget.choose(pools, 3, NOW)
    expect([again.size, fresh.size]).toEqual([MAX_OF_SAME_TOKENS, 0])
  })

  test('that have samples make room for a deeper one, wherever it stands, and it stays', () => {
    const POOLS = 101
    for (const goodIndex of [0, 50, 100]) {
      const { tokens, budget, add } = setUp()
      tokens.markRequested(token(5), NOW)
      const poolTokens = [WETH, token(5)]
      const poolByIndex = Array.from({ length: POOLS }, (_, k) =>
        sampledPool(`${k}`, poolTokens, k === goodIndex ? [1n, 1_000n] : [BigInt(1 + (k % 7)), BigInt(1 + (k % 5))]),
      )
      for (const { id } of poolByIndex) add(id, poolTokens)
      let pools = new Map<string, Pool>()
      const blocksWithGood: number[] = []
      for (let block = 0; block < 3 * POOLS; block++) {
        const choice = budget.choose(pools, block, NOW)
        expect(choice.unsampledIds.size).toBeLessThanOrEqual(MAX_UNSAMPLED)
        expect(all(choice).length).toBeLessThanOrEqual(MAX_OF_SAME_TOKENS + 1)
        for (const id of choice.unsampledIds) budget.recordSample(id, true, block)
        pools = new Map(all(choice).map((id) => [id, poolByIndex[Number(id)]!]))
        if (pools.has(`${goodIndex}`)) blocksWithGood.push(block)
      }
      const firstBlock = blocksWithGood[0]!
      expect(firstBlock).toBeLessThan(2 * POOLS)
      expect(blocksWithGood.length).toBe(3 * POOLS - firstBlock)
    }
  })
})

test('a pool that has been sampled for long stays, although others pretend to be deeper', () => {
  const { tokens, budget, add } = setUp()
  tokens.markRequested(token(5), NOW)
  const poolTokens = [WETH, token(5)]
  const poolById = new Map([['old', sampledPool('old', poolTokens, [10n, 10n])]])
  add('old', poolTokens)
  let pools = new Map<string, Pool>()
  for (let block = 0; block < 200; block++) {
    if (block === 3)
      for (let k = 0; k < 20; k++) {
        poolById.set(`${k}`, sampledPool(`${k}`, poolTokens, [1_000n + BigInt(k), 1_000n + BigInt(k)]))
        add(`${k}`, poolTokens)
      }
    const choice = budget.choose(pools, block, NOW)
    for (const id of choice.unsampledIds) budget.recordSample(id, true, block)
    pools = new Map(all(choice).map((id) => [id, poolById.get(id)!]))
    expect(pools.has('old')).toBe(true)
  }
  expect(pools.has('19')).toBe(true)
})

test('pools of several pairs whose places are taken are probed in turns, one per block', () => {
  const { tokens, budget, add } = setUp()
  const pools = new Map<string, Pool>()
  for (const n of [5, 6, 7]) {
    tokens.markRequested(token(n), NOW)
    for (let k = 0; k <= MAX_OF_SAME_TOKENS; k++) {
      add(`${n} ${k}`, [WETH, token(n)])
      if (k > 0) pools.set(`${n} ${k}`, sampledPool(`${n} ${k}`, [WETH, token(n)]))
    }
  }
  const choices = [0, 1, 2].map((block) => budget.choose(pools, block, NOW))
  expect(choices.map(({ sampledIds }) => sampledIds.size)).toEqual([12, 12, 12])
  expect(choices.map(({ unsampledIds }) => [...unsampledIds])).toEqual([['5 0'], ['6 0'], ['7 0']])
})

test('pools without samples share the places of a block with those of other tokens', () => {
  const { tokens, budget, add } = setUp()
  for (const n of [5, 6, 7]) {
    tokens.markRequested(token(n), NOW)
    for (const k of [1, 2]) add(`${n} ${k}`, [WETH, token(n)])
  }
  expect(budget.choose(new Map(), 1, NOW).unsampledIds.size).toBe(MAX_UNSAMPLED)
})

test('a dropped pool is not sampled', () => {
  const { tokens, budget, add } = setUp()
  tokens.markRequested(token(5), NOW)
  add('a', [WETH, token(5)])
  budget.drop('a')
  expect(all(budget.choose(new Map(), 1, NOW))).toEqual([])
})
