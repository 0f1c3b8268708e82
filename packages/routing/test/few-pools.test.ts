/** Routes under tight pool limits, compared with the best of all sets of that many pools. */
import type { Pool } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { RouteRequest } from '../src/types.ts'
import { fairPools, request, seeded, snapshotOf } from './graphs.ts'
import { netOf } from './random-requests.ts'

const RUNS = process.env.LONG ? 400 : 24

/** Net output after gas; 0 if there is no route. */
function net(pools: readonly Pool[], req: RouteRequest): number {
  const result = findRoute(buildGraph(snapshotOf(pools)), req)
  return result.ok ? netOf(result.route) : 0
}

function* setsOf<T>(items: readonly T[], size: number, from = 0): Generator<readonly T[]> {
  if (size === 0) yield []
  else
    for (let k = from; k <= items.length - size; k++)
      for (const subset of setsOf(items, size - 1, k + 1)) yield [items[k]!, ...subset]
}

test('a route of two or three pools is as good as the best set of two or three', { timeout: 600_000 }, () => {
  const losses: number[] = []
  for (let run = 1; run <= RUNS; run++) {
    const random = seeded(run)
    const pools = fairPools(run * 104_729, 9, 4)
    const maxSplits = 2 + (run % 2)
    const amountIn = BigInt(Math.floor(10 ** (16 + random() * 7)))
    const req = request({ amountIn, maxSplits, gasPriceWei: run % 3 === 0 ? 10n ** 9n : 0n })
    const netOutput = net(pools, req)
    // Exclude pools in the request instead of the graph, so that gas has the same price.
    const sets = [...setsOf(pools, maxSplits)].map((set) => {
      const excludePools = new Set(pools.filter((pool) => !set.includes(pool)).map(({ id }) => id))
      return net(pools, { ...req, maxSplits: 24, excludePools })
    })
    const best = Math.max(...sets)
    losses.push(best > 0 ? (1 - netOutput / best) * 10_000 : 0)
  }
  losses.sort((a, b) => b - a)
  expect(losses.filter((bps) => bps > 0.1).length / RUNS).toBeLessThanOrEqual(0.05)
  expect(losses[0]).toBeLessThan(50)
})
