/**
 * `npm run bench -- honesty [--trades <count> --seed <n> --refusals]`: quotes random trades over HTTP on real Ethereum
 * state (`npm run mainnet`) before block 24,628,607, sends them, and compares the output with the quote. Then sends the
 * same transactions after that block and after the next one. Writes `results/honesty.json`, the reasons of rejections
 * to `results/refusals.json`, and the tables to `docs/honesty.md`. `--refusals` measures only rejections and sends
 * nothing.
 */
import { parseArgs } from 'node:util'
import { Node } from '@sluice/system-test/wallet'
import { startEthereumService } from '../lib/ethereum.ts'
import { pricedTokens } from '../lib/prices.ts'
import { drawTrades, type Trade } from '../lib/trades.ts'
import { record } from '../record.ts'
import { afterBlocks } from './blocks.ts'
import { writePage } from './page.ts'
import { type ExplainedRefusal, explainRefusal, refusalSummary } from './refusals.ts'
import { landedOf, summary, type TrialOutcome } from './summary.ts'
import { type AskedOutcome, askFunded, run } from './trade.ts'

const { values } = parseArgs({
  options: {
    trades: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '20261122' },
    refusals: { type: 'boolean', default: false },
  },
})
const [count, seed] = [Number(values.trades), Number(values.seed)]

const { url, api, guard, stop } = await startEthereumService({ replay: true })
try {
  const tokens = await pricedTokens(api, url)
  const { native, all } = tokens
  const servicePlace = { api, node: new Node(url), guard }
  const trades = drawTrades(seed, count, tokens)
  const trialOutcomes: TrialOutcome[] = []
  const outcomes: { readonly trade: Trade; readonly outcome: AskedOutcome }[] = []
  for (const [k, trade] of trades.entries()) {
    if (values.refusals) outcomes.push({ trade, outcome: await askFunded(servicePlace, trade) })
    else trialOutcomes.push({ trade, outcome: await run(servicePlace, trade) })
    if ((k + 1) % 100 === 0) console.error(`${k + 1} of ${count} trades`)
  }
  const refusals: ExplainedRefusal[] = []
  for (const { trade, outcome } of [...outcomes, ...trialOutcomes])
    if (outcome.kind === 'refused') refusals.push(await explainRefusal(servicePlace, trade, outcome))
  const unfundedCount = [...outcomes, ...trialOutcomes].filter(({ outcome }) => outcome.kind === 'unfunded').length
  record('refusals', { seed, tokens: all.length, ...refusalSummary(count, unfundedCount, refusals) })
  if (!values.refusals) {
    const priceOf = new Map([...all, native].map((priced) => [priced.token, priced]))
    const after = await afterBlocks(servicePlace, landedOf(trialOutcomes))
    const figures = { seed, tokens: all.length, busy: tokens.busy.length, ...summary(trialOutcomes, priceOf, after) }
    record('honesty', figures)
    if (figures.wrong > 0) process.exitCode = 1
  }
  writePage()
} finally {
  await stop()
}
