/** Minimum input for an output, compared with the maximum output for an input, and with every amount of a single pool. */
import { NATIVE } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { Graph } from '../src/graph/graph.ts'
import { MAX_WORK, WorkBudget } from '../src/problem/budget.ts'
import type { ExactOutputRequest, RoutePlan, RouteRequest, RouteResult } from '../src/types.ts'
import { E18, fairPools, pair, request, seeded, snapshotOf, token } from './graphs.ts'
import { expectValid } from './random-requests.ts'
import { kinds } from './wide-pools.ts'

const RUNS = process.env.LONG ? 3_000 : 48

function forOutput(amountOut: bigint, over: Partial<RouteRequest> = {}): ExactOutputRequest {
  const { amountIn: _, ...terms } = request(over)
  return { ...terms, amountOut }
}

function routeOf(result: RouteResult): RoutePlan {
  if (!result.ok) throw new Error(result.message)
  return result.route
}

test('a single pool gets the minimum input for the output, to the wei', () => {
  const random = seeded(1)
  for (let run = 0; run < RUNS; run++) {
    const amount = (max: number) => BigInt(Math.ceil(10 ** (max * random())))
    const [reserveA, reserveB] = [amount(24) + 10n ** 6n, amount(24) + 10n ** 6n]
    const pool = pair(1, { a: 1, b: 2, reserveA, reserveB })
    const amountOut = (reserveB * BigInt(Math.ceil(900 * random()))) / 1_000n + 1n
    const { amountIn, legs } = routeOf(findRoute(buildGraph(snapshotOf([pool])), forOutput(amountOut)))
    const pays = (input: bigint) => familyOf('uniswap-v2')!.quoteExactInput(pool, token(1), token(2), input).amountOut
    expect(pays(amountIn)).toBeGreaterThanOrEqual(amountOut)
    if (amountIn > 1n)
      expect(
        outputOrZero(() => pays(amountIn - 1n)),
        `run ${run}`,
      ).toBeLessThan(amountOut)
    expect(legs).toHaveLength(1)
  }
})

const outputOrZero = (quote: () => bigint): bigint => {
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
    'the output of an amount costs no more than that amount, at a gas price of %d wei',
    (gasPriceWei) => {
      let compared = 0
      for (let run = 1; run <= RUNS / 2; run++) {
        const pools = market(run)
        const graph = buildGraph(snapshotOf(pools))
        const amountIn = BigInt(Math.ceil(1e18 * 10 ** (4 * seeded(run)())))
        const req = request({ amountIn, gasPriceWei, ...(run % 3 === 0 && { maxSplits: 3 }) })
        const forward = findRoute(graph, req)
        if (!forward.ok) continue
        const exactOutput = forOutput(forward.route.amountOut, req)
        const back = routeOf(findRoute(graph, exactOutput))
        expectValid(back, { ...req, amountIn: back.amountIn })
        expect(back.amountOut).toBeGreaterThanOrEqual(exactOutput.amountOut)
        // With gas, another route with the same net output may take a little more input and cost less gas.
        if (gasPriceWei === 0n) expectClose(back.amountIn, amountIn, run)
        expectMinimal(graph, back, req, run)
        compared++
      }
      expect(compared).toBeGreaterThan(RUNS / 4)
    },
  )
})

/** Expects at most 0.01 bps more input: two searches may end at slightly different routes. */
function expectClose(input: bigint, max: bigint, run: number): void {
  expect(input, `run ${run}`).toBeLessThanOrEqual(max + max / 1_000_000n + 1n)
}

/** Expects that even the best route for 1 bps less input pays less. */
function expectMinimal(graph: Graph, { amountIn, amountOut }: RoutePlan, req: RouteRequest, run: number): void {
  const less = findRoute(graph, { ...req, gasPriceWei: 0n, amountIn: amountIn - amountIn / 10_000n - 1n })
  if (less.ok && req.gasPriceWei === 0n) expect(less.route.amountOut, `run ${run}`).toBeLessThan(amountOut)
}

test('an output beyond the pools is refused, with the largest output found', () => {
  const graph = buildGraph(snapshotOf([pair(1, { a: 1, b: 2, reserveA: 10n ** 20n, reserveB: 10n ** 20n })]))
  const refused = findRoute(graph, forOutput(10n ** 20n))
  if (refused.ok) throw new Error('all of a reserve was bought')
  expect(refused.code).toBe('INSUFFICIENT_LIQUIDITY')
  expect(refused.maxOutputAmount).toBeGreaterThan((10n ** 20n * 9n) / 10n)
  expect(findRoute(graph, forOutput(refused.maxOutputAmount!)).ok).toBe(true)
  const nowhere = findRoute(graph, forOutput(1n, { excludePools: new Set(graph.topology.edgesOfPool.keys()) }))
  expect(nowhere).toMatchObject({ ok: false, code: 'NO_ROUTE' })
})

test.each(Object.entries(markets))(
  'unreachable outputs are refused with a small part of the work limit: %s',
  (_, market) => {
    let refusals = 0
    for (let run = 1; run <= RUNS / 4; run++) {
      const graph = buildGraph(snapshotOf(market(run)))
      const exactOutput = BigInt(Math.ceil(10 ** (18 + 20 * seeded(run)())))
      const budget = new WorkBudget()
      const req = forOutput(exactOutput, { gasPriceWei: BigInt(run % 2) * 10n ** 10n })
      const refused = findRoute(graph, req, budget)
      if (refused.ok) continue
      refusals++
      expect(MAX_WORK - budget.remaining, `run ${run}`).toBeLessThan(MAX_WORK / 5)
      expect(refused.code).toBe('INSUFFICIENT_LIQUIDITY')
      expect(refused.maxOutputAmount).toBeLessThan(exactOutput)
      const inReach = findRoute(graph, { ...req, amountOut: (refused.maxOutputAmount! * 9n) / 10n })
      expect(inReach.ok, `run ${run}`).toBe(true)
    }
    expect(refusals).toBeGreaterThan(RUNS / 8)
  },
)

test('a wrap is 1:1', () => {
  const graph = buildGraph(snapshotOf([]))
  const wrap = routeOf(findRoute(graph, forOutput(7n, { tokenIn: NATIVE, tokenOut: token(0) })))
  expect(wrap).toMatchObject({ amountIn: 7n, amountOut: 7n, legs: [] })
})

test('taxes increase the input', () => {
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
