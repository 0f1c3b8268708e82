/** Tests that alternatives with the legs of an earlier route are dropped. */
import { expect, test } from 'vitest'
import { E18, pair, request, snapshotOf } from '../../test/graphs.ts'
import { buildGraph } from '../graph/build-graph.ts'
import { WorkBudget } from '../problem/budget.ts'
import { NO_LEARNED_GAS } from '../problem/edge-gas.ts'
import { Admission, newSoftenings } from '../problem/problem.ts'
import { alongPath, pushThrough } from '../solver/flow.ts'
import { bestRoute } from './best-route.ts'
import { settleAlternatives } from './search-and-settle.ts'

test('alternatives that settle to the same legs are dropped', () => {
  const even = { a: 1, b: 2, reserveA: 100n * E18, reserveB: 100n * E18 }
  const graph = buildGraph(snapshotOf([pair(1, even), pair(2, { ...even, feePpm: 4_000 })]))
  const { tokenIndex, scratch } = graph.topology
  const req = request({ amountIn: 1_000n })
  scratch.within(() => {
    const admission = new Admission(graph, req, tokenIndex.get(req.tokenIn)!, tokenIndex.get(req.tokenOut)!)
    const { source, target, rate, rateBack, adjustedCurves, outputFactors } = admission
    const problem = {
      ...{ graph, requestTokens: req, source, target, amountIn: 1_000, maxHops: 4, maxPools: 24, isSinglePath: false },
      ...{ mayReusePools: false, costPerGas: 0, costPerLeg: 0, rate, rateBack, adjustedCurves, outputFactors },
      ...{ ...NO_LEARNED_GAS, maxAlternatives: 3, budget: new WorkBudget(), softenings: newSoftenings() },
    }
    const route = bestRoute(problem, req.amountIn, req, admission)!
    const [used] = route.settlement.edges
    const other = graph.edges.findIndex((edge, k) => k !== used && edge.tokenIn === req.tokenIn)
    // The second pool gets less than a unit of the first alternative.
    const alternatives = [
      pushThrough(problem, [used!, other], [1, 1e-9])!,
      ...[1, 2].map(() => alongPath(problem, [other])!),
    ]
    const settled = settleAlternatives(problem, { ...route, alternatives }, req.amountIn)
    expect(settled.map(({ settlement }) => settlement.edges)).toEqual([[other]])
  })
})
