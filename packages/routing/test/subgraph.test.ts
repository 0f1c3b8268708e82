/** Searches on the subgraph of a large graph, compared with searches of the whole graph. */
import type { Pool } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { Graph } from '../src/graph/graph.ts'
import { WorkBudget } from '../src/problem/budget.ts'
import { NO_LEARNED_GAS } from '../src/problem/edge-gas.ts'
import { Admission, newSoftenings, type Problem } from '../src/problem/problem.ts'
import { search } from '../src/search.ts'
import { selectSubgraph } from '../src/subgraph/select-subgraph.ts'
import { MIN_LARGE_GRAPH_EDGES } from '../src/subgraph/tolerances.ts'
import { digestOf } from '../src/testing/digest.ts'
import type { RouteRequest } from '../src/types.ts'
import { pair, request, seeded, snapshotOf, token } from './graphs.ts'

const HUBS = 5
const RUNS = process.env.LONG ? 400 : 10
/** Fraction of the output by which the whole graph may pay more: columns below that join neither search. */
const BEHIND = 2e-5

/** Pools mostly at a few hubs, with price deviations of at least about their fees. */
function hubPools(seed: number, count: number, tokens: number): readonly Pool[] {
  const random = seeded(seed)
  const price = Array.from({ length: tokens }, () => Math.exp((random() - 0.5) * 8))
  return Array.from({ length: count }, (_, index) => {
    const a = index < tokens ? index : Math.floor(random() * tokens)
    const drawn = Math.floor(random() * (random() < 0.85 ? HUBS : tokens))
    const b = drawn === a ? (a + 1) % tokens : drawn
    const depth = 1e21 * Math.exp(random() * 8)
    const noise = Math.exp((random() - 0.5) * 0.004)
    const reserves = { reserveA: (depth / price[a]!) * noise, reserveB: depth / price[b]! }
    return pair(index + 1, {
      a,
      b,
      reserveA: BigInt(Math.floor(reserves.reserveA)),
      reserveB: BigInt(Math.floor(reserves.reserveB)),
    })
  })
}

/** Builds a request's problem on a graph, for a given cost of gas. */
const problemFor = (req: RouteRequest, perGas: number) => (graph: Graph) => {
  const ends = [req.tokenIn, req.tokenOut].map((end) => graph.topology.tokenIndex.get(end)!)
  const admission = new Admission(graph, req, ends[0]!, ends[1]!)
  const { source, target, rate, rateBack, adjustedCurves, outputFactors } = admission
  const problem: Problem = {
    graph,
    requestTokens: req,
    source,
    target,
    amountIn: Number(req.amountIn),
    maxHops: 4,
    maxPools: 24,
    isSinglePath: false,
    mayReusePools: false,
    rate,
    rateBack,
    adjustedCurves,
    outputFactors,
    ...NO_LEARNED_GAS,
    costPerGas: perGas,
    costPerLeg: 0,
    maxAlternatives: 0,
    budget: new WorkBudget(),
    softenings: newSoftenings(),
  }
  return { problem }
}

function draw(random: () => number, tokens: number): RouteRequest {
  const end = () => (random() < 0.4 ? Math.floor(random() * HUBS) : Math.floor(random() * tokens))
  const sold = end()
  const bought = end()
  const amountIn = BigInt(Math.floor(10 ** (17 + random() * 5)))
  return request({ tokenIn: token(sold), tokenOut: token(bought === sold ? (sold + 1) % tokens : bought), amountIn })
}

test.each([0, 1e11])(
  'a subgraph pays as much as the whole graph, and its bound holds there: %d output units per gas',
  (perGas) => {
    const tokens = 600
    const graph = buildGraph(snapshotOf(hubPools(5, 2_000, tokens)))
    let smaller = 0
    for (let run = 1; run <= RUNS; run++) {
      const req = draw(seeded(run), tokens)
      const on = problemFor(req, perGas)
      const { source, target } = on(graph).problem
      const whole = search(on(graph).problem)
      const part = selectSubgraph(graph, undefined, { source, target }, on)
      if (!whole) continue
      expect(part, `run ${run}`).not.toBeNull()
      const partResult = search(part!.problem)!
      expect(partResult.flow.net, `run ${run}`).toBeGreaterThanOrEqual(whole.flow.net - BEHIND * whole.flow.amountOut)
      if (partResult.bound !== null)
        expect(partResult.bound, `run ${run}`).toBeGreaterThanOrEqual(whole.flow.amountOut * (1 - 1e-9))
      if (part!.problem.rate.length < graph.edges.length / 4) smaller++
    }
    expect(smaller).toBeGreaterThan(RUNS / 2)
  },
)

test('a route of a large graph does not depend on earlier requests', () => {
  const tokens = 9_000
  const pools = hubPools(6, MIN_LARGE_GRAPH_EDGES / 2 + 1, tokens)
  const [graph, other] = [buildGraph(snapshotOf(pools)), buildGraph(snapshotOf(pools))]
  const requests = Array.from({ length: 12 }, (_, run) => {
    const req = draw(seeded(1_000 + run), tokens)
    return { ...req, gasPriceWei: run % 2 === 0 ? 0n : 10n ** 10n, maxHops: 4, maxSplits: 24 }
  })
  const digests = requests.map((req) => digestOf(findRoute(graph, req), req))
  const backwards = requests.toReversed().map((req) => digestOf(findRoute(other, req), req))
  expect(backwards.toReversed()).toEqual(digests)
  const results = requests.map((req) => findRoute(graph, req)).filter(({ ok }) => ok)
  expect(results.length).toBeGreaterThan(8)
  const [req] = requests
  const nowhere = findRoute(graph, { ...req!, sources: { exclude: new Set(['test']) } })
  expect(nowhere).toMatchObject({ ok: false, code: 'NO_ROUTE' })
  expect(nowhere.ok ? [] : nowhere.reasons.length).toBeGreaterThan(0)
})
