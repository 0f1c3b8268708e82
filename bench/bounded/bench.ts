/**
 * `npm run bench -- bounded [trades] [seed]`: compares routes over pools with bounded capacity with other ways to make
 * the same trades (checks.ts). Results in `results/bounded.json`.
 */
import { record } from '../record.ts'
import { checkTrades } from './check-trades.ts'

const [trades = 10_000, seed = 1_000_000] = process.argv.slice(2).map(Number)
record('bounded', { seed, ...checkTrades(trades, seed, (text) => console.error(text)) })
