/** Real reserves from different times: inconsistent prices, 0 to 18 decimals, dead pools next to deep ones. */
import { readFileSync } from 'node:fs'
import { toAddress } from '@sluice/chains'
import { familyOf, type Pool } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import { request, snapshotOf } from './graphs.ts'

type Row = readonly [pair: string, token0: string, token1: string, reserve0: string, reserve1: string]
const file = JSON.parse(readFileSync(new URL('ethereum-pairs.json', import.meta.url), 'utf8')) as { pairs: Row[] }
const pools: Pool[] = file.pairs.map(([id, token0, token1, reserve0, reserve1]) => ({
  id,
  family: 'uniswap-v2',
  dex: 'pairs',
  address: toAddress(id),
  tokens: [toAddress(token0), toAddress(token1)],
  state: { reserve0: BigInt(reserve0), reserve1: BigInt(reserve1), feePpm: 3000 },
}))
const WETH = toAddress('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')
const graph = buildGraph(snapshotOf(pools))

test('every token of 160 real pairs buys at least as much as in its own best pair', () => {
  expect(pools.length).toBeGreaterThan(160)
  const { quoteExactInput } = familyOf('uniswap-v2')!
  let compared = 0
  for (const pool of pools) {
    if (!pool.tokens.includes(WETH)) continue
    const other = pool.tokens.find((token) => token !== WETH)!
    const amountIn = 10n ** 16n
    const alone = quoteExactInput(pool, WETH, other, amountIn).amountOut
    const result = findRoute(graph, request({ tokenIn: WETH, tokenOut: other, amountIn, wrappedNative: WETH }))
    if (!result.ok) throw new Error(`${other}: ${result.message}`)
    expect(result.route.amountOut).toBeGreaterThanOrEqual(alone - alone / 1_000_000n - 1n)
    const back = findRoute(
      graph,
      request({ tokenIn: other, tokenOut: WETH, amountIn: result.route.amountOut, wrappedNative: WETH }),
    )
    expect(back.ok).toBe(true)
    compared++
  }
  expect(compared).toBeGreaterThan(100)
})
