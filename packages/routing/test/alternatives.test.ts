/** Alternatives that are returned with the best route, so that their gas can be measured. */
import { readFileSync } from 'node:fs'
import { type Address, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { fromText, type Pool } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { routeGas } from '../src/gas/route-gas.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import { GAS_UNCERTAINTY } from '../src/tolerances.ts'
import type { RoutePlan } from '../src/types.ts'
import { E18, pair, randomPools, request, seeded, snapshotOf, token } from './graphs.ts'
import { drawRequest, expectValid, netOf } from './random-requests.ts'

const RUNS = 300
const TOKENS = 5

function drawCase(run: number) {
  const pools = randomPools(run, 4 + (run % 30), { tokens: TOKENS, disagreement: 0.004 })
  const tokens = Array.from({ length: TOKENS }, (_, index) => token(index))
  const drawn = drawRequest(seeded(run), { pools, tokens }, token(0))
  const request = { ...drawn, amountIn: 10n ** 18n, gasPriceWei: 20n * 10n ** 9n }
  return { graph: buildGraph(snapshotOf(pools)), request }
}

describe('on random graphs', () => {
  test('alternatives satisfy the request, differ, and are within the uncertainty; the best route does not change', () => {
    let alternativeCount = 0
    for (let run = 1; run <= RUNS; run++) {
      const { graph, request } = drawCase(run)
      const alone = findRoute(graph, request)
      const result = findRoute(graph, { ...request, maxAlternatives: 3 })
      if (!alone.ok || !result.ok) continue
      expect(alone.alternatives).toBeUndefined()
      expect(result.route, `run ${run}`).toEqual(alone.route)
      const alternatives = result.alternatives ?? []
      expect(alternatives.length).toBeLessThanOrEqual(3)
      alternativeCount += alternatives.length
      const keys = [result.route, ...alternatives].map(({ legs }) =>
        legs.map(({ pool, tokenIn, amountIn }) => [pool.id, tokenIn, amountIn].join()).join(' '),
      )
      expect(new Set(keys).size, `run ${run}`).toBe(keys.length)
      for (const alternative of alternatives) {
        expectValid(alternative, request)
        const dearest = Math.max(...[alternative, result.route].map(({ gasCostOut }) => Number(gasCostOut)))
        // Settlement in whole units, and a wrap that legs share.
        expect(netOf(alternative), `run ${run}`).toBeGreaterThan(
          netOf(result.route) * 0.999 - dearest * (GAS_UNCERTAINTY + 0.25),
        )
      }
    }
    expect(alternativeCount).toBeGreaterThan(RUNS / 20)
  })

  test('there are no alternatives if gas is free', () => {
    for (let run = 1; run <= 20; run++) {
      const { graph, request } = drawCase(run)
      const result = findRoute(graph, { ...request, gasPriceWei: 0n, maxAlternatives: 3 })
      if (result.ok && request.l1FeePerByteWei === undefined) expect(result.alternatives).toBeUndefined()
    }
  })
})

describe('a leg of a divided route', () => {
  const deep = { reserveA: 1_000_000n * E18, reserveB: 1_000_000n * E18 }
  const shallow = { reserveA: 10_000n * E18, reserveB: 10_000n * E18 }
  const wrapper = { ...pair(9, { a: 0, b: 0, ...deep }), family: 'wrapped-native', tokens: [ZERO_ADDRESS, token(0)] }
  const ofNative = { ...pair(2, { a: 1, b: 0, ...deep, feePpm: 3500 }), tokens: [token(1), ZERO_ADDRESS] }
  const pools: Pool[] = [
    pair(1, { a: 1, b: 0, ...deep }),
    ofNative,
    pair(3, { a: 0, b: 2, ...shallow }),
    pair(4, { a: 0, b: 2, ...shallow }),
    { ...wrapper, state: { supply: 10n ** 30n } },
  ]
  const terms = request({ amountIn: 100n * E18, gasPriceWei: 3n * 10n ** 12n, maxAlternatives: 7 })
  const poolsOf = ({ legs }: RoutePlan) => legs.map(({ pool }) => Number(pool.id)).sort((a, b) => a - b)

  test('is exchanged for a pool of the native token and its wrapper', () => {
    const result = findRoute(buildGraph(snapshotOf(pools)), terms)
    expect(result.ok && poolsOf(result.route)).toEqual([1, 3, 4])
    expect(result.ok && result.alternatives?.map(poolsOf)).toContainEqual([2, 3, 4, 9])
  })

  test('is not exchanged for them if the request excludes the wrapper', () => {
    const excludePools = new Set([wrapper.id])
    const result = findRoute(buildGraph(snapshotOf(pools)), { ...terms, excludePools })
    expect(result.ok && poolsOf(result.route)).toEqual([1, 3, 4])
    expect(result.ok && (result.alternatives ?? []).flatMap(poolsOf)).not.toContain(9)
  })
})

describe('on pools of one real block', () => {
  const text = readFileSync(new URL('ethereum-pools.json', import.meta.url), 'utf8')
  const { pools } = fromText<{ readonly pools: readonly Pool[] }>(text)
  const graph = buildGraph(snapshotOf(pools))
  const wrappedNative = toAddress('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')
  const gasPriceWei = 50n * 10n ** 9n

  test('excluding a family never beats the best route and its alternatives, by the gas of whole routes', () => {
    let compared = 0
    const losses: string[] = []
    for (const tokenIn of graph.topology.tokens) {
      for (const tokenOut of graph.topology.tokens) {
        // Trades for which gas costs between a few percent and a third.
        for (const part of [3n, 30n]) {
          const terms = { tokenIn, tokenOut, amountIn: 10n ** 16n * part, wrappedNative, gasPriceWei }
          const amountIn = amountOf(wrappedNative, tokenIn, terms.amountIn)
          if (tokenIn === tokenOut || !amountIn) continue
          const result = findRoute(graph, { ...terms, amountIn, maxAlternatives: 3 })
          if (!result.ok || result.route.gasCostOut === null) continue
          const { route, alternatives = [] } = result
          const perGas = Number(route.gasCostOut) / route.gas
          const netOutput = (route: RoutePlan) =>
            Number(route.amountOut) - routeGas({ ...route, wrappedNative }).charged * perGas
          const best = Math.max(...[route, ...alternatives].map(netOutput))
          for (const family of new Set(route.legs.map(({ pool }) => pool.family))) {
            const sources = { exclude: new Set([family]) }
            const other = findRoute(graph, { ...terms, amountIn, sources })
            if (!other.ok) continue
            compared++
            const bps = ((netOutput(other.route) - best) / Number(route.amountOut)) * 1e4
            if (bps > 0.5) losses.push(`${tokenIn} ${tokenOut} ${amountIn} without ${family}: ${bps}`)
          }
        }
      }
    }
    expect(compared).toBeGreaterThan(100)
    expect(losses).toEqual([])
  })

  /** Amount of a token that an amount of wrapped native buys; null if there is no route. */
  function amountOf(native: Address, tokenIn: Address, amount: bigint): bigint | null {
    if (tokenIn === native) return amount
    const result = findRoute(graph, {
      tokenIn: native,
      tokenOut: tokenIn,
      amountIn: amount,
      wrappedNative: native,
      gasPriceWei: 0n,
    })
    return result.ok ? result.route.amountOut : null
  }
})
