/** Tests routes over pools with bounded capacity on a sample of random trades. */
import { buildGraph, findRoute } from '@sluice/routing'
import { expect, test } from 'vitest'
import { checkTrades, noTrades } from './check-trades.ts'
import { CHECKS, checkTrade } from './checks.ts'
import { drawTrade, makeMarket, snapshotOf } from './markets.ts'

const TRADES = process.env.LONG ? 10_000 : 120
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

/**
 * Trades that once lost: exact output with another rounding (2 bps), an amount between served ones that was refused, a
 * wide pool that refused a second swap (236 bps), and a pool that refuses a third of all amounts (43 %).
 */
test.each([
  [1_001_794, 3],
  [1_003_388, 0],
  [1_002_400, 2],
  [1_003_439, 1],
])('market %i, trade %i loses nothing', (seed, index) => {
  const market = makeMarket(seed)
  const checked = checkTrade(market, buildGraph(snapshotOf(market.pools)), drawTrade(market, index))!
  expect(checked.performed).toContain('exact output')
  expect(checked.falseCertificates).toEqual([])
  expect(checked.findings.filter(({ lossBps }) => lossBps > MAX_LOSS_BPS)).toEqual([])
})

test('an exact output gets softened curves for each amount that it tries', () => {
  const market = makeMarket(1_000_552)
  const graph = buildGraph(snapshotOf(market.pools))
  const { amountIn, ...ends } = drawTrade(market, 2)
  const terms = { ...ends, wrappedNative: null, gasPriceWei: 0n }
  const forward = findRoute(graph, { ...terms, amountIn })
  const back = forward.ok ? findRoute(graph, { ...terms, amountOut: forward.route.amountOut }) : forward
  // Without them, it took 134 bps more than the forward quote.
  expect(back.ok ? Number(back.route.amountIn) : back.message).toBeLessThanOrEqual(Number(amountIn) * (1 + 1e-6))
})
