/** Tests legs and refusals of single pools. */
import { PoolRefusal, type PoolRefusalCode } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { E18, pair, snapshotOf, token } from '../../test/graphs.ts'
import { buildGraph } from '../graph/build-graph.ts'
import type { Edge } from '../graph/graph.ts'
import { WorkBudget } from '../problem/budget.ts'
import type { Problem } from '../problem/problem.ts'
import { LegRefused, legOf, outputOfPool, type SettlementCache, settleLegCached } from './settle.ts'
import type { LegShares } from './shares.ts'

const pools = [1, 2].map((n) => pair(n, { a: 1, b: 2, reserveA: 1_000n * E18, reserveB: 1_000n * E18 }))
const graph = buildGraph(snapshotOf(pools))
const edgeOf = (id: string) =>
  graph.edges.findIndex(({ pool, tokenIn }) => pool.id === id && tokenIn === token(1)) as number
const edge = edgeOf(pools[0]!.id)
const problemWith = (budget: WorkBudget) => ({ graph, budget }) as unknown as Problem

test.each<[PoolRefusalCode, boolean]>([
  ['TOO_LARGE', true],
  ['TOO_SMALL', true],
  ['EMPTY', false],
  ['PAUSED', false],
  ['UNSUPPORTED', false],
  ['WRONG_TOKEN', false],
])('a refusal as %s is for the size: %s', (code, isBecauseOfSize) => {
  const reason = new PoolRefusal(code, 'no')
  const refused = new LegRefused(problemWith(new WorkBudget()), {
    ...{ edge, amountIn: 5n, reason, limit: null, reusesPool: false },
  })
  expect(refused).toMatchObject({ isBecauseOfSize, code, cause: reason, pool: pools[0], message: 'no' })
})

test('the pool of an unknown family is refused, not an error', () => {
  const knownEdge = graph.edges[edge]!
  const unknown: Edge = { ...knownEdge, pool: { ...knownEdge.pool, family: 'no such family' } }
  expect(legOf(unknown, E18)).toBeNull()
  expect(outputOfPool(unknown, E18)).toBe(0n)
  expect(outputOfPool(knownEdge, 0n)).toBe(0n)
  const problem = { graph: { edges: [unknown] }, budget: new WorkBudget() } as unknown as Problem
  const part = { amount: E18, num: 1n, den: 1n }
  const result = settleLegCached(problem, { edge: 0, currentPool: unknown.pool, part })
  expect(result).toMatchObject({ code: 'UNSUPPORTED' })
})

test('both taxes of a leg are taken: of what arrives at the pool, and of what it pays', () => {
  const knownEdge = graph.edges[edge]!
  const usual = { buyPpm: 100_000, sellPpm: 200_000, transferPpm: 0 }
  const taxOf = (n: number) => new Map([[token(n), { usual, inPool: new Map() }]])
  const free = (amountIn: bigint) => legOf(knownEdge, amountIn)!.amountOut
  expect(legOf(knownEdge, E18, taxOf(1))).toMatchObject({ amountIn: E18, amountOut: free((E18 * 8n) / 10n) })
  const taxed = free(E18)
  expect(legOf(knownEdge, E18, taxOf(2))!.amountOut).toBe(taxed - taxed / 10n)
})

test('the cache answers for the same edge, amount, and state, without work, in the share that is asked for', () => {
  const cache: SettlementCache = { shares: {} as LegShares, settledLegs: new Map(), fixedInputs: null }
  const budget = new WorkBudget(1_000_000)
  const problem = problemWith(budget)
  const settle = (of: number, current = graph.edges[of]!.pool, amount = E18, num = 1n) => {
    const before = budget.remaining
    const result = settleLegCached(
      problem,
      { edge: of, currentPool: current, part: { amount, num, den: 2n } },
      undefined,
      cache,
    )
    if (result instanceof PoolRefusal) throw result
    return { leg: result.leg, work: before - budget.remaining }
  }
  const first = settle(edge)
  expect(first.work).toBeGreaterThan(0)
  expect(settle(edge)).toEqual({ leg: first.leg, work: 0 })
  expect(settle(edge, undefined, E18, 2n)).toEqual({ leg: { ...first.leg, num: 2n }, work: 0 })
  expect(settle(edge, undefined, E18 + 1n).work).toBeGreaterThan(0)
  // The amounts before are still known.
  expect(settle(edge).work).toBe(0)
  const other = edgeOf(pools[1]!.id)
  expect(settle(other).leg.pool.id).toBe(pools[1]!.id)
  const current = { ...pools[0]!, state: { ...pools[0]!.state, reserve1: 500n * E18 } }
  const changed = settle(edge, current)
  expect(changed.work).toBeGreaterThan(0)
  expect(changed.leg.amountOut).toBeLessThan(first.leg.amountOut)
})
