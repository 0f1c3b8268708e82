/** Upper bound after gas, compared with the best of all sets of pools of small graphs. */
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { type Pool, WRAPPER_FAMILY } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { Graph } from '../src/graph/graph.ts'
import type { RoutePlan, RouteRequest, RouteResult } from '../src/types.ts'
import { E18, fairPools, randomPools, request, seeded, snapshotOf, token } from './graphs.ts'
import { netOf } from './random-requests.ts'
import { kinds } from './wide-pools.ts'

const RUNS = process.env.LONG ? 600 : 16
/** Relative difference between floats and whole units. */
const ROUNDING = 1e-8

/** The bound implied by a route's gap; null if unknown. */
const boundOf = (route: RoutePlan): number | null =>
  route.optimalityGapNetBps === null ? null : netOf(route) / (1 - route.optimalityGapNetBps / 10_000)

/** Highest net output of any set of pools. Each set divides the trade without gas, and then pays for all of its legs. */
function bestOfSets(graph: Graph, pools: readonly Pool[], req: RouteRequest, perGas: number): number {
  let best = Number.NEGATIVE_INFINITY
  for (let set = 1; set < 2 ** pools.length; set++) {
    const excludePools = new Set(pools.filter((_, k) => ((set >> k) & 1) === 0).map(({ id }) => id))
    const result = findRoute(graph, { ...req, gasPriceWei: 0n, excludePools })
    if (result.ok) best = Math.max(best, Number(result.route.amountOut) - result.route.gas * perGas)
  }
  return best
}

const markets: Readonly<Record<string, (seed: number) => readonly Pool[]>> = {
  'pairs whose prices agree': (seed) => fairPools(seed, 3 + (seed % 6), 3 + (seed % 3)),
  'pairs whose prices disagree': (seed) => randomPools(seed, 3 + (seed % 6), { tokens: 4, disagreement: 0.01 }),
  'pools of three tokens and pairs': (seed) => [
    { ...kinds.stable([1, 2, 3], [300_000n * E18, 310_000n * E18, 290_000n * E18]), id: 'stable' },
    { ...kinds.weighted([0, 1, 2], [300_000n * E18, 150_000n * E18, 150_000n * E18]), id: 'weighted' },
    ...fairPools(seed, 5, 4),
  ],
}

describe.each(Object.entries(markets))('%s', (name, market) => {
  test('no set of pools exceeds the bound, and the bound is tight', { timeout: 600_000 }, () => {
    const gaps: number[] = []
    for (let run = 1; run <= RUNS; run++) {
      const random = seeded(run)
      const pools = market(run * 7919)
      const graph = buildGraph(snapshotOf(pools))
      const gasPriceWei = BigInt(Math.floor(10 ** (8 + 5 * random())))
      const req = request({ amountIn: BigInt(Math.floor(10 ** (17 + random() * 5))), gasPriceWei })
      const result = findRoute(graph, req)
      if (!result.ok || !result.route.gasCostOut) continue
      const bound = boundOf(result.route)
      if (bound === null) continue
      const perGas = Number(result.route.gasCostOut) / result.route.gas
      const best = bestOfSets(graph, pools, req, perGas)
      expect(bound, `${name}, run ${run}`).toBeGreaterThanOrEqual(best - Math.abs(best) * ROUNDING - perGas)
      gaps.push(result.route.optimalityGapNetBps!)
    }
    expect(gaps.length).toBeGreaterThan(RUNS / 4)
    gaps.sort((a, b) => a - b)
    // The bound counts the gas of only one pair for all pairs of a pool of several tokens.
    expect(gaps[Math.floor(gaps.length / 2)]).toBeLessThan(name.startsWith('pools') ? 10 : 1)
  })
})

test.each([token(1), NATIVE])(
  'deferred, the bound is the same despite other searches and blocks; with never, it is absent: %s',
  (tokenIn) => {
    let late = 0
    for (let run = 1; run <= RUNS; run++) {
      const pools = fairPools(run * 7919, 12, 5)
      const tokens = [ZERO_ADDRESS, token(1)]
      const wrapper = {
        id: 'wrapper',
        address: token(1),
        family: WRAPPER_FAMILY,
        dex: 'test',
        tokens,
        state: { supply: E18 },
      }
      const graph = buildGraph(snapshotOf([...pools, wrapper]))
      const terms = { tokenIn, wrappedNative: token(1), gasPriceWei: 10n ** 10n, maxAlternatives: 3 }
      const req = request({ ...terms, amountIn: 10n ** 19n })
      const gapsOf = (result: RouteResult) =>
        result.ok ? [result.route, ...(result.alternatives ?? [])].map((route) => route.optimalityGapNetBps) : []
      const now = findRoute(graph, req)
      const later = findRoute(graph, { ...req, boundAfterGas: 'later' })
      const never = findRoute(graph, { ...req, boundAfterGas: 'never' })
      findRoute(graph, { ...req, amountIn: 10n ** 20n })
      const changedPools = pools.map((pool) => ({
        ...pool,
        state: { ...pool.state, reserve0: 2n * pool.state.reserve0 },
      }))
      findRoute(buildGraph(snapshotOf([...changedPools, wrapper]), graph), req)
      if (!later.ok || !later.boundAfterGas) continue
      late++
      expect(gapsOf(later)).toEqual(gapsOf(now).map(() => null))
      expect(gapsOf(never)).toEqual(gapsOf(later))
      later.boundAfterGas()
      expect(gapsOf(later), `run ${run}`).toEqual(gapsOf(now))
    }
    expect(late).toBeGreaterThan(RUNS / 4)
  },
)
