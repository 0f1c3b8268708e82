/** Pools of more than two tokens, of which a route uses several pairs. */
import { type CurveStableState, familyOf, type Pool } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph.ts'
import type { Route, RouteRequest } from '../src/types.ts'
import { address, E18, pair, request, seeded, snapshotOf, token } from './graphs.ts'

const SOURCE = 1
const TARGET = 2
const [A, B] = [3, 4]

function stable(index: number, coins: readonly number[], balances: readonly bigint[]): Pool<CurveStableState> {
  const state: CurveStableState = {
    balances,
    rates: coins.map(() => E18),
    amplification: { a: 200n * BigInt(coins.length), precision: 1n },
    feeE10: 4_000_000n,
    adminFeeE10: 5_000_000_000n,
    offpegMultiplierE10: 0n,
    rounding: 'each',
    feeOrder: 'base',
    margin: 1n,
  }
  const id = address(index)
  return { id, address: id, family: 'curve-stable', dex: 'test', tokens: coins.map(token), state }
}

/** A source with a pair to each of two coins of a pool that also has the target. */
function fork(seed: number) {
  const random = seeded(seed)
  const balance = () => BigInt(Math.round(50_000 + 200_000 * random())) * E18
  const reserve = () => BigInt(Math.round(100_000 + 400_000 * random())) * E18
  const pools = [
    stable(1, [A, B, TARGET], [balance(), balance(), balance()]),
    pair(2, { a: SOURCE, b: A, reserveA: reserve(), reserveB: reserve(), feePpm: 3000 }),
    pair(3, { a: SOURCE, b: B, reserveA: reserve(), reserveB: reserve(), feePpm: 3000 }),
  ]
  return { pools, amountIn: BigInt(Math.round(20_000 + 150_000 * random())) * E18 }
}

function quote(pool: Pool, from: number, to: number, amount: bigint): readonly [bigint, Pool] {
  if (amount === 0n) return [0n, pool]
  const { amountOut, state } = familyOf(pool.family)!.quoteExactInput(pool, token(from), token(to), amount)
  return [amountOut, { ...pool, state }]
}

/** The best of a thousand divisions, swapped one after the other in exact integers. */
function byTrial([three, toA, toB]: readonly Pool[], amountIn: bigint, steps = 1000n): bigint {
  let best = 0n
  for (let step = 0n; step <= steps; step++) {
    const part = (amountIn * step) / steps
    const [a] = quote(toA!, SOURCE, A, part)
    const [b] = quote(toB!, SOURCE, B, amountIn - part)
    const [first, after] = quote(three!, A, TARGET, a)
    const [second] = quote(after, B, TARGET, b)
    if (first + second > best) best = first + second
  }
  return best
}

function routed(pools: readonly Pool[], over: Partial<RouteRequest>): Route {
  const result = findRoute(buildGraph(snapshotOf(pools)), request(over))
  if (!result.ok) throw new Error(result.message)
  return result.route
}

/** Every leg quoted on the pools as the legs before left them. */
function execute({ legs }: Route, pools: readonly Pool[]): bigint {
  const states = new Map(pools.map((pool) => [pool.id, pool]))
  const held = new Map<string, bigint>()
  for (const { pool, tokenIn, tokenOut, amountIn } of legs) {
    const before = states.get(pool.id)!
    const { amountOut, state } = familyOf(pool.family)!.quoteExactInput(before, tokenIn, tokenOut, amountIn)
    states.set(pool.id, { ...before, state })
    held.set(tokenOut, (held.get(tokenOut) ?? 0n) + amountOut)
  }
  return held.get(token(TARGET)) ?? 0n
}

describe('a pool of three coins between two ways', () => {
  const cases = Array.from({ length: process.env.LONG ? 200 : 12 }, (_, index) => ({ index, ...fork(index + 1) }))

  test('is used for both, and pays what its states give one after the other', () => {
    let several = 0
    for (const { pools, amountIn } of cases) {
      const route = routed(pools, { amountIn })
      expect(route.amountOut).toBe(execute(route, pools))
      if (route.legs.filter(({ pool }) => pool.id === address(1)).length > 1) several++
    }
    expect(several).toBeGreaterThan(cases.length / 2)
  })

  test('is divided as well as by trying, within a basis point', () => {
    for (const { pools, amountIn } of cases) {
      const { amountOut } = routed(pools, { amountIn })
      expect(Number(amountOut)).toBeGreaterThan(Number(byTrial(pools, amountIn)) * (1 - 1e-4))
    }
  })

  test('has no bound of use: its liquidity would count for each way', () => {
    const gaps = cases.map(({ pools, amountIn }) => routed(pools, { amountIn }).optimalityGapBps)
    expect(gaps).toContain(null)
  })

  test('is left to one way where gas makes the other too dear', () => {
    const [{ pools }] = cases as [(typeof cases)[0]]
    const gas = { gasPriceWei: 10n ** 14n, wrappedNative: token(TARGET) }
    const { legs } = routed(pools, { amountIn: 100n * E18, ...gas })
    expect(legs).toHaveLength(2)
  })

  test('is not used again where it refuses a second trade', () => {
    const [{ pools, amountIn }] = cases as [(typeof cases)[0]]
    const few = [stable(1, [A, B, TARGET], [10n ** 40n, 10n ** 40n, 10n ** 40n]), ...pools.slice(1)]
    // Balances above what the exchange's own arithmetic holds: whatever it refuses, the claim stays exact.
    const result = findRoute(buildGraph(snapshotOf(few)), request({ amountIn }))
    if (result.ok) expect(result.route.amountOut).toBe(execute(result.route, few))
    else expect(result.code).toBe('NO_ROUTE')
  })
})
