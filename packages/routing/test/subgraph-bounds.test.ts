/** Bounds used by subgraphs of large graphs, compared with plain searches of the whole graph. */
import type { Pool } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { bestSinglePath } from '../src/columns/single-path.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { Graph } from '../src/graph/graph.ts'
import { WorkBudget } from '../src/problem/budget.ts'
import { NO_LEARNED_GAS } from '../src/problem/edge-gas.ts'
import { bestSpotRates } from '../src/problem/potentials.ts'
import { Admission, newSoftenings, type Problem } from '../src/problem/problem.ts'
import { alongPath } from '../src/solver/flow.ts'
import { bestPath } from '../src/subgraph/best-path.ts'
import { subgraphOf } from '../src/subgraph/build-subgraph.ts'
import { hubsOf } from '../src/subgraph/hubs.ts'
import { labelsTo } from '../src/subgraph/labels.ts'
import { measureValues } from '../src/subgraph/measure.ts'
import type { RouteRequest } from '../src/types.ts'
import { pair, request, seeded, snapshotOf, token } from './graphs.ts'

const RUNS = process.env.LONG ? 1_000 : 100
/** More tokens than a graph has hubs. */
const TOKENS = 40

/** Pools that mostly join a token with one of a few, with price deviations of about their fees. */
function drawPools(seed: number): readonly Pool[] {
  const random = seeded(seed)
  return Array.from({ length: 160 }, (_, index) => {
    const a = index < TOKENS ? index : Math.floor(random() * TOKENS)
    const b = (a + 1 + Math.floor(random() ** 3 * (TOKENS - 1))) % TOKENS
    const depth = 1e21 * Math.exp(random() * 5)
    const [reserveA, reserveB] = [depth * Math.exp(random() * 0.01), depth].map((reserve) =>
      BigInt(Math.floor(reserve)),
    )
    return pair(index + 1, { a, b, reserveA: reserveA!, reserveB: reserveB! })
  })
}

test('token values are at least those of all paths within the hop limit, through hubs or not', () => {
  for (let run = 1; run <= RUNS; run++) {
    const random = seeded(run)
    const graph = buildGraph(snapshotOf(drawPools(run)))
    const { tokens, from, to, scratch } = graph.topology
    const maxHops = 4
    const growth = { ends: { source: 0, target: 1 }, maxHops, intermediateRates: graph, budget: new WorkBudget() }
    const priced = hubsOf(graph.topology)
      .tokens.filter(() => random() < 0.3)
      .map((hub) => ({ token: hub, price: Math.exp(random() - 0.5) }))
    const best = new Float64Array(tokens.length)
    scratch.within(() => measureValues(graph, growth, priced, best))
    // Bellman–Ford.
    let plain = new Float64Array(tokens.length)
    for (const { token: of, price } of priced) plain[of] = price
    for (let round = 0; round < maxHops; round++) {
      const next = plain.slice()
      for (let edge = 0; edge < from.length; edge++)
        next[from[edge]!] = Math.max(next[from[edge]!]!, graph.rate[edge]! * plain[to[edge]!]!)
      for (const { token: of, price } of priced) next[of] = price
      plain = next
    }
    for (let of = 0; of < tokens.length; of++)
      expect(best[of], `run ${run}, token ${of}`).toBeGreaterThanOrEqual(plain[of]! * (1 - 1e-9))
  }
})

function problemOn(graph: Graph, req: RouteRequest, perGas: number): Problem {
  const [sold, bought] = [req.tokenIn, req.tokenOut].map((end) => graph.topology.tokenIndex.get(end)!)
  const { source, target, rate, rateBack, adjustedCurves, outputFactors } = new Admission(graph, req, sold!, bought!)
  return {
    graph,
    source,
    target,
    rate,
    rateBack,
    adjustedCurves,
    outputFactors,
    ...NO_LEARNED_GAS,
    costPerGas: perGas,
    requestTokens: req,
    amountIn: Number(req.amountIn),
    maxHops: 4,
    maxPools: 24,
    isSinglePath: false,
    mayReusePools: false,
    costPerLeg: 0,
    maxAlternatives: 0,
    budget: new WorkBudget(),
    softenings: newSoftenings(),
  }
}

test('the best path after gas is found from any start', () => {
  for (let run = 1; run <= RUNS; run++) {
    const random = seeded(run)
    const graph = buildGraph(snapshotOf(drawPools(run)))
    const { scratch } = graph.topology
    const amountIn = BigInt(Math.floor(10 ** (19 + random() * 4)))
    const req = request({ tokenIn: token(1 + (run % 30)), tokenOut: token(0), amountIn })
    const perGas = 10 ** (10 + random() * 4)
    scratch.within(() => {
      const whole = problemOn(graph, req, perGas)
      const best = bestSinglePath(whole, bestSpotRates(whole, whole.target))
      // A subgraph of few pools, in which another path may be the best.
      const selectedEdges = Array.from(graph.edges.keys()).filter(() => random() < 0.3)
      const part = subgraphOf(graph, selectedEdges, [whole.source, whole.target])
      const path = scratch.forSubgraphs.within(() =>
        bestPath(whole, labelsTo(graph, undefined, whole.target, 4), {
          problem: problemOn(part.graph, req, perGas),
          subgraph: part,
        }),
      )
      if (!best) return
      const net = alongPath(whole, best)!.net
      expect(alongPath(whole, path)?.net, `run ${run}`).toBeGreaterThanOrEqual(net - Math.abs(net) * 1e-9)
    })
  }
})
