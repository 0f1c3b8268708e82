/** Trades over pools with limited capacity: narrow positions around one price, together with pools that take any amount. */
import { familyOf, type Pool, PoolRefusal, type UniswapV3State } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { RoutePlan, RouteRequest } from '../src/types.ts'
import { address, E18, fairPools, pair, request, seeded, snapshotOf, token } from './graphs.ts'

type Position = { readonly low: number; readonly high: number; readonly liquidity: bigint }

/** A pool at price 1 with liquidity in a few positions. */
function positions(index: number, a: number, b: number, list: readonly Position[], feePpm = 500): Pool<UniswapV3State> {
  const net = new Map<number, bigint>()
  let liquidity = 0n
  for (const position of list) {
    net.set(position.low, (net.get(position.low) ?? 0n) + position.liquidity)
    net.set(position.high, (net.get(position.high) ?? 0n) - position.liquidity)
    if (position.low <= 0 && position.high > 0) liquidity += position.liquidity
  }
  const ticks = [...net].sort(([x], [y]) => x - y)
  const state = { sqrtPriceX96: 1n << 96n, tick: 0, liquidity, feePpm, tickSpacing: 10, ticks }
  const id = address(index)
  return { id, address: id, family: 'uniswap-v3', dex: 'test', tokens: [token(a), token(b)], state }
}

const narrow = (index: number, liquidity: bigint, width: number) =>
  positions(index, 1, 2, [{ low: -width, high: width, liquidity: liquidity * E18 }])

function routeOf(pools: readonly Pool[], amountIn: bigint, over: Partial<RouteRequest> = {}): RoutePlan {
  const result = findRoute(buildGraph(snapshotOf(pools)), request({ ...over, amountIn }))
  if (!result.ok) throw new Error(`${amountIn}: ${result.message}`)
  return result.route
}

/** The largest input that a pool accepts, by its own quotes. */
function capacityOf(pool: Pool): bigint {
  const accepts = (amountIn: bigint) => {
    try {
      familyOf(pool.family)!.quoteExactInput(pool, token(1), token(2), amountIn)
      return true
    } catch (error) {
      if (!(error instanceof PoolRefusal)) throw error
      return false
    }
  }
  let [low, high] = [1n, 2n]
  while (accepts(high)) [low, high] = [high, high * 2n]
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (accepts(middle)) low = middle
    else high = middle
  }
  return low
}

describe('two narrow pools and a pair', () => {
  const [first, second] = [narrow(1, 100_000n, 160), narrow(2, 60_000n, 300)]
  const deep = pair(3, { a: 1, b: 2, reserveA: 100_000n * E18, reserveB: 100_000n * E18 })
  const pools = [first, second, deep]

  test.each([2_000n, 2_500n, 3_000n, 4_000n, 6_000n, 9_000n, 40_000n])(
    '%d tokens pay at least as much as the narrow pools at capacity and the pair for the rest',
    (tokens) => {
      const amountIn = tokens * E18
      const parts = [capacityOf(first), capacityOf(second)]
      const rest = amountIn - parts[0]! - parts[1]!
      const outputOf = (pool: Pool, part: bigint) =>
        familyOf(pool.family)!.quoteExactInput(pool, token(1), token(2), part).amountOut
      const sum = outputOf(first, parts[0]!) + outputOf(second, parts[1]!) + (rest > 0n ? outputOf(deep, rest) : 0n)
      const route = routeOf(pools, amountIn)
      if (rest > 0n) expect(Number(route.amountOut)).toBeGreaterThanOrEqual(Number(sum) * (1 - 1e-6))
      expect(route.optimalityGapBps).toBeLessThan(0.1)
      expect(route.legs).toHaveLength(3)
    },
  )

  test('exact output takes no more input than an exact-input route with the same output', () => {
    for (const tokens of [500n, 1_500n, 2_500n, 3_000n, 9_000n]) {
      const amountIn = tokens * E18
      const { amountOut } = routeOf(pools, amountIn)
      const { amountIn: _, ...terms } = request()
      const back = findRoute(buildGraph(snapshotOf(pools)), { ...terms, amountOut })
      if (!back.ok) throw new Error(back.message)
      expect(Number(back.route.amountIn)).toBeLessThanOrEqual(Number(amountIn) * (1 + 1e-6))
      expect(back.route.amountOut).toBeGreaterThanOrEqual(amountOut)
    }
  })
})

describe('only narrow pools', () => {
  const pools = [narrow(1, 100_000n, 160), narrow(2, 60_000n, 300), narrow(3, 90_000n, 310)]
  const capacity = pools.reduce((sum, pool) => sum + capacityOf(pool), 0n)
  const graph = buildGraph(snapshotOf(pools))

  test('every amount up to their capacity routes', () => {
    for (let part = 1n; part < 1_000n; part += 7n) routeOf(pools, (capacity * part) / 1_000n)
    routeOf(pools, capacity - capacity / 1_000_000n)
  })

  test('a larger amount is refused with an amount that routes', () => {
    const refused = findRoute(graph, request({ amountIn: capacity + capacity / 100n }))
    if (refused.ok) throw new Error('more than the pools have was routed')
    expect(refused.code).toBe('INSUFFICIENT_LIQUIDITY')
    expect(Number(refused.maxRoutableAmount)).toBeGreaterThan(Number(capacity) * 0.99)
    routeOf(pools, refused.maxRoutableAmount!)
  })

  test('a larger output is refused with an output that routes', () => {
    const { amountIn: _, ...terms } = request()
    const refused = findRoute(graph, { ...terms, amountOut: capacity * 2n })
    if (refused.ok) throw new Error('more than the pools have was routed')
    expect(Number(refused.maxOutputAmount)).toBeGreaterThan(Number(capacity) * 0.95)
    expect(findRoute(graph, { ...terms, amountOut: refused.maxOutputAmount! }).ok).toBe(true)
  })
})

test('a gap without liquidity is crossed if the pool is deeper beyond it', () => {
  const gap = positions(1, 1, 2, [
    { low: -40, high: 40, liquidity: 10_000n * E18 },
    { low: -900, high: -300, liquidity: 80_000n * E18 },
  ])
  const parallelPool = pair(2, { a: 1, b: 2, reserveA: 20_000n * E18, reserveB: 20_000n * E18 })
  let before = 0n
  for (let tokens = 10n; tokens < 2_500n; tokens += 60n) {
    const { amountOut, optimalityGapBps } = routeOf([gap, parallelPool], tokens * E18)
    expect(amountOut).toBeGreaterThan(before)
    expect(optimalityGapBps, `${tokens} tokens`).toBeLessThan(0.1)
    before = amountOut
  }
})

test('a path with a pool too small for the whole amount gets a part of it', () => {
  const pools = [
    pair(1, { a: 1, b: 3, reserveA: 10n ** 6n * E18, reserveB: 10n ** 6n * E18 }),
    positions(2, 3, 2, [{ low: -50, high: 50, liquidity: 100_000n * E18 }]),
    pair(4, { a: 1, b: 2, reserveA: 5_000n * E18, reserveB: 5_000n * E18 }),
  ]
  const { legs, optimalityGapBps } = routeOf(pools, 1_000n * E18)
  expect(legs).toHaveLength(3)
  expect(optimalityGapBps).toBeLessThan(0.1)
})

test('a pool that refuses for a reason other than size still counts in the bound', () => {
  const amountIn = 50n * E18
  const pools = fairPools(3, 10)
  // The graph was compiled before the pool's state changed; at settlement its arithmetic fails.
  const graph = buildGraph(snapshotOf(pools))
  const whole = findRoute(graph, request({ amountIn }))
  if (!whole.ok) throw new Error(whole.message)
  const broken = whole.route.legs[0]!.pool
  for (const edge of graph.topology.edgesOfPool.get(broken.id)!) {
    const { state } = graph.edges[edge]!.pool as Pool<{ reserve0: bigint }>
    Object.defineProperty(graph.edges[edge]!.pool, 'state', { value: { ...state, feePpm: 2_000_000 } })
  }
  const rest = findRoute(graph, request({ amountIn }))
  if (!rest.ok) throw new Error(rest.message)
  expect(rest.route.legs.map(({ pool }) => pool.id)).not.toContain(broken.id)
  const bound = Number(rest.route.amountOut) / (1 - rest.route.optimalityGapBps! / 10_000)
  expect(bound).toBeGreaterThanOrEqual(Number(whole.route.amountOut) * (1 - 1e-9))
})

test('random narrow pools in a chain of tokens: more input never pays less', () => {
  for (let run = 1; run <= (process.env.LONG ? 400 : 30); run++) {
    const random = seeded(run)
    const width = () => 10 * (1 + Math.floor(random() * 60))
    const depth = () => BigInt(Math.ceil(1e3 * 10 ** (2 * random()))) * E18
    const pools = Array.from({ length: 4 + (run % 6) }, (_, index) => {
      const a = index % 3
      const ends = [1, 3, 4, 2] as const
      return positions(index + 1, ends[a]!, ends[a + 1]!, [{ low: -width(), high: width(), liquidity: depth() }])
    })
    pools.push(positions(20, 1, 2, [{ low: -width(), high: width(), liquidity: depth() }]))
    const graph = buildGraph(snapshotOf(pools))
    let before = 0n
    for (let amountIn = E18; amountIn < 10n ** 6n * E18; amountIn = (amountIn * 14n) / 10n) {
      const result = findRoute(graph, request({ amountIn }))
      if (!result.ok) break
      expect(Number(result.route.amountOut), `run ${run}, ${amountIn}`).toBeGreaterThanOrEqual(
        Number(before) * (1 - 1e-6),
      )
      before = result.route.amountOut
    }
    expect(before).toBeGreaterThan(0n)
  }
})
