/** Requests with random combinations of all parameters. Each must end within its budget, and keep its limits and filters. */
import { NATIVE } from '@sluice/chains'
import { familyOf, type Pool, PoolRefusal } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import { WRAP_GAS } from '../src/native.ts'
import { WorkBudget } from '../src/problem/budget.ts'
import type { RouteRequest } from '../src/types.ts'
import { randomPools, seeded, snapshotOf, token } from './graphs.ts'
import { drawRequest, expectValid, netOf } from './random-requests.ts'

const RUNS = process.env.LONG ? 20_000 : 250
const DEXES = ['alpha', 'beta', 'gamma']

/** Pools of several DEXes that disagree by up to 1 %. */
function market(run: number) {
  const count = 3 + (run % 40)
  const tokens = 3 + (run % 7)
  const pools = randomPools(run, count, { tokens, disagreement: run % 3 === 0 ? 0.01 : 0.002 })
  return {
    pools: pools.map((pool, index) => ({ ...pool, dex: DEXES[index % DEXES.length]! })),
    tokens: Array.from({ length: tokens }, (_, index) => token(index)),
  }
}

test('on random graphs', { timeout: 3_600_000 }, () => {
  let routed = 0
  for (let run = 1; run <= RUNS; run++) {
    const world = market(run)
    const req = drawRequest(seeded(run), world, token(0))
    const budget = new WorkBudget()
    const result = findRoute(buildGraph(snapshotOf(world.pools)), req, budget)
    expect(budget.hasRunOut, `run ${run}`).toBe(false)
    if (!result.ok) continue
    routed++
    try {
      expectValid(result.route, req)
      if (req.taxes === undefined && req.sources === undefined && req.l1FeePerByteWei === undefined) {
        const perGas = result.route.gas === 0 ? 0 : Number(result.route.gasCostOut ?? 0n) / result.route.gas
        const single = bestPath(world.pools, req, perGas)
        expect(netOf(result.route)).toBeGreaterThanOrEqual(single - Math.abs(single) * 1e-6 - 1)
      }
    } catch (error) {
      throw new Error(`run ${run}`, { cause: error })
    }
  }
  expect(routed).toBeGreaterThan(RUNS / 3)
})

/** The best of all paths within the limits after gas, by quoting each. */
function bestPath(
  pools: readonly Pool[],
  { tokenIn, tokenOut, amountIn, maxHops = 4, maxSplits = 24, excludePools }: RouteRequest,
  perGas: number,
): number {
  const max = Math.min(maxHops, maxSplits)
  let best = Number.NEGATIVE_INFINITY
  const [from, to] = [tokenIn, tokenOut].map((end) => (end === NATIVE ? token(0) : end))
  const follow = (at: string, amount: bigint, gas: number, visitedTokens: readonly string[]): void => {
    if (at === to) {
      best = Math.max(best, Number(amount) - gas * perGas)
      return
    }
    if (visitedTokens.length > max) return
    for (const pool of pools) {
      if (!pool.tokens.some((token) => token === at) || excludePools?.has(pool.id)) continue
      const next = pool.tokens.find((token) => token !== at)!
      if (visitedTokens.includes(next)) continue
      const quote = quoteOrNull(pool, at, next, amount)
      if (quote && quote.amountOut > 0n) follow(next, quote.amountOut, gas + quote.gas, [...visitedTokens, next])
    }
  }
  const wraps = tokenIn === NATIVE || tokenOut === NATIVE
  follow(from!, amountIn, wraps ? WRAP_GAS : 0, [from!])
  return best
}

function quoteOrNull(pool: Pool, tokenIn: string, tokenOut: string, amount: bigint) {
  try {
    return familyOf(pool.family)!.quoteExactInput(pool, tokenIn as never, tokenOut as never, amount)
  } catch (error) {
    if (error instanceof PoolRefusal) return null
    throw error
  }
}
