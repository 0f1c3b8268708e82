/** Routes that are told beside the best, for their gas to be measured. */
import { describe, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import { DOUBTED_GAS } from '../src/tolerances.ts'
import { randomPools, seeded, snapshotOf, token } from './graphs.ts'
import { drawRequest, expectKept, netOf } from './kept.ts'

const RUNS = 300
const TOKENS = 5

function asked(run: number) {
  const pools = randomPools(run, 4 + (run % 30), { tokens: TOKENS, disagreement: 0.004 })
  const tokens = Array.from({ length: TOKENS }, (_, index) => token(index))
  const drawn = drawRequest(seeded(run), { pools, tokens }, token(0))
  const request = { ...drawn, amountIn: 10n ** 18n, gasPriceWei: 20n * 10n ** 9n }
  return { graph: buildGraph(snapshotOf(pools)), request }
}

describe('on random graphs', () => {
  test('rivals keep the request, differ from the best and cost what may be in doubt; the best stays what it is', () => {
    let told = 0
    for (let run = 1; run <= RUNS; run++) {
      const { graph, request } = asked(run)
      const alone = findRoute(graph, request)
      const result = findRoute(graph, { ...request, mostRivals: 3 })
      if (!alone.ok || !result.ok) continue
      expect(alone.rivals).toBeUndefined()
      expect(result.route, `run ${run}`).toEqual(alone.route)
      const rivals = result.rivals ?? []
      expect(rivals.length).toBeLessThanOrEqual(3)
      told += rivals.length
      const keys = [result.route, ...rivals].map(({ legs }) =>
        legs.map(({ pool, tokenIn, amountIn }) => [pool.id, tokenIn, amountIn].join()).join(' '),
      )
      expect(new Set(keys).size, `run ${run}`).toBe(keys.length)
      for (const rival of rivals) {
        expectKept(rival, request)
        const dearest = Math.max(...[rival, result.route].map(({ gasCostOut }) => Number(gasCostOut)))
        // Settled in whole units, and with a wrap that legs share.
        expect(netOf(rival), `run ${run}`).toBeGreaterThan(netOf(result.route) * 0.999 - dearest * (DOUBTED_GAS + 0.25))
      }
    }
    expect(told).toBeGreaterThan(RUNS / 20)
  })

  test('gas that costs nothing leaves nothing in doubt', () => {
    for (let run = 1; run <= 20; run++) {
      const { graph, request } = asked(run)
      const result = findRoute(graph, { ...request, gasPriceWei: 0n, mostRivals: 3 })
      if (result.ok && request.l1FeePerByteWei === undefined) expect(result.rivals).toBeUndefined()
    }
  })
})
