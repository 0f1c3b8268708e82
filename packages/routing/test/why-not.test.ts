/** Reasons and suggested amounts in refusals. */
import { describe, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import { address, fairPools, pair, request, seeded, snapshotOf, token } from './graphs.ts'

const full = 2n ** 112n - 1n

describe('the largest amount that routes', () => {
  // Pairs store 112 bits per token, so their remaining capacity is known.
  const room = (index: number, by: bigint) => pair(index, { a: 1, b: 2, reserveA: full - by, reserveB: full / 2n })

  test.each([10n ** 6n, 10n ** 18n, 10n ** 30n])('is found if a pool has room for %s', (by) => {
    const graph = buildGraph(snapshotOf([room(1, by)]))
    const result = findRoute(graph, request({ amountIn: by * 1000n }))
    const max = result.ok ? 0n : (result.maxRoutableAmount ?? 0n)
    expect(max).toBeLessThanOrEqual(by)
    expect(max * 1000n).toBeGreaterThanOrEqual(by * 994n)
  })

  test('routes as reported, and 1 % more does not', () => {
    for (let seed = 1; seed <= 8; seed++) {
      const random = seeded(seed)
      const count = 1 + Math.floor(random() * 3)
      const pools = Array.from({ length: count }, (_, index) =>
        room(index + 1, BigInt(Math.floor(1e15 * random()) + 1)),
      )
      const graph = buildGraph(snapshotOf(pools))
      const result = findRoute(graph, request({ amountIn: 2n ** 100n }))
      if (result.ok) throw new Error('routed more than there is room for')
      expect(result.code).toBe('INSUFFICIENT_LIQUIDITY')
      const max = result.maxRoutableAmount!
      expect(findRoute(graph, request({ amountIn: max })).ok).toBe(true)
      expect(findRoute(graph, request({ amountIn: (max * 101n) / 100n + 1n })).ok).toBe(false)
    }
  })
})

describe('rejected sources', () => {
  const pools = fairPools(3, 12)
  const graph = buildGraph(snapshotOf(pools))

  test('are reported with reasons, those that join the two tokens first', () => {
    const [one] = pools
    const result = findRoute(
      graph,
      request({ excludePools: new Set([one!.id]), sources: { exclude: new Set(['uniswap-v2']) } }),
    )
    if (result.ok) throw new Error('all sources were excluded')
    expect(result.code).toBe('NO_ROUTE')
    expect(result.maxRoutableAmount).toBeUndefined()
    expect(new Set(result.reasons.map(({ pool }) => pool))).toEqual(new Set(pools.map(({ id }) => id)))
    expect(result.reasons.find(({ pool }) => pool === one!.id)?.reason).toBe('excluded by the request')
    const missing = result.reasons.map(({ pool }) => {
      const { tokens } = pools.find(({ id }) => id === pool)!
      return [token(1), token(2)].filter((end) => !tokens.includes(end)).length
    })
    expect(missing).toEqual(missing.toSorted())
  })

  test('report a family unknown to the Executor, and a tax of the whole transfer', () => {
    const executable = findRoute(graph, request({ sources: { executable: new Set(['uniswap-v3']) } }))
    expect(executable.ok ? [] : executable.reasons.map(({ reason }) => reason)).toContain(
      "this chain's Executor cannot swap in pools of the family uniswap-v2",
    )
    const usual = { buyPpm: 0, sellPpm: 1_000_000, transferPpm: 0 }
    const only = buildGraph(snapshotOf([room1()]))
    const taxed = findRoute(only, request({ taxes: new Map([[token(1), { usual, inPool: new Map() }]]) }))
    expect(taxed.ok ? [] : taxed.reasons).toEqual([
      { pool: address(1), family: 'uniswap-v2', reason: 'the token takes all of a transfer' },
    ])
  })
})

function room1() {
  return pair(1, { a: 1, b: 2, reserveA: 10n ** 24n, reserveB: 10n ** 24n })
}
