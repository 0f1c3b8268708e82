/** Compares labels with the best product of rates over all paths of small graphs. */
import type { Trust } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { fairPools, randomPools, snapshotOf, token } from '../../test/graphs.ts'
import { buildGraph } from '../graph/build-graph.ts'
import type { Graph } from '../graph/graph.ts'
import { labelsTo } from './labels.ts'

const FAR = 255

/** Best product of rates, and the fewest edges, over all paths of at most `hops` edges; the target ends a path. */
function valuesTo(graph: Graph, target: number, hops: number, isUsable: (token: number) => boolean) {
  const { from, to, tokens } = graph.topology
  let best = new Float64Array(tokens.length)
  best[target] = 1
  const fewest = new Uint8Array(tokens.length).fill(FAR)
  fewest[target] = 0
  for (let round = 1; round <= hops; round++) {
    const next = best.slice()
    for (let edge = 0; edge < from.length; edge++) {
      const [sold, bought] = [from[edge]!, to[edge]!]
      const value = graph.rate[edge]! * best[bought]!
      if (sold === target || value === 0 || (bought !== target && !(isUsable(sold) && isUsable(bought)))) continue
      next[sold] = Math.max(next[sold]!, value)
      if (fewest[sold] === FAR) fewest[sold] = round
    }
    best = next
  }
  return { best, fewest }
}

test.each([
  ['whose prices agree', (seed: number) => fairPools(seed, 12, 6)],
  ['whose prices disagree', (seed: number) => randomPools(seed, 12, { tokens: 6, disagreement: 0.2 })],
])('labels of graphs %s are the best rates within the hop limit', (_, poolsOf) => {
  for (let seed = 1; seed <= 40; seed++) {
    const graph = buildGraph(snapshotOf(poolsOf(seed)))
    const { tokens } = graph.topology
    for (const maxHops of [1, 2, 3, 5])
      for (let target = 0; target < tokens.length; target++) {
        const { maxValue, hops } = labelsTo(graph, undefined, target, maxHops)
        const expected = valuesTo(graph, target, maxHops, () => true)
        expect([...hops]).toEqual([...expected.fewest])
        for (let of = 0; of < tokens.length; of++) {
          // Each round may start from values of the same round, and small gains are left out.
          expect(maxValue[of]!, `seed ${seed}, ${of} to ${target}`).toBeGreaterThanOrEqual(
            expected.best[of]! * (1 - 1e-6),
          )
          if (maxHops === 1) expect(maxValue[of]!).toBeCloseTo(expected.best[of]!, 12)
        }
      }
    // Requests share the labels of a target and a hop limit.
    expect(labelsTo(graph, undefined, 0, 3)).toBe(labelsTo(graph, undefined, 0, 3))
    expect(labelsTo(graph, undefined, 0, 3)).not.toBe(labelsTo(graph, undefined, 0, 2))
  }
})

test('pools between trusted tokens are passed through, and any pool may be the last', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const graph = buildGraph(snapshotOf(fairPools(seed, 12, 6)))
    const { tokens, tokenIndex } = graph.topology
    const trust = { level: 'named', tokens: new Set([token(0), token(3)]), pools: new Set() } as unknown as Trust
    const isTrusted = (of: number) => of === tokenIndex.get(token(0)) || of === tokenIndex.get(token(3))
    for (let target = 0; target < tokens.length; target++) {
      const { maxValue, hops } = labelsTo(graph, trust, target, 4)
      const expected = valuesTo(graph, target, 4, isTrusted)
      expect([...hops], `seed ${seed}, target ${target}`).toEqual([...expected.fewest])
      for (let of = 0; of < tokens.length; of++)
        expect(maxValue[of]! / (expected.best[of]! || 1)).toBeCloseTo(expected.best[of]! > 0 ? 1 : 0, 6)
    }
  }
})
