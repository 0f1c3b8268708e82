/** Routes that are told beside the best, for their gas to be measured. */
import { readFileSync } from 'node:fs'
import { type Address, toAddress } from '@sluice/chains'
import { fromText, type Pool } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { routeGas } from '../src/gas/route-gas.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import { DOUBTED_GAS } from '../src/tolerances.ts'
import type { Route } from '../src/types.ts'
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

describe('on pools of one real block', () => {
  const text = readFileSync(new URL('ethereum-pools.json', import.meta.url), 'utf8')
  const { pools } = fromText<{ readonly pools: readonly Pool[] }>(text)
  const graph = buildGraph(snapshotOf(pools))
  const wrappedNative = toAddress('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')
  const gasPriceWei = 50n * 10n ** 9n

  test('by the gas of whole routes, the same asked without a family pays more than none of best and rivals', () => {
    let compared = 0
    const lost: string[] = []
    for (const tokenIn of graph.topology.tokens) {
      for (const tokenOut of graph.topology.tokens) {
        // Trades of which gas takes from some hundredths to a third.
        for (const part of [3n, 30n]) {
          const wish = { tokenIn, tokenOut, amountIn: 10n ** 16n * part, wrappedNative, gasPriceWei }
          const amountIn = amountOf(wrappedNative, tokenIn, wish.amountIn)
          if (tokenIn === tokenOut || !amountIn) continue
          const result = findRoute(graph, { ...wish, amountIn, mostRivals: 3 })
          if (!result.ok || result.route.gasCostOut === null) continue
          const { route, rivals = [] } = result
          const perGas = Number(route.gasCostOut) / route.gas
          const left = (of: Route) => Number(of.amountOut) - routeGas({ ...of, wrappedNative }).charged * perGas
          const best = Math.max(...[route, ...rivals].map(left))
          for (const family of new Set(route.legs.map(({ pool }) => pool.family))) {
            const sources = { exclude: new Set([family]) }
            const other = findRoute(graph, { ...wish, amountIn, sources })
            if (!other.ok) continue
            compared++
            const bps = ((left(other.route) - best) / Number(route.amountOut)) * 1e4
            if (bps > 0.5) lost.push(`${tokenIn} ${tokenOut} ${amountIn} without ${family}: ${bps}`)
          }
        }
      }
    }
    expect(compared).toBeGreaterThan(100)
    expect(lost).toEqual([])
  })

  /** Amount of a token that the wrapped native one buys; null where nothing does. */
  function amountOf(native: Address, tokenIn: Address, amount: bigint): bigint | null {
    if (tokenIn === native) return amount
    const found = findRoute(graph, {
      tokenIn: native,
      tokenOut: tokenIn,
      amountIn: amount,
      wrappedNative: native,
      gasPriceWei: 0n,
    })
    return found.ok ? found.route.amountOut : null
  }
})
