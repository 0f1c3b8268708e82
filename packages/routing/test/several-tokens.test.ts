/** Pools of more than two tokens, with several pairs in one route. */
import { familyOf, type Pool, PoolRefusal } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { RoutePlan, RouteRequest } from '../src/types.ts'
import { address, E18, pair, request, seeded, snapshotOf, token } from './graphs.ts'
import { kinds, quote, stable } from './wide-pools.ts'

const SOURCE = 1
const TARGET = 2
const [A, B] = [3, 4]
type Case = { readonly pools: readonly Pool[]; readonly amountIn: bigint; readonly shape: 'fork' | 'join' }

/** Two paths that share a pool of three tokens, which holds the target (a fork) or the source (a join). */
function caseOf(kind: keyof typeof kinds, shape: Case['shape'], seed: number): Case {
  const random = seeded(seed)
  // All tokens have about the same value, so both paths are used.
  const about = (amount: number, off: number) => BigInt(Math.round(amount * (1 + off * (random() - 0.5)))) * E18
  const balances = [kind === 'weighted' ? 200_000 : 100_000, 100_000, 100_000].map((amount) => about(amount, 0.2))
  const ofPair = (index: number, middle: number) => {
    const depth = 50_000 + 200_000 * random()
    return pair(index, { a: end, b: middle, reserveA: about(depth, 0.05), reserveB: about(depth, 0.05), feePpm: 3000 })
  }
  const end = shape === 'fork' ? SOURCE : TARGET
  const other = shape === 'fork' ? TARGET : SOURCE
  const pools = [kinds[kind]([A, B, other], balances), ofPair(2, A), ofPair(3, B)]
  return { pools, amountIn: BigInt(Math.round(2_000 + 12_000 * random())) * E18, shape }
}

/** Output of an allocation by consecutive exact swaps; 0 if a pool refuses. */
function outputOf({ pools: [three, ofA, ofB], amountIn, shape }: Case, part: bigint, first: number): bigint {
  const parts = new Map([
    [A, part],
    [B, amountIn - part],
  ])
  let pool = three!
  let amountOut = 0n
  for (const middle of [first, first === A ? B : A]) {
    const pairPool = middle === A ? ofA! : ofB!
    const input = parts.get(middle)!
    if (shape === 'fork') {
      const [through] = quote(pairPool, SOURCE, middle, input)
      const [bought, after] = quote(pool, middle, TARGET, through)
      pool = after
      amountOut += bought
    } else {
      const [through, after] = quote(pool, SOURCE, middle, input)
      pool = after
      amountOut += quote(pairPool, middle, TARGET, through)[0]
    }
  }
  return amountOut
}

/** The best of two hundred allocations, in both orders. */
function byTrial(trade: Case, steps = 200n): bigint {
  let best = 0n
  for (let step = 0n; step <= steps; step++)
    for (const first of [A, B]) {
      try {
        const amountOut = outputOf(trade, (trade.amountIn * step) / steps, first)
        if (amountOut > best) best = amountOut
      } catch (error) {
        if (!(error instanceof PoolRefusal)) throw error
      }
    }
  return best
}

function routeOf(pools: readonly Pool[], over: Partial<RouteRequest>): RoutePlan {
  const result = findRoute(buildGraph(snapshotOf(pools)), request(over))
  if (!result.ok) throw new Error(result.message)
  return result.route
}

/** Quotes every leg on the pools as earlier legs left them. */
function execute({ legs }: RoutePlan, pools: readonly Pool[]): bigint {
  const states = new Map(pools.map((pool) => [pool.id, pool]))
  const balances = new Map<string, bigint>()
  for (const { pool, tokenIn, tokenOut, amountIn } of legs) {
    const before = states.get(pool.id)!
    const { amountOut, state } = familyOf(pool.family)!.quoteExactInput(before, tokenIn, tokenOut, amountIn)
    states.set(pool.id, { ...before, state })
    balances.set(tokenOut, (balances.get(tokenOut) ?? 0n) + amountOut)
  }
  return balances.get(token(TARGET)) ?? 0n
}

const count = process.env.LONG ? 200 : 10
const shapes = (['fork', 'join'] as const).flatMap((shape) => Object.keys(kinds).map((kind) => ({ kind, shape })))

describe.each(shapes)('a $shape at a $kind pool of three tokens', ({ kind, shape }) => {
  const cases = Array.from({ length: count }, (_, index) => {
    const trade = caseOf(kind as keyof typeof kinds, shape, index + 1)
    return { trade, route: routeOf(trade.pools, { amountIn: trade.amountIn }) }
  })
  const isShared = ({ legs }: RoutePlan) => legs.filter(({ pool }) => pool.id === address(1)).length > 1

  test('is used for both paths, and pays the output of consecutive swaps', () => {
    for (const { trade, route } of cases) expect(route.amountOut).toBe(execute(route, trade.pools))
    expect(cases.filter(({ route }) => isShared(route)).length).toBeGreaterThan(count / 3)
  })

  test('is divided as well as by exhaustive search, and the bound is above both', () => {
    let near = 0
    for (const { trade, route } of cases) {
      const candidate = Number(byTrial(trade))
      const out = Number(route.amountOut)
      // The allocation treats a balance-dependent fee as constant.
      expect(out).toBeGreaterThan(candidate * (1 - (kind === 'crypto' ? 3e-4 : 1e-5)))
      const gap = route.optimalityGapBps
      if (kind === 'crypto' && isShared(route)) expect(gap).toBeNull()
      if (gap === null) continue
      expect(out / (1 - gap / 10_000)).toBeGreaterThan(candidate * (1 - 1e-9))
      if (gap < 1) near++
    }
    if (kind !== 'crypto') expect(near).toBeGreaterThan(count / 2)
  })
})

describe('a pool of three coins between two paths', () => {
  const { pools, amountIn } = caseOf('stable', 'fork', 1)

  test('is used for one path if gas makes the other too expensive', () => {
    const gas = { gasPriceWei: 10n ** 14n, wrappedNative: token(TARGET) }
    const { legs } = routeOf(pools, { amountIn: 100n * E18, ...gas })
    expect(legs).toHaveLength(2)
  })

  test('is not used again if it refuses a second trade', () => {
    const few = [stable([A, B, TARGET], [10n ** 40n, 10n ** 40n, 10n ** 40n]), ...pools.slice(1)]
    // These balances overflow the pool's own arithmetic. If a route is found nevertheless, its output must be exact.
    const result = findRoute(buildGraph(snapshotOf(few)), request({ amountIn }))
    if (result.ok) expect(result.route.amountOut).toBe(execute(result.route, few))
    else expect(result.code).toBe('NO_ROUTE')
  })
})
