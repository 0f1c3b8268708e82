/** Trades over pools with a fixed rate and pools that are flat and deep, whose prices alone do not determine the division. */
import type { Pool, UniswapV3State } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { RouteRequest } from '../src/types.ts'
import { address, E18, pair, request, snapshotOf, token } from './graphs.ts'

const identity = (index: number, a: number, b: number) => {
  const id = address(index)
  return { id, address: id, dex: 'test', tokens: [token(a), token(b)] } as const
}

type Limits = { readonly size: bigint; readonly maxDeposit: bigint; readonly cash: bigint }

/** A vault for token `a` that pays one share of token `b` for each unit. */
function vault(index: number, [a, b]: readonly [number, number], { size, maxDeposit, cash }: Limits): Pool {
  const state = { totalAssets: size, totalSupply: size, virtualShares: 0n, maxDeposit, cash }
  return { ...identity(index, a, b), family: 'erc4626', state }
}

/** A concentrated pool at price 1. */
function around(
  index: number,
  [a, b]: readonly [number, number],
  liquidity: bigint,
  width: number,
): Pool<UniswapV3State> {
  const ticks: [number, bigint][] = [
    [-width, liquidity],
    [width, -liquidity],
  ]
  const state = { sqrtPriceX96: 1n << 96n, tick: 0, liquidity, feePpm: 500, tickSpacing: 10, ticks }
  return { ...identity(index, a, b), family: 'uniswap-v3', state }
}

const even = (index: number, a: number, b: number, tokens: bigint) =>
  pair(index, { a, b, reserveA: tokens * E18, reserveB: tokens * E18 })

function routeOf(pools: readonly Pool[], over: Partial<RouteRequest>) {
  const result = findRoute(buildGraph(snapshotOf(pools)), request(over))
  if (!result.ok) throw new Error(result.message)
  return result.route
}

test('a pool that is flat and a trillion times as deep as the trade does not damp the prices of other tokens', () => {
  const pools = [
    even(1, 1, 3, 1_000n),
    around(2, [3, 2], 10n ** 36n, 10),
    even(3, 1, 4, 1_000n),
    even(4, 4, 2, 1_000n),
    even(5, 4, 2, 700n),
  ]
  const route = routeOf(pools, { amountIn: 50n * E18 })
  expect(route.legs).toHaveLength(5)
  expect(route.optimalityGapBps).toBeLessThan(0.1)
})

test('a vault that is a billion times as large as the trade is used next to other pools', () => {
  const size = 10n ** 12n * E18
  const pools = [
    vault(1, [1, 3], { size, maxDeposit: size, cash: size }),
    around(2, [1, 3], 1_000n * E18, 300),
    around(3, [3, 2], 1_000n * E18, 300),
    even(4, 1, 3, 1_000n),
    vault(5, [1, 2], { size: 100n * E18, maxDeposit: E18 / 20n, cash: E18 }),
  ]
  const route = routeOf(pools, { amountIn: E18 / 10n })
  expect(route.legs.map(({ pool }) => pool.id).toSorted()).toEqual([1, 3, 5].map(address))
  expect(route.optimalityGapBps).toBeLessThan(0.1)
})

test('more input never pays less over vaults in series and side by side', () => {
  const unlimited = 10n ** 9n * E18
  const pools = [
    vault(1, [1, 3], { size: 100n * E18, maxDeposit: 42n * E18, cash: 5n * E18 }),
    vault(2, [1, 4], { size: 300n * E18, maxDeposit: 145n * E18, cash: 90n * E18 }),
    around(3, [4, 3], 5_000n * E18, 100),
    even(4, 1, 3, 230n),
    vault(5, [3, 2], { size: unlimited, maxDeposit: 252n * E18, cash: unlimited }),
  ]
  let before = 0n
  for (let tokens = 60n; tokens <= 150n; tokens += 3n) {
    const route = routeOf(pools, { amountIn: tokens * E18 })
    expect(route.amountOut, `${tokens}`).toBeGreaterThan(before)
    expect(route.optimalityGapBps, `${tokens}`).toBeLessThan(0.5)
    before = route.amountOut
  }
})

test('rounding of a coarse token does not move a pool across a tick that is not worth its gas', () => {
  const [native, units] = [token(3), 100_000_000n]
  const wide = { a: 1, b: 2, reserveA: units, reserveB: units }
  const stepped: [number, bigint][] = [
    [-6_000, 3_000_000n],
    [-60, 297_000_000n],
    [60, -297_000_000n],
    [6_000, -3_000_000n],
  ]
  const state = {
    sqrtPriceX96: 1n << 96n,
    tick: 0,
    liquidity: 300_000_000n,
    feePpm: 500,
    tickSpacing: 60,
    ticks: stepped,
  }
  const pools: Pool[] = [
    { ...identity(1, 1, 2), family: 'uniswap-v3', state },
    pair(2, wide),
    pair(3, { ...wide, feePpm: 4_000 }),
    // Gives the native token a price: one base unit of the bought token is worth 10^18 wei.
    pair(4, { a: 3, b: 2, reserveA: units * E18, reserveB: units }),
  ]
  const terms = { wrappedNative: native, gasPriceWei: 10n ** 13n }
  const withoutTick = routeOf(pools.slice(0, 1).concat(pools[3]!), { ...terms, amountIn: 10_000n }).legs[0]!.gas
  for (let amountIn = 1_215_000n; amountIn < 1_265_000n; amountIn += 3_777n) {
    const { legs } = routeOf(pools, { ...terms, amountIn })
    expect(legs.length).toBeGreaterThan(1)
    expect(legs.find(({ pool }) => pool.id === pools[0]!.id)!.gas, `${amountIn}`).toBe(withoutTick)
  }
})
