/** Compares routes with those of methods that share no code with the search: small steps, and all single paths. */
import { familyOf, type Pool } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { E18, fairPools, request, seeded, snapshotOf, token } from '../test/graphs.ts'
import { kinds } from '../test/wide-pools.ts'
import { findRoute } from './find-route.ts'
import { buildGraph } from './graph/build-graph.ts'
import type { Leg } from './types.ts'

type Pair = ReturnType<typeof fairPools>[number]
type Hop = { readonly pool: Pair; readonly tokenIn: Pair['address']; readonly tokenOut: Pair['address'] }
const [SOURCE, TARGET] = [token(1), token(2)]
const quoteOf = familyOf('uniswap-v2')!.quoteExactInput

/** All paths of at most `maxHops` different pools that visit no token twice. */
function pathsOf(pools: readonly Pair[], maxHops: number): readonly (readonly Hop[])[] {
  const paths: (readonly Hop[])[] = []
  const extend = (path: readonly Hop[]) => {
    const at = path.at(-1)?.tokenOut ?? SOURCE
    if (at === TARGET) paths.push(path)
    else if (path.length < maxHops)
      for (const pool of pools)
        for (const [tokenIn, tokenOut] of [pool.tokens, pool.tokens.toReversed()] as const)
          if (tokenIn === at && tokenOut !== SOURCE && !path.some((hop) => hop.tokenIn === tokenOut))
            extend([...path, { pool, tokenIn: tokenIn!, tokenOut: tokenOut! }])
  }
  extend([])
  return paths
}

/** Output of one path, in whole units; 0 if a pool refuses. */
function outputOf(path: readonly Hop[], amountIn: bigint): bigint {
  try {
    return path.reduce(
      (amount, { pool, tokenIn, tokenOut }) => quoteOf(pool as Pool, tokenIn, tokenOut, amount).amountOut,
      amountIn,
    )
  } catch {
    return 0n
  }
}

/** Output of an input that is sold in small steps, each along the path that pays most for it. */
function outputInSteps(paths: readonly (readonly Hop[])[], amountIn: number, steps: number): number {
  const reserves = new Map<string, [number, number]>()
  const pairOf = ({ pool, tokenIn }: Hop) => {
    const { reserve0, reserve1 } = pool.state
    const pair = reserves.get(pool.id) ?? [Number(reserve0), Number(reserve1)]
    reserves.set(pool.id, pair)
    return { pair, sold: tokenIn === pool.tokens[0] ? 0 : 1 } as const
  }
  const swap = (path: readonly Hop[], input: number, isFinal: boolean) =>
    path.reduce((amount, hop) => {
      const { pair, sold } = pairOf(hop)
      const net = amount * 0.997
      const output = (net * pair[1 - sold]!) / (pair[sold]! + net)
      if (isFinal) {
        pair[sold]! += amount
        pair[1 - sold]! -= output
      }
      return output
    }, input)
  let total = 0
  for (let step = 0; step < steps; step++) {
    const part = amountIn / steps
    const best = paths.reduce((a, b) => (swap(b, part, false) > swap(a, part, false) ? b : a))
    total += swap(best, part, true)
  }
  return total
}

/** Number of pools in series, at most, on the way to the target. */
function depthOf(legs: readonly Leg[]): number {
  const depth = new Map<string, number>([[SOURCE, 0]])
  for (const { tokenIn, tokenOut } of legs)
    depth.set(tokenOut, Math.max(depth.get(tokenOut) ?? 0, (depth.get(tokenIn) ?? 0) + 1))
  return depth.get(TARGET) ?? 0
}

/** A market of a few tokens, and an amount from far below its depth to far above. */
function drawMarket(seed: number) {
  const random = seeded(seed)
  const pools = fairPools(seed * 7919, 4 + (seed % 8), 3 + (seed % 4))
  const amountIn = BigInt(Math.floor(10 ** (16 + 6 * random())))
  return { pools, amountIn, graph: buildGraph(snapshotOf(pools)) }
}

describe.each([1, 2, 3, 4])('with at most %d pools in series', (maxHops) => {
  test('the output is at least that of small steps, and at most its own bound', () => {
    let splitCount = 0
    for (let seed = 1; seed <= 40; seed++) {
      const { pools, amountIn, graph } = drawMarket(seed)
      const paths = pathsOf(pools, maxHops)
      const result = findRoute(graph, request({ amountIn, maxHops }))
      expect(result.ok).toBe(paths.length > 0)
      if (!result.ok) continue
      const { amountOut, legs, optimalityGapBps } = result.route
      const inSteps = outputInSteps(paths, Number(amountIn), 200)
      expect(Number(amountOut) / inSteps, `seed ${seed}`).toBeGreaterThan(1 - 1e-7)
      expect(optimalityGapBps!).toBeGreaterThanOrEqual(0)
      // Without gas and with enough pools, the search is exact up to its tolerance, unless shorter paths are enforced.
      if (maxHops === 4) expect(optimalityGapBps!, `seed ${seed}`).toBeLessThan(0.02)
      expect((Number(amountOut) / (1 - optimalityGapBps! / 10_000)) * (1 + 1e-9)).toBeGreaterThanOrEqual(inSteps)
      expect(depthOf(legs)).toBeLessThanOrEqual(maxHops)
      if (legs.length > 1) splitCount++
    }
    expect(splitCount).toBeGreaterThan(10)
  })
})

test('a limit on pools is kept, and the route pays at least as much as the best single path of that length', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const { pools, amountIn, graph } = drawMarket(seed)
    let before = 0n
    for (const maxSplits of [1, 2, 3, 24]) {
      const paths = pathsOf(pools, Math.min(maxSplits, 4))
      const outputs = paths.map((path) => outputOf(path, amountIn))
      const best = outputs.toSorted((a, b) => (a < b ? 1 : -1))[0] ?? 0n
      const result = findRoute(graph, request({ amountIn, maxSplits }))
      expect(result.ok).toBe(best > 0n)
      if (!result.ok) continue
      const { legs, amountOut } = result.route
      expect(legs.length).toBeLessThanOrEqual(maxSplits)
      expect(amountOut, `seed ${seed}, ${maxSplits} pools`).toBeGreaterThanOrEqual(best - best / 10n ** 9n)
      if (maxSplits === 1) expect(amountOut).toBe(best)
      expect(amountOut).toBeGreaterThanOrEqual(before - before / 10n ** 9n)
      before = amountOut
    }
  }
})

test('with gas, a route leaves at least as much as each single path', () => {
  let single = 0
  let several = 0
  for (let seed = 1; seed <= 40; seed++) {
    const { pools, amountIn } = drawMarket(seed)
    // A deep pair of the target and the wrapper gives gas a price.
    const priced = [
      ...pools,
      ...fairPools(seed, 1).map((pool) => ({ ...pool, id: 'priced', tokens: [token(0), TARGET] })),
    ]
    const state = { reserve0: 10n ** 7n * E18, reserve1: 10n ** 7n * E18, feePpm: 3_000 }
    const graph = buildGraph(snapshotOf(priced.map((pool) => (pool.id === 'priced' ? { ...pool, state } : pool))))
    const result = findRoute(graph, request({ amountIn, gasPriceWei: 10n ** 9n * BigInt(1 + (seed % 50)) }))
    if (!result.ok || !result.route.gasCostOut) continue
    const { amountOut, gas, gasCostOut, legs } = result.route
    const perGas = Number(gasCostOut) / gas
    const net = Number(amountOut) - Number(gasCostOut)
    for (const { gas: legGas } of legs) expect(legGas).toBeGreaterThan(0)
    const gasOfHop = Math.max(...legs.map((leg) => leg.gas))
    for (const path of pathsOf(pools, 4)) {
      const alone = Number(outputOf(path, amountIn)) - gasOfHop * path.length * perGas
      expect(net, `seed ${seed}`).toBeGreaterThan(alone - Math.abs(Number(amountOut)) * 1e-9 - 25_000 * perGas)
    }
    if (legs.length === 1) single++
    else several++
  }
  expect([single > 3, several > 3]).toEqual([true, true])
})

describe('pools of three tokens', () => {
  /**
   * Output of small steps, each along the path that pays most for it, by quotes of the pools after the steps before.
   */
  function outputInQuotes(pools: readonly Pool[], amountIn: bigint, steps: bigint): bigint {
    const states = new Map(pools.map((pool) => [pool.id, pool]))
    type WideHop = { readonly id: string; readonly tokenIn: Pool['address']; readonly tokenOut: Pool['address'] }
    const hops = pools.flatMap(({ id, tokens }) =>
      tokens.flatMap((tokenIn) =>
        tokens.flatMap((tokenOut): readonly WideHop[] => (tokenIn === tokenOut ? [] : [{ id, tokenIn, tokenOut }])),
      ),
    )
    const paths = hops.flatMap((first) => {
      if (first.tokenIn !== SOURCE) return []
      if (first.tokenOut === TARGET) return [[first]]
      return hops
        .filter(({ id, tokenIn, tokenOut }) => tokenIn === first.tokenOut && tokenOut === TARGET && id !== first.id)
        .map((second) => [first, second])
    })
    const swap = (path: readonly WideHop[], input: bigint, isFinal: boolean) =>
      path.reduce((amount, { id, tokenIn, tokenOut }) => {
        const pool = states.get(id)!
        const { amountOut, state } = familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amount)
        if (isFinal) states.set(id, { ...pool, state })
        return amountOut
      }, input)
    let total = 0n
    for (let step = 0n; step < steps; step++) {
      const part = amountIn / steps
      const best = paths.reduce((a, b) => (swap(b, part, false) > swap(a, part, false) ? b : a))
      total += swap(best, part, true)
    }
    return total
  }

  test('a route pays at least as much as small steps, near its bound', () => {
    let splitCount = 0
    for (let seed = 1; seed <= 8; seed++) {
      const random = seeded(seed)
      const amount = () => BigInt(Math.floor(1e5 * (0.9 + 0.2 * random()))) * E18
      const stable = { ...kinds.stable([1, 2, 3], [amount(), amount(), amount()]), id: 'stable' }
      const weighted = { ...kinds.weighted([3, 1, 2], [2n * amount(), amount(), amount()]), id: 'weighted' }
      const pairs = fairPools(seed, 3, 4).map((pool, k) => ({
        ...pool,
        ...{ id: `pair ${k}`, tokens: [token([1, 1, 3][k]!), token([2, 3, 2][k]!)] },
        state: { ...pool.state, reserve0: amount(), reserve1: amount() },
      }))
      const pools: readonly Pool[] = [stable, weighted, ...pairs]
      const amountIn = BigInt(Math.floor(10 ** (20 + 2.3 * random())))
      const result = findRoute(buildGraph(snapshotOf(pools)), request({ amountIn, maxHops: 2 }))
      if (!result.ok) throw new Error(result.message)
      const inSteps = Number(outputInQuotes(pools, amountIn, 60n))
      const { amountOut, optimalityGapBps, legs } = result.route
      expect(Number(amountOut) / inSteps, `seed ${seed}`).toBeGreaterThan(1 - 1e-5)
      expect(optimalityGapBps!).toBeLessThan(20)
      if (legs.length > 1) splitCount++
    }
    expect(splitCount).toBeGreaterThan(3)
  })
})
