/** Tests flows through given edges: dead ends and cycles are removed, and what remains is divided by weight. */
import { expect, test } from 'vitest'
import { E18, pair, request, snapshotOf, token } from '../../test/graphs.ts'
import { buildGraph } from '../graph/build-graph.ts'
import { WorkBudget } from '../problem/budget.ts'
import { NO_LEARNED_GAS } from '../problem/edge-gas.ts'
import { Admission, newSoftenings, type Problem } from '../problem/problem.ts'
import { alongPath, groupBy, isAcyclic, pushThrough } from './flow.ts'

/** Deep pools that each join two of the tokens. An edge is named by its tokens. */
const joined = [
  [1, 3],
  [3, 4],
  [4, 5],
  [5, 3],
  [4, 2],
  [3, 2],
  [1, 2],
  [5, 6],
] as const
const pools = joined.map(([a, b], k) => pair(k + 1, { a, b, reserveA: 10n ** 6n * E18, reserveB: 10n ** 6n * E18 }))
const graph = buildGraph(snapshotOf(pools))

function problemOf(amountIn: bigint): Problem {
  const req = request({ amountIn })
  const { tokenIndex, scratch } = graph.topology
  const [sold, bought] = [tokenIndex.get(req.tokenIn)!, tokenIndex.get(req.tokenOut)!]
  return scratch.within(() => {
    const { source, target, rate, rateBack, adjustedCurves, outputFactors } = new Admission(graph, req, sold, bought)
    return {
      ...{
        graph,
        requestTokens: req,
        source,
        target,
        amountIn: Number(amountIn),
        maxHops: 6,
        maxPools: 24,
        isSinglePath: false,
      },
      ...{ mayReusePools: false, rate: rate.slice(), rateBack: rateBack.slice(), adjustedCurves, outputFactors },
      ...{ ...NO_LEARNED_GAS, costPerGas: 0, costPerLeg: 0, maxAlternatives: 0 },
      ...{ budget: new WorkBudget(), softenings: newSoftenings() },
    }
  })
}
const problem = problemOf(1_000n * E18)
const edge = (a: number, b: number) =>
  graph.edges.findIndex(({ tokenIn, tokenOut }) => tokenIn === token(a) && tokenOut === token(b))
const through = (weights: Readonly<Record<string, number>>) => {
  const names = Object.keys(weights)
  const edges = names.map((name) => edge(Number(name[0]), Number(name[1])))
  return pushThrough(problem, edges, Object.values(weights))
}
const namesOf = (edges: readonly number[]) =>
  edges
    .map((used) => [graph.edges[used]!.tokenIn, graph.edges[used]!.tokenOut].map((of) => Number(of) - 0x1000).join(''))
    .sort()

test('a cycle is cut at the edge with the smallest share of its token', () => {
  // Of token 4, a tenth goes on to 5; of token 3, all but a quarter goes around.
  expect(namesOf(through({ '13': 1, '34': 3, '32': 1, '45': 1, '42': 9, '53': 1 })!.edges)).toEqual([
    ...['13', '32', '34', '42'],
  ])
  // Here the smallest share is that of 4 in token 3, so its path to the target is lost with it.
  expect(namesOf(through({ '13': 1, '34': 1, '32': 99, '45': 5, '42': 5, '53': 1 })!.edges)).toEqual(['13', '32'])
})

test('edges that lead nowhere, or that nothing leads to, are removed', () => {
  const flow = through({ '13': 1, '32': 1, '34': 1, '56': 1, '53': 1 })!
  expect(namesOf(flow.edges)).toEqual(['13', '32'])
  expect(flow.amountOut).toBe(alongPath(problem, [edge(1, 3), edge(3, 2)])!.amountOut)
  expect(through({ '13': 1, '34': 1 })).toBeNull()
  expect(through({ '34': 1, '42': 1 })).toBeNull()
})

test('a token is divided in proportion to the weights', () => {
  const outputOf = (amountIn: number) => (amountIn * 0.997 * 1e24) / (1e24 + amountIn * 0.997)
  const flow = through({ '12': 3, '13': 1, '32': 7 })!
  expect(flow.amountOut / (outputOf(750e18) + outputOf(outputOf(250e18)))).toBeCloseTo(1, 12)
  expect([...flow.edges.keys()].map((k) => flow.input[k]! / 1e18).sort((a, b) => a - b)).toEqual([
    ...[expect.closeTo(outputOf(250e18) / 1e18, 9), expect.closeTo(250, 9), expect.closeTo(750, 9)],
  ])
})

test('cycles are recognized, and keys are grouped', () => {
  const edges = (...names: readonly (readonly [number, number])[]) => names.map(([a, b]) => edge(a, b))
  expect(isAcyclic(problem, edges([1, 3], [3, 4], [4, 2]))).toBe(true)
  expect(isAcyclic(problem, edges([1, 3], [3, 4], [4, 5], [5, 3], [3, 2]))).toBe(false)
  expect(groupBy([1, 2, 3, 4], (value) => value % 2)).toEqual(
    new Map([
      [1, [1, 3]],
      [0, [2, 4]],
    ]),
  )
})

test('an amount below the rounding of the weights is divided', () => {
  const edges = [edge(1, 2), edge(1, 3), edge(3, 2)]
  const conductanceByEdge = new Map(edges.map((used) => [used, 1e36]))
  for (const weights of [
    [1e40, 0, 0],
    [1e40, 1e40, 0],
    [0, 0, 0],
  ]) {
    const { input, amountOut } = pushThrough(problem, edges, weights, { conductanceByEdge })!
    expect(input.every((amount) => amount >= 0)).toBe(true)
    expect(input[0]! + input[1]!).toBeCloseTo(1_000e18, -6)
    expect(amountOut).toBeGreaterThan(900e18)
  }
})
