/** The trust rule: a route may pass only through trusted tokens between its ends; the ends are the caller's choice. */

import { type Pool, PoolMap, type Trust } from '@sluice/liquidity'
import type { Erc4626State } from '@sluice/liquidity/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import { RouterThread } from '../src/thread/router-thread.ts'
import { address, E18, pair, randomPools, request, snapshotOf, token } from './graphs.ts'

const trustIn = (tokens: readonly number[], over: Partial<Trust> = {}): Trust => ({
  level: 'named',
  tokens: new Set(tokens.map(token)),
  accounts: new Set(),
  pools: new Set(),
  ...over,
})
const deep = { reserveA: 1_000_000n * E18, reserveB: 1_000_000n * E18 }

/** From token 1 to 2 through a shallow direct pool, and through deep pools by token 3. */
const pools = [
  pair(1, { a: 1, b: 2, reserveA: 1_000n * E18, reserveB: 1_000n * E18 }),
  pair(2, { a: 1, b: 3, ...deep }),
  pair(3, { a: 3, b: 2, ...deep }),
]
const routeOf = (trust: Trust | undefined, over = {}, searchedPools: readonly Pool[] = pools) =>
  findRoute(buildGraph(snapshotOf(searchedPools)), request({ amountIn: 100n * E18, ...(trust && { trust }), ...over }))
const poolsOf = (result: ReturnType<typeof routeOf>) => {
  if (!result.ok) throw new Error(result.message)
  return result.route.legs.map(({ pool }) => pool.id)
}

test('an untrusted token is never an intermediate, but may be an end', () => {
  expect(poolsOf(routeOf(undefined))).toContain(address(2))
  expect(poolsOf(routeOf(trustIn([])))).toEqual([address(1)])
  expect(poolsOf(routeOf(trustIn([3])))).toContain(address(2))
  expect(poolsOf(routeOf(trustIn([]), { tokenOut: token(3) }))).toEqual([address(2)])
})

/** A vault with token 1 as asset and token 2 as share. */
const vault: Pool<Erc4626State> = {
  id: address(9),
  address: address(9),
  family: 'erc4626',
  dex: 'Vault',
  tokens: [token(1), token(2)],
  state: {
    totalAssets: 10n ** 24n,
    totalSupply: 10n ** 24n,
    virtualShares: 0n,
    maxDeposit: 10n ** 30n,
    cash: 10n ** 30n,
  },
}

test('a pool that depends on an account is used if the account is allow-listed, the pool has earned trust, or the caller names its source', () => {
  const all = [...pools, vault]
  const uses = (trust: Trust | undefined, over = {}) => poolsOf(routeOf(trust, over, all)).includes(vault.id)
  expect(uses(undefined)).toBe(true)
  expect(uses(trustIn([]))).toBe(false)
  expect(uses(trustIn([], { accounts: new Set([address(9)]) }))).toBe(true)
  expect(uses(trustIn([], { pools: new Set([address(9)]) }))).toBe(true)
  expect(uses(trustIn([]), { sources: { include: new Set(['vault']) } })).toBe(true)
  const refused = routeOf(trustIn([]), {}, [vault])
  expect(refused.ok ? [] : refused.reasons.map(({ pool }) => pool)).toEqual([vault.id])
})

test('no route passes through an untrusted token, at any prices', () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.uniqueArray(fc.integer({ min: 0, max: 7 }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 24 }),
      fc.constantFrom(0n, 10n ** 9n),
      (seed, trusted, maxSplits, gasPriceWei) => {
        const trust = trustIn(trusted)
        const graph = buildGraph(snapshotOf(randomPools(seed, 30, { tokens: 8, disagreement: 0.05 })))
        const result = findRoute(graph, request({ amountIn: 50n * E18, trust, maxSplits, gasPriceWei }))
        if (!result.ok) return
        const { legs, tokenIn, tokenOut } = result.route
        for (const leg of legs)
          for (const end of [leg.tokenIn, leg.tokenOut])
            expect(end === tokenIn || end === tokenOut || trust.tokens.has(end)).toBe(true)
      },
    ),
    { numRuns: 200 },
  )
})

test('gas is priced over trusted tokens only', () => {
  // Through token 3, gas seems to cost a thousand times as much.
  const priced = [
    pair(1, { a: 0, b: 2, ...deep }),
    pair(2, { a: 1, b: 2, ...deep }),
    pair(3, { a: 0, b: 3, ...deep }),
    pair(4, { a: 3, b: 2, reserveA: 1_000n * E18, reserveB: 1_000_000n * E18 }),
  ]
  const cost = (trust?: Trust) => {
    const result = routeOf(trust, { gasPriceWei: 10n ** 9n }, priced)
    return result.ok ? Number(result.route.gasCostOut) : 0
  }
  expect(cost(trustIn([0])) * 100).toBeLessThan(cost())
})

test('a thread applies the trust list as it changes', async () => {
  const thread = new RouterThread({ timeoutMs: 10_000, memoryMb: 1_024 })
  const snapshot = { ...snapshotOf([]), pools: PoolMap.empty.with(pools) }
  const [strict, wide] = [trustIn([]), trustIn([3])]
  for (const trust of [strict, wide, strict, undefined, trustIn([3], { level: 'earned' }), strict]) {
    const req = request({ amountIn: 100n * E18, ...(trust && { trust }) })
    expect(await thread.findRoute(snapshot, req)).toEqual(findRoute(buildGraph(snapshot), req))
  }
  await thread.close()
})

test('gas is priced with the current trust list, not with an earlier one of the same level', () => {
  const graph = buildGraph(snapshotOf([pair(1, { a: 1, b: 2, ...deep }), pair(4, { a: 0, b: 3, ...deep }), pools[2]!]))
  const gasCost = (trust: Trust) => {
    const result = findRoute(graph, request({ gasPriceWei: 10n ** 9n, trust }))
    if (!result.ok) throw new Error(result.message)
    return result.route.gasCostOut
  }
  expect(gasCost(trustIn([]))).toBe(null)
  expect(gasCost(trustIn([3]))).toBeGreaterThan(0n)
})
