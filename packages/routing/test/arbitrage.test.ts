/** Graphs whose pools disagree on prices by more than their fees, as pools of real chains always do. */
import type { Pool } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { RoutePlan } from '../src/types.ts'
import { bestByTrial } from './by-trial.ts'
import { randomPools, request, seeded, snapshotOf } from './graphs.ts'

const GRAPHS = process.env.LONG ? 600 : 30

function routeOf(pools: readonly Pool[], amountIn: bigint, maxHops = 4): RoutePlan | null {
  const result = findRoute(buildGraph(snapshotOf(pools)), request({ amountIn, maxHops }))
  return result.ok ? result.route : null
}
const amountOf = (seed: number) => BigInt(Math.floor(10 ** (16 + seeded(seed)() * 6)))

describe.each([0.01, 0.05, 0.2])('price deviations of up to %d', (disagreement) => {
  const graphs = Array.from({ length: GRAPHS }, (_, index) => ({
    pools: randomPools((index + 1) * 77, 8 + (index % 8), { tokens: 6, disagreement }),
    amountIn: amountOf(index + 1),
  }))

  test('no route contains a cycle', () => {
    for (const { pools, amountIn } of graphs) {
      const { legs } = routeOf(pools, amountIn)!
      const sold = new Map<string, Set<string>>()
      for (const { tokenIn, tokenOut } of legs) sold.set(tokenIn, (sold.get(tokenIn) ?? new Set()).add(tokenOut))
      const reaches = (from: string, to: string): boolean =>
        [...(sold.get(from) ?? [])].some((next) => next === to || reaches(next, to))
      for (const token of sold.keys()) expect(reaches(token, token)).toBe(false)
    }
  })

  test('excluding a pool rarely improves the result', () => {
    const misled = graphs.filter(({ pools, amountIn }) => {
      const best = Number(routeOf(pools, amountIn)!.amountOut)
      const without = (excludedPool: Pool) =>
        routeOf(
          pools.filter((pool) => pool !== excludedPool),
          amountIn,
        )
      return pools.some((pool) => Number(without(pool)?.amountOut ?? 0) > best * (1 + 1e-4))
    })
    expect(misled.length / graphs.length).toBeLessThanOrEqual(0.04)
  })

  test('a bound is given only if cycles earn almost nothing', () => {
    for (const { pools, amountIn } of graphs) {
      const gap = routeOf(pools, amountIn, 8)!.optimalityGapBps
      if (gap !== null) expect(gap).toBeLessThan(10)
    }
  })

  test('results on small graphs match hill climbing', () => {
    for (let seed = 1; seed <= GRAPHS / 3; seed++) {
      const pools = randomPools(seed * 77, 4 + (seed % 4), { tokens: 4, disagreement })
      const candidate = bestByTrial(pools, amountOf(seed), seeded(seed))
      expect(Number(routeOf(pools, amountOf(seed), 3)!.amountOut)).toBeGreaterThanOrEqual(
        Number(candidate) * (1 - 1e-5),
      )
    }
  })
})
