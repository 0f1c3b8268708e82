/** Upper bounds on the output, compared with what routes pay: where tokens and pools round, and where pools limit swaps. */
import type { Pool } from '@sluice/liquidity'
import { poolStates } from '@sluice/liquidity/testing'
import { expect, test } from 'vitest'
import { bestRoute } from '../src/exact/best-route.ts'
import { minInput } from '../src/exact/exact-output.ts'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import { WorkBudget } from '../src/problem/budget.ts'
import { NO_LEARNED_GAS } from '../src/problem/edge-gas.ts'
import { Admission, newSoftenings, type Problem } from '../src/problem/problem.ts'
import type { RouteRequest } from '../src/types.ts'
import { E18, fairPools, request, seeded, snapshotOf, token } from './graphs.ts'
import { kinds } from './wide-pools.ts'

const RUNS = process.env.LONG ? 2_000 : 60

/** Runs a function with the problem of a request, without gas. */
function withProblem<T>(
  pools: readonly Pool[],
  req: RouteRequest,
  run: (problem: Problem, admission: Admission) => T,
): T {
  const graph = buildGraph(snapshotOf(pools))
  const { tokenIndex, scratch, hasWidePools } = graph.topology
  const maxPools = req.maxSplits ?? 24
  return scratch.within(() => {
    const [sold, bought] = [req.tokenIn, req.tokenOut].map((end) => tokenIndex.get(end as Pool['address'])!)
    const admission = new Admission(graph, req, sold!, bought!)
    const { source, target, rate, rateBack, adjustedCurves, outputFactors } = admission
    const problem = {
      ...{
        graph,
        requestTokens: req,
        source,
        target,
        amountIn: Number(req.amountIn),
        maxHops: Math.min(req.maxHops ?? 4, maxPools),
      },
      ...{ maxPools, isSinglePath: maxPools === 1, mayReusePools: hasWidePools, costPerGas: 0, costPerLeg: 0 },
      ...{ rate, rateBack, adjustedCurves, outputFactors, ...NO_LEARNED_GAS, maxAlternatives: 0 },
      ...{ budget: new WorkBudget(), softenings: newSoftenings() },
    }
    return run(problem, admission)
  })
}

/** Returns the bound before gas, and the output of the route found; null without a route or a bound. */
const boundOf = (pools: readonly Pool[], req: RouteRequest) =>
  withProblem(pools, req, (problem, admission) => {
    const route = bestRoute(problem, req.amountIn, req, admission)
    return route && route.bound !== null ? { bound: route.bound, paid: Number(route.settlement.amountOut) } : null
  })

/** Expects the bounds of search and proof to cover the output of the route found. Returns false without a bound. */
function expectBounded(pools: readonly Pool[], req: RouteRequest, name: string): boolean {
  const result = boundOf(pools, req)
  if (!result) return false
  expect(result.bound, name).toBeGreaterThanOrEqual(result.paid)
  const proven = findRoute(buildGraph(snapshotOf(pools)), { ...req, proof: true })
  if (proven.ok && proven.proof) expect(Number(proven.proof.bound), name).toBeGreaterThanOrEqual(result.paid)
  return true
}

test('of dust of taxed tokens, whose taxes are rounded down', () => {
  let compared = 0
  for (let run = 1; run <= RUNS; run++) {
    const random = seeded(run)
    const taxOf = () => ({
      buyPpm: Math.floor(random() * 500_000),
      sellPpm: Math.floor(random() * 999_999),
      transferPpm: 0,
    })
    const taxes = new Map([1, 2].map((index) => [token(index), { usual: taxOf(), inPool: new Map() }]))
    const amountIn = BigInt(Math.ceil(10 ** (1 + 4 * random())))
    if (expectBounded(fairPools(run, 2 + (run % 12), 4), request({ amountIn, taxes }), `run ${run}`)) compared++
  }
  expect(compared).toBeGreaterThan(RUNS / 2)
})

test('of pools that limit each swap, and sell a token for several others', () => {
  let compared = 0
  for (let run = 400; run < 400 + RUNS / 3; run++) {
    const random = seeded(run)
    const size = BigInt(Math.ceil(10 ** (3 * random())))
    const pools = [
      {
        ...kinds.weighted(
          [2, 1, 3],
          [10n, 11n, 9n].map((part) => part * size * E18),
        ),
        id: 'weighted',
      },
      {
        ...kinds.stable(
          [0, 1, 3],
          [10n, 11n, 9n].map((part) => part * size * E18),
        ),
        id: 'stable',
      },
      ...fairPools(run, 3, 4),
    ]
    const amountIn = BigInt(Math.ceil(10 ** (20 + 4 * random())))
    const req = request({ tokenIn: token(2), tokenOut: token(0), amountIn, maxSplits: 64 })
    if (expectBounded(pools, req, `run ${run}`)) compared++
  }
  expect(compared).toBeGreaterThan(RUNS / 12)
})

test('of exact outputs, compared with what any route pays for their input', () => {
  let compared = 0
  for (let run = 1; run <= 2 * RUNS; run++) {
    const random = seeded(run)
    const pools = fairPools(run, 3 + (run % 12), 4)
    const req = request({ amountIn: BigInt(Math.ceil(10 ** (17 + 5 * random()))), maxSplits: 1 + (run % 3) })
    const first = boundOf(pools, req)
    if (!first) continue
    const amountOut = BigInt(Math.floor(first.paid * (0.9 + 0.1 * random())))
    const result = withProblem(pools, req, (problem) => minInput({ ...problem, amountIn: 0 }, amountOut, req))
    if (!result || result.route.bound === null) continue
    const unlimited = boundOf(pools, { ...req, amountIn: result.amountIn, maxHops: req.maxSplits!, maxSplits: 24 })
    expect(result.route.bound, `run ${run}`).toBeGreaterThanOrEqual(unlimited!.paid)
    compared++
  }
  expect(compared).toBeGreaterThan(RUNS / 2)
})

/** Solves its invariant to a tolerance, which may be many units of dust. */
const TOLERANT_FAMILIES = ['curve-crypto']

test('of dust in pools of every family, whatever they round', () => {
  let compared = 0
  for (const [family, pools] of poolStates(5))
    if (!TOLERANT_FAMILIES.includes(family))
      for (const pool of pools.filter(({ tokens }) => tokens.length === 2).slice(0, 4)) {
        const [tokenIn, tokenOut] = pool.tokens as [Pool['address'], Pool['address']]
        for (const amountIn of [3n, 17n, 401n, 10_007n])
          for (const ends of [
            { tokenIn, tokenOut },
            { tokenIn: tokenOut, tokenOut: tokenIn },
          ]) {
            const result = boundOf([pool], request({ ...ends, amountIn }))
            if (!result) continue
            expect(result.bound, `${family} ${pool.id} ${amountIn}`).toBeGreaterThanOrEqual(result.paid)
            compared++
          }
      }
  expect(compared).toBeGreaterThan(100)
})
