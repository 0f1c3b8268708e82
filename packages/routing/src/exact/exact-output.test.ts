/** Compares minimum inputs with bisection over exact quotes of one path, and with exhaustive divisions between two pools. */
import { familyOf, type Pool, PoolRefusal } from '@sluice/liquidity'
import { describe, expect, test } from 'vitest'
import { address, E18, pair, request, seeded, snapshotOf, token } from '../../test/graphs.ts'
import type { RoutingError } from '../errors.ts'
import { findRoute } from '../find-route.ts'
import { buildGraph } from '../graph/build-graph.ts'
import { MAX_WORK, WorkBudget } from '../problem/budget.ts'
import type { RouteRequest, RouteResult } from '../types.ts'

type Random = () => number
type Ends = readonly [sold: number, bought: number]

const amountOf = (random: Random, from: number, to: number) => BigInt(Math.ceil(10 ** (from + (to - from) * random())))

/** A pool at price 1 with liquidity on both sides of a gap. */
function withGap(index: number, [a, b]: Ends, random: Random): Pool {
  const [near, far] = [amountOf(random, 21, 24), amountOf(random, 21, 24)]
  const ticks: [number, bigint][] = [
    [-900, far],
    [-300, -far],
    [-40, near],
    [40, -near],
    [300, far],
    [900, -far],
  ]
  const state = { sqrtPriceX96: 1n << 96n, tick: 0, liquidity: near, feePpm: 500, tickSpacing: 10, ticks }
  const id = address(index)
  return { id, address: id, family: 'uniswap-v3', dex: 'test', tokens: [token(a), token(b)], state }
}

/** A vault that pays one share for each unit, up to a maximum deposit. */
function vault(index: number, [a, b]: Ends, random: Random): Pool {
  const size = 10n ** 9n * E18
  const state = {
    totalAssets: size,
    totalSupply: size,
    virtualShares: 0n,
    maxDeposit: amountOf(random, 19, 24),
    cash: size,
  }
  const id = address(index)
  return { id, address: id, family: 'erc4626', dex: 'test', tokens: [token(a), token(b)], state }
}

const pairOf = (index: number, [a, b]: Ends, random: Random) =>
  pair(index, { a, b, reserveA: amountOf(random, 20, 24), reserveB: amountOf(random, 20, 24) })
/** A pair whose bought token has few units. */
const coarsePair = (index: number, [a, b]: Ends, random: Random) =>
  pair(index, { a, b, reserveA: amountOf(random, 20, 24), reserveB: amountOf(random, 6, 9) })
/** A pair whose sold token has few units. */
const finePair = (index: number, [a, b]: Ends, random: Random) =>
  pair(index, { a, b, reserveA: amountOf(random, 6, 9), reserveB: amountOf(random, 20, 24) })

const quoteOrZero = (pool: Pool, [sold, bought]: Ends, amountIn: bigint): bigint => {
  try {
    if (amountIn === 0n) return 0n
    return familyOf(pool.family)!.quoteExactInput(pool, token(sold), token(bought), amountIn).amountOut
  } catch (error) {
    if (error instanceof PoolRefusal) return 0n
    throw error
  }
}

/** Minimum argument from which a rising function is at least the required value, up to 2^120; null if there is none. */
function firstWith(pays: (amountIn: bigint) => bigint, required: bigint): bigint | null {
  // A path pays nothing beyond what its pools take, so the search doubles from below.
  let high = 1n
  while (pays(high) < required) {
    if (high > 1n << 120n) return null
    high *= 2n
  }
  let low = high / 2n
  while (high - low > 1n) {
    const middle = (low + high) / 2n
    if (pays(middle) >= required) high = middle
    else low = middle
  }
  return high
}

function forOutput(pools: readonly Pool[], amountOut: bigint, over: Partial<RouteRequest> = {}): RouteResult {
  const { amountIn: _, ...terms } = request(over)
  return findRoute(buildGraph(snapshotOf(pools)), { ...terms, amountOut })
}

const chains: Readonly<Record<string, (random: Random) => readonly Pool[]>> = {
  'two pairs': (random) => [pairOf(1, [1, 3], random), pairOf(2, [3, 2], random)],
  'three pairs': (random) => [pairOf(1, [1, 3], random), pairOf(2, [3, 4], random), pairOf(3, [4, 2], random)],
  'a pair and a pool with a gap': (random) => [pairOf(1, [1, 3], random), withGap(2, [3, 2], random)],
  'a pool with a gap and a pair': (random) => [withGap(1, [1, 3], random), pairOf(2, [3, 2], random)],
  'a vault and a pair': (random) => [vault(1, [1, 3], random), pairOf(2, [3, 2], random)],
  'a pair and a vault': (random) => [pairOf(1, [1, 3], random), vault(2, [3, 2], random)],
  'an intermediate token of few units': (random) => [coarsePair(1, [1, 3], random), finePair(2, [3, 2], random)],
  'an intermediate token of hardly any units': (random) => [
    pair(1, { a: 1, b: 3, reserveA: amountOf(random, 20, 24), reserveB: amountOf(random, 1, 4) }),
    pair(2, { a: 3, b: 2, reserveA: amountOf(random, 1, 4), reserveB: amountOf(random, 20, 24) }),
  ],
  'a target of few units': (random) => [pairOf(1, [1, 3], random), coarsePair(2, [3, 2], random)],
}

describe.each(Object.entries(chains))('%s in series', (_, make) => {
  test('take the minimum input, to the unit', () => {
    let bought = 0
    for (let seed = 1; seed <= 20; seed++) {
      const random = seeded(seed)
      const pools = make(random)
      const ends = pools.map(({ tokens }): Ends => [Number(tokens[0]) - 0x1000, Number(tokens[1]) - 0x1000])
      const pays = (amountIn: bigint) =>
        pools.reduce((amount, pool, k) => quoteOrZero(pool, ends[k]!, amount), amountIn)
      const largest = pays(amountOf(random, 15, 24))
      const required = (largest * amountOf(random, 0, 3)) / 1_000n
      if (required === 0n) continue
      const result = forOutput(pools, required)
      const min = firstWith(pays, required)!
      if (!result.ok) throw new Error(`seed ${seed}: ${result.message}`)
      expect(result.route.amountIn, `seed ${seed}`).toBe(min)
      expect(result.route.amountOut).toBe(pays(min))
      bought++
    }
    expect(bought).toBeGreaterThan(5)
  })
})

/** Maximum input that a pool takes, up to 2^90. */
function maxInputOf(pool: Pool, ends: Ends): bigint {
  let max = 0n
  for (let bit = 1n << 90n; bit > 0n; bit /= 2n) if (quoteOrZero(pool, ends, max + bit) > 0n) max += bit
  return max
}

/** Minimum input of a pool for an output. */
type Inverse = { readonly maxOutput: bigint; readonly inputFor: (amountOut: bigint) => bigint }

function inverseOf(pool: Pool, ends: Ends): Inverse {
  const maxInput = maxInputOf(pool, ends)
  const pays = (amountIn: bigint) => quoteOrZero(pool, ends, amountIn)
  const inputFor = (amountOut: bigint) => {
    let [low, high] = [0n, maxInput]
    while (high - low > 1n + high / 10n ** 9n) {
      const middle = (low + high) / 2n
      if (pays(middle) >= amountOut) high = middle
      else low = middle
    }
    return high
  }
  return { maxOutput: pays(maxInput), inputFor }
}

/** Minimum total input of two pools for an output: the total is convex in the part of the first. */
function minDivided([first, second]: readonly [Inverse, Inverse], amountOut: bigint): bigint {
  const totalAt = (part: bigint) => first.inputFor(part) + second.inputFor(amountOut - part)
  let low = amountOut > second.maxOutput ? amountOut - second.maxOutput : 0n
  let high = amountOut < first.maxOutput ? amountOut : first.maxOutput
  while ((high - low) * 100_000n > amountOut) {
    const third = (high - low) / 3n
    if (totalAt(low + third) < totalAt(high - third)) high -= third
    else low += third
  }
  return [low, (low + high) / 2n, high].map(totalAt).toSorted((a, b) => Number(a - b))[0]!
}

/** A pair at price 1. */
function evenPair(index: number, [a, b]: Ends, random: Random): Pool {
  const reserve = amountOf(random, 21, 24)
  return pair(index, { a, b, reserveA: reserve, reserveB: reserve })
}

const twoPools: Readonly<Record<string, (random: Random, ends: Ends) => readonly [Pool, Pool]>> = {
  'two pairs': (random, ends) => [evenPair(1, ends, random), evenPair(2, ends, random)],
  'a pair and a pool with a gap': (random, ends) => [evenPair(1, ends, random), withGap(2, ends, random)],
  'a pair and a vault': (random, ends) => [evenPair(1, ends, random), vault(2, ends, random)],
}

/** Draws outputs from a thousandth of the smaller reserve to most of both. */
function* requiredOutputs(pools: readonly Pool[], ends: Ends, random: Random): Generator<bigint> {
  const whole = pools.reduce((sum, pool) => sum + quoteOrZero(pool, ends, 10n ** 23n), 0n)
  for (const [from, to] of [
    [-3, -2],
    [-1, -0.05],
  ] as const)
    yield (whole * amountOf(random, 9 + from, 9 + to)) / 10n ** 9n
}

describe.each(Object.entries(twoPools))('%s', (_, make) => {
  test('are divided for the minimum input', () => {
    let divided = 0
    for (let seed = 1; seed <= 4; seed++) {
      const random = seeded(seed)
      const pools = make(random, [1, 2])
      for (const required of requiredOutputs(pools, [1, 2], random)) {
        const min = minDivided([inverseOf(pools[0], [1, 2]), inverseOf(pools[1], [1, 2])], required)
        const result = forOutput(pools, required)
        if (!result.ok) throw new Error(`seed ${seed}: ${result.message}`)
        const { amountIn, amountOut, legs } = result.route
        expect(Number(amountIn) / Number(min), `seed ${seed}, ${required}`).toBeLessThan(1 + 1e-6)
        expect(Number(amountIn) / Number(min)).toBeGreaterThan(1 - 1e-6)
        expect(amountOut).toBeGreaterThanOrEqual(required)
        // One unit of input buys about one of output.
        expect(amountOut - required).toBeLessThanOrEqual(2n)
        if (legs.length > 1) divided++
      }
    }
    expect(divided).toBeGreaterThan(3)
  })

  test('are divided for the minimum input after a common pool, and before one', () => {
    for (let seed = 1; seed <= 2; seed++) {
      const random = seeded(seed)
      const [after, before] = [make(random, [3, 2]), make(random, [1, 3])]
      const [first, last] = [pairOf(3, [1, 3], random), pairOf(3, [3, 2], random)]
      for (const required of requiredOutputs(after, [3, 2], random)) {
        const arriving = minDivided([inverseOf(after[0], [3, 2]), inverseOf(after[1], [3, 2])], required)
        const common = inverseOf(first, [1, 3])
        const result = forOutput([...after, first], required)
        expect(result.ok, `seed ${seed}`).toBe(common.maxOutput > arriving)
        if (!result.ok) continue
        expect(Number(result.route.amountIn) / Number(common.inputFor(arriving)), `seed ${seed}`).toBeCloseTo(1, 5)
      }
      for (const bought of requiredOutputs(before, [1, 3], random)) {
        const required = quoteOrZero(last, [3, 2], bought)
        const arriving = inverseOf(last, [3, 2]).inputFor(required)
        const min = minDivided([inverseOf(before[0], [1, 3]), inverseOf(before[1], [1, 3])], arriving)
        const result = forOutput([...before, last], required)
        if (!result.ok) throw new Error(`seed ${seed}: ${result.message}`)
        expect(Number(result.route.amountIn) / Number(min), `seed ${seed}`).toBeCloseTo(1, 5)
      }
    }
  })
})

describe('outputs beyond the pools', () => {
  test.each([
    ...[...Object.entries(chains)].map(([name, make]) => [name, make] as const),
    ...Object.entries(twoPools).map(([name, make]) => [name, (random: Random) => make(random, [1, 2])] as const),
  ])('%s: almost all that can be bought is suggested, with little work', (_, make) => {
    for (let seed = 1; seed <= 6; seed++) {
      const random = seeded(seed)
      const pools = make(random)
      const budget = new WorkBudget()
      const { amountIn: _, ...terms } = request()
      const graph = buildGraph(snapshotOf(pools))
      const result = findRoute(graph, { ...terms, amountOut: 10n ** 30n }, budget)
      if (result.ok) throw new Error('bought more than there is')
      expect(result.code).toBe('INSUFFICIENT_LIQUIDITY')
      const max = result.maxOutputAmount!
      expect(MAX_WORK - budget.remaining).toBeLessThan(MAX_WORK / 100)
      expect(findRoute(graph, { ...terms, amountOut: max }).ok, `seed ${seed}`).toBe(true)
      expect(findRoute(graph, { ...terms, amountOut: max + max / 2n }).ok, `seed ${seed}`).toBe(false)
    }
  })
})

test('an almost empty pool with the best price does not hide a larger pool', () => {
  const large = pair(2, { a: 1, b: 2, reserveA: 10n ** 6n * E18, reserveB: 10n ** 6n * E18 })
  for (const [reserveA, reserveB] of [
    [1n, E18 / 3n],
    [5n, 7n * E18],
    [10n ** 6n, E18],
    [10n ** 12n, 20n * E18],
  ] as const) {
    const empty = pair(1, { a: 1, b: 2, reserveA, reserveB })
    const { amountIn: _, ...terms } = request()
    const result = findRoute(buildGraph(snapshotOf([empty, large])), { ...terms, amountOut: 30n * E18 })
    if (!result.ok) throw new Error(`${reserveA} ${reserveB}: ${result.message}`)
    expect(result.route.amountIn).toBeLessThan(31n * E18)
  }
})

test('the discount of a pool does not count against what it can pay', () => {
  const empty = pair(1, { a: 1, b: 2, reserveA: 5n, reserveB: 7n * E18 })
  const discounted = pair(2, { a: 1, b: 2, reserveA: 90n * E18, reserveB: 90n * E18 })
  const { amountIn: _, ...terms } = request({ driftPenalties: new Map([[discounted.id, 750_000]]) })
  const result = findRoute(buildGraph(snapshotOf([empty, discounted])), { ...terms, amountOut: 40n * E18 })
  if (!result.ok) throw new Error(result.message)
  expect(result.route.amountIn).toBeLessThan(60n * E18)
})

describe('of two pools of which a trade takes one', () => {
  const vaultOf = (maxDeposit: bigint, rateBps: bigint): Pool => {
    const size = 10n ** 9n * E18
    const state = {
      ...{ totalAssets: size, totalSupply: (size * rateBps) / 10_000n, virtualShares: 0n, maxDeposit, cash: size },
    }
    return { id: address(2), address: address(2), family: 'erc4626', dex: 'test', tokens: [token(1), token(2)], state }
  }
  const ends: Ends = [1, 2]

  test('the one with the smaller input is taken, although the other has the better price for little', () => {
    const counts = { pair: 0, vault: 0 }
    for (let seed = 1; seed <= 60; seed++) {
      const random = seeded(seed)
      // The pair pays one for little; the vault pays a fixed rate of up to 90 units of input.
      const pools = [
        pair(1, { a: 1, b: 2, reserveA: 300n * E18, reserveB: 300n * E18 }),
        vaultOf(90n * E18, BigInt(Math.floor(7_000 + 2_800 * random()))),
      ]
      const required = BigInt(Math.floor(20e3 + 60e3 * random())) * (E18 / 1_000n)
      const inputs = pools.map((pool) => {
        const { maxOutput, inputFor } = inverseOf(pool, ends)
        return maxOutput < required ? Number.POSITIVE_INFINITY : Number(inputFor(required))
      })
      const result = forOutput(pools, required, { maxSplits: 1 })
      if (!result.ok) throw new Error(`seed ${seed}: ${result.message}`)
      const min = Math.min(...inputs)
      expect(result.route.legs).toHaveLength(1)
      expect(Number(result.route.amountIn) / min, `seed ${seed}`).toBeCloseTo(1, 7)
      counts[inputs[0] === min ? 'pair' : 'vault']++
    }
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(5)
  })
})

test('pools of dust with the best spot rate do not hide a pool that pays', () => {
  const pools = [
    pair(1, { a: 1, b: 2, reserveA: 10n ** 24n, reserveB: 10n ** 12n }),
    pair(2, { a: 1, b: 3, reserveA: 10n ** 4n, reserveB: 100n }),
    pair(3, { a: 3, b: 2, reserveA: 10n ** 6n, reserveB: 10n ** 4n }),
  ]
  // The input at the spot rate of the dust, 10 ** 10, buys nothing.
  const result = forOutput(pools, 10n ** 6n)
  if (!result.ok) throw new Error(result.message)
  const alone = forOutput(pools.slice(0, 1), 10n ** 6n)
  if (!alone.ok) throw new Error(alone.message)
  expect(result.route.amountIn).toBe(alone.route.amountIn)
  expect(forOutput(pools.slice(1), 10n ** 6n)).toMatchObject({ ok: false, code: 'NO_ROUTE' })
})

test('a search that spends its work before any route is found does not say that there is none', () => {
  let spent = 0
  let routed = 0
  for (const make of Object.values(chains)) {
    const graph = buildGraph(snapshotOf(make(seeded(1))))
    const { amountIn: _, ...terms } = request()
    const codeWith = (work: number) => {
      try {
        const result = findRoute(graph, { ...terms, amountOut: 10n ** 4n, work })
        return result.ok ? 'ROUTED' : result.code
      } catch (error) {
        return (error as RoutingError).code
      }
    }
    if (codeWith(MAX_WORK) !== 'ROUTED') continue
    for (let work = 1; work < 10 ** 6; work *= 2) {
      const code = codeWith(work)
      if (code === 'WORK_SPENT') spent++
      if (code === 'ROUTED') routed++
      // With little work, all tried inputs may be too small.
      expect(['WORK_SPENT', 'ROUTED', 'INSUFFICIENT_LIQUIDITY'], `${work} units`).toContain(code)
    }
  }
  expect(spent).toBeGreaterThan(20)
  expect(routed).toBeGreaterThan(20)
})

test('an output that rises in steps takes few searches', () => {
  const total = { exactOutput: 0, exactInput: 0 }
  let compared = 0
  for (let seed = 1; seed <= 20; seed++) {
    const random = seeded(seed)
    const pools = [
      pair(1, { a: 1, b: 3, reserveA: amountOf(random, 22, 24), reserveB: 10n ** 12n }),
      pair(2, { a: 3, b: 2, reserveA: 10n ** 12n, reserveB: amountOf(random, 22, 24) }),
    ]
    const graph = buildGraph(snapshotOf(pools))
    const workOf = (terms: { readonly amountIn: bigint } | { readonly amountOut: bigint }) => {
      const budget = new WorkBudget()
      const { amountIn: _, ...rest } = request()
      const result = findRoute(graph, { ...rest, ...terms }, budget)
      if (!result.ok) throw new Error(`seed ${seed}: ${result.message}`)
      return { route: result.route, work: MAX_WORK - budget.remaining }
    }
    const paid = (amountIn: bigint) => quoteOrZero(pools[1]!, [3, 2], quoteOrZero(pools[0]!, [1, 3], amountIn))
    // Between 3 and 60 units of the token between, so that a step is more than 0.03 % of the output.
    const required = (quoteOrZero(pools[1]!, [3, 2], 1n) * amountOf(random, 2.5, 3.8)) / 100n
    const exactOutput = workOf({ amountOut: required })
    const { amountIn } = exactOutput.route
    expect(amountIn, `seed ${seed}`).toBe(firstWith(paid, required))
    total.exactOutput += exactOutput.work
    total.exactInput += workOf({ amountIn }).work
    compared++
  }
  expect(compared).toBe(20)
  expect(total.exactOutput).toBeLessThan(25 * total.exactInput)
})
