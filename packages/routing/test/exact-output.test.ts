/** The least input for an output, against the most output for an input, and against every amount of a single pool. */
import { NATIVE } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { Graph } from '../src/graph/graph.ts'
import { MOST_WORK, WorkBudget } from '../src/problem/budget.ts'
import type { ExactOutputRequest, Route, RouteRequest, RouteResult } from '../src/types.ts'
import { E18, fairPools, pair, request, seeded, snapshotOf, token } from './graphs.ts'
import { expectKept } from './kept.ts'
import { kinds } from './wide-pools.ts'

const RUNS = process.env.LONG ? 3_000 : 120

function forOutput(amountOut: bigint, over: Partial<RouteRequest> = {}): ExactOutputRequest {
  const { amountIn: _, ...terms } = request(over)
  return { ...terms, amountOut }
}

function routeOf(result: RouteResult): Route {
  if (!result.ok) throw new Error(result.message)
  return result.route
}

test('a pool is given the least that buys the output, to the wei', () => {
  const random = seeded(1)
  for (let run = 0; run < RUNS; run++) {
    const amount = (most: number) => BigInt(Math.ceil(10 ** (most * random())))
    const [reserveA, reserveB] = [amount(24) + 10n ** 6n, amount(24) + 10n ** 6n]
    const pool = pair(1, { a: 1, b: 2, reserveA, reserveB })
    const amountOut = (reserveB * BigInt(Math.ceil(900 * random()))) / 1_000n + 1n
    const { amountIn, legs } = routeOf(findRoute(buildGraph(snapshotOf([pool])), forOutput(amountOut)))
    const pays = (given: bigint) => familyOf('uniswap-v2')!.quoteExactInput(pool, token(1), token(2), given).amountOut
    expect(pays(amountIn)).toBeGreaterThanOrEqual(amountOut)
    if (amountIn > 1n)
      expect(
        paysOrNothing(() => pays(amountIn - 1n)),
        `run ${run}`,
      ).toBeLessThan(amountOut)
    expect(legs).toHaveLength(1)
  }
})

const paysOrNothing = (quote: () => bigint): bigint => {
  try {
    return quote()
  } catch {
    return 0n
  }
}

const markets: Readonly<Record<string, (seed: number) => readonly Pool[]>> = {
  'pairs whose prices agree': (seed) => fairPools(seed, 6 + (seed % 30), 4 + (seed % 5)),
  'pools of three tokens among pairs': (seed) => [
    { ...kinds.stable([1, 2, 3], [300_000n * E18, 310_000n * E18, 290_000n * E18]), id: 'stable' },
    { ...kinds.weighted([0, 1, 2], [300_000n * E18, 150_000n * E18, 150_000n * E18]), id: 'weighted' },
    ...fairPools(seed, 8, 4),
  ],
}

describe.each(Object.entries(markets))('%s', (_, market) => {
  test.each([0n, 10n ** 10n])(
    'the output of an amount is bought for no more than that amount, at %d wei for gas',
    (gasPriceWei) => {
      let compared = 0
      for (let run = 1; run <= RUNS / 2; run++) {
        const pools = market(run)
        const graph = buildGraph(snapshotOf(pools))
        const amountIn = BigInt(Math.ceil(1e18 * 10 ** (4 * seeded(run)())))
        const asked = request({ amountIn, gasPriceWei, ...(run % 3 === 0 && { maxSplits: 3 }) })
        const forward = findRoute(graph, asked)
        if (!forward.ok) continue
        const wished = forOutput(forward.route.amountOut, asked)
        const back = routeOf(findRoute(graph, wished))
        expectKept(back, { ...asked, amountIn: back.amountIn })
        expect(back.amountOut).toBeGreaterThanOrEqual(wished.amountOut)
        // With gas, another route of as much net may take a little more and cost less.
        if (gasPriceWei === 0n) expectAbout(back.amountIn, amountIn, run)
        expectLeast(graph, back, asked, run)
        compared++
      }
      expect(compared).toBeGreaterThan(RUNS / 4)
    },
  )
})

/** No more than a hundredth of a basis point above: the searches of two amounts end where they end. */
function expectAbout(found: bigint, most: bigint, run: number): void {
  expect(found, `run ${run}`).toBeLessThanOrEqual(most + most / 1_000_000n + 1n)
}

/** With a basis point less, not even the best route of that amount pays as much. */
function expectLeast(graph: Graph, { amountIn, amountOut }: Route, asked: RouteRequest, run: number): void {
  const less = findRoute(graph, { ...asked, gasPriceWei: 0n, amountIn: amountIn - amountIn / 10_000n - 1n })
  if (less.ok && asked.gasPriceWei === 0n) expect(less.route.amountOut, `run ${run}`).toBeLessThan(amountOut)
}

test('more than the pools have is refused, with the most that was found', () => {
  const graph = buildGraph(snapshotOf([pair(1, { a: 1, b: 2, reserveA: 10n ** 20n, reserveB: 10n ** 20n })]))
  const refused = findRoute(graph, forOutput(10n ** 20n))
  if (refused.ok) throw new Error('all of a reserve was bought')
  expect(refused.code).toBe('INSUFFICIENT_LIQUIDITY')
  expect(refused.maxOutputAmount).toBeGreaterThan((10n ** 20n * 9n) / 10n)
  expect(findRoute(graph, forOutput(refused.maxOutputAmount!)).ok).toBe(true)
  const nowhere = findRoute(graph, forOutput(1n, { excludePools: new Set(graph.topology.edgesOfPool.keys()) }))
  expect(nowhere).toMatchObject({ ok: false, code: 'NO_ROUTE' })
})

test.each(Object.entries(markets))('out of reach is told by a small part of the work allowed: %s', (_, market) => {
  let refusals = 0
  for (let run = 1; run <= RUNS / 4; run++) {
    const graph = buildGraph(snapshotOf(market(run)))
    const wished = BigInt(Math.ceil(10 ** (18 + 20 * seeded(run)())))
    const budget = new WorkBudget()
    const asked = forOutput(wished, { gasPriceWei: BigInt(run % 2) * 10n ** 10n })
    const refused = findRoute(graph, asked, budget)
    if (refused.ok) continue
    refusals++
    expect(MOST_WORK - budget.rest, `run ${run}`).toBeLessThan(MOST_WORK / 5)
    expect(refused.code).toBe('INSUFFICIENT_LIQUIDITY')
    expect(refused.maxOutputAmount).toBeLessThan(wished)
    const inReach = findRoute(graph, { ...asked, amountOut: (refused.maxOutputAmount! * 9n) / 10n })
    expect(inReach.ok, `run ${run}`).toBe(true)
  }
  expect(refusals).toBeGreaterThan(RUNS / 8)
})

test('a wrap takes what it gives', () => {
  const graph = buildGraph(snapshotOf([]))
  const wrap = routeOf(findRoute(graph, forOutput(7n, { tokenIn: NATIVE, tokenOut: token(0) })))
  expect(wrap).toMatchObject({ amountIn: 7n, amountOut: 7n, legs: [] })
})

test('taxes are paid on top', () => {
  const pool = pair(1, { a: 1, b: 2, reserveA: 10n ** 24n, reserveB: 10n ** 24n })
  const graph = buildGraph(snapshotOf([pool]))
  const usual = { buyPpm: 30_000, sellPpm: 20_000, transferPpm: 0 }
  const taxes = new Map([token(1), token(2)].map((taxed) => [taxed, { usual, inPool: new Map() }]))
  const { amountIn, amountOut } = routeOf(findRoute(graph, forOutput(10n ** 18n, { taxes })))
  const forward = routeOf(findRoute(graph, request({ amountIn, taxes })))
  expect([amountOut >= 10n ** 18n, forward.amountOut]).toEqual([true, amountOut])
  const less = routeOf(findRoute(graph, request({ amountIn: amountIn - 1n, taxes })))
  expect(less.amountOut).toBeLessThan(10n ** 18n)
})
