/** Tests routes over pools with bounded capacity on a sample of random trades. */
import type { Address } from '@sluice/chains'
import { familyOf, type PriceCurve } from '@sluice/liquidity'
import { buildGraph, findRoute } from '@sluice/routing'
import { expect, test } from 'vitest'
import { checkTrades, noTrades } from '../bench/bounded/check-trades.ts'
import { CHECKS, checkTrade } from '../bench/bounded/checks.ts'
import { drawTrade, makeMarket, quoteOrNull } from '../bench/bounded/markets.ts'
import { realStates } from '../bench/bounded/real-states.ts'
import { seededRandom } from '../bench/lib/random.ts'
import { snapshotOf } from '../bench/lib/snapshot.ts'

const TRADES = process.env.LONG ? 10_000 : 12
/** Markets whose sampled pools are compared with their curves. */
const MARKETS = process.env.LONG ? 300 : 100
const SEED = 1
/** Basis points up to which another way may be better. */
const MAX_LOSS_BPS = 0.5

test('routes over pools with limited capacity are no worse than alternatives', { timeout: 3_600_000 }, () => {
  const notes: string[] = []
  const { certificates, lossBps, checks } = checkTrades(noTrades(SEED), TRADES, (text) => notes.push(text))
  // Every check must have applied to a fair share of the trades.
  for (const check of CHECKS) expect(checks[check].made, check).toBeGreaterThan(TRADES / 4)
  expect(certificates.issued).toBeGreaterThan(0.9 * TRADES)
  expect(certificates.false, notes.join('\n')).toBe(0)
  expect(checks.union.violations, notes.join('\n')).toBe(0)
  expect(lossBps.p99, notes.join('\n')).toBeLessThanOrEqual(MAX_LOSS_BPS)
})

/** Market of a seed as it was when its trade lost, before the newest families joined the draw. */
const earlierMarket = (seed: number) =>
  makeMarket(seed, { states: realStates().filter(({ pool }) => !NEWER_FAMILIES.has(pool.family)) })
const NEWER_FAMILIES: ReadonlySet<string> = new Set(['echodex', 'kyber-elastic'])

/**
 * Trades that once lost: exact output with another rounding (2 bps), an amount between served ones that was refused, a
 * wide pool that refused a second swap (236 bps), a pool that refuses a third of all amounts (43 %), a route that a
 * request without one of its pools bettered (6 bps), and one that rounding moved across two ticks (13 bps).
 */
test.each([
  [1_001_794, 3],
  [1_003_388, 0],
  [1_002_400, 2],
  [1_003_439, 1],
  [1_002_833, 0],
  [1_002_050, 1],
])('market %i, trade %i loses nothing', (seed, index) => {
  const market = earlierMarket(seed)
  const checked = checkTrade(market, buildGraph(snapshotOf(market.pools)), drawTrade(market, index))!
  expect(checked.performed).toContain('exact output')
  expect(checked.falseCertificates).toEqual([])
  expect(checked.findings.filter(({ lossBps }) => lossBps > MAX_LOSS_BPS)).toEqual([])
})

/**
 * Trades of today's markets that once lost: what a pool leaves when most of it must be sold at a loss (19 bps), a pool far deeper than
 * the trade before a vault (20 bps), few units and prices that disagree (32 bps), a tick crossed for nothing (8 bps), pools that earn
 * their gas only together (5 bps), pools that earn it only with more than a small part (5 bps), a pool that rounds against the
 * trader by a fixed amount (15 bps), paths of which only a small part fits with the others (26, 11, 5, and 6 bps), a tick that is crossed
 * by rounding (5 bps), a pool whose gas the other pools save if they take its part together (6 bps), and pools that could each take the
 * whole trade although prices disagree (9 bps).
 */
function expectNoLoss(seed: number, index: number): void {
  const market = makeMarket(seed)
  const checked = checkTrade(market, buildGraph(snapshotOf(market.pools)), drawTrade(market, index))!
  expect(checked.falseCertificates).toEqual([])
  expect(checked.findings.filter(({ lossBps }) => lossBps > MAX_LOSS_BPS)).toEqual([])
}
test.each([
  [5_000_756, 1],
  [8_000_777, 1],
  [5_000_844, 3],
  [5_000_955, 0],
  [5_001_063, 2],
  [5_000_604, 1],
  [5_000_651, 0],
  [1_004_050, 3],
  [1_003_793, 3],
  [1_003_752, 3],
])('market %i, trade %i loses nothing either', expectNoLoss)
// Each takes seconds.
test.each([
  [1_001_580, 3],
  [1_003_380, 1],
  [1_003_536, 3],
  [1_003_568, 1],
])('market %i, trade %i loses nothing either', { tags: 'long' }, expectNoLoss)

/**
 * Trades that lost 1,607 and 33 bps because a pool's rounding refused some amounts that buy few units, and 513 bps because a flow that
 * fills a pool has no room for such units.
 */
test.each([
  [5_000_571, 3],
  [5_000_922, 0],
  [1_003_568, 1],
])('market %i, trade %i pays about what fewer hops pay', (seed, index) => {
  const market = makeMarket(seed)
  const graph = buildGraph(snapshotOf(market.pools))
  const terms = { ...drawTrade(market, index), wrappedNative: null, gasPriceWei: 0n }
  const outputs = [4, 3, 2, 1].map((maxHops) => {
    const result = findRoute(graph, { ...terms, maxHops })
    return result.ok ? Number(result.route.amountOut) : 0
  })
  expect(outputs[0]).toBeGreaterThan(Math.max(...outputs) * (1 - FEW_UNITS_LOSS))
})
/** 10 bps: the order in which legs are cut to whole units is not searched. */
const FEW_UNITS_LOSS = 1e-3

test('an exact output gets softened curves for each amount that it tries', () => {
  const market = earlierMarket(1_000_552)
  const graph = buildGraph(snapshotOf(market.pools))
  const { amountIn, ...ends } = drawTrade(market, 2)
  const terms = { ...ends, wrappedNative: null, gasPriceWei: 0n }
  const forward = findRoute(graph, { ...terms, amountIn })
  const back = forward.ok ? findRoute(graph, { ...terms, amountOut: forward.route.amountOut }) : forward
  // Without them, it took 134 bps more than the forward quote.
  expect(back.ok ? Number(back.route.amountIn) : back.message).toBeLessThanOrEqual(Number(amountIn) * (1 + 1e-6))
})

/** Base units below which rounding is a larger part of an amount than the error of a curve. */
const MIN_UNITS = 10n ** 9n

test('sampled pools pay at most what their curve and its error state', () => {
  const above: string[] = []
  let outputs = 0
  for (let seed = 1_100_000; seed < 1_100_000 + MARKETS; seed++) {
    const random = seededRandom(seed)
    for (const pool of makeMarket(seed).pools) {
      const [tokenIn, tokenOut] = pool.tokens as [Address, Address]
      const curve = familyOf(pool.family)!.priceCurve(pool, tokenIn, tokenOut)
      for (let draw = 0; curve.outputErrors && draw < 24; draw++) {
        const input = BigInt(Math.floor(1e30 * Math.exp(-35 * random.next())))
        const output = quoteOrNull(pool, tokenIn, tokenOut, input)
        if (output === null || input < MIN_UNITS || output < MIN_UNITS) continue
        outputs++
        if (Number(output) > maxOutputOf(curve, Number(input))) above.push(`${seed} ${pool.family} ${pool.id} ${input}`)
      }
    }
  }
  expect(outputs).toBeGreaterThan(3 * MARKETS)
  // The error is an estimate, and a bound adds it for every pool that earns something.
  expect(above.length, above.join('\n')).toBeLessThanOrEqual(outputs / 500)
})

/** Returns the output of a curve for an input, with the error of the piece in which it ends. */
function maxOutputOf(curve: PriceCurve, amountIn: number): number {
  const { sqrtPrice, liquidity, keepIn, keepOut, outputErrors } = curve
  let rest = amountIn * keepIn
  let output = 0
  for (const [piece, depth] of liquidity.entries()) {
    const [from, end] = [sqrtPrice[piece]!, sqrtPrice[piece + 1]!]
    const width = depth * (1 / end - 1 / from)
    const isLast = rest <= width || piece === liquidity.length - 1
    const traded = isLast ? rest : width
    // Differences of prices would lose the digits of a small trade.
    output += traded * from * Math.max(end, 1 / (1 / from + traded / depth))
    if (isLast) return output * keepOut * (1 + outputErrors![piece]!)
    rest -= width
  }
  return 0
}
