/**
 * Routes the trades of a scenario file and prints a JSON line for each. The benchmark's own pool math checks the output
 * of each route. If it differs, the line contains the computed output as `pays`, and the exit code is 1.
 *
 * `npm run -s route -- <scenario.json> [--gas-price <wei>] [--trade <id>]`
 */
import { readFileSync } from 'node:fs'
import { evaluate } from '../bench/router/evaluate.ts'
import { routeTrade, scenarioGraph, warmUp } from '../bench/router/route.ts'
import { loadScenario } from '../bench/router/scenario.ts'
import { readScenario } from '../bench/router/scenario-file.ts'
import { commandLine } from './lib/command-line.ts'
import { userPath } from './lib/run.ts'

const USAGE = 'usage: npm run -s route -- <scenario.json> [--gas-price <wei>] [--trade <id>]'
try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}

async function main(): Promise<void> {
  const { values, positionals } = commandLine(USAGE, {
    allowPositionals: true,
    options: { 'gas-price': { type: 'string', default: '0' }, trade: { type: 'string' } },
  })
  const [file, ...extraArguments] = positionals
  if (!file || extraArguments.length > 0) throw new Error(USAGE)
  const gasPrice = values['gas-price']
  if (!/^\d{1,30}$/.test(gasPrice)) throw new Error(`--gas-price: ${gasPrice} is not a whole number of wei`)
  const { scenario, toFileIds } = readScenario(readFileSync(userPath(file), 'utf8'))
  const trades = scenario.trades.filter(({ id }) => values.trade === undefined || String(id) === values.trade)
  if (trades.length === 0)
    throw new Error(
      values.trade === undefined ? `${file} has no trades` : `--trade: ${file} has no trade ${values.trade}`,
    )
  const loadedScenario = loadScenario(scenario)
  const graph = scenarioGraph(loadedScenario)
  const route = (trade: (typeof trades)[number]) => routeTrade(loadedScenario, graph, trade, BigInt(gasPrice))
  await warmUp(trades, route)
  let unconfirmedCount = 0
  for (const trade of trades) {
    const routedTrade = route(trade)
    const { amountOut } = evaluate(scenario, trade, routedTrade.legs)
    // Reports the mismatch and continues with the other trades.
    const isConfirmed = String(amountOut) === routedTrade.amountOut
    if (!isConfirmed) unconfirmedCount++
    console.log(JSON.stringify({ ...toFileIds(routedTrade), ...(!isConfirmed && { pays: String(amountOut) }) }))
  }
  if (unconfirmedCount > 0)
    throw new Error(`${unconfirmedCount} of ${trades.length} routes pay another amount than they claim`)
}
