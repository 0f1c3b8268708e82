/**
 * Tests of the rule for sampled pools: an untrusted one is used only where even the minimum output of the transaction
 * is at least what other pools pay. The searches are real.
 */
import { type Address, toAddress } from '@sluice/chains'
import { familyOf, type Pool, type SampledSwap, type Snapshot, type Trust } from '@sluice/liquidity'
import { buildGraph, findRoute, type RouteRequest } from '@sluice/routing'
import { RpcError } from '@sluice/rpc'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChainView } from '../view/view.ts'
import { searchSampled } from './sampled-search.ts'

const address = (byte: string) => toAddress(`0x${byte.repeat(20)}`)
const [weth, usdc, untrusted, hooks] = ['11', '22', '33', '44'].map(address) as [Address, Address, Address, Address]
const SLIPPAGE_PPM = 5_000n
const E18 = 10n ** 18n
const block = {
  number: 7,
  hash: '0x07',
  parentHash: '0x06',
  timestamp: 0,
  gasLimit: 1n,
  baseFeePerGas: 0n,
  miner: weth,
} as const

/** A uniswap-v2 pair with a price of `price` per mille and little price impact. */
const honest = (id: string, tokens: readonly [Address, Address], perMille = 1_000n): Pool => ({
  ...{ id, address: address('55'), family: 'uniswap-v2', dex: 'test', tokens },
  state: { reserve0: 10n ** 9n * E18, reserve1: 10n ** 6n * E18 * perMille, feePpm: 0 },
})
/** A sampled pool that claims `outPpm` parts per million of every input, up to 1,000 units. */
const claiming = (id: string, tokens: readonly [Address, Address], outPpm: bigint): Pool => ({
  ...{ id, address: address('66'), family: 'uniswap-v4-hooks', dex: 'test hooks', tokens },
  fixed: { fee: 3_000, tickSpacing: 60, hooks },
  state: {
    samples: [1n, 2n].map(() => [1n, 10n, 100n, 1_000n].map((x) => [x * E18, (x * E18 * outPpm) / 1_000_000n])),
    focus: [[], []],
    sold: [0n, 0n],
    stamp: '',
  },
})
const trust: Trust = {
  level: 'earned',
  tokens: new Set([weth, usdc]),
  accounts: new Set([weth, usdc]),
  pools: new Set(),
}

function viewOf(pools: readonly Pool[], refine?: ChainView['refine']): ChainView {
  const snapshot: Snapshot = {
    chainId: 1,
    block,
    pools: new Map(pools.map((pool) => [pool.id, pool])),
    changedIds: null,
  }
  return { snapshot, graph: () => buildGraph(snapshot), ...(refine && { refine }) } as unknown as ChainView
}
const search = async (view: ChainView, request: RouteRequest) => findRoute(view.graph(), request)
const terms = { wrappedNative: null, gasPriceWei: 0n, trust } as const

async function routeOf(pools: readonly Pool[], change: Partial<RouteRequest> = {}, refine?: ChainView['refine']) {
  const request: RouteRequest = { ...terms, tokenIn: weth, tokenOut: usdc, amountIn: 10n * E18, ...change }
  const context = { search: search as never, signal: AbortSignal.timeout(60_000), slippagePpmOf: () => SLIPPAGE_PPM }
  const view = viewOf(pools, refine)
  const outcome = await searchSampled(view, request, { ...context, mayRefine: refine !== undefined })
  if (!outcome.result.ok) return null
  const { route, alternatives = [] } = outcome.result
  return { ...outcome, route, alternatives, ids: route.legs.map(({ pool }) => pool.id) }
}

describe('a pool of an untrusted hook', () => {
  test('is used if it is the only pool of a requested token', async () => {
    const pools = [claiming('s', [weth, untrusted], 990_000n)]
    expect((await routeOf(pools, { tokenOut: untrusted }))?.ids).toEqual(['s'])
    const through = [...pools, honest('h', [weth, usdc])]
    expect((await routeOf(through, { tokenIn: usdc, tokenOut: untrusted, amountIn: E18 }))?.ids).toEqual(['h', 's'])
  })

  test('is never used between other tokens', async () => {
    const pools = [
      honest('a', [weth, usdc], 900n),
      claiming('s', [weth, untrusted], 999_000n),
      claiming('t', [untrusted, usdc], 999_000n),
    ]
    expect((await routeOf(pools))?.ids).toEqual(['a'])
  })

  test('is used only if it gains more than the slippage', async () => {
    const by = async (outPpm: bigint) =>
      (await routeOf([honest('h', [weth, usdc]), claiming('s', [weth, usdc], outPpm)]))!.ids
    expect(await by(1_004_900n)).toEqual(['h'])
    expect(await by(1_006_000n)).toContain('s')
  })

  test('the minimum output is at least that of the other pools, for any claim of the hook', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt(900_000n, 1_100_000n), fc.bigInt(1n, 2_000n), async (outPpm, whole) => {
        const others = [honest('h', [weth, usdc]), honest('k', [weth, usdc], 997n)]
        const amountIn = whole * E18
        const alone = (await routeOf(others, { amountIn }))!.route.amountOut
        const { route, ids } = (await routeOf([...others, claiming('s', [weth, usdc], outPpm)], { amountIn }))!
        const promised = ids.includes('s')
          ? (route.amountOut * (1_000_000n - SLIPPAGE_PPM)) / 1_000_000n
          : route.amountOut
        expect(promised).toBeGreaterThanOrEqual(alone)
      }),
      { numRuns: 200 },
    )
  })

  test('is not an alternative for the simulation', async () => {
    const pools = [honest('h', [weth, usdc]), claiming('s', [weth, usdc], 1_000_100n)]
    const { alternatives, ids } = (await routeOf(pools, { maxAlternatives: 7 }))!
    expect(ids).toEqual(['h'])
    expect(alternatives.flatMap(({ legs }) => legs.map(({ pool }) => pool.id))).not.toContain('s')
  })

  test('is used like any other once it has earned trust, or if the caller names it', async () => {
    const pools = [honest('h', [weth, usdc]), claiming('s', [weth, usdc], 1_002_000n)]
    expect((await routeOf(pools, { trust: { ...trust, pools: new Set(['s']) } }))!.ids).toContain('s')
    expect(
      (await routeOf(pools, { sources: { include: new Set(['uniswap-v4-hooks', 'uniswap-v2']) } }))!.ids,
    ).toContain('s')
    // The name of the DEX does not vouch for hooks.
    expect((await routeOf(pools, { sources: { include: new Set(['test']) } }))!.ids).toEqual(['h'])
  })

  test('is not in the proof of a route without it, and is in the proof of a route through it', async () => {
    const provenFor = async (outPpm: bigint) => {
      const pools = [honest('h', [weth, usdc]), claiming('s', [weth, usdc], outPpm)]
      const { ids, result, searchRequest } = (await routeOf(pools, { proof: true }))!
      const proven = result.ok ? result.proof!.pools.map(({ pool }) => pool.id).sort() : []
      return { ids, proven, withSampled: searchRequest.withSampled ?? false }
    }
    expect(await provenFor(1_004_000n)).toEqual({ ids: ['h'], proven: ['h'], withSampled: false })
    const { ids, proven, withSampled } = await provenFor(1_010_000n)
    expect(ids).toContain('s')
    expect({ proven, withSampled }).toEqual({ proven: ['h', 's'], withSampled: true })
  })

  test('costs an exact output at most what the others cost, less the slippage', async () => {
    const pools = (outPpm: bigint) => [honest('h', [weth, usdc]), claiming('s', [weth, usdc], outPpm)]
    const inputOf = async (outPpm: bigint) => {
      const request = { ...terms, tokenIn: weth, tokenOut: usdc, amountOut: 10n * E18 }
      const outcome = await searchSampled(viewOf(pools(outPpm)), request, {
        ...{ search: search as never, signal: AbortSignal.timeout(60_000), slippagePpmOf: () => SLIPPAGE_PPM },
        mayRefine: false,
      })
      return outcome.result.ok ? outcome.result.route.legs.map(({ pool }) => pool.id) : []
    }
    expect(await inputOf(1_004_000n)).toEqual(['h'])
    expect(await inputOf(1_007_000n)).toContain('s')
  })
})

describe('a trusted sampled pool of three tokens', () => {
  /** Reserves of x·y = k for each pair, so that the pool pays less at larger amounts. */
  const triplePool = (scale: bigint): Pool => ({
    ...claiming('s', [weth, usdc], 0n),
    family: 'balancer-v3-sampled',
    tokens: [weth, untrusted, usdc],
    state: {
      samples: Array.from({ length: 6 }, (_, direction) =>
        Array.from({ length: 24 }, (_, k) => {
          const [x, reserve] = [1n << BigInt(46 + k), scale + BigInt(direction) * (scale >> 4n)]
          return [x, (x * reserve) / (x + reserve)]
        }),
      ),
      focus: Array.from({ length: 6 }, () => []),
      sold: Array.from({ length: 6 }, () => 0n),
      stamp: '',
    },
  })

  test('routes replay exactly, and pay no less than without the pool', async () => {
    let routesThrough = 0
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt(E18, 10_000n * E18),
        fc.bigInt(900n, 1_100n),
        fc.bigInt(E18, 5_000n * E18),
        async (scale, perMille, amountIn) => {
          const others = [
            honest('direct', [weth, usdc], perMille - 20n),
            honest('first', [weth, untrusted], perMille),
            honest('second', [untrusted, usdc]),
          ]
          const pools = [...others, triplePool(scale)]
          const change = {
            amountIn,
            trust: { ...trust, tokens: new Set([weth, usdc, untrusted]), pools: new Set(['s']) },
          }
          const without = (await routeOf(others, change))!
          const { route, ids } = (await routeOf(pools, change))!
          if (ids.includes('s')) routesThrough++
          expect(route.amountOut * 100_000n).toBeGreaterThanOrEqual(without.route.amountOut * 99_999n)
          const stateByPool = new Map(pools.map((pool) => [pool.id, pool]))
          for (const { pool, tokenIn, tokenOut, amountIn: sold, amountOut } of route.legs) {
            const current = stateByPool.get(pool.id)!
            const quote = familyOf(pool.family)!.quoteExactInput(current, tokenIn, tokenOut, sold)
            expect(quote.amountOut).toBe(amountOut)
            stateByPool.set(pool.id, { ...current, state: quote.state })
          }
        },
      ),
      { numRuns: 100 },
    )
    expect(routesThrough).toBeGreaterThan(50)
  })
})

describe('refinement', () => {
  const coarse = claiming('s', [weth, untrusted], 990_000n)
  const change = { tokenOut: untrusted, amountIn: 7n * E18 }

  test('samples the amounts of the route, searches again, and returns the view it found the route in', async () => {
    const requested: ReadonlyMap<string, readonly SampledSwap[]>[] = []
    const fine = viewOf([claiming('s', [weth, untrusted], 980_000n)])
    const refine = async (swaps: ReadonlyMap<string, readonly SampledSwap[]>) => {
      requested.push(swaps)
      return fine
    }
    const outcome = (await routeOf([coarse], change, refine))!
    expect(requested).toEqual([new Map([['s', [{ tokenIn: weth, tokenOut: untrusted, amountIn: 7n * E18 }]]])])
    expect(outcome.view).toBe(fine)
    expect(outcome.route.amountOut).toBeLessThan((7n * E18 * 981_000n) / 1_000_000n)
  })

  test('is skipped if the amounts are sampled already, and on views without sampling', async () => {
    const refine = () => expect.unreachable('the amount is sampled')
    expect((await routeOf([coarse], { ...change, amountIn: 10n * E18 }, refine))?.ids).toEqual(['s'])
    expect((await routeOf([coarse], change))?.ids).toEqual(['s'])
  })

  test('keeps the first route if the node fails', async () => {
    const refine = async () => {
      throw new RpcError('TIMEOUT', 'no answer')
    }
    expect((await routeOf([coarse], change, refine))?.ids).toEqual(['s'])
  })
})
