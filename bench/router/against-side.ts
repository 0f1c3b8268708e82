/**
 * Process that measures one side of `router against`. Prints JSON with the route of each trade, and the microseconds of
 * the shortest of many searches. Arguments: `<folder of a checkout> <size as JSON> <gas price in wei>`.
 */
import { join } from 'node:path'
import { generate } from './generate.ts'
import type * as ownRoute from './route.ts'
import type * as ownScenario from './scenario.ts'

const [folder, size, wei] = process.argv.slice(2) as [string, string, string]
/** Milliseconds of searches before the measurement, so that V8 has compiled the search. */
const WARM_UP_MS = 1_500
/** Timed searches per trade. */
const RUNS = 41

type CheckoutModules = Pick<typeof ownRoute, 'requestOf' | 'routeTrade' | 'scenarioGraph'> &
  Pick<typeof ownScenario, 'loadScenario'> & { readonly findRoute: (graph: never, request: never) => unknown }

const files = ['bench/router/route.ts', 'bench/router/scenario.ts', 'packages/routing/src/index.ts']
const modules = await Promise.all(files.map((file) => import(join(folder, file))))
const checkout = Object.assign({}, ...modules) as CheckoutModules

// Both sides get the same trades.
const { trades, ...pools } = generate({ name: 'bench', ...JSON.parse(size) })
const loadedScenario = checkout.loadScenario({ trades, ...pools })
const graph = checkout.scenarioGraph(loadedScenario)
const search = (trade: ownScenario.ScenarioTrade) =>
  checkout.findRoute(graph as never, checkout.requestOf(loadedScenario, trade, BigInt(wei)) as never)

const endAt = performance.now() + WARM_UP_MS
while (performance.now() < endAt) for (const trade of trades) search(trade)
const rows = trades.map((trade) => {
  let shortestUs = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now()
    search(trade)
    shortestUs = Math.min(shortestUs, (performance.now() - start) * 1000)
  }
  const { amountOut, legs } = checkout.routeTrade(loadedScenario, graph, trade, BigInt(wei))
  return { us: shortestUs, route: JSON.stringify([amountOut, legs]) }
})
process.stdout.write(JSON.stringify(rows))
