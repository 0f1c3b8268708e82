/** Tests the paths that a refill adds together. */
import { expect, test } from 'vitest'
import { fairPools, request, seeded, snapshotOf } from '../../test/graphs.ts'
import { findRoute } from '../find-route.ts'
import { buildGraph } from '../graph/build-graph.ts'

test('paths that share a pool do not use up the limit on pools twice', () => {
  // In this graph, the two best paths of a refill share a pool.
  const seed = 1_110
  const random = seeded(seed)
  const [poolCount, tokenCount] = [10 + Math.floor(random() * 50), 5 + Math.floor(random() * 10)]
  const graph = buildGraph(snapshotOf(fairPools(seed * 104_729, poolCount, tokenCount)))
  const amountIn = BigInt(Math.floor(10 ** (18 + random() * 6)))
  const result = findRoute(graph, request({ amountIn, maxSplits: 11, gasPriceWei: 10n ** 9n }))
  if (!result.ok) throw new Error(result.message)
  // If both paths are added, the refill ends with 3,609 units of 10^18.
  expect(result.route.amountOut).toBeGreaterThan(3_620n * 10n ** 18n)
})
