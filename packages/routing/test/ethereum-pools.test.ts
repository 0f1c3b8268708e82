/** Pools of one real block, of several families. Each trade is compared with every single path. */
import { readFileSync } from 'node:fs'
import { type Address, toAddress } from '@sluice/chains'
import { familyOf, fromText, type Pool, PoolRefusal } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import { request, snapshotOf } from './graphs.ts'

const text = readFileSync(new URL('ethereum-pools.json', import.meta.url), 'utf8')
const { pools } = fromText<{ readonly pools: readonly Pool[] }>(text)
const graph = buildGraph(snapshotOf(pools))
const WETH = toAddress('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')

/** The pool's output; 0 if it refuses. */
function outputOf(pool: Pool, tokenIn: Address, tokenOut: Address, amountIn: bigint): bigint {
  try {
    return familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn).amountOut
  } catch (error) {
    if (error instanceof PoolRefusal) return 0n
    throw error
  }
}

/** The best of all paths of one or two pools, by quoting each. */
function byTrial(tokenIn: Address, tokenOut: Address, amountIn: bigint): bigint {
  let best = 0n
  for (const first of pools) {
    if (!first.tokens.includes(tokenIn)) continue
    for (const middle of first.tokens) {
      if (middle === tokenIn) continue
      const amount = outputOf(first, tokenIn, middle, amountIn)
      if (middle === tokenOut && amount > best) best = amount
      if (middle === tokenOut || amount === 0n) continue
      for (const second of pools) {
        if (second === first || !second.tokens.includes(middle) || !second.tokens.includes(tokenOut)) continue
        const out = outputOf(second, middle, tokenOut, amount)
        if (out > best) best = out
      }
    }
  }
  return best
}

test('every pair of tokens trades at least as well as the best short path, with exact outputs', () => {
  expect(new Set(pools.map(({ family }) => family)).size).toBeGreaterThan(3)
  let compared = 0
  for (const tokenIn of graph.topology.tokens) {
    const reserves = pools.flatMap((pool) => {
      const place = pool.tokens.indexOf(tokenIn)
      return place < 0 ? [] : [familyOf(pool.family)!.reserves(pool)[place]!]
    })
    const [deepest = 0n] = reserves.sort((a, b) => (a < b ? 1 : -1))
    for (const tokenOut of graph.topology.tokens) {
      const amountIn = deepest / 10_000n
      const best = tokenIn === tokenOut || amountIn === 0n ? 0n : byTrial(tokenIn, tokenOut, amountIn)
      if (best === 0n) continue
      const result = findRoute(graph, request({ tokenIn, tokenOut, amountIn, wrappedNative: WETH }))
      if (!result.ok) throw new Error(`${tokenIn} to ${tokenOut}: ${result.message}`)
      const { legs, amountOut } = result.route
      expect(amountOut, `${tokenIn} to ${tokenOut}`).toBeGreaterThanOrEqual(best - best / 100_000n - 1n)
      // If each pool is used once, its own state determines the output of its leg.
      if (new Set(legs.map(({ pool }) => pool.id)).size === legs.length)
        for (const leg of legs) expect(leg.amountOut).toBe(outputOf(leg.pool, leg.tokenIn, leg.tokenOut, leg.amountIn))
      compared++
    }
  }
  expect(compared).toBeGreaterThan(20)
})
