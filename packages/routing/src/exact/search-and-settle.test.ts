/** Tests routes over pools that refuse what their price curves promise, and compares small markets with every path and every set of pools. */
import { familyOf, type Pool, PoolRefusal, type PoolRefusalCode } from '@sluice/liquidity'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { address, E18, fairPools, pair, request, seeded, snapshotOf, token } from '../../test/graphs.ts'
import { kinds } from '../../test/wide-pools.ts'
import { findRoute } from '../find-route.ts'
import { buildGraph } from '../graph/build-graph.ts'
import type { RoutePlan, RouteRequest } from '../types.ts'

const pairs = familyOf('uniswap-v2')!
const quotePair = pairs.quoteExactInput
const even = (index: number, a: number, b: number, tokens: bigint) =>
  pair(index, { a, b, reserveA: tokens * E18, reserveB: tokens * E18 })
const resultOf = (pools: readonly Pool[], over: Partial<RouteRequest>) =>
  findRoute(buildGraph(snapshotOf(pools)), request(over))

function routeOf(pools: readonly Pool[], over: Partial<RouteRequest>): RoutePlan {
  const result = resultOf(pools, over)
  if (!result.ok) throw new Error(result.message)
  return result.route
}

/** Makes one pair refuse some amounts, and records the amounts that it is asked for. */
function refusing(id: string, code: PoolRefusalCode, isRefused: (amountIn: bigint, first: bigint) => boolean) {
  const amounts: bigint[] = []
  vi.spyOn(pairs, 'quoteExactInput').mockImplementation((pool, tokenIn, tokenOut, amountIn) => {
    if (pool.id === id) {
      amounts.push(amountIn)
      if (isRefused(amountIn, amounts[0]!)) throw new PoolRefusal(code, `refused as ${code}`)
    }
    return quotePair(pool, tokenIn, tokenOut, amountIn)
  })
  return amounts
}

const inputsOf = ({ legs }: RoutePlan) => new Map(legs.map(({ pool, amountIn }) => [Number(pool.id), amountIn]))
const soldBy = ({ legs }: RoutePlan) => legs.reduce((sum, { amountIn }) => sum + amountIn, 0n)

describe('a pool that refuses', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })
  const pools = [even(1, 1, 2, 10_000n), even(2, 1, 2, 5_000n)]
  const amountIn = 300n * E18

  test('amounts around its share takes slightly less', () => {
    const amounts = refusing(pools[0]!.id, 'UNSUPPORTED', (amount, first) => amount > first - first / 400_000n)
    const route = routeOf(pools, { amountIn })
    const part = Number(inputsOf(route).get(1)) / Number(amounts[0])
    // 1 and 2 millionths less are refused; 4 are not.
    expect([part <= 1 - 3e-6, part >= 1 - 4.01e-6]).toEqual([true, true])
    expect(soldBy(route)).toBe(amountIn)
  })

  test('nearly all amounts is left out after a few', () => {
    const amounts = refusing(pools[0]!.id, 'UNSUPPORTED', (amount) => amount > 1_000n)
    const route = routeOf(pools, { amountIn })
    expect(inputsOf(route)).toEqual(new Map([[2, amountIn]]))
    // The share, and five amounts below it.
    expect(amounts).toHaveLength(6)
  })

  test('again and again, with some amount accepted below each, is left out in the end', () => {
    let count = 0
    const amounts = refusing(pools[0]!.id, 'UNSUPPORTED', () => count++ % 2 === 0)
    const route = routeOf(pools, { amountIn })
    expect(inputsOf(route)).toEqual(new Map([[2, amountIn]]))
    // Four amounts with one below each that is accepted, and a fifth.
    expect(amounts).toHaveLength(9)
  })

  test('amounts above a limit takes the limit, and the others the rest', () => {
    const limit = 100n * E18
    vi.spyOn(pairs, 'maxInput').mockReturnValue(limit)
    refusing(pools[0]!.id, 'TOO_LARGE', (amount) => amount > limit)
    const inputs = inputsOf(routeOf(pools, { amountIn }))
    expect(Number(inputs.get(1)) / Number(limit)).toBeCloseTo(1, 9)
    expect(inputs.get(1)).toBeLessThanOrEqual(limit)
    expect(inputs.get(1)! + inputs.get(2)!).toBe(amountIn)
  })

  test('a limit that is no limit is left out', () => {
    vi.spyOn(pairs, 'maxInput').mockReturnValue(amountIn)
    refusing(pools[0]!.id, 'TOO_LARGE', () => true)
    expect(inputsOf(routeOf(pools, { amountIn }))).toEqual(new Map([[2, amountIn]]))
  })

  test('all amounts is left out, with its reason if there is no other', () => {
    refusing(pools[0]!.id, 'PAUSED', () => true)
    expect(inputsOf(routeOf(pools, { amountIn }))).toEqual(new Map([[2, amountIn]]))
    const refused = resultOf([pools[0]!], { amountIn })
    expect(refused).toMatchObject({ ok: false, reasons: [{ pool: pools[0]!.id, reason: 'refused as PAUSED' }] })
  })

  test('a small share is left out, and the others take it', () => {
    refusing(pools[1]!.id, 'TOO_SMALL', (amount) => amount < 150n * E18)
    expect(inputsOf(routeOf(pools, { amountIn }))).toEqual(new Map([[1, amountIn]]))
    // A third of twice the amount is more.
    const large = inputsOf(routeOf(pools, { amountIn: 2n * amountIn }))
    expect([large.size, large.get(2)! > 150n * E18]).toEqual([2, true])
  })

  test('in the middle of a path makes the search find another path', () => {
    const path = [even(1, 1, 3, 10_000n), even(2, 3, 2, 10_000n), even(3, 1, 4, 9_000n), even(4, 4, 2, 9_000n)]
    refusing(path[1]!.id, 'UNSUPPORTED', () => true)
    expect([...inputsOf(routeOf(path, { amountIn })).keys()].sort()).toEqual([3, 4])
  })
})

test('a pool of several tokens that refuses a second swap is used for the pair with more value', () => {
  const family = familyOf('curve-stable')!
  const quote = family.quoteExactInput
  const stable = { ...kinds.stable([1, 2, 3], [100_000n * E18, 100_000n * E18, 100_000n * E18]), id: 'stable' }
  const pools: Pool[] = [stable, even(2, 1, 3, 300_000n), even(3, 3, 2, 2_000n)]
  const over = { amountIn: 90_000n * E18 }
  expect(routeOf(pools, over).legs.filter(({ pool }) => pool.id === 'stable')).toHaveLength(2)
  vi.spyOn(family, 'quoteExactInput').mockImplementation((pool, tokenIn, tokenOut, amountIn) => {
    if (pool.state !== stable.state) throw new PoolRefusal('UNSUPPORTED', 'one swap only')
    return quote(pool, tokenIn, tokenOut, amountIn)
  })
  const { legs, amountOut } = routeOf(pools, over)
  vi.restoreAllMocks()
  expect(legs.filter(({ pool }) => pool.id === 'stable')).toHaveLength(1)
  // Without the pool, and with all of the trade in one of its pairs.
  expect(amountOut).toBeGreaterThan(routeOf(pools.slice(1), over).amountOut)
  expect(amountOut).toBeGreaterThan(quote(stable, token(1), token(2), over.amountIn).amountOut)
})

/** Pairs whose every third token has a millionth of a millionth of the units. */
function coarsePools(seed: number): readonly Pool[] {
  return fairPools(seed, 5 + (seed % 3), 4).map(({ state, tokens }, index) => {
    const [a, b] = tokens.map((of) => Number(of) - 0x1000)
    const cut = (reserve: bigint, of: number) => (of % 3 === 0 ? reserve / 10n ** 13n + 1n : reserve)
    return pair(index + 1, { a: a!, b: b!, reserveA: cut(state.reserve0, a!), reserveB: cut(state.reserve1, b!) })
  })
}

/** Maximum output of all paths of distinct tokens, in whole units. */
function bestPathOutput(
  pools: readonly Pool[],
  sold: Pool['address'],
  amount: bigint,
  visited: readonly string[],
): bigint {
  if (sold === token(2)) return amount
  const outputs = pools.flatMap((pool) => {
    const bought = pool.tokens.find((of) => of !== sold)!
    if (!pool.tokens.includes(sold) || visited.includes(bought)) return []
    try {
      const { amountOut } = quotePair(pool, sold, bought, amount)
      return [bestPathOutput(pools, bought, amountOut, [...visited, sold])]
    } catch {
      return []
    }
  })
  return outputs.toSorted((a, b) => Number(b - a))[0] ?? 0n
}

test('with tokens of few units, a route pays at least as much as every path in whole units', () => {
  let compared = 0
  for (let seed = 1; seed <= 60; seed++) {
    const pools = coarsePools(seed)
    const amountIn = BigInt(Math.ceil(10 ** (14 + 7 * seeded(seed)())))
    const best = bestPathOutput(pools, token(1), amountIn, [])
    const result = resultOf(pools, { amountIn })
    expect(result.ok, `seed ${seed}`).toBe(best > 0n)
    if (!result.ok) continue
    compared++
    expect(result.route.amountOut, `seed ${seed}`).toBeGreaterThanOrEqual(best)
  }
  expect(compared).toBeGreaterThan(30)
})

/** A pool at price 1 with liquidity that changes at every few ticks. */
function ticked(index: number, a: number, b: number, random: () => number): Pool {
  const depth = BigInt(Math.ceil(10 ** (2 + 2 * random()))) * E18
  const ticks = Array.from({ length: 24 }, (_, k): [number, bigint] => [20 * (k - 12) + 10, 0n])
  for (const [k, tick] of ticks.entries()) tick[1] = k < 12 ? depth * BigInt(k + 1) : -depth * BigInt(24 - k)
  const liquidity = ticks.reduce((sum, [tick, net]) => (tick <= 0 ? sum + net : sum), 0n)
  const state = {
    sqrtPriceX96: 1n << 96n,
    tick: 0,
    liquidity,
    feePpm: 100 + Math.floor(400 * random()),
    tickSpacing: 10,
    ticks,
  }
  const id = address(index)
  return { id, address: id, family: 'uniswap-v3', dex: 'test', tokens: [token(a), token(b)], state }
}

test('with gas of ticks, a route leaves at least as much as one over any set of the pools', () => {
  let ticks = 0
  for (let seed = 1; seed <= 6; seed++) {
    const random = seeded(seed)
    const ends = [
      [1, 2],
      [1, 2],
      [1, 3],
      [3, 2],
      [3, 2],
    ] as const
    const pools = ends.map(([a, b], k) => ticked(k + 1, a, b, random))
    const graph = buildGraph(snapshotOf(pools))
    const amountIn = BigInt(Math.ceil(10 ** (1 + 1.5 * random()))) * E18
    // A million gas costs a hundredth to a thousandth of the trade.
    const gasPriceWei = amountIn / 10n ** BigInt(8 + (seed % 2))
    const terms = request({ amountIn, gasPriceWei, wrappedNative: token(2) })
    const netOf = (excluded: number) => {
      const excludePools = new Set(pools.filter((_, k) => (excluded >> k) & 1).map(({ id }) => id))
      const result = findRoute(graph, { ...terms, excludePools })
      if (!result.ok) return Number.NEGATIVE_INFINITY
      if (result.route.legs.some(({ gas, pool }) => gas > pool.tokens.length * 60_000)) ticks++
      return Number(result.route.amountOut) - Number(result.route.gasCostOut)
    }
    const nets = Array.from({ length: 31 }, (_, excluded) => netOf(excluded))
    expect(Math.max(...nets), `seed ${seed}`).toBeLessThanOrEqual(nets[0]! * (1 + 1e-5))
  }
  expect(ticks).toBeGreaterThan(0)
})
