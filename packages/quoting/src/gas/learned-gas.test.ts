import { type Address, toAddress } from '@sluice/chains'
import { gasRow, type Pool, type Trust, tokenGas } from '@sluice/liquidity'
import { random } from '@sluice/liquidity/testing'
import { type Leg, type RoutePlan, routeGas } from '@sluice/routing'
import { expect, test } from 'vitest'
import { GasLessons } from './learned-gas.ts'

const token = (k: number): Address => toAddress(`0x${(k + 1).toString(16).padStart(40, '0')}`)
const HOUR = 3_600

type Swap = Pick<RoutePlan, 'tokenIn' | 'tokenOut' | 'legs'>

/**
 * Routes of one to four pools between ten tokens, whose pools and transfers cost gas that the table does not contain.
 */
function market(seed: number) {
  const r = random(seed)
  const extra = new Map<string, number>()
  const costOf = (key: string) => {
    if (!extra.has(key)) extra.set(key, r.integer(30_000))
    return extra.get(key)!
  }
  const pool = (a: number, b: number): Pool => {
    const [low, high] = [Math.min(a, b), Math.max(a, b)]
    const id = `0xpool${low}${high}`
    return { id, family: 'uniswap-v2', dex: 'test', address: token(low * 16 + high + 99), tokens: [], state: {} }
  }
  const route = (): Swap => {
    const tokens = [r.integer(10)]
    while (tokens.length < 2 + r.integer(4) && tokens.length < 5) {
      const next = r.integer(10)
      if (!tokens.includes(next)) tokens.push(next)
    }
    while (tokens.length < 2) tokens.push((tokens[0]! + 1) % 10)
    const legs = tokens.slice(1).map((to, k): Leg => {
      const amounts = { num: 1n, den: 1n, amountIn: 1n, amountOut: 1n, gas: 53_456 }
      return { pool: pool(tokens[k]!, to), tokenIn: token(tokens[k]!), tokenOut: token(to), ...amounts }
    })
    return { tokenIn: token(tokens[0]!), tokenOut: token(tokens.at(-1)!), legs }
  }
  const charged = (swap: Swap) =>
    swap.legs.reduce(
      (sum, leg) => sum + costOf(leg.pool.id) + costOf(leg.tokenIn) + costOf(leg.tokenOut),
      routeGas({ ...swap, wrappedNative: null }).charged,
    )
  return { route, charged }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!

test('learned gas predicts further routes within 3 %, including routes through new pools', () => {
  const { route, charged } = market(7)
  const lessons = new GasLessons(null)
  const error = (swap: Swap) => Math.abs(lessons.expectedGas(swap, 0) / charged(swap) - 1)
  const routes = Array.from({ length: 200 }, route)
  expect(median(routes.map(error))).toBeGreaterThan(0.15)
  for (let k = 0; k < 1_500; k++) {
    const swap = route()
    lessons.observe(swap, charged(swap) + routeGas({ ...swap, wrappedNative: null }).refund, 0)
  }
  expect(median(routes.map(error))).toBeLessThan(0.03)
})

test('searches within a minute get the same object, and old observations decay', () => {
  const { route, charged } = market(8)
  const lessons = new GasLessons(null)
  expect(lessons.correctionsAt(0)).toBe(undefined)
  const swap = route()
  const gross = charged(swap) + routeGas({ ...swap, wrappedNative: null }).refund
  lessons.observe(swap, gross, 1)
  expect(lessons.correctionsAt(59)).toBe(undefined)
  const corrections = lessons.correctionsAt(60)!
  expect([...corrections.keys()].sort()).toEqual([...new Set(swap.legs.map(({ pool }) => pool.id))].sort())
  expect(lessons.correctionsAt(200)).toBe(corrections)
  expect(lessons.correctionsAt(12 * 24 * HOUR)).toBe(undefined)
})

test('repeated quotes of the same route at a block count as one observation', () => {
  const { route, charged } = market(10)
  const [often, once] = [new GasLessons(null), new GasLessons(null)]
  const swap = route()
  const across = { ...swap, legs: swap.legs.map((leg, k) => (k === 0 ? { ...leg, writes: ['tick 60'] } : leg)) }
  const [block, next] = [{ hash: '0x1', timestamp: 0 } as const, { hash: '0x2', timestamp: 1 } as const]
  const gross = charged(swap) + 50_000
  for (let k = 0; k < 20; k++) often.observeAt(block, swap, gross)
  once.observe(swap, gross, 0)
  expect(often.expectedGas(swap, 0)).toBe(once.expectedGas(swap, 0))
  // Another route and another block count separately.
  for (let k = 0; k < 20; k++) often.observeAt(block, across, gross)
  once.observe(across, gross, 0)
  // Quotes of two blocks alternate while those of the older one are in flight.
  for (let k = 0; k < 20; k++) for (const at of [next, block]) often.observeAt(at, swap, gross)
  once.observe(swap, gross, 1)
  expect(often.expectedGas(swap, 1)).toBe(once.expectedGas(swap, 1))
})

test('of one block, at most 2,048 routes are observed, and each once', () => {
  const lessons = new GasLessons(null)
  let observed = 0
  lessons.observe = () => {
    observed++
  }
  const legOf = (id: string): Leg => ({
    ...{ pool: { id, family: 'uniswap-v2', dex: 'test', address: token(1), tokens: [], state: {} } },
    ...{ tokenIn: token(1), tokenOut: token(2), num: 1n, den: 1n, amountIn: 1n, amountOut: 1n, gas: 1 },
  })
  const observeRoutes = (hash: '0x01' | '0x02', count: number) => {
    for (let k = 0; k < count; k++)
      lessons.observeAt({ hash, timestamp: 0 }, { tokenIn: token(1), tokenOut: token(2), legs: [legOf(`${k}`)] }, 1)
  }
  observeRoutes('0x01', 100)
  observeRoutes('0x01', 100)
  expect(observed).toBe(100)
  observeRoutes('0x01', 2_100)
  expect(observed).toBe(2_048)
  observeRoutes('0x02', 3)
  expect(observed).toBe(2_051)
})

test('one outlier moves the expectation by at most a tenth', () => {
  const { route } = market(9)
  const lessons = new GasLessons(null)
  const swap = route()
  const { charged } = routeGas({ ...swap, wrappedNative: null })
  lessons.observe(swap, 1e12, 0)
  expect(lessons.expectedGas(swap, 0)).toBeLessThanOrEqual(1.1 * charged)
  for (let k = 0; k < 5_000; k++) lessons.observe({ ...route(), tokenIn: token(1_000 + k) }, 1e6, 0)
  expect(lessons.count.entries).toBeLessThanOrEqual(2_048)
})

test('the gas of untrusted tokens and pools is not charged to the parts that other routes share', () => {
  const [weth, usdc, owner] = [token(1), token(2), token(3)]
  const trust: Trust = { level: 'named', tokens: new Set([weth, usdc]), accounts: new Set(), pools: new Set() }
  const legOf = (id: string, tokenIn: Address, tokenOut: Address, family = 'uniswap-v2'): Leg => ({
    pool: { id, family, dex: 'test', address: owner, tokens: [], fixed: { dependsOn: [owner] }, state: {} },
    ...{ tokenIn, tokenOut, num: 1n, den: 1n, amountIn: 1n, amountOut: 1n, gas: 53_456, writes: ['tick 60'] },
  })
  const shared = legOf('shared', weth, usdc)
  const swap = { tokenIn: weth, tokenOut: usdc, legs: [shared] }
  const { charged } = routeGas({ ...swap, wrappedNative: null })
  const lessons = new GasLessons(null)
  for (let k = 0; k < 1_000; k++) {
    const hostile = token(100 + (k % 50))
    const tokenFirst = [legOf(`own ${hostile}`, hostile, weth), shared]
    lessons.observe({ tokenIn: hostile, tokenOut: usdc, legs: tokenFirst }, 5e6, k, trust)
    const poolFirst = [legOf('hooked', usdc, weth, 'balancer-v3'), shared]
    lessons.observe({ tokenIn: usdc, tokenOut: usdc, legs: poolFirst }, 5e6, k, trust)
  }
  expect(lessons.expectedGas(swap, 1_000)).toBe(charged)
  expect([...lessons.correctionsAt(1_000)!.keys()].filter((id) => id === 'shared')).toEqual([])
  // The untrusted parts themselves are learned, and trusted routes teach all their parts.
  expect(lessons.correctionsAt(1_000)!.get('hooked')).toBeGreaterThan(100_000)
  lessons.observe(swap, 2 * charged, 1_000, trust)
  expect(lessons.expectedGas(swap, 1_000)).toBeGreaterThan(charged)
})

test('an expensive tick is charged to swaps that cross it, and not to others', () => {
  const { route } = market(11)
  const lessons = new GasLessons(null)
  const swap = route()
  const across = { ...swap, legs: swap.legs.map((leg, k) => (k === 0 ? { ...leg, writes: ['tick 60'] } : leg)) }
  const { charged, refund } = routeGas({ ...swap, wrappedNative: null })
  for (let k = 0; k < 40; k++) {
    lessons.observe(swap, charged + refund, 0)
    lessons.observe(across, charged + refund + 60_000, 0)
  }
  expect(Math.abs(lessons.expectedGas(swap, 0) - charged)).toBeLessThan(6_000)
  expect(Math.abs(lessons.expectedGas(across, 0) - charged - 60_000)).toBeLessThan(6_000)
})

test('at most a fifth of the unexplained gas is expected as a refund', () => {
  const { route } = market(12)
  const lessons = new GasLessons(null)
  const swap = route()
  const { charged, refund } = routeGas({ ...swap, wrappedNative: null })
  const gross = charged + refund + 8_000
  for (let k = 0; k < 100; k++) lessons.observe(swap, gross, 0)
  const expected = lessons.expectedGas(swap, 0)
  expect(expected).toBeGreaterThanOrEqual(gross * 0.8 - 1_000)
  expect(expected).toBeLessThanOrEqual(gross + 1_000)
})

test('a simulation is distributed by the uncertainty of the parts, of the crossed ticks, and of the sender', () => {
  const { hop, piece } = gasRow('uniswap-v3')
  const legOf = (k: number, pieces: number): Leg => ({
    pool: { id: `p${k}`, family: 'uniswap-v3', dex: 'test', address: token(30 + k), tokens: [], state: {} },
    ...{ tokenIn: token(k), tokenOut: token(k + 1), num: 1n, den: 1n, amountIn: 1n, amountOut: 1n },
    gas: hop + tokenGas(token(k)) + tokenGas(token(k + 1)) + pieces * piece,
  })
  // Standard deviations and counts: the route, its ends, its tokens, the pools, and the transfers of the sold tokens.
  const ends = [3_000, 6_000, 6_000, 6_000, 6_000].map((deviation) => [deviation, 1])
  const hopParts = [12_000, 8_000].map((deviation) => [deviation, 1])
  for (const { legs, pieces, parts } of [
    { legs: [legOf(0, 0)], pieces: 0, parts: [...ends, ...hopParts] },
    { legs: [legOf(0, 3)], pieces: 3, parts: [...ends, ...hopParts] },
    // The token between the pools counts twice.
    { legs: [legOf(0, 1), legOf(1, 0)], pieces: 1, parts: [...ends, ...hopParts, ...hopParts, [6_000, 2]] },
  ]) {
    const swap = { tokenIn: token(0), tokenOut: legs.at(-1)!.tokenOut, legs }
    const { charged, refund } = routeGas({ ...swap, wrappedNative: null })
    const noise = (0.005 * charged) ** 2 + pieces * 12_000 ** 2
    let estimates = parts.map(([deviation, count]) => ({ variance: deviation! ** 2, count: count! }))
    const lessons = new GasLessons(null)
    let expected = charged
    for (const error of [4_000, 8_000, -9_000, 1e9, -1e9]) {
      lessons.observe(swap, expected + refund + error, 0)
      const sum = estimates.reduce((total, { variance, count }) => total + count ** 2 * variance, 0)
      const maxError = 0.1 * Math.max(charged, expected)
      expected += (Math.max(-maxError, Math.min(maxError, error)) * sum) / (sum + noise)
      estimates = estimates.map(({ variance, count }) => ({
        variance: Math.max(500 ** 2, variance * (1 - (count ** 2 * variance) / (sum + noise))),
        count,
      }))
      expect(lessons.expectedGas(swap, 0)).toBeCloseTo(expected, 6)
    }
  }
})

test('a part is corrected by at most 300,000 gas', () => {
  const leg: Leg = {
    pool: { id: 'p', family: 'uniswap-v2', dex: 'test', address: token(3), tokens: [], state: {} },
    ...{ tokenIn: token(0), tokenOut: token(1), num: 1n, den: 1n, amountIn: 1n, amountOut: 1n, gas: 53_456 },
  }
  const swap = { tokenIn: token(0), tokenOut: token(1), legs: [leg] }
  const { charged, refund } = routeGas({ ...swap, wrappedNative: null })
  // The route, its two ends, its two tokens, the pool, and the transfer of the sold token.
  for (const sign of [1, -1]) {
    const lessons = new GasLessons(null)
    for (let k = 0; k < 2_000; k++) lessons.observe(swap, sign * 1e12, 0)
    const gross = charged + refund + sign * 7 * 300_000
    expect(lessons.expectedGas(swap, 0)).toBeCloseTo(gross - Math.max(0, Math.min(refund, gross / 5)), 6)
  }
})
