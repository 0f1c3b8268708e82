/** Pools with output discounts: the discount affects their ranking, but not the reported output. */
import { familyOf, type Pool, type UniswapV2State } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { DriftPenalties, ExactOutputRequest, RoutePlan, RouteRequest } from '../src/types.ts'
import { E18, fairPools, pair, request, seeded, snapshotOf } from './graphs.ts'

const RUNS = process.env.LONG ? 3_000 : 150
/** 2 bps. */
const SLACK = 2e-4
const FREE = { maxHops: 8, maxSplits: 64, gasPriceWei: 0n }

const side = (index: number, reserveB: bigint) => pair(index, { a: 1, b: 2, reserveA: 1_000n * E18, reserveB })
const even = [side(1, 1_000n * E18), side(2, 1_000n * E18)] as const

function routeOf(pools: readonly Pool[], over: Partial<RouteRequest>): RoutePlan {
  const result = findRoute(buildGraph(snapshotOf(pools)), request(over))
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.route
}

/** Output of a route after the discounts of its pools, to first order. */
function discountedOutput({ legs, tokenIn, tokenOut }: RoutePlan, driftPenalties: DriftPenalties): number {
  const part = new Map([[tokenIn, { total: 1, discounted: 1 }]])
  for (const leg of legs) {
    const from = part.get(leg.tokenIn)!
    const to = part.get(leg.tokenOut) ?? { total: 0, discounted: 0 }
    const out = Number(leg.amountOut)
    const discounted = out * (from.discounted / from.total) * (1 - (driftPenalties.get(leg.pool.id) ?? 0) / 1e6)
    part.set(leg.tokenOut, { total: to.total + out, discounted: to.discounted + discounted })
  }
  return part.get(tokenOut)!.discounted
}

test("a discounted pool carries less, and its legs report the pool's real output", () => {
  const amountIn = 100n * E18
  const { legs } = routeOf(even, { amountIn, driftPenalties: new Map([[even[0].id, 20_000]]) })
  const shares = new Map(legs.map((leg) => [leg.pool.id, leg]))
  const [less, more] = even.map(({ id }) => shares.get(id)!)
  expect(Number(less!.amountIn) / Number(amountIn)).toBeLessThan(0.48)
  expect(less!.amountIn + more!.amountIn).toBe(amountIn)
  for (const { pool, tokenIn, tokenOut, amountIn: sold, amountOut } of [less!, more!])
    expect(amountOut).toBe(familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, sold).amountOut)
  // Small trades avoid the discounted pool altogether.
  const small = routeOf(even, { amountIn: E18, driftPenalties: new Map([[even[0].id, 20_000]]) })
  expect(small.legs.map(({ pool }) => pool.id)).toEqual([even[1].id])
})

test('a better price counts only beyond its discount', () => {
  const pools = [side(1, 1_030n * E18), side(2, 1_000n * E18)]
  const first = (ppm: number) =>
    routeOf(pools, { amountIn: E18, driftPenalties: new Map([[pools[0]!.id, ppm]]) }).legs[0]!.pool
  expect(first(20_000)).toEqual(pools[0])
  expect(first(40_000)).toEqual(pools[1])
})

test('a pool with a full discount is excluded, with a reason', () => {
  const [one, two] = even
  expect(routeOf(even, { amountIn: 100n * E18, driftPenalties: new Map([[one.id, 1_000_000]]) }).legs).toMatchObject([
    { pool: { id: two.id } },
  ])
  const result = findRoute(
    buildGraph(snapshotOf([one])),
    request({ amountIn: E18, driftPenalties: new Map([[one.id, 1_000_000]]) }),
  )
  expect(result).toMatchObject({
    ok: false,
    reasons: [{ pool: one.id, reason: expect.stringContaining('repeatedly') }],
  })
})

test('an exact output is paid in full, regardless of discounts', () => {
  const exact: ExactOutputRequest = {
    ...(({ amountIn: _, ...terms }) => terms)(request()),
    amountOut: 50n * E18,
    driftPenalties: new Map([[even[0].id, 20_000]]),
  }
  const result = findRoute(buildGraph(snapshotOf(even)), exact)
  if (!result.ok) throw new Error(result.message)
  expect(result.route.amountOut).toBeGreaterThanOrEqual(exact.amountOut)
  expect(Number(result.route.amountOut) / Number(exact.amountOut)).toBeLessThan(1 + 1e-9)
})

test('after discounts, the route is no worse than one that ignores them, and it is deterministic', () => {
  for (let run = 1; run <= RUNS; run++) {
    const random = seeded(run * 31)
    const pools: readonly Pool<UniswapV2State>[] = fairPools(run, 3 + (run % 20))
    const driftPenalties = new Map(
      pools.flatMap(({ id }) => (random() < 0.4 ? [[id, Math.ceil(50_000 * random())] as const] : [])),
    )
    const amountIn = BigInt(Math.floor(10 ** (15 + random() * 7)))
    const careful = routeOf(pools, { ...FREE, amountIn, driftPenalties })
    const trusting = routeOf(pools, { ...FREE, amountIn })
    expect(careful.amountOut, `run ${run}`).toBeLessThanOrEqual((trusting.amountOut * 10_002n) / 10_000n)
    expect(discountedOutput(careful, driftPenalties), `run ${run}`).toBeGreaterThanOrEqual(
      discountedOutput(trusting, driftPenalties) * (1 - SLACK),
    )
    const repeated = routeOf(pools, { ...FREE, amountIn, driftPenalties: new Map([...driftPenalties].reverse()) })
    expect(repeated).toEqual(careful)
  }
})

test('discounts of unknown pools change nothing', () => {
  for (let run = 1; run <= 20; run++) {
    const pools = fairPools(run, 12)
    const amountIn = 10n ** 20n
    const strange = new Map([[`0x${'9'.repeat(40)}`, 500_000]])
    expect(routeOf(pools, { ...FREE, amountIn, driftPenalties: strange })).toEqual(
      routeOf(pools, { ...FREE, amountIn }),
    )
  }
})
