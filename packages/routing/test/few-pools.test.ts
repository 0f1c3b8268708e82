/** Tight limits on pools, against the best of all sets of as many pools. */
import type { Pool } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { RouteRequest } from '../src/types.ts'
import { fairPools, request, seeded, snapshotOf } from './graphs.ts'
import { netOf } from './kept.ts'

const RUNS = process.env.LONG ? 400 : 24

/** After gas; 0 where there is no route. */
function net(pools: readonly Pool[], asked: RouteRequest): number {
  const result = findRoute(buildGraph(snapshotOf(pools)), asked)
  return result.ok ? netOf(result.route) : 0
}

function* setsOf<T>(items: readonly T[], size: number, from = 0): Generator<readonly T[]> {
  if (size === 0) yield []
  else
    for (let k = from; k <= items.length - size; k++)
      for (const others of setsOf(items, size - 1, k + 1)) yield [items[k]!, ...others]
}

test('a route of two or three pools is as good as that of the best two or three', { timeout: 600_000 }, () => {
  const losses: number[] = []
  for (let run = 1; run <= RUNS; run++) {
    const random = seeded(run)
    const pools = fairPools(run * 104_729, 9, 4)
    const maxSplits = 2 + (run % 2)
    const amountIn = BigInt(Math.floor(10 ** (16 + random() * 7)))
    const asked = request({ amountIn, maxSplits, gasPriceWei: run % 3 === 0 ? 10n ** 9n : 0n })
    const found = net(pools, asked)
    // Left out by the request, not of the graph, so that gas has the same price.
    const sets = [...setsOf(pools, maxSplits)].map((set) => {
      const excludePools = new Set(pools.filter((pool) => !set.includes(pool)).map(({ id }) => id))
      return net(pools, { ...asked, maxSplits: 24, excludePools })
    })
    const best = Math.max(...sets)
    losses.push(best > 0 ? (1 - found / best) * 10_000 : 0)
  }
  losses.sort((a, b) => b - a)
  expect(losses.filter((bps) => bps > 0.1).length / RUNS).toBeLessThanOrEqual(0.05)
  expect(losses[0]).toBeLessThan(50)
})
