/** Pools that are not taken at their word: they are ranked with less, and what is told of them stays what they pay. */
import { familyOf, type Pool, type UniswapV2State } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { ExactOutputRequest, Haircuts, Route, RouteRequest } from '../src/types.ts'
import { E18, fairPools, pair, request, seeded, snapshotOf } from './graphs.ts'

const RUNS = process.env.LONG ? 3_000 : 150
/** Two basis points. */
const SLACK = 2e-4
const FREE = { maxHops: 8, maxSplits: 64, gasPriceWei: 0n }

const side = (index: number, reserveB: bigint) => pair(index, { a: 1, b: 2, reserveA: 1_000n * E18, reserveB })
const even = [side(1, 1_000n * E18), side(2, 1_000n * E18)] as const

function routed(pools: readonly Pool[], over: Partial<RouteRequest>): Route {
  const result = findRoute(buildGraph(snapshotOf(pools)), request(over))
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.route
}

/** Worth of a route where each pool pays so much less than it says, to first order. */
function believed({ legs, tokenIn, tokenOut }: Route, haircuts: Haircuts): number {
  const part = new Map([[tokenIn, { told: 1, sure: 1 }]])
  for (const leg of legs) {
    const from = part.get(leg.tokenIn)!
    const to = part.get(leg.tokenOut) ?? { told: 0, sure: 0 }
    const out = Number(leg.amountOut)
    const sure = out * (from.sure / from.told) * (1 - (haircuts.get(leg.pool.id) ?? 0) / 1e6)
    part.set(leg.tokenOut, { told: to.told + out, sure: to.sure + sure })
  }
  return part.get(tokenOut)!.sure
}

test('a pool with a haircut carries less, and its legs say what the pool pays', () => {
  const amountIn = 100n * E18
  const { legs } = routed(even, { amountIn, haircuts: new Map([[even[0].id, 20_000]]) })
  const shares = new Map(legs.map((leg) => [leg.pool.id, leg]))
  const [less, more] = even.map(({ id }) => shares.get(id)!)
  expect(Number(less!.amountIn) / Number(amountIn)).toBeLessThan(0.48)
  expect(less!.amountIn + more!.amountIn).toBe(amountIn)
  for (const { pool, tokenIn, tokenOut, amountIn: sold, amountOut } of [less!, more!])
    expect(amountOut).toBe(familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, sold).amountOut)
  // Small trades all go where nothing is to be feared.
  const small = routed(even, { amountIn: E18, haircuts: new Map([[even[0].id, 20_000]]) })
  expect(small.legs.map(({ pool }) => pool.id)).toEqual([even[1].id])
})

test('a better offer counts for as much as it is better than its haircut', () => {
  const pools = [side(1, 1_030n * E18), side(2, 1_000n * E18)]
  const first = (ppm: number) =>
    routed(pools, { amountIn: E18, haircuts: new Map([[pools[0]!.id, ppm]]) }).legs[0]!.pool
  expect(first(20_000)).toEqual(pools[0])
  expect(first(40_000)).toEqual(pools[1])
})

test('one that is not believed at all is left out, with a reason', () => {
  const [one, two] = even
  expect(routed(even, { amountIn: 100n * E18, haircuts: new Map([[one.id, 1_000_000]]) }).legs).toMatchObject([
    { pool: { id: two.id } },
  ])
  const result = findRoute(
    buildGraph(snapshotOf([one])),
    request({ amountIn: E18, haircuts: new Map([[one.id, 1_000_000]]) }),
  )
  expect(result).toMatchObject({
    ok: false,
    reasons: [{ pool: one.id, reason: expect.stringContaining('again and again') }],
  })
})

test('an output that is wanted is paid in full, whatever is believed', () => {
  const wanted: ExactOutputRequest = {
    ...(({ amountIn: _, ...terms }) => terms)(request()),
    amountOut: 50n * E18,
    haircuts: new Map([[even[0].id, 20_000]]),
  }
  const result = findRoute(buildGraph(snapshotOf(even)), wanted)
  if (!result.ok) throw new Error(result.message)
  expect(result.route.amountOut).toBeGreaterThanOrEqual(wanted.amountOut)
  expect(Number(result.route.amountOut) / Number(wanted.amountOut)).toBeLessThan(1 + 1e-9)
})

test('the route is no worse by what is believed than one that believes all, and the same is found again', () => {
  for (let run = 1; run <= RUNS; run++) {
    const random = seeded(run * 31)
    const pools: readonly Pool<UniswapV2State>[] = fairPools(run, 3 + (run % 20))
    const haircuts = new Map(
      pools.flatMap(({ id }) => (random() < 0.4 ? [[id, Math.ceil(50_000 * random())] as const] : [])),
    )
    const amountIn = BigInt(Math.floor(10 ** (15 + random() * 7)))
    const careful = routed(pools, { ...FREE, amountIn, haircuts })
    const trusting = routed(pools, { ...FREE, amountIn })
    expect(careful.amountOut, `run ${run}`).toBeLessThanOrEqual((trusting.amountOut * 10_002n) / 10_000n)
    expect(believed(careful, haircuts), `run ${run}`).toBeGreaterThanOrEqual(believed(trusting, haircuts) * (1 - SLACK))
    const again = routed(pools, { ...FREE, amountIn, haircuts: new Map([...haircuts].reverse()) })
    expect(again).toEqual(careful)
  }
})

test('haircuts of no pool of the chain change nothing', () => {
  for (let run = 1; run <= 20; run++) {
    const pools = fairPools(run, 12)
    const amountIn = 10n ** 20n
    const strange = new Map([[`0x${'9'.repeat(40)}`, 500_000]])
    expect(routed(pools, { ...FREE, amountIn, haircuts: strange })).toEqual(routed(pools, { ...FREE, amountIn }))
  }
})
