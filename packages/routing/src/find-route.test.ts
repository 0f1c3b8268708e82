/** `findRoute` on small graphs of constant-product pools. */
import { type Address, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, HOP_GAS, type Pool, type UniswapV2State } from '@sluice/liquidity'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { snapshotOf } from '../test/graphs.ts'
import { findRoute } from './find-route.ts'
import { buildGraph } from './graph/build-graph.ts'
import type { RoutePlan, RouteRequest } from './types.ts'

const address = (index: number): Address => toAddress(`0x${index.toString(16).padStart(40, '0')}`)
const tokens = Array.from({ length: 6 }, (_, index) => address(0x1000 + index))
const WETH = tokens[0]!

function pair(
  index: number,
  a: number,
  b: number,
  reserveA: bigint,
  reserveB: bigint,
  feePpm = 3000,
): Pool<UniswapV2State> {
  const swap = tokens[a]! > tokens[b]!
  return {
    id: address(index),
    address: address(index),
    family: 'uniswap-v2',
    dex: 'test',
    tokens: swap ? [tokens[b]!, tokens[a]!] : [tokens[a]!, tokens[b]!],
    state: swap
      ? { reserve0: reserveB, reserve1: reserveA, feePpm }
      : { reserve0: reserveA, reserve1: reserveB, feePpm },
  }
}

const request = (over: Partial<RouteRequest>): RouteRequest => ({
  tokenIn: tokens[1]!,
  tokenOut: tokens[2]!,
  amountIn: 10n ** 18n,
  wrappedNative: WETH,
  gasPriceWei: 0n,
  ...over,
})

function route(pools: readonly Pool[], over: Partial<RouteRequest> = {}): RoutePlan {
  const result = findRoute(buildGraph(snapshotOf(pools)), request(over))
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.route
}

const E18 = 10n ** 18n

describe('the output at mid prices', () => {
  const market = pair(1, 1, 2, 1_000n * E18, 2_000n * E18, 0)
  const mid = (pools: readonly Pool[], over: Partial<RouteRequest> = {}) => {
    const { midAmountOut, legs } = route(pools, over)
    return { mid: Number(midAmountOut) / 1e18, legs: legs.length }
  }

  test('is that of the market if a pool of dust has an absurd price', () => {
    for (const reserve of [1n, 1_000n, 10n ** 6n]) {
      const dust = pair(2, 1, 2, reserve, E18 / 50n, 0)
      expect(mid([market, dust])).toEqual({ mid: expect.closeTo(2.02, 3), legs: 2 })
    }
  })

  test('is that of the market if dust lies before or behind other pools', () => {
    const onward = pair(3, 2, 3, 1_000n * E18, 1_000n * E18, 0)
    const terms = { tokenOut: tokens[3]! }
    const behind = mid([market, onward, pair(2, 2, 3, 1_000n, E18 / 50n, 0)], terms)
    expect(behind).toEqual({ mid: expect.closeTo(2.02, 3), legs: 3 })
    const before = mid([market, onward, pair(2, 1, 2, 1_000n, E18 / 50n, 0)], terms)
    expect(before).toEqual({ mid: expect.closeTo(2.02, 3), legs: 3 })
  })

  test('counts a pool that the trade drains, however small its share of the input is', () => {
    const worse = pair(2, 1, 2, 10n ** 9n * E18, 10n ** 6n * E18, 0)
    const { mid: atMid, legs } = mid([pair(1, 1, 2, E18, 1_000n * E18, 0), worse], { amountIn: 500_000n * E18 })
    // Of the input, 0.2 % goes through the pool, which pays two thirds of the output.
    expect(legs).toBe(2)
    expect(atMid).toBeGreaterThan(900_000)
  })

  test('counts many pools of dust only up to a small share of the trade', () => {
    const pools = Array.from({ length: 12 }, (_, k) => pair(10 + k, 1, 2, 1_000n, E18 / 50n, 0))
    const { mid: atMid, legs } = mid([market, ...pools])
    expect(legs).toBe(13)
    expect(atMid).toBeGreaterThan(1e5)
  })
})

describe('a route', () => {
  test('through one pool pays what the pool pays', () => {
    const pool = pair(1, 1, 2, 1000n * E18, 2000n * E18)
    const actual = route([pool])
    const quote = familyOf('uniswap-v2')!.quoteExactInput(pool, tokens[1]!, tokens[2]!, E18)
    expect(actual.amountOut).toBe(quote.amountOut)
    expect(actual.legs).toHaveLength(1)
  })

  test('over two equal pools takes half of each', () => {
    const actual = route([pair(1, 1, 2, 1000n * E18, 1000n * E18), pair(2, 1, 2, 1000n * E18, 1000n * E18)], {
      amountIn: 100n * E18,
    })
    expect(actual.legs).toHaveLength(2)
    expect(Number(actual.legs[0]!.amountIn) / 1e18).toBeCloseTo(50, 4)
    expect(actual.legs.reduce((sum, leg) => sum + leg.amountIn, 0n)).toBe(100n * E18)
  })

  test('uses an intermediate token if the direct pool is shallow, and splits after it', () => {
    const pools = [
      pair(1, 1, 2, 10n * E18, 10n * E18),
      pair(2, 1, 3, 100_000n * E18, 100_000n * E18),
      pair(3, 3, 2, 50_000n * E18, 50_000n * E18),
      pair(4, 3, 2, 50_000n * E18, 50_000n * E18, 500),
    ]
    const actual = route(pools, { amountIn: 5000n * E18 })
    expect(new Set(actual.legs.map(({ pool }) => pool.id))).toEqual(new Set(pools.map(({ id }) => id)))
  })

  test('omits a pool whose gain does not pay its gas', () => {
    const pools = [pair(1, 1, 0, 1000n * E18, 1000n * E18), pair(2, 1, 0, 10n * E18, 10n * E18)]
    const free = route(pools, { tokenOut: WETH, amountIn: E18 })
    const expensive = route(pools, { tokenOut: WETH, amountIn: E18, gasPriceWei: 100n * 10n ** 9n })
    expect(free.legs).toHaveLength(2)
    expect(expensive.legs).toHaveLength(1)
    expect(expensive.gasCostOut).toBeGreaterThan(0n)
  })

  test('prices gas by the ERC-20 form of the native asset if there is no wrapper', () => {
    // Token 0 has 6 decimals, the native asset 18: 1 wei is worth 1e-12 of its base units.
    const pools = [pair(1, 1, 0, 1000n * E18, 1000n * 10n ** 6n)]
    const over = { amountIn: E18, gasPriceWei: 10n ** 12n, wrappedNative: null }
    const nativeErc20 = { token: WETH, unitsPerWei: 1e-12 }
    const toToken = route(pools, { ...over, tokenOut: WETH, nativeErc20 })
    expect(toToken.gasCostOut).toBe(BigInt(Math.round(toToken.gas)))
    const fromToken = route(pools, { ...over, amountIn: 10n ** 6n, tokenIn: WETH, tokenOut: tokens[1]!, nativeErc20 })
    expect(Number(fromToken.gasCostOut) / (fromToken.gas * 1e12)).toBeCloseTo(0.997, 2)
    expect(route(pools, { ...over, tokenOut: WETH }).gasCostOut).toBeNull()
  })

  test('from NATIVE to its wrapper is 1:1 and needs no pool', () => {
    const actual = route([pair(1, 1, 0, E18, E18)], { tokenIn: NATIVE, tokenOut: WETH, amountIn: 5n })
    expect(actual).toMatchObject({ amountOut: 5n, legs: [] })
  })

  describe('of NATIVE', () => {
    // Token 0 is the wrapper; its pools are as good as those of the native token.
    const wrapper = { ...pair(9, 0, 0, 1n, 1n), family: 'wrapped-native', address: WETH, tokens: [ZERO_ADDRESS, WETH] }
    const ofNative = (pool: Pool): Pool => ({ ...pool, tokens: [ZERO_ADDRESS, pool.tokens[1]!] })
    const depth = [1000n * E18, 3_000_000n * E18] as const
    const wrapped = pair(1, 0, 1, ...depth)
    const native = ofNative(pair(2, 0, 1, ...depth))
    const pools = [{ ...wrapper, state: { supply: 10n ** 30n } }, wrapped, native]
    const pairsOf = ({ legs }: RoutePlan) => legs.map(({ tokenIn, tokenOut }) => [tokenIn, tokenOut])
    const legGas = ({ legs }: RoutePlan) => legs.reduce((sum, { gas }) => sum + gas, 0)

    test.each([
      ['sold', { tokenIn: NATIVE, tokenOut: tokens[1]!, amountIn: E18 }, [ZERO_ADDRESS, tokens[1]!]],
      ['bought', { tokenIn: tokens[1]!, tokenOut: NATIVE, amountIn: 3000n * E18 }, [tokens[1]!, ZERO_ADDRESS]],
    ] as const)('%s: pools of the native token and of its wrapper are both one hop away', (_, trade, direct) => {
      const both = route(pools, { ...trade, maxHops: 1 })
      expect(both.legs).toHaveLength(2)
      expect(both.gas).toBe(legGas(both) + HOP_GAS['wrapped-native'])
      expect(both.optimalityGapBps).toBeLessThan(0.001)
      // Two pools pay more than one, but not by the gas of a pool and a wrap.
      const expensive = route(pools, { ...trade, gasPriceWei: 50n * 10n ** 9n })
      expect(pairsOf(expensive)).toEqual([direct])
      expect(expensive.gas).toBe(legGas(expensive))
      const only = route([pools[0]!, wrapped], { ...trade, gasPriceWei: 50n * 10n ** 9n })
      expect(only.gas).toBe(legGas(only) + HOP_GAS['wrapped-native'])
    })

    test('compares pools that share a wrap with pools that need none', () => {
      // The wrapper's pool pays slightly more, which is worth less than the gas of the wrap at 10 gwei, and more at 5
      // gwei.
      const poorer = ofNative(pair(2, 0, 1, 1000n * E18, 2_999_400n * E18))
      const trade = { tokenIn: NATIVE, tokenOut: tokens[1]!, amountIn: E18, maxSplits: 1 }
      const [better, worse] = [10n, 5n].map((gwei) =>
        route([pools[0]!, wrapped, poorer], { ...trade, gasPriceWei: gwei * 10n ** 9n }),
      )
      expect(pairsOf(better!)).toEqual([[ZERO_ADDRESS, tokens[1]!]])
      expect(pairsOf(worse!)).toEqual([[WETH, tokens[1]!]])
    })

    test('a round trip through the wrapper earns nothing, so the bound stays finite', () => {
      const equal = [pair(3, 1, 2, ...depth), pair(4, 1, 2, ...depth)]
      const trade = { tokenIn: tokens[1]!, tokenOut: tokens[2]!, amountIn: 3n * E18, gasPriceWei: 500n * 10n ** 9n }
      const actual = route([pools[0]!, pair(5, 0, 2, ...depth), ...equal], trade)
      expect(actual.legs).toHaveLength(1)
      expect(actual.optimalityGapBps).toBeGreaterThan(12)
      expect(actual.optimalityGapBps).toBeLessThan(18)
    })

    test('counts as one with its wrapper only at the ends', () => {
      const trade = { tokenIn: WETH, tokenOut: tokens[1]!, amountIn: E18 }
      const actual = route([pools[0]!, native], trade)
      expect(pairsOf(actual)).toEqual([
        [WETH, ZERO_ADDRESS],
        [ZERO_ADDRESS, tokens[1]!],
      ])
      expect(actual.gas).toBe(legGas(actual))
      const graph = buildGraph(snapshotOf([pools[0]!, native]))
      expect(findRoute(graph, request({ ...trade, maxHops: 1 }))).toMatchObject({ ok: false, code: 'NO_ROUTE' })
    })
  })

  test('uses no more pools than allowed', () => {
    const pools = Array.from({ length: 8 }, (_, index) => pair(index + 1, 1, 2, 1000n * E18, 1000n * E18))
    expect(route(pools, { amountIn: 500n * E18, maxSplits: 3 }).legs).toHaveLength(3)
  })

  test('counts the tax of a sold token, and never passes through a taxed token', () => {
    const pools = [
      pair(1, 1, 2, 1000n * E18, 1000n * E18),
      pair(2, 1, 3, 10n ** 6n * E18, 10n ** 6n * E18),
      pair(3, 3, 2, 10n ** 6n * E18, 10n ** 6n * E18),
    ]
    const usual = { buyPpm: 50_000, sellPpm: 50_000, transferPpm: 50_000 }
    const taxes = new Map([[tokens[3]!, { usual, inPool: new Map() }]])
    const actual = route(pools, { taxes, amountIn: 10n * E18 })
    expect(actual.legs.map(({ pool }) => pool.id)).toEqual([address(1)])
    const sold = route([pools[0]!], {
      taxes: new Map([[tokens[1]!, { usual: { buyPpm: 0, sellPpm: 50_000, transferPpm: 0 }, inPool: new Map() }]]),
    })
    const quote = familyOf('uniswap-v2')!.quoteExactInput(pools[0]!, tokens[1]!, tokens[2]!, (E18 * 95n) / 100n)
    expect(sold.amountOut).toBe(quote.amountOut)
  })
})

describe('no route', () => {
  test('refuses a token that charges its sender extra, at either end and in between, with a reason', () => {
    const pools = [
      pair(1, 1, 2, 1000n * E18, 1000n * E18),
      pair(2, 1, 3, 10n ** 6n * E18, 10n ** 6n * E18),
      pair(3, 3, 2, 10n ** 6n * E18, 10n ** 6n * E18),
    ]
    const usual = { buyPpm: 0, sellPpm: 0, transferPpm: 0, surchargePpm: 1 }
    const charging = (token: number) => new Map([[tokens[token]!, { usual, inPool: new Map() }]])
    for (const end of [1, 2]) {
      const result = findRoute(buildGraph(snapshotOf(pools)), request({ taxes: charging(end) }))
      expect(result).toMatchObject({ ok: false, code: 'BAD_TOKEN' })
      expect(result).toHaveProperty('message', expect.stringContaining(`${tokens[end]} charges its sender`))
    }
    expect(route(pools, { taxes: charging(3) }).legs.map(({ pool }) => pool.id)).toEqual([address(1)])
    const through = findRoute(buildGraph(snapshotOf(pools.slice(1))), request({ taxes: charging(3) }))
    expect(through).toMatchObject({
      code: 'NO_ROUTE',
      reasons: [
        { reason: expect.stringContaining('charges its sender') },
        { reason: expect.stringContaining('charges its sender') },
      ],
    })
  })

  test('names a token without pools', () => {
    const result = findRoute(buildGraph(snapshotOf([pair(1, 1, 2, E18, E18)])), request({ tokenOut: tokens[5]! }))
    expect(result).toMatchObject({ ok: false, code: 'UNKNOWN_TOKEN' })
  })

  test('reports the excluded pools with reasons', () => {
    const result = findRoute(
      buildGraph(snapshotOf([pair(1, 1, 2, E18, E18)])),
      request({ excludePools: new Set([address(1)]) }),
    )
    expect(result).toMatchObject({ ok: false, code: 'NO_ROUTE', reasons: [{ pool: address(1) }] })
  })
})

describe('an amount beyond the pools', () => {
  test('is refused with approximately the largest routable amount', () => {
    // A pool holds less than 2^112 units of a token.
    const pool = pair(1, 1, 2, 2n ** 100n, 2n ** 100n)
    const max = 2n ** 112n - 2n ** 100n
    const result = findRoute(buildGraph(snapshotOf([pool])), request({ amountIn: max * 1000n }))
    expect(result).toMatchObject({ ok: false, code: 'INSUFFICIENT_LIQUIDITY' })
    if (result.ok || result.maxRoutableAmount === undefined) throw new Error('no largest amount')
    expect(result.maxRoutableAmount).toBeLessThan(max)
    expect(Number(result.maxRoutableAmount) / Number(max)).toBeGreaterThan(0.99)
    expect(route([pool], { amountIn: result.maxRoutableAmount }).legs).toHaveLength(1)
  })

  // Token 3 has so few units that small amounts buy none of them.
  const coarsePath = [pair(1, 1, 3, 10n * E18, 5n), pair(2, 3, 2, 800n, 10_000n * E18)]
  const limitOf = (pool: Pool, maxInput: bigint) => ({
    inputLimits: [
      { poolId: pool.id, tokenIn: tokens[1]!, tokenOut: pool === coarsePath[0] ? tokens[3]! : tokens[2]!, maxInput },
    ],
  })

  test('is refused with an amount that routes, even if smaller amounts buy nothing', () => {
    const graph = buildGraph(snapshotOf(coarsePath))
    const limit = limitOf(coarsePath[0]!, 40n * E18)
    const refused = findRoute(graph, request({ ...limit, amountIn: 500n * E18 }))
    if (refused.ok) throw new Error('more than the limit was routed')
    expect(refused.code).toBe('INSUFFICIENT_LIQUIDITY')
    expect(refused.maxRoutableAmount).toBeLessThanOrEqual(40n * E18)
    expect(findRoute(graph, request({ ...limit, amountIn: refused.maxRoutableAmount! })).ok).toBe(true)
  })

  test('is refused beyond the input limit of the only pool that buys whole units', () => {
    const direct = pair(3, 1, 2, 1_000n * E18, 1_000n * E18)
    const over = { ...limitOf(direct, E18 / 10n), amountIn: E18 }
    const refused = findRoute(buildGraph(snapshotOf([...coarsePath, direct])), request(over))
    if (refused.ok) throw new Error('more than the limit was routed')
    expect(refused.maxRoutableAmount).toBeLessThanOrEqual(E18 / 10n)
  })
})

test('an input limit is kept to the unit, also for exact outputs', () => {
  const limited = pair(3, 3, 2, 900_000n * E18, 900_000n * E18, 100)
  const pools = [
    pair(1, 1, 3, 50_000n * E18, 60_000n * E18),
    pair(2, 1, 3, 9_000n * E18, 11_000n * E18),
    limited,
    pair(4, 3, 2, 800_000n * E18, 700_000n * E18),
    pair(5, 1, 2, 700n * E18, 700n * E18),
  ]
  const graph = buildGraph(snapshotOf(pools))
  let limitedRoutes = 0
  for (let amount = 100n; amount < 3_000n; amount += 171n) {
    const maxInput = (amount * E18) / 3n + 1n
    const terms = { inputLimits: [{ poolId: limited.id, tokenIn: tokens[3]!, tokenOut: tokens[2]!, maxInput }] }
    const { amountIn: _, ...exactOutput } = { ...request(terms), amountOut: amount * E18 }
    for (const result of [
      findRoute(graph, request({ ...terms, amountIn: amount * E18 })),
      findRoute(graph, exactOutput),
    ]) {
      if (!result.ok) throw new Error(result.message)
      const sold = result.route.legs.reduce(
        (sum, { pool, amountIn }) => (pool.id === limited.id ? sum + amountIn : sum),
        0n,
      )
      expect(sold, `${amount}`).toBeLessThanOrEqual(maxInput)
      if (Number(sold) > Number(maxInput) * 0.999) limitedRoutes++
    }
  }
  expect(limitedRoutes).toBeGreaterThan(20)
})

describe('calldata paid for on another chain', () => {
  test('makes a second pool too expensive even if gas is free', () => {
    const pools = [pair(1, 1, 0, 1000n * E18, 1000n * E18), pair(2, 1, 0, 10n * E18, 10n * E18)]
    expect(route(pools, { tokenOut: WETH, l1FeePerByteWei: 10 ** 15 }).legs).toHaveLength(1)
  })
})

describe('on random graphs', () => {
  const reserve = fc.bigInt({ min: 10n ** 20n, max: 10n ** 24n })
  const pools = fc
    .array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 }), reserve, reserve), {
      minLength: 3,
      maxLength: 14,
    })
    .map((rows) => rows.filter(([a, b]) => a !== b).map(([a, b, x, y], index) => pair(index + 1, a, b, x, y)))
  const amount = fc.bigInt({ min: 10n ** 15n, max: 10n ** 22n })

  test('tokens are conserved, each pool is used once, and the output is the sum of the legs', () => {
    fc.assert(
      fc.property(pools, amount, (all, amountIn) => {
        const result = findRoute(buildGraph(snapshotOf(all)), request({ amountIn }))
        if (!result.ok) return
        const { legs, amountOut } = result.route
        const balance = new Map<Address, bigint>([[tokens[1]!, amountIn]])
        for (const leg of legs) {
          const restAmount = (balance.get(leg.tokenIn) ?? 0n) - leg.amountIn
          expect(restAmount).toBeGreaterThanOrEqual(0n)
          balance.set(leg.tokenIn, restAmount)
          balance.set(leg.tokenOut, (balance.get(leg.tokenOut) ?? 0n) + leg.amountOut)
        }
        for (const [token, restAmount] of balance) expect(restAmount).toBe(token === tokens[2] ? amountOut : 0n)
        expect(new Set(legs.map(({ pool }) => pool.id)).size).toBe(legs.length)
      }),
      { numRuns: 150 },
    )
  })

  test('it pays at least as much as any single pool', () => {
    fc.assert(
      fc.property(pools, amount, (all, amountIn) => {
        const direct = all.filter((pool) => pool.tokens.includes(tokens[1]!) && pool.tokens.includes(tokens[2]!))
        if (direct.length === 0) return
        const actual = route(all, { amountIn })
        for (const pool of direct) {
          const { amountOut } = familyOf('uniswap-v2')!.quoteExactInput(pool, tokens[1]!, tokens[2]!, amountIn)
          // The search uses floats, so allow a relative error of 1e-9.
          expect(actual.amountOut).toBeGreaterThanOrEqual(amountOut - amountOut / 1_000_000_000n - 1n)
        }
      }),
      { numRuns: 150 },
    )
  })
})

describe('a token of which a trade buys few whole units', () => {
  const E18 = 10n ** 18n
  // One unit of token 3 is worth 1/500 of the smaller part of the trade.
  const pools = [
    pair(1, 1, 2, 1_000n * E18, 1_000n * E18),
    pair(2, 1, 3, 500n * E18, 500_000n),
    pair(3, 3, 2, 500_000n, 500n * E18),
  ]
  const amounts = Array.from({ length: 40 }, (_, index) => 2n * E18 + BigInt(index) * 3n * 10n ** 16n)
  const { quoteExactInput } = familyOf('uniswap-v2')!

  test('is bought with the minimum input for those units', () => {
    let bought = 0
    for (const amountIn of amounts) {
      const leg = route(pools, { amountIn }).legs.find(({ tokenOut }) => tokenOut === tokens[3]!)
      if (!leg || leg.amountIn === amountIn) continue
      const excess = leg.amountIn / leg.amountOut / 8n
      const less = quoteExactInput(leg.pool, leg.tokenIn, leg.tokenOut, leg.amountIn - excess)
      expect(less.amountOut).toBeLessThan(leg.amountOut)
      bought++
    }
    expect(bought).toBeGreaterThan(amounts.length / 2)
  })

  test('does not displace a path that pays more', () => {
    for (const amountIn of amounts) {
      const direct = quoteExactInput(pools[0]!, tokens[1]!, tokens[2]!, amountIn).amountOut
      expect(route(pools, { amountIn }).amountOut).toBeGreaterThanOrEqual(direct)
    }
  })

  test('takes no pool that pays less than one unit', () => {
    // The smaller pool holds about a third of a unit up to its end, and takes an input that buys nothing.
    const large = pair(1, 1, 2, 1_000n * E18, 1_000n)
    const ticks = [
      [-414_800, 20_000_000_000n],
      [-414_200, -20_000_000_000n],
    ]
    const state = { sqrtPriceX96: 2n ** 96n / 10n ** 9n, tick: -414_487, liquidity: 20_000_000_000n, feePpm: 500 }
    const small = { ...pair(2, 1, 2, 1n, 1n), family: 'uniswap-v3', state: { ...state, tickSpacing: 10, ticks } }
    for (let amount = 3n; amount < 60n; amount += 2n) {
      const { legs } = route([large, small], { amountIn: amount * E18 })
      expect(
        legs.map(({ pool }) => pool.id),
        `${amount}`,
      ).toEqual([large.id])
    }
  })
})
