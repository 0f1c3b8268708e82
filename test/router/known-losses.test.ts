/** Tests trades that Uniswap's router once routed better, with the value of its routes after gas at 10 gwei. */
import { expect, test } from 'vitest'
import { evaluate } from '../../bench/router/evaluate.ts'
import { generate } from '../../bench/router/generate.ts'
import { netOf } from '../../bench/router/net.ts'
import { routeTrade, scenarioGraph } from '../../bench/router/route.ts'
import { loadScenario } from '../../bench/router/scenario.ts'

const GAS_PRICE = 10n ** 10n
/** A tenth of a basis point. */
const TIE = 1e-5

test.each([
  { nPools: 2_000, seed: 930_001, nTrades: 100, id: 9, theirs: 2.5997418626170665e21 },
  { nPools: 200, seed: 551_001, nTrades: 120, id: 10, theirs: 973_737_608 },
  { nPools: 200, seed: 561_001, nTrades: 120, id: 50, theirs: 2.0644459465290448e21 },
])('trade $id of $nPools pools of seed $seed', ({ nPools, seed, nTrades, id, theirs }) => {
  const scenario = generate({ name: 'loss', nPools, seed, nTrades })
  const loaded = loadScenario(scenario)
  const trade = scenario.trades.find((trade) => trade.id === id)!
  const { legs } = routeTrade(loaded, scenarioGraph(loaded), trade, GAS_PRICE)
  const net = netOf(evaluate(scenario, trade, legs), scenario, trade, GAS_PRICE)
  expect(net).toBeGreaterThanOrEqual(theirs * (1 - TIE))
})
