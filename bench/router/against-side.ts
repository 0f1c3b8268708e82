/**
 * Runs one side of `router-against` in its own process: `<folder of a checkout> <size as JSON> <gas price in wei>`.
 * Prints the microseconds of each trade's search, the shortest of many, and its route, as JSON.
 */
import { join } from 'node:path'
import { generate } from './generate.ts'
import type * as ownRoute from './route.ts'
import type * as ownScenario from './scenario.ts'

const [folder, size, wei] = process.argv.slice(2) as [string, string, string]
/** Milliseconds of searches before the measurement, after which V8 has compiled them. */
const WARM_UP_MS = 1_500
/** Timed searches per trade. */
const RUNS = 41

type Code = Pick<typeof ownRoute, 'requestOf' | 'routeTrade' | 'scenarioGraph'> &
  Pick<typeof ownScenario, 'loadScenario'> & { readonly findRoute: (graph: never, request: never) => unknown }

const files = ['bench/router/route.ts', 'bench/router/scenario.ts', 'packages/routing/src/index.ts']
const parts = await Promise.all(files.map((file) => import(join(folder, file))))
const code = Object.assign({}, ...parts) as Code

// Both sides get the same trades.
const { trades, ...rest } = generate({ name: 'bench', ...JSON.parse(size) })
const loadedScenario = code.loadScenario({ trades, ...rest })
const graph = code.scenarioGraph(loadedScenario)
const search = (trade: ownScenario.ScenarioTrade) =>
  code.findRoute(graph as never, code.requestOf(loadedScenario, trade, BigInt(wei)) as never)

const endAt = performance.now() + WARM_UP_MS
while (performance.now() < endAt) for (const trade of trades) search(trade)
const rows = trades.map((trade) => {
  let us = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now()
    search(trade)
    us = Math.min(us, (performance.now() - start) * 1000)
  }
  const { amountOut, legs } = code.routeTrade(loadedScenario, graph, trade, BigInt(wei))
  return { us, route: JSON.stringify([amountOut, legs]) }
})
process.stdout.write(JSON.stringify(rows))
