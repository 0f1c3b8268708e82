/**
 * `npm run bench -- honesty [--trades <count> --seed <n> --refusals]`: quotes random trades over HTTP on recorded
 * Ethereum state (`npm run mainnet`) before block 24,628,607, sends them, and compares the output with the quote. Then
 * replays that block, sends the same transactions again, and does the same for the next block. Writes the results to
 * `results/honesty.json`, the reasons for rejections to `results/refusals.json`, and the tables to `docs/honesty.md`.
 * With `--refusals`, only determines the reasons for rejections, and sends no trades.
 */
import { parseArgs } from 'node:util'
import { Node } from '@sluice/system-test/wallet'
import { startEthereumService } from '../lib/ethereum.ts'
import { pricedTokens } from '../lib/prices.ts'
import { drawTrades, type Trade } from '../lib/trades.ts'
import { record } from '../record.ts'
import { replayAndSend } from './blocks.ts'
import { writePage } from './page.ts'
import { type ExplainedRefusal, explainRefusal, summarizeRefusals } from './refusals.ts'
import { landedOf, summarize, type TrialOutcome } from './summary.ts'
import { type FundedQuoteOutcome, quoteAndSend, requestQuoteWhenFunded } from './trade.ts'

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
  const { native, all: allTokens } = tokens
  const service = { api, node: new Node(url), guard }
  const trades = drawTrades(seed, count, tokens)
  const trialOutcomes: TrialOutcome[] = []
  const quoteOutcomes: { readonly trade: Trade; readonly outcome: FundedQuoteOutcome }[] = []
  for (const [index, trade] of trades.entries()) {
    if (values.refusals) quoteOutcomes.push({ trade, outcome: await requestQuoteWhenFunded(service, trade) })
    else trialOutcomes.push({ trade, outcome: await quoteAndSend(service, trade) })
    if ((index + 1) % 100 === 0) console.error(`${index + 1} of ${count} trades`)
  }
  const refusals: ExplainedRefusal[] = []
  for (const { trade, outcome } of [...quoteOutcomes, ...trialOutcomes])
    if (outcome.kind === 'refused') refusals.push(await explainRefusal(service, trade, outcome))
  const unfundedCount = [...quoteOutcomes, ...trialOutcomes].filter(({ outcome }) => outcome.kind === 'unfunded').length
  record('refusals', { seed, tokens: allTokens.length, ...summarizeRefusals(count, unfundedCount, refusals) })
  if (!values.refusals) {
    const pricedTokenByAddress = new Map([...allTokens, native].map((priced) => [priced.token, priced]))
    const outcomesByBlock = await replayAndSend(service, landedOf(trialOutcomes))
    const figures = {
      seed,
      tokens: allTokens.length,
      busy: tokens.busy.length,
      ...summarize(trialOutcomes, pricedTokenByAddress, outcomesByBlock),
    }
    record('honesty', figures)
    if (figures.wrong > 0) process.exitCode = 1
  }
  writePage()
} finally {
  await stop()
}
