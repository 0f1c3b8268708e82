/** Proofs of bounds: no route pays more than the proof's sum, and proofs are as tight as the search's own bound. */
import { readFileSync } from 'node:fs'
import { type Address, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, fromText, type Pool, PoolMap, PoolRefusal } from '@sluice/liquidity'
import { afterAll, describe, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import { decimalsFor, toFixedPoint } from '../src/proof/fixed-point.ts'
import { RouterThreads } from '../src/thread/router-threads.ts'
import type { BoundProof, RoutePlan, RouteRequest } from '../src/types.ts'
import { E18, fairPools, pair, randomPools, request, seeded, snapshotOf, token } from './graphs.ts'
import { kinds, stable } from './wide-pools.ts'

const RUNS = process.env.LONG ? 5_000 : 80
/** 0.1 bps: maximum difference between the bounds of search and proof. */
const CLOSE = 1e-5

function prove(
  pools: readonly Pool[],
  over: Partial<RouteRequest> = {},
): { route: RoutePlan; proof: BoundProof } | null {
  const result = findRoute(buildGraph(snapshotOf(pools)), request({ ...over, proof: true }))
  return result.ok && result.proof ? { route: result.route, proof: result.proof } : null
}

/** Recomputes the proof's sum from its published values. */
function sumOf({ decimals, prices, pools, beyond, allowance }: BoundProof, sold: Address, amountIn: bigint): bigint {
  const price = new Map(prices).get(sold)![0]!
  const sum = pools.reduce((total, { earned }) => total + earned, amountIn * price + beyond.earned + allowance)
  const unit = 10n ** BigInt(decimals)
  return (sum + unit - 1n) / unit
}

/** Output of random paths, each pool used once, by exact quotes. */
function randomOutput(pools: readonly Pool[], amountIn: bigint, random: () => number, maxHops = 4): bigint {
  const { tokenIn, tokenOut } = request()
  const free = new Set(pools)
  const parts = 1 + Math.floor(random() * 4)
  let paid = 0n
  for (let part = 0; part < parts; part++) {
    let at = tokenIn
    let amount = amountIn / BigInt(parts)
    const visitedTokens = new Set([at])
    for (let hop = 0; hop < maxHops && at !== tokenOut && amount > 0n; hop++) {
      const ways = [...free].flatMap((pool) =>
        pool.tokens.includes(at) ? pool.tokens.filter((to) => !visitedTokens.has(to)).map((to) => ({ pool, to })) : [],
      )
      const direct = ways.filter(({ to }) => to === tokenOut)
      const choice = direct.length > 0 && random() < 0.5 ? direct : ways
      const way = choice[Math.floor(random() * choice.length)]
      if (!way) break
      amount = quoteOrZero(way.pool, at, way.to, amount)
      free.delete(way.pool)
      visitedTokens.add(way.to)
      at = way.to
    }
    if (at === tokenOut) paid += amount
  }
  return paid
}

function quoteOrZero(pool: Pool, tokenIn: Address, tokenOut: Address, amountIn: bigint): bigint {
  try {
    return familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn).amountOut
  } catch (error) {
    if (error instanceof PoolRefusal) return 0n
    throw error
  }
}

describe('pairs', () => {
  test("no found or random route exceeds the proof's bound, with or without arbitrage", () => {
    let compared = 0
    for (let run = 1; run <= RUNS; run++) {
      const random = seeded(run)
      const count = 3 + (run % 23)
      const pools = run % 2 ? fairPools(run, count) : randomPools(run, count, { tokens: 6, disagreement: 0.05 })
      const amountIn = BigInt(Math.floor(10 ** (15 + random() * 8)))
      const result = prove(pools, { amountIn })
      if (!result) continue
      const { route, proof } = result
      expect(sumOf(proof, request().tokenIn, amountIn)).toBe(proof.bound)
      expect(new Set(new Map(proof.prices).get(request().tokenOut))).toEqual(new Set([10n ** BigInt(proof.decimals)]))
      expect(route.amountOut).toBeLessThanOrEqual(proof.bound)
      for (let draw = 0; draw < 20; draw++) {
        const paid = randomOutput(pools, amountIn, random)
        if (paid > 0n) compared++
        expect(paid, `run ${run}`).toBeLessThanOrEqual(proof.bound)
      }
    }
    expect(compared).toBeGreaterThan(RUNS)
  })

  test('the proof has the bound that the gap refers to', () => {
    let compared = 0
    for (let run = 1; run <= RUNS; run++) {
      const amountIn = BigInt(Math.floor(10 ** (15 + seeded(run)() * 8)))
      const result = prove(fairPools(run, 2 + (run % 23)), { amountIn })
      const gap = result?.route.optimalityGapBps
      if (!result || gap === null || gap === undefined) continue
      compared++
      expect(1 - Number(result.route.amountOut) / Number(result.proof.bound), `run ${run}`).toBeCloseTo(gap / 1e4, 6)
    }
    expect(compared).toBeGreaterThan(RUNS / 2)
  })

  test('pools in dead ends or beyond the hop limit are not listed', () => {
    const reserves = { reserveA: 1_000n * E18, reserveB: 1_000n * E18 }
    const pools = [
      pair(1, { a: 1, b: 2, ...reserves }),
      pair(2, { a: 1, b: 3, ...reserves }),
      pair(3, { a: 3, b: 2, ...reserves }),
      pair(4, { a: 3, b: 4, ...reserves }),
      pair(5, { a: 4, b: 5, ...reserves }),
    ]
    const ids = (over: Partial<RouteRequest>) => prove(pools, over)!.proof.pools.map(({ pool }) => pool.id)
    expect(ids({}).sort()).toEqual(pools.slice(0, 3).map(({ id }) => id))
    expect(ids({ maxHops: 1 })).toEqual([pools[0]!.id])
    expect(ids({ excludePools: new Set([pools[1]!.id]) })).toEqual([pools[0]!.id])
  })

  test('pools are sorted by earnings, and swaps into the input or out of the output are not covered', () => {
    for (let run = 1; run <= RUNS / 10; run++) {
      const { tokenIn, tokenOut } = request()
      const proof = prove(fairPools(run, 20), { amountIn: 100n * E18 })!.proof
      const earned = proof.pools.map((pool) => pool.earned)
      expect(earned).toEqual(earned.toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0)))
      for (const [sold, bought] of proof.pools.flatMap(({ pairs }) => pairs)) {
        expect(sold).not.toBe(tokenOut)
        expect(bought).not.toBe(tokenIn)
      }
    }
  })
})

test('a request without a proof gets the same route, and no proof', () => {
  for (let run = 1; run <= RUNS / 4; run++) {
    const graph = buildGraph(snapshotOf(fairPools(run, 20)))
    const req = request({ amountIn: 10n ** BigInt(15 + (run % 8)), gasPriceWei: BigInt(run % 2) * 10n ** 9n })
    const plain = findRoute(graph, req)
    expect(plain).not.toHaveProperty('proof')
    const { proof, ...rest } = findRoute(graph, { ...req, proof: true }) as { proof?: BoundProof }
    expect(proof).toBeDefined()
    expect(rest).toEqual(plain)
  }
})

test('pools of several tokens count once, whichever of their pairs a route uses', () => {
  let compared = 0
  for (const [kind, make] of Object.entries(kinds))
    for (let run = 1; run <= RUNS / 8; run++) {
      const random = seeded(run)
      const about = (amount: number) => BigInt(Math.round(amount * (1 + 0.2 * (random() - 0.5)))) * E18
      const depth = () => ({ reserveA: about(100_000), reserveB: about(100_000) })
      const pools = [
        make([3, 4, 2], [about(kind === 'weighted' ? 200_000 : 100_000), about(100_000), about(100_000)]),
        pair(2, { a: 1, b: 3, ...depth() }),
        pair(3, { a: 1, b: 4, ...depth() }),
      ]
      const amountIn = BigInt(Math.round(2_000 + 12_000 * random())) * E18
      const { route, proof } = prove(pools, { amountIn })!
      expect(route.amountOut, `${kind} ${run}`).toBeLessThanOrEqual(proof.bound)
      // If the fee depends on the balances, pairs that trade together are counted separately.
      if (route.optimalityGapBps === null || kind === 'crypto') continue
      compared++
      const gap = 1 - Number(route.amountOut) / Number(proof.bound)
      // Tighter if the pool's trading function replaces samples of its curve.
      expect(gap - route.optimalityGapBps / 1e4, `${kind} ${run}`).toBeLessThan(CLOSE)
      expect(gap, `${kind} ${run}`).toBeGreaterThanOrEqual(0)
    }
  expect(compared).toBeGreaterThan(RUNS / 16)
})

test('real pools of one block: the bound of every trade holds and matches the gap', () => {
  const text = readFileSync(new URL('ethereum-pools.json', import.meta.url), 'utf8')
  const { pools } = fromText<{ readonly pools: readonly Pool[] }>(text)
  const graph = buildGraph(snapshotOf(pools))
  const wrappedNative = toAddress('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')
  let compared = 0
  for (const tokenIn of graph.topology.tokens)
    for (const tokenOut of graph.topology.tokens) {
      const place = (pool: Pool) => pool.tokens.indexOf(tokenIn)
      const amount = pools.map((pool) => (place(pool) < 0 ? 0n : familyOf(pool.family)!.reserves(pool)[place(pool)]!))
      const amountIn = amount.sort((a, b) => (a < b ? 1 : -1))[0]! / 1_000n
      if (tokenIn === tokenOut || amountIn === 0n) continue
      const req = request({ tokenIn, tokenOut, amountIn, wrappedNative, proof: true })
      const result = findRoute(graph, req)
      if (!result.ok || !result.proof) continue
      const { route, proof } = result
      expect(route.amountOut, `${tokenIn} ${tokenOut}`).toBeLessThanOrEqual(proof.bound)
      if (route.optimalityGapBps === null || route.amountOut < 1_000_000n) continue
      compared++
      const gap = 1 - Number(route.amountOut) / Number(proof.bound)
      expect(Math.abs(gap - route.optimalityGapBps / 1e4), `${tokenIn} ${tokenOut}`).toBeLessThan(CLOSE)
    }
  expect(compared).toBeGreaterThan(8)
})

test('wrapping alone is bounded by its input', () => {
  const pools = fairPools(1, 10)
  const { proof } = prove(pools, { tokenIn: NATIVE, tokenOut: token(0), amountIn: 7n })!
  expect(proof).toMatchObject({ bound: 7n, pools: [] })
})

test('the native token has the price of its wrapper', () => {
  const wrapper = token(0)
  const native = { ...pair(2, { a: 1, b: 2, reserveA: 500n * E18, reserveB: 100n * E18 }) }
  const pools: Pool[] = [
    { ...native, tokens: [ZERO_ADDRESS, token(2)] },
    pair(1, { a: 0, b: 2, reserveA: 500n * E18, reserveB: 100n * E18 }),
    {
      id: wrapper,
      family: 'wrapped-native',
      dex: 'wrapper',
      address: wrapper,
      tokens: [ZERO_ADDRESS, wrapper],
      state: { supply: 1_000_000n * E18 },
    },
  ]
  for (const tokenIn of [NATIVE, wrapper]) {
    const { route, proof } = prove(pools, { tokenIn, amountIn: 10n * E18, wrappedNative: wrapper })!
    expect(route.legs.filter(({ pool }) => pool.family === 'uniswap-v2')).toHaveLength(2)
    const wraps = tokenIn === wrapper
    expect(proof.pools).toHaveLength(wraps ? 3 : 2)
    expect(proof.prices).toHaveLength(wraps ? 3 : 2)
    expect(proof.pools.filter(({ pool }) => pool.family === 'wrapped-native').map(({ earned }) => earned)).toEqual(
      wraps ? [0n] : [],
    )
    expect(1 - Number(route.amountOut) / Number(proof.bound)).toBeLessThan(CLOSE)
  }
})

describe('in a thread', () => {
  const threads = new RouterThreads({ count: 1, timeoutMs: 30_000 })
  afterAll(() => threads.close())

  test('a proof is the same', async () => {
    const pools = [...fairPools(5, 40), stable([1, 2, 3], [900_000n * E18, 1_000_000n * E18, 1_100_000n * E18])]
    const snapshot = { ...snapshotOf([]), pools: PoolMap.empty.with(pools.map((pool, k) => ({ ...pool, id: `${k}` }))) }
    const req = request({ amountIn: 100n * E18, proof: true })
    const here = findRoute(buildGraph(snapshot), req)
    expect(here).toHaveProperty('proof.bound')
    expect(await threads.findRoute(snapshot, req)).toEqual(here)
  })
})

test('floats are converted to fixed point exactly, rounded up', () => {
  expect(toFixedPoint(0, 5)).toBe(0n)
  expect(toFixedPoint(1.5, 3)).toBe(1_500n)
  expect(toFixedPoint(2 ** 80, 0)).toBe(2n ** 80n)
  expect(toFixedPoint(2 ** -20, 20)).toBe(95367431640625n)
  expect(toFixedPoint(2 ** -20, 19)).toBe(9536743164063n)
  expect(toFixedPoint(Number.MIN_VALUE, 3)).toBe(1n)
  for (const price of [1e-30, 3.7e-7, 1, 12345.678, 1e25]) {
    const decimals = decimalsFor([price])
    const text = toFixedPoint(price, decimals)
    expect(Math.abs(Number(text) / 10 ** decimals / price - 1)).toBeLessThan(1e-15)
  }
})
