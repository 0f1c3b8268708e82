/** Properties of routes on random graphs: tight bounds, monotonicity, determinism, and no gain from fewer pools. */
import { familyOf, type Pool, type UniswapV2State } from '@sluice/liquidity'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { RoutePlan, RouteRequest } from '../src/types.ts'
import { bestByTrial } from './by-trial.ts'
import { E18, fairPools, pair, randomPools, request, seeded, snapshotOf } from './graphs.ts'

const RUNS = process.env.LONG ? 10_000 : 40
const seed = fc.integer({ min: 1, max: 2 ** 31 })
const count = fc.integer({ min: 2, max: 24 })
/** 0.1 bps. */
const SLACK = 1e-5

function routeOf(pools: readonly Pool[], over: Partial<RouteRequest> = {}): RoutePlan {
  const result = findRoute(buildGraph(snapshotOf(pools)), request(over))
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.route
}
const out = (pools: readonly Pool[], over: Partial<RouteRequest> = {}) => Number(routeOf(pools, over).amountOut)
const amountOf = (random: () => number) => BigInt(Math.floor(10 ** (15 + random() * 8)))

/** Limits that do not bind, since the bound ignores them. */
const FREE = { maxHops: 8, maxSplits: 64 }

describe('on graphs without arbitrage, with gas free', () => {
  test('the bound is at most 1 bps above the output in 99.9 % of the trades', () => {
    let loose = 0
    for (let run = 1; run <= RUNS; run++) {
      const random = seeded(run)
      const gap = routeOf(fairPools(run, 2 + (run % 23)), { ...FREE, amountIn: amountOf(random) }).optimalityGapBps
      expect(gap).not.toBeNull()
      expect(gap).toBeGreaterThanOrEqual(0)
      if (gap! > 1) loose++
    }
    expect(loose / RUNS).toBeLessThanOrEqual(0.001)
  })

  test('more input never buys less', () => {
    fc.assert(
      fc.property(seed, count, fc.integer({ min: 101, max: 1000 }), (from, pools, percent) => {
        const all = fairPools(from, pools)
        const amountIn = amountOf(seeded(from))
        const largerOutput = out(all, { ...FREE, amountIn: (amountIn * BigInt(percent)) / 100n })
        expect(largerOutput).toBeGreaterThanOrEqual(out(all, { ...FREE, amountIn }) * (1 - SLACK))
      }),
      { numRuns: RUNS },
    )
  })

  test('pools that are drained by a billionth of the trade are still used', () => {
    const all = fairPools(1543252036, 5)
    const amountIn = 93_760_182n * 10n ** 15n
    const outputs = [100n, 180n, 204n, 1000n].map((percent) =>
      out(all, { ...FREE, amountIn: (amountIn * percent) / 100n }),
    )
    expect(outputs).toEqual(outputs.toSorted((a, b) => a - b))
  })

  test('another pool never lowers the output', () => {
    fc.assert(
      fc.property(seed, count, (from, pools) => {
        const all = fairPools(from, pools + 1)
        const over = { ...FREE, amountIn: amountOf(seeded(from)) }
        expect(out(all, over)).toBeGreaterThanOrEqual(out(all.slice(0, -1), over) * (1 - SLACK))
      }),
      { numRuns: RUNS },
    )
  })

  test('the order of the pools does not matter', () => {
    fc.assert(
      fc.property(seed, count, (from, pools) => {
        const all = fairPools(from, pools)
        const over = { ...FREE, amountIn: amountOf(seeded(from)) }
        const forwards = out(all, over)
        const backwards = out(all.toReversed(), over)
        expect(Math.abs(forwards / backwards - 1)).toBeLessThan(SLACK)
      }),
      { numRuns: RUNS },
    )
  })

  test('the same request gives the same route, to the wei', () => {
    const all = fairPools(5, 20)
    const routes = [1, 2].map(() => routeOf(all, { amountIn: 50n * E18 }))
    expect(routes[0]).toEqual(routes[1])
  })

  test('results on small graphs match hill climbing', () => {
    for (let run = 1; run <= (process.env.LONG ? 200 : 8); run++) {
      const all = fairPools(run * 31, 5, 4)
      const amountIn = amountOf(seeded(run))
      const candidate = bestByTrial(all, amountIn, seeded(run))
      expect(out(all, { amountIn, maxHops: 3 })).toBeGreaterThanOrEqual(Number(candidate) * (1 - SLACK))
    }
  })
})

test('a pool that opens a path of too many hops does not affect other paths', () => {
  const ends = [
    [0, 5],
    [3, 4],
    [1, 5],
    [0, 3],
    [1, 0],
    [3, 2],
    [2, 3],
    [0, 4],
  ] as const
  const reserve = 100n * E18
  const all = ends.map(([a, b], index) => pair(index + 1, { a, b, reserveA: reserve, reserveB: reserve }))
  const over = { amountIn: 4649n * E18, maxHops: 4 }
  expect(out(all, over)).toBeGreaterThanOrEqual(out(all.slice(0, -1), over) * (1 - SLACK))
})

describe('a graph that follows its chain', () => {
  test('an updated graph gives the same answers as a new one', () => {
    const all = fairPools(11, 20)
    const before = buildGraph(snapshotOf(all))
    const changedPool = { ...all[0]!, state: { ...all[0]!.state, reserve0: all[0]!.state.reserve0 * 2n } }
    const changed = [changedPool, ...all.slice(1)]
    const after = buildGraph(snapshotOf(changed, [changedPool.id]), before)
    expect(findRoute(after, request())).toEqual(findRoute(buildGraph(snapshotOf(changed)), request()))
    // The earlier graph must not change.
    expect(findRoute(before, request())).toEqual(findRoute(buildGraph(snapshotOf(all)), request()))
    expect(after.edges.filter((edge, index) => edge !== before.edges[index])).toHaveLength(2)
  })

  test('an update includes changes of skipped blocks', () => {
    const all = fairPools(13, 20)
    const richer = (pool: Pool<UniswapV2State>) => ({
      ...pool,
      state: { ...pool.state, reserve0: pool.state.reserve0 * 2n },
    })
    const skipped = [richer(all[0]!), ...all.slice(1)]
    const newest = [skipped[0]!, richer(all[1]!), ...all.slice(2)]
    const graph = buildGraph(snapshotOf(newest, [all[1]!.id]), buildGraph(snapshotOf(all)))
    expect(findRoute(graph, request())).toEqual(findRoute(buildGraph(snapshotOf(newest)), request()))
  })

  test('graphs of all blocks stay usable, in any order', () => {
    fc.assert(
      fc.property(seed, fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 2, maxLength: 12 }), (from, moves) => {
        let pools = fairPools(from, 8)
        const graphs = [buildGraph(snapshotOf(pools))]
        const states = [pools]
        for (const [which, base] of moves) {
          // Not always a child of the newest block: a reorg branches off an earlier one.
          const parent = base % graphs.length
          pools = states[parent]!.map((pool, index) =>
            index === which % 8
              ? { ...pool, state: { ...pool.state, reserve1: (pool.state.reserve1 * 101n) / 100n } }
              : pool,
          )
          graphs.push(buildGraph(snapshotOf(pools), graphs[parent]))
          states.push(pools)
        }
        graphs.forEach((graph, index) => {
          const fresh = buildGraph(snapshotOf(states[index]!))
          for (const array of ['rate', 'rateBack', 'conductance'] as const) expect(graph[array]).toEqual(fresh[array])
          expect(graph.edges).toEqual(fresh.edges)
        })
      }),
      { numRuns: RUNS / 10 },
    )
  })

  test('an update includes new pools', () => {
    const all = fairPools(12, 20)
    const before = buildGraph(snapshotOf(all.slice(1)))
    const after = buildGraph(snapshotOf(all, [all[0]!.id]), before)
    expect(findRoute(after, request())).toEqual(findRoute(buildGraph(snapshotOf(all)), request()))
  })
})

describe('with gas to pay', () => {
  test('a chain is replaced by a direct pool at a slightly worse price', () => {
    const deep = 10n ** 6n * E18
    const chain = [
      pair(1, { a: 1, b: 3, reserveA: deep, reserveB: deep, feePpm: 100 }),
      pair(2, { a: 3, b: 2, reserveA: deep, reserveB: deep, feePpm: 100 }),
    ]
    const direct = pair(3, { a: 1, b: 2, reserveA: deep, reserveB: deep, feePpm: 500 })
    const native = pair(4, { a: 0, b: 2, reserveA: deep, reserveB: deep })
    const all = [...chain, direct, native]
    const amountIn = 10n * E18
    expect(routeOf(all, { amountIn }).legs.map(({ pool }) => pool.id)).toContain(chain[0]!.id)
    const routeAtHighGas = routeOf(all, { amountIn, gasPriceWei: 100n * 10n ** 9n })
    expect(routeAtHighGas.legs.map(({ pool }) => pool.id)).toEqual([direct.id])
  })

  test('the output after gas is at least that of every single pool and pair of pools', () => {
    fc.assert(
      fc.property(seed, fc.integer({ min: 3, max: 12 }), (from, pools) => {
        const all = fairPools(from, pools, 4)
        const gasPriceWei = 10n ** 10n
        const amountIn = amountOf(seeded(from))
        const route = routeOf(all, { amountIn, gasPriceWei })
        if (route.gasCostOut === null || route.gas === 0) return
        const perGas = Number(route.gasCostOut) / route.gas
        const net = Number(route.amountOut) - Number(route.gasCostOut)
        for (const pool of all) {
          const single = quoteOrZero(pool, amountIn)
          expect(net).toBeGreaterThanOrEqual((single.amountOut - single.gas * perGas) * (1 - SLACK) - 1e6)
        }
      }),
      { numRuns: RUNS },
    )
  })

  /** Maximum gain from excluding one pool, as a fraction of the output. */
  function gainWithoutOne(run: number): number {
    const pools = fairPools(run * 7919, 4 + (run % 14), 4 + (run % 3))
    const amountIn = BigInt(Math.floor(10 ** (17 + seeded(run)() * 5)))
    const graph = buildGraph(snapshotOf(pools))
    const net = (excludePools: ReadonlySet<string> = new Set()) => {
      const result = findRoute(graph, request({ amountIn, gasPriceWei: 10n ** 10n, excludePools }))
      return result.ok ? Number(result.route.amountOut) - Number(result.route.gasCostOut) : 0
    }
    const best = net()
    return best > 0 ? Math.max(...pools.map(({ id }) => net(new Set([id])))) / best - 1 : 0
  }

  test('excluding a pool rarely improves the result', () => {
    const graphs = Array.from({ length: RUNS }, (_, index) => index + 1)
    expect(graphs.filter((run) => gainWithoutOne(run) > SLACK).length / RUNS).toBeLessThanOrEqual(0.01)
  })
})

describe.each([0.002, 0.01, 0.05])(
  'compared with restricted requests, with price deviations of up to %d',
  (disagreement) => {
    const dexes = ['alpha', 'beta', 'gamma']

    /** Gain, in bps of the output, from fewer hops, fewer pools, or one source less, after gas. */
    function lossBps(run: number): number {
      const pools = randomPools(run * 77 + 1, 8 + (run % 20), { tokens: 4 + (run % 5), disagreement })
      const graph = buildGraph(snapshotOf(pools.map((pool, index) => ({ ...pool, dex: dexes[index % 3]! }))))
      const amountIn = BigInt(Math.floor(10 ** (16 + seeded(run * 31 + 7)() * 6)))
      const gasPriceWei = [0n, 10n ** 8n, 10n ** 9n, 10n ** 10n, 5n * 10n ** 10n][run % 5]!
      const netOutput = (over: Partial<RouteRequest>) => {
        const result = findRoute(graph, request({ amountIn, gasPriceWei, ...over }))
        return result.ok ? Number(result.route.amountOut) - Number(result.route.gasCostOut ?? 0n) : 0
      }
      const whole = netOutput({})
      const restricted: Partial<RouteRequest>[] = [
        ...[1, 2, 3].map((maxHops) => ({ maxHops })),
        ...[1, 2, 3, 5, 8, 12].map((maxSplits) => ({ maxSplits })),
        ...dexes.map((dex) => ({ sources: { exclude: new Set([dex]) } })),
      ]
      return whole > 0 ? (Math.max(...restricted.map(netOutput)) / whole - 1) * 10_000 : 0
    }

    test('a restricted request rarely pays more', () => {
      const graphs = Array.from({ length: Math.ceil(RUNS / 3) }, (_, index) => index + 601)
      const losses = graphs.filter((run) => lossBps(run) > 0.5)
      expect(losses.length / graphs.length, `runs ${losses}`).toBeLessThanOrEqual(disagreement > 0.002 ? 0.03 : 0.01)
    })
  },
)

function quoteOrZero(pool: Pool<UniswapV2State>, amountIn: bigint) {
  const { tokenIn, tokenOut } = request()
  if (!pool.tokens.includes(tokenIn) || !pool.tokens.includes(tokenOut)) return { amountOut: 0, gas: 0 }
  const { amountOut, gas } = familyOf('uniswap-v2')!.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
  return { amountOut: Number(amountOut), gas }
}
