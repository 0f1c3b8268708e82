/** Trades whose pools end, or cost gas, and for which an allocation by prices alone is not enough. */
import type { Pool } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { RouteRequest } from '../src/types.ts'
import { address, E18, fairPools, pair, request, snapshotOf, token } from './graphs.ts'

function vault(index: number, [a, b]: readonly [number, number], maxDeposit: bigint): Pool {
  const size = 10n ** 9n * E18
  const state = { totalAssets: size, totalSupply: size, virtualShares: 0n, maxDeposit, cash: size }
  const id = address(index)
  return { id, address: id, dex: 'test', tokens: [token(a), token(b)], family: 'erc4626', state }
}

function around(index: number, [a, b]: readonly [number, number], liquidity: bigint): Pool {
  const ticks: [number, bigint][] = [
    [-10, liquidity],
    [10, -liquidity],
  ]
  const state = { sqrtPriceX96: 1n << 96n, tick: 0, liquidity, feePpm: 100, tickSpacing: 10, ticks }
  const id = address(index)
  return { id, address: id, dex: 'test', tokens: [token(a), token(b)], family: 'uniswap-v3', state }
}

const even = (index: number, a: number, b: number, tokens: bigint) =>
  pair(index, { a, b, reserveA: tokens * E18, reserveB: tokens * E18, feePpm: 500 })

function routeOf(pools: readonly Pool[], over: Partial<RouteRequest>) {
  const result = findRoute(buildGraph(snapshotOf(pools)), request(over))
  return result.ok ? result.route : null
}

test('a pool so deep that no price determines its input feeds a vault that ends', () => {
  const amountIn = 6_573_498n
  const pools = [
    around(1, [1, 3], 10n ** 30n),
    even(2, 1, 3, 5n),
    vault(3, [3, 2], (amountIn * 97n) / 100n),
    pair(4, { a: 1, b: 2, reserveA: 20n * amountIn, reserveB: 20n * amountIn, feePpm: 500 }),
  ]
  const route = routeOf(pools, { amountIn })!
  // 97 % pay 0.9999 each and fill the vault; the rest pays 0.998 each.
  expect(route.amountOut).toBeGreaterThanOrEqual(6_572_455n)
  expect(route.optimalityGapBps).toBeLessThan(1)
})

/** Gas prices at which a leg costs about 0.02 and 0.2 % of the trade. */
const GAS_PRICES = [3n, 30n]
const POOLS = 7

test.each([1, 2, 3, 4, 5, 6])('pays no less after gas than any set of pools does, market %i', (seed) => {
  const pools = fairPools(100 + seed, POOLS, 4)
  const graph = buildGraph(snapshotOf(pools))
  let connected = 0
  for (const price of GAS_PRICES) {
    const reserve = Math.min(...pools.map(({ state }) => Number(state.reserve0)))
    const terms = request({ amountIn: BigInt(Math.round(reserve / 3)), wrappedNative: token(1) })
    const gasPriceWei = (price * terms.amountIn) / 10_000_000_000n
    const netOf = (over: Partial<RouteRequest>) => {
      const result = findRoute(graph, { ...terms, gasPriceWei, ...over })
      return result.ok ? Number(result.route.amountOut) - Number(result.route.gasCostOut) : Number.NEGATIVE_INFINITY
    }
    const undividedNet = netOf({})
    const nets = Array.from({ length: 2 ** POOLS - 1 }, (_, set) =>
      netOf({ excludePools: new Set(pools.filter((_, k) => (set >> k) & 1).map(({ id }) => id)) }),
    )
    connected += nets.filter((net) => net > Number.NEGATIVE_INFINITY).length
    expect(Math.max(...nets)).toBeLessThanOrEqual(undividedNet * (1 + 1e-5))
  }
  // Enough of the sets must connect the two tokens.
  expect(connected).toBeGreaterThan(2 ** POOLS / 4)
})
