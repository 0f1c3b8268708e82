/** Tests how a request restricts the edges of a graph. */
import { describe, expect, test } from 'vitest'
import { E18, pair, request, snapshotOf, token } from '../../test/graphs.ts'
import { measuredHopGas } from '../gas/refunds.ts'
import { buildGraph } from '../graph/build-graph.ts'
import type { MeasuredHop, RouteTerms } from '../types.ts'
import { edgeGas } from './edge-gas.ts'
import { Admission } from './problem.ts'

/** Two paths from token 1 to token 2: over token 3, and over tokens 3 and 4. */
const joined = [
  [1, 3],
  [3, 2],
  [3, 4],
  [4, 2],
] as const
const pools = joined.map(([a, b], k) => pair(k + 1, { a, b, reserveA: 10n ** 6n * E18, reserveB: 10n ** 6n * E18 }))
const graph = buildGraph(snapshotOf(pools))
const { tokenIndex, scratch } = graph.topology
const [source, target] = [tokenIndex.get(token(1))!, tokenIndex.get(token(2))!]
const edgeOf = (a: number, b: number) =>
  graph.edges.findIndex(({ tokenIn, tokenOut }) => tokenIn === token(a) && tokenOut === token(b))

/** Runs `read` on the admission of a request from token 1 to token 2. */
const admitted = <T>(terms: Partial<RouteTerms>, read: (admission: Admission) => T): T =>
  scratch.within(() => read(new Admission(graph, request(terms), source, target)))

/** Names of the edges that may be used, by their tokens. */
const openEdges = (terms: Partial<RouteTerms>) =>
  admitted(terms, ({ rate }) =>
    graph.edges
      .flatMap(({ tokenIn, tokenOut }, edge) =>
        rate[edge]! > 0 ? [[tokenIn, tokenOut].map((address) => Number(address) - 0x1000).join('')] : [],
      )
      .sort(),
  )

test('no edge leads into the source or out of the target', () => {
  expect(openEdges({})).toEqual(['13', '32', '34', '42', '43'])
})

describe('a taxed token', () => {
  const taxed = (index: number, sellPpm: number, buyPpm: number): Partial<RouteTerms> => ({
    taxes: new Map([[token(index), { usual: { sellPpm, buyPpm, transferPpm: 0 }, inPool: new Map() }]]),
  })

  test('is no intermediate token, whether it is taxed when it is sold or when it is bought', () => {
    expect(openEdges(taxed(4, 10_000, 0))).toEqual(['13', '32', '34'])
    expect(openEdges(taxed(4, 0, 10_000))).toEqual(['13', '32', '42', '43'])
  })

  test('may be an end', () => {
    expect(openEdges(taxed(1, 10_000, 10_000))).toContain('13')
    expect(openEdges(taxed(2, 10_000, 10_000))).toEqual(expect.arrayContaining(['32', '42']))
  })
})

test('of several limits on a pool, the smallest counts, in either order', () => {
  const limit = (maxInput: bigint) => ({ poolId: pools[0]!.id, tokenIn: token(1), tokenOut: token(3), maxInput })
  for (const inputLimits of [
    [limit(7n), limit(9n)],
    [limit(9n), limit(7n)],
  ])
    expect(admitted({ inputLimits }, (admission) => [...admission.inputLimits])).toEqual([[edgeOf(1, 3), 7n]])
  expect(openEdges({ inputLimits: [limit(0n)] })).not.toContain('13')
})

test('measured gas is that of the position of the hop in the route', () => {
  const hop = (tokenIn: number, tokenOut: number): MeasuredHop => ({
    ...{ tokenIn: token(tokenIn), tokenOut: token(tokenOut) },
    ...{ first: 150_000, middle: 100_000, last: 190_000 },
  })
  const hops = [hop(1, 3), hop(3, 2), hop(3, 4), hop(4, 2)]
  const learnedGas = new Map(pools.map(({ id }, k) => [id, [hops[k]!]]))
  const extraGas = scratch.within(() => [...edgeGas(graph, learnedGas, { source, target }).extraGas])
  const positions = [
    [true, false],
    [false, true],
    [false, false],
    [false, true],
  ] as const
  for (const [k, [a, b]] of joined.entries()) {
    const edge = edgeOf(a, b)
    const [isFirst, isLast] = positions[k]!
    expect(extraGas[edge]).toBe(measuredHopGas(hops[k]!, pools[k]!, isFirst, isLast) - graph.edges[edge]!.gas)
  }
})
