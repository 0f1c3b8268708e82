/** Compares shortest paths with the shortest of all paths of small graphs. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { E18, pair, snapshotOf, token } from '../../test/graphs.ts'
import { buildGraph } from '../graph/build-graph.ts'
import { WorkBudget } from '../problem/budget.ts'
import { bestSpotRates } from '../problem/potentials.ts'
import type { Problem } from '../problem/problem.ts'
import { edgesOnShortPaths, shortestPath } from './shortest-path.ts'

const TOKENS = 5
type Link = readonly [number, number]
const links = fc
  .array(fc.tuple(fc.integer({ min: 0, max: TOKENS - 1 }), fc.integer({ min: 0, max: TOKENS - 1 })), { maxLength: 10 })
  .map((rows): readonly Link[] => ([[1, 3], [3, 2], ...rows] as const).filter(([a, b]) => a !== b))

function problemOf(ends: readonly Link[], maxHops: number): Problem {
  const pools = ends.map(([a, b], k) => pair(k + 1, { a, b, reserveA: 1_000n * E18, reserveB: 1_000n * E18 }))
  const graph = buildGraph(snapshotOf(pools))
  const { tokenIndex } = graph.topology
  const [source, target] = [tokenIndex.get(token(1))!, tokenIndex.get(token(2))!]
  const { rate, rateBack } = graph
  return { graph, source, target, rate, rateBack, maxHops, budget: new WorkBudget() } as unknown as Problem
}

/** Length of the shortest path of at most `hops` edges, by trying all. */
function shortestOf({ graph, target }: Problem, at: number, hops: number, lengthOf: (edge: number) => number): number {
  if (at === target) return 0
  if (hops === 0) return Number.POSITIVE_INFINITY
  const { offset, to } = graph.topology
  let min = Number.POSITIVE_INFINITY
  for (let edge = offset[at]!; edge < offset[at + 1]!; edge++)
    min = Math.min(min, lengthOf(edge) + shortestOf({ graph, target } as Problem, to[edge]!, hops - 1, lengthOf))
  return min
}

test('no path within the hop limit is shorter', () => {
  let foundCount = 0
  let barredCount = 0
  fc.assert(
    fc.property(
      links,
      fc.integer({ min: 1, max: 4 }),
      fc.infiniteStream(fc.constantFrom(0, 1, 2, 3, 5, 8, Number.POSITIVE_INFINITY)),
      (ends, maxHops, drawn) => {
        const problem = problemOf(ends, maxHops)
        const lengths = [...drawn.take(4 * ends.length)]
        const lengthOf = (edge: number) => lengths[edge]!
        const path = shortestPath(problem, bestSpotRates(problem, problem.target), lengthOf)
        const expected = shortestOf(problem, problem.source, maxHops, lengthOf)
        if (!path) {
          expect(expected).toBe(Number.POSITIVE_INFINITY)
          barredCount++
          return
        }
        const { from, to } = problem.graph.topology
        expect(path.length).toBe(expected)
        expect(path.edges.reduce((sum, edge) => sum + lengthOf(edge), 0)).toBe(expected)
        expect(path.edges.length).toBeLessThanOrEqual(maxHops)
        expect([from[path.edges[0]!], to[path.edges.at(-1)!]]).toEqual([problem.source, problem.target])
        for (const [k, edge] of path.edges.slice(1).entries()) expect(from[edge]).toBe(to[path.edges[k]!])
        foundCount++
      },
    ),
    { numRuns: 200 },
  )
  expect(foundCount).toBeGreaterThan(50)
  expect(barredCount).toBeGreaterThan(5)
})

test('edges on short paths are those of all paths within the limits, and some of longer paths with few edges', () => {
  let [keptCount, removedCount] = [0, 0]
  fc.assert(
    fc.property(
      links,
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: 0, max: 12 }),
      fc.infiniteStream(fc.constantFrom(0, 1, 2, 3, 5, 8, Number.POSITIVE_INFINITY)),
      (ends, maxHops, maxLength, drawn) => {
        const problem = problemOf(ends, maxHops)
        const lengths = [...drawn.take(4 * ends.length)]
        const lengthOf = (edge: number) => lengths[edge]!
        const edges = new Set(edgesOnShortPaths(problem, lengthOf, maxLength))
        const onShortPaths = edgesOfAllPaths(problem, maxHops, maxLength, lengthOf)
        const { from, to } = problem.graph.topology
        for (const edge of onShortPaths) expect(edges).toContain(edge)
        for (const edge of edges) {
          const before = shortestOf({ ...problem, target: from[edge]! }, problem.source, TOKENS, lengthOf)
          const after = shortestOf(problem, to[edge]!, TOKENS, lengthOf)
          expect(before + lengthOf(edge) + after).toBeLessThanOrEqual(maxLength)
        }
        keptCount += onShortPaths.size
        removedCount += lengths.length - edges.size
      },
    ),
    { numRuns: 300 },
  )
  expect(keptCount).toBeGreaterThan(300)
  expect(removedCount).toBeGreaterThan(300)
})

/** Edges of all paths from the source to the target of at most `maxHops` edges and at most `maxLength` in total. */
function edgesOfAllPaths(
  { graph, source, target }: Problem,
  maxHops: number,
  maxLength: number,
  lengthOf: (edge: number) => number,
): Set<number> {
  const { offset, to } = graph.topology
  const edges = new Set<number>()
  const extend = (token: number, path: readonly number[], length: number) => {
    if (length > maxLength) return
    if (token === target) {
      for (const edge of path) edges.add(edge)
      return
    }
    if (path.length === maxHops) return
    for (let edge = offset[token]!; edge < offset[token + 1]!; edge++)
      extend(to[edge]!, [...path, edge], length + lengthOf(edge))
  }
  extend(source, [], 0)
  return edges
}
