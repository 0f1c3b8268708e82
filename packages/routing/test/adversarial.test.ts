/** Hostile and degenerate inputs of the search. */
import { type Address, NATIVE } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { RouteRequest, RouteResult } from '../src/types.ts'
import { E18, pair, request, seeded, snapshotOf, token } from './graphs.ts'

const solve = (pools: readonly Pool[], over: Partial<RouteRequest> = {}): RouteResult =>
  findRoute(buildGraph(snapshotOf(pools)), request(over))

/** Expects a clear refusal, or a route with finite figures whose legs spend no more than the balances. */
function expectSane(result: RouteResult, { tokenIn, tokenOut, amountIn }: RouteRequest): void {
  if (!result.ok) {
    expect(result.message).not.toMatch(/NaN|Infinity|undefined/)
    if (result.maxRoutableAmount !== undefined) expect(result.maxRoutableAmount).toBeLessThan(amountIn)
    return
  }
  const { legs, amountOut, gas, optimalityGapBps, midAmountOut } = result.route
  expect(Number.isFinite(gas)).toBe(true)
  expect(optimalityGapBps === null || (optimalityGapBps >= 0 && Number.isFinite(optimalityGapBps))).toBe(true)
  expect(midAmountOut === null || midAmountOut > 0n).toBe(true)
  const balances = new Map<Address, bigint>([[tokenIn, amountIn]])
  for (const leg of legs) {
    const before = balances.get(leg.tokenIn) ?? 0n
    expect(leg.amountIn).toBeLessThanOrEqual(before)
    balances.set(leg.tokenIn, before - leg.amountIn)
    balances.set(leg.tokenOut, (balances.get(leg.tokenOut) ?? 0n) + leg.amountOut)
  }
  expect(balances.get(tokenOut)).toBe(amountOut)
}

describe('the search', () => {
  test('refuses on an empty graph, and names the token', () => {
    expect(solve([])).toMatchObject({ ok: false, code: 'UNKNOWN_TOKEN', message: expect.stringContaining(token(1)) })
  })

  test('refuses if no path joins the two tokens', () => {
    const pools = [
      pair(1, { a: 1, b: 3, reserveA: E18, reserveB: E18 }),
      pair(2, { a: 2, b: 4, reserveA: E18, reserveB: E18 }),
    ]
    expect(solve(pools)).toMatchObject({ ok: false, code: 'NO_ROUTE' })
  })

  test('avoids a pool that holds only one of its tokens', () => {
    const empty = pair(1, { a: 1, b: 2, reserveA: E18, reserveB: 0n })
    expect(solve([empty])).toMatchObject({ ok: false })
    const full = pair(2, { a: 1, b: 2, reserveA: 100n * E18, reserveB: 100n * E18 })
    const result = solve([empty, full])
    expect(result.ok && result.route.legs.map(({ pool }) => pool.id)).toEqual([full.id])
  })

  test('avoids a pool whose arithmetic divides by zero', () => {
    const scaling = [E18, E18, E18]
    const state = { kind: 'stable', balances: [1n, 1n, E18], scaling, swapFee: 0n, amp: 1_000n, roundsUp: false }
    const drained = { ...pair(1, { a: 3, b: 1, reserveA: 1n, reserveB: 1n }), family: 'balancer-v2', state }
    const full = pair(2, { a: 1, b: 2, reserveA: 100n * E18, reserveB: 100n * E18 })
    const result = solve([{ ...drained, tokens: [2, 3, 1].map(token) } as Pool, full])
    expect(result.ok && result.route.legs.map(({ pool }) => pool.id)).toEqual([full.id])
  })

  test('routes a single unit, and refuses if it buys nothing', () => {
    const rich = pair(1, { a: 1, b: 2, reserveA: 10n ** 6n, reserveB: 10n ** 12n })
    expect(solve([rich], { amountIn: 1n })).toMatchObject({ ok: true, route: { amountOut: 996_999n } })
    const poor = pair(1, { a: 1, b: 2, reserveA: 10n ** 12n, reserveB: 10n ** 6n })
    expect(solve([poor], { amountIn: 1n })).toMatchObject({ ok: false })
  })

  test('refuses an amount that no pool can take', () => {
    const pool = pair(1, { a: 1, b: 2, reserveA: E18, reserveB: E18 })
    for (const amountIn of [2n ** 255n, 2n ** 256n - 1n]) expect(solve([pool], { amountIn }).ok).toBe(false)
  })

  test('does not trade in a cycle if pools disagree, and gives no bound that counts the cycle', () => {
    // Tokens 1, 3, and 4 form a cycle that gains 8 % per round.
    const deep = 1000n * E18
    const ring = [
      pair(1, { a: 1, b: 3, reserveA: deep, reserveB: (deep * 103n) / 100n }),
      pair(2, { a: 3, b: 4, reserveA: deep, reserveB: (deep * 103n) / 100n }),
      pair(3, { a: 4, b: 1, reserveA: deep, reserveB: (deep * 103n) / 100n }),
      pair(4, { a: 4, b: 2, reserveA: deep, reserveB: deep }),
      pair(5, { a: 3, b: 2, reserveA: deep, reserveB: deep }),
    ]
    const over = { amountIn: 10n * E18 }
    const result = solve(ring, over)
    expect(result.ok).toBe(true)
    expectSane(result, request(over))
    if (!result.ok) return
    const sold = result.route.legs.map(({ tokenIn, tokenOut }) => `${tokenIn}>${tokenOut}`)
    expect(result.route.legs.every(({ tokenOut }) => tokenOut !== token(1))).toBe(true)
    expect(new Set(sold).size).toBe(sold.length)
  })

  test('handles prices and decimals of any size', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 31 }),
        fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 6, maxLength: 6 }),
        fc.integer({ min: 0, max: 255 }),
        fc.bigInt({ min: 0n, max: 10n ** 13n }),
        (seed, exponents, bits, gasPriceWei) => {
          const random = seeded(seed)
          const pools = Array.from({ length: 12 }, (_, index) => {
            const a = Math.floor(random() * 6)
            const b = (a + 1 + Math.floor(random() * 5)) % 6
            const reserve = (side: number) =>
              (10n ** BigInt(exponents[side]!) * BigInt(1 + Math.floor(random() * 100))) % 2n ** 112n
            return pair(index + 1, { a, b, reserveA: reserve(a), reserveB: reserve(b) })
          })
          const over = { amountIn: 1n + 2n ** BigInt(bits) / 2n, gasPriceWei }
          expectSane(solve(pools, over), request(over))
        },
      ),
      { numRuns: process.env.LONG ? 20_000 : 400 },
    )
  }, 600_000)

  test('accepts NATIVE only if the chain has a wrapper', () => {
    const pool = pair(1, { a: 0, b: 2, reserveA: 100n * E18, reserveB: 100n * E18 })
    expect(solve([pool], { tokenIn: NATIVE }).ok).toBe(true)
    expect(solve([pool], { tokenIn: NATIVE, wrappedNative: null })).toMatchObject({ ok: false, code: 'NO_ROUTE' })
  })
})
