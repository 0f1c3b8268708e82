/** Optimal trades of a pool of three tokens at given prices, compared with other trades. */
import { familyOf, swapOn } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { OptimalTrade } from '../src/solver/optimal-trade.ts'
import { E18, seeded } from './graphs.ts'
import { kinds } from './wide-pools.ts'

const RUNS = process.env.LONG ? 2_000 : 100
const TRIALS = 40

test.each(Object.keys(kinds) as (keyof typeof kinds)[])('%s: no other trade earns more', (kind) => {
  const random = seeded(7)
  let traded = 0
  for (let run = 0; run < RUNS; run++) {
    const balances = [kind === 'weighted' ? 2 : 1, 1, 1].map(
      (part) => BigInt(Math.round(part * 1e5 * (0.8 + 0.4 * random()))) * E18,
    )
    const pool = kinds[kind]([0, 1, 2], balances)
    const tradingFunction = familyOf(pool.family)!.tradingFunction!(pool)!
    const price = tradingFunction.balances.map(() => 0.97 + 0.06 * random())
    const trade = new OptimalTrade(tradingFunction)
    for (const [k, value] of price.entries()) {
      trade.priceIn[k] = value / tradingFunction.units[k]! / tradingFunction.keepIn
      trade.priceOut[k] = (value / tradingFunction.units[k]!) * tradingFunction.keepOut
    }
    const earned = trade.solve() ? earningsOf(trade, tradingFunction.balances) : 0
    if (earned > 0) traded++
    const worth = tradingFunction.balances.reduce(
      (sum, balance, k) => sum + (balance / tradingFunction.units[k]!) * price[k]!,
      0,
    )
    expect(earned).toBeGreaterThan(-1e-12 * worth)
    for (let trial = 0; trial < TRIALS; trial++) {
      // Any two consecutive swaps may gain by the fee that the first one leaves, but not by more.
      const at = tradingFunction.balances.slice()
      let gain = 0
      let fees = 0
      for (let swap = 0; swap < 2; swap++) {
        const i = Math.floor(3 * random())
        const j = (i + 1 + Math.floor(2 * random())) % 3
        const amountIn = (tradingFunction.balances[i]! / tradingFunction.units[i]!) * 10 ** (-4 * random()) * 0.2
        const bought = swapOn(tradingFunction, at, i, j, amountIn)
        if (swap === 0) fees = bought * price[j]! * (1 / (tradingFunction.keepIn * tradingFunction.keepOut) - 1)
        gain += bought * price[j]! - amountIn * price[i]!
      }
      expect(gain).toBeLessThanOrEqual(earned + fees + 1e-9 * worth)
    }
  }
  expect(traded).toBeGreaterThan(RUNS / 2)
})

function earningsOf(trade: OptimalTrade, before: Float64Array): number {
  return trade.balances.reduce((sum, after, k) => {
    const change = after - before[k]!
    return change === 0 ? sum : sum - change * (change > 0 ? trade.priceIn[k]! : trade.priceOut[k]!)
  }, 0)
}
