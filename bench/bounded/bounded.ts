/**
 * `npm run bench -- bounded [trades] [seed]`: compares routes through pools with limited capacity with other ways to
 * make the same trades (checks.ts). Writes `results/bounded.json` after every 250 trades. `-- bounded --continue
 * [trades]` continues an interrupted run from this file.
 */
import { lastRecord, record } from '../record.ts'
import { type CheckedTrades, checkTrades, noTrades } from './check-trades.ts'

const TRADES_PER_PART = 250

const isContinued = process.argv.includes('--continue')
const [trades = 10_000, seed = 1_000_000] = process.argv
  .slice(2)
  .filter((argument) => !argument.startsWith('--'))
  .map(Number)
const result = isContinued ? lastResult() : noTrades(seed)
while (result.trades < trades) {
  checkTrades(result, Math.min(trades, result.trades + TRADES_PER_PART), (text) => console.error(text))
  record('bounded', result, { isPrinted: result.trades >= trades })
}

/** Returns the last result, without its date and machine. */
function lastResult(): CheckedTrades {
  const last = lastRecord<CheckedTrades & Readonly<Record<string, unknown>>>('bounded')
  if (!last) throw new Error('There is no earlier result to continue from')
  const empty = noTrades(last.seed)
  return Object.assign(empty, Object.fromEntries(Object.keys(empty).map((key) => [key, last[key]])))
}
