/**
 * Routes the trades of a scenario file and prints a JSON line for each.
 *
 *     npm run -s route -- <scenario.json> [--gas-price <wei>] [--trade <id>]
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { routeTrade, scenarioGraph } from '../bench/router/route.ts'
import { loadScenario, type Scenario } from '../bench/router/scenario.ts'
import { userPath } from './lib/run.ts'

const USAGE = 'usage: npm run -s route -- <scenario.json> [--gas-price <wei>] [--trade <id>]'

try {
  main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'gas-price': { type: 'string', default: '0' }, trade: { type: 'string' } },
  })
  const [file, ...more] = positionals
  if (!file || more.length > 0) throw new Error(USAGE)
  const gasPrice = values['gas-price']
  if (!/^\d{1,30}$/.test(gasPrice)) throw new Error(`--gas-price: ${gasPrice} is not a whole number of wei`)
  const scenario = JSON.parse(readFileSync(userPath(file), 'utf8')) as Scenario
  if (scenario.version !== 1) throw new Error(`${file}: version ${scenario.version} is not 1`)
  const trades = scenario.trades.filter(({ id }) => values.trade === undefined || String(id) === values.trade)
  if (trades.length === 0) throw new Error(`--trade: ${file} has no trade ${values.trade}`)
  const loaded = loadScenario(scenario)
  const graph = scenarioGraph(loaded)
  for (const trade of trades) console.log(JSON.stringify(routeTrade(loaded, graph, trade, BigInt(gasPrice))))
}
