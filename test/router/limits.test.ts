/** Tests what the service's limits cost the trade that loses the most to them. */
import { expect, test } from 'vitest'
import { generate } from '../../bench/router/generate.ts'
import { routeTrade, SERVICE_LIMITS, scenarioGraph } from '../../bench/router/route.ts'
import { loadScenario, type Scenario } from '../../bench/router/scenario.ts'

/** The trade of `bench -- router` whose limited route pays 86 % less than the unlimited one. */
const WORST = { seed: 920_002, trade: 35 }

test('no route of four hops pays more than the limited one, also without a limit on pools', () => {
  const scenario = generate({ name: 'bench', nPools: 200, seed: WORST.seed, nTrades: 120 })
  const trade = scenario.trades.find(({ id }) => id === WORST.trade)!
  const route = (scenario: Scenario, limits?: typeof SERVICE_LIMITS) => {
    const loaded = loadScenario(scenario)
    const { amountOut, gapBps } = routeTrade(loaded, scenarioGraph(loaded), trade, 0n, limits)
    return { output: Number(amountOut), gapBps }
  }
  const unlimited = route(scenario)
  const limited = route(scenario, SERVICE_LIMITS)
  expect(limited.output).toBeLessThan(0.2 * unlimited.output)

  // All pools on any way of at most four hops, used by ways of any length: at least what four hops can pay.
  const fromInput = hopsFrom(scenario, trade.tokenIn)
  const toOutput = hopsFrom(scenario, trade.tokenOut)
  const hops = (a: number, b: number) => fromInput.get(a)! + 1 + toOutput.get(b)!
  const pools = scenario.pools.filter(
    ({ token0, token1 }) => Math.min(hops(token0, token1), hops(token1, token0)) <= SERVICE_LIMITS.maxHops,
  )
  expect(pools.length).toBeGreaterThan(6)
  const reduced = route({ ...scenario, pools })
  expect(reduced.gapBps).toBeLessThan(0.1)
  expect(limited.output).toBeGreaterThanOrEqual(reduced.output * (1 - 1e-5))
})

/** Returns the least number of hops from a token to every other that it reaches. */
function hopsFrom({ pools }: Scenario, from: number): ReadonlyMap<number, number> {
  const hops = new Map([[from, 0]])
  // The loop visits tokens that it adds.
  for (const [token, count] of hops)
    for (const { token0, token1 } of pools) {
      const other = token === token0 ? token1 : token0
      if ((token === token0 || token === token1) && !hops.has(other)) hops.set(other, count + 1)
    }
  return hops
}
