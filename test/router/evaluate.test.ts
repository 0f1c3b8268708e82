/** Tests of the route evaluator. */
import { expect, test } from 'vitest'
import { evaluate } from '../../bench/router/evaluate.ts'
import { generate } from '../../bench/router/generate.ts'
import { routeTrade, scenarioGraph } from '../../bench/router/route.ts'
import { loadScenario } from '../../bench/router/scenario.ts'

const scenario = generate({ name: 'test', nPools: 60, seed: 5, nTrades: 40 })

test('a scenario is determined by its seed, has the requested size, and contains every kind of pool', () => {
  expect(generate({ name: 'test', nPools: 60, seed: 5, nTrades: 40 })).toEqual(scenario)
  expect(scenario.pools).toHaveLength(60)
  expect(new Set(scenario.pools.map(({ type }) => type))).toEqual(new Set(['v2', 'v3', 'stable']))
})

test('the evaluator computes the output of the router, to the unit, and never more than the bound', () => {
  const loaded = loadScenario(scenario)
  const graph = scenarioGraph(loaded)
  for (const gasPrice of [0n, 10n ** 10n]) {
    for (const trade of scenario.trades) {
      const { amountOut, legs, gapBps } = routeTrade(loaded, graph, trade, gasPrice)
      const evaluation = evaluate(scenario, trade, legs)
      expect(String(evaluation.amountOut)).toBe(amountOut)
      expect(evaluation.incompleteLegs).toBe(0)
      expect(gapBps).not.toBeNull()
    }
  }
})

test('the bound is tight where single prices alone leave it far above an optimal route', () => {
  const loose = generate({ name: 'loose', nPools: 20, seed: 424262, nTrades: 60 })
  const loaded = loadScenario(loose)
  const trade = loose.trades.find(({ id }) => id === 6)!
  expect(routeTrade(loaded, scenarioGraph(loaded), trade, 0n).gapBps).toBeLessThan(1)
})

test('the evaluator refuses legs of tokens or amounts that are not held', () => {
  const { id: pool, token0, token1 } = scenario.pools[0]!
  const trade = { ...scenario.trades[0]!, tokenIn: token0 }
  const leg = { pool, tokenIn: token0, tokenOut: token1, num: '1', den: '1' }
  expect(() => evaluate(scenario, trade, [{ ...leg, tokenOut: token0 }])).toThrow('does not trade')
  expect(() => evaluate(scenario, trade, [{ ...leg, num: '2' }])).toThrow('more than the balance')
})

test('a pool of 18 and 6 decimals rounds by the order of its coins, whichever of them is sold', () => {
  // The service's family matches the genuine bytecode (USDe/USDC in packages/liquidity/test/curve.test.ts).
  const large = generate({ name: 'g', nPools: 2_000, seed: 779_262, nTrades: 300 })
  const loaded = loadScenario(large)
  const trade = large.trades[72]!
  const { amountOut, legs } = routeTrade(loaded, scenarioGraph(loaded), trade, 0n)
  expect(
    legs.some((leg) => large.pools[leg.pool]!.type === 'stable' && leg.tokenIn === large.pools[leg.pool]!.token1),
  ).toBe(true)
  expect(String(evaluate(large, trade, legs).amountOut)).toBe(amountOut)
})
