/**
 * Writes `docs/honesty.md` from the recorded results of the `honesty`, `routers`, and `peers` benchmarks. Each of these
 * benchmarks updates the page.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lastRecord } from '../record.ts'
import type { Versus } from './peers/versus.ts'
import { REASONS, type RefusalSummary } from './refusals.ts'
import type { Figures } from './summary.ts'
import { TOLERANCES } from './trade.ts'

const FILE = join(import.meta.dirname, '../../docs/honesty.md')

type Honesty = Figures & { readonly seed: number; readonly tokens: number; readonly busy: number }
type Routers = {
  readonly transactions: number
  readonly exact: number
  readonly minedAsOnChain: number
  readonly byRouter: Readonly<Record<string, string>>
  readonly gas: {
    readonly overTheTrace: { readonly p50: number; readonly most: number }
    readonly ofTheTrace: { readonly p50: number; readonly most: number }
    readonly equalOnceTheSenderHoldsJustThat: number
  }
}
type Peers = Versus & { readonly pools: number; readonly tokens: number; readonly gasPriceWei: string }

/** Writes the page. Omits the sections of benchmarks without results. */
export function writePage(): void {
  const sections = [
    sectionOf<Honesty>('honesty', formatHonesty),
    sectionOf<RefusalSummary & { readonly seed: number; readonly tokens: number }>('refusals', formatRefusals),
    sectionOf<Routers>('routers', formatRouters),
    sectionOf<Peers>('peers', formatPeers),
  ]
  writeFileSync(FILE, `# Quote accuracy\n\n${sections.filter((part) => part !== '').join('\n')}`)
}

/** Returns the section of a benchmark; empty if it has no result. */
function sectionOf<T>(name: string, format: (result: T) => string): string {
  const result = lastRecord<T>(name)
  return result ? format(result) : ''
}

function formatHonesty(figures: Honesty): string {
  const classes = [figures.all, figures.marketConsistent, figures.rest]
  const formatRow = (name: string, read: (figures: Figures['all']) => unknown) =>
    `| ${name} | ${classes.map((figures) => read(figures) ?? '–').join(' | ')} |`
  const refusalCounts = Object.entries(figures.refused).map(([code, count]) => `${count} ${code}`)
  const formatNumber = (block: number) => block.toLocaleString('en')
  return `Random trades on the real state of Ethereum ([mainnet.md](mainnet.md)) before block ${formatNumber(figures.blocks[0]!.block)}, each quoted over HTTP,
sent unchanged, and compared with the quote. Then the real transactions of that block and the next are
mined (${figures.blocks.map(({ transactions }) => transactions).join(' and ')}, each with its recorded status and gas, and the blocks with the root of their receipts). After each block, the
same trades are sent again, each separately. \`npm run bench -- honesty\` measures this and writes this page.
\`bench/results/honesty.json\` has machine, date, and commit.

${figures.trades} trades with seed ${figures.seed} between ${figures.tokens} tokens and ether, half of them between ether and the ${figures.busy} tokens that these blocks trade,
$10 to $1,000,000, a tenth of them with a fee.
${figures.unfunded} were skipped, because the balance of their token cannot be set. Refusals: ${refusalCounts.join(', ') || 'none'}.
Market-consistent trades pay at most 2 % more than by prices. The state's pools have different dates, and routes
through pools that disagree on prices pay more than any market.

| | all | market-consistent | the rest |
| --- | ---: | ---: | ---: |
${formatRow('answered', (figures) => figures.answered)}
${formatRow('reverted at the quoted state', (figures) => figures.reverted)}
${formatRow('paid exactly the quoted output', (figures) => figures.exact)}
${formatRow('paid less', (figures) => figures.paidLess)}
${formatRow('paid more', (figures) => figures.paidMore)}
${formatRow('difference, p99 (bps)', (figures) => figures.differenceBps.p99)}
${formatRow('difference, maximum (bps)', (figures) => figures.differenceBps.most)}
${formatRow('gas needed, of `gasEstimate`: p50', (figures) => figures.gasNeeded.p50)}
${formatRow('p1', (figures) => figures.gasNeeded.p1)}
${formatRow('p99', (figures) => figures.gasNeeded.p99)}
${formatRow('maximum', (figures) => figures.gasNeeded.most)}
${formatRow('gas charged, after refunds: p50', (figures) => figures.gasCharged.p50)}
${formatRow('maximum', (figures) => figures.gasCharged.most)}
${formatRow('out of gas at 1.2 times the estimate', (figures) => figures.outOfGas)}
${formatRow('time of a quote, p50 (ms)', (figures) => figures.quoteMs.p50)}

## Effect of real blocks on quotes

| | all | market-consistent | the rest |
| --- | ---: | ---: | ---: |
${formatRow('`slippage=auto` chose, p50 (%)', (figures) => figures.autoPercent.p50)}
${formatRow('p99', (figures) => figures.autoPercent.p99)}
${figures.blocks.flatMap(({ block }, index) => formatBlockRows(formatRow, formatNumber(block), index)).join('\n')}

A trade that is moved by the blocks pays more or less than quoted. A reverted trade pays nothing and costs its gas. Losses and gains
are over all trades, including those that no block affected.

## Compared with prices

Output of trades of up to $1,000, compared with \`/prices\`: p50 ${figures.overPrices.p50} bps, p99 ${figures.overPrices.p99} bps, at most ${figures.overPrices.most} bps.
${formatOwnShare(figures.overPrices)}`
}

const formatRefusals = ({
  trades,
  unfunded,
  answered,
  answeredPercent,
  answeredPercentOfKnownState,
  answeredPercentOfPossible,
  routedPercent,
  refused,
}: RefusalSummary) => `## Refusals and their reasons

Of the ${trades} trades, ${trades - unfunded} can be funded and ${answered} of those are answered: ${answeredPercent} %, and ${answeredPercentOfKnownState} % of those without missing
state. ${routedPercent} % of the funded trades have a route, including those with a price impact above the default limit. Of those without missing
state, lack of liquidity, or a token's own limit, ${answeredPercentOfPossible} % are answered. The reason of each refusal is determined by plain transfers on the
node, by the same trade at other sizes, and by giving pools the balances of their recorded state (\`npm run bench -- honesty --refusals\`;
\`bench/results/refusals.json\` names tokens).

| Code | Trades | Reason |
| --- | ---: | --- |
${refused.map(({ code, reason, trades }) => `| ${code} | ${trades} | ${REASONS[reason]} |`).join('\n')}
`

const formatOwnShare = ({
  ownBps,
  restBps,
}: Figures['overPrices']) => `Of this, p50 ${ownBps.p50} bps and p99 ${ownBps.p99} bps are fees of pools and integrators, and the trades' price impact. The rest,
p50 ${restBps.p50} bps and p99 ${restBps.p99} bps, is the difference of the mid prices of the route's pools from \`/prices\`: a price is the median of many pools,
and a small trade on this state often uses only one pool.
`

const formatRouters = ({
  transactions,
  exact,
  minedAsOnChain,
  byRouter,
  gas,
}: Routers) => `## Transactions of other routers

\`/simulate\` ran ${transactions} transactions that users sent through other routers on Ethereum, each at its own position in
its block, and the same transactions were mined there. ${minedAsOnChain} had the same outcome as on Ethereum, including all logs. \`/simulate\` reported the
received amount of ${exact} exactly (\`npm run bench -- simulate routers\`).

| Router | Exact |
| --- | ---: |
${Object.entries(byRouter)
  .map(([router, share]) => `| ${router} | ${share} |`)
  .join('\n')}

Gas is above that of the trace by ${gas.overTheTrace.p50} at the median and ${gas.overTheTrace.most} at most (${gas.ofTheTrace.p50} and ${gas.ofTheTrace.most} times), and never below. The reasons are
known. \`/simulate\` gives the sender exactly the input, and an allowance of that amount, which the token must reduce. The real sender had an unlimited
allowance, or a remaining balance. A signature of Permit2 takes 4,093 gas more than for a plain account, and receiving ether takes 15 gas more. If
the real sender has exactly this balance and allowance, and without these two differences, ${gas.equalOnceTheSenderHoldsJustThat} of ${transactions} are equal.
`

const formatPeers = ({
  trades,
  answered,
  versus,
  pools,
  tokens,
  gasPriceWei,
  losses,
}: Peers) => `## Compared with Uniswap's own routers

${trades} trades between ${tokens} tokens that real blocks trade, on the same state, each mined. Compared is the output less the charged gas
at ${Number(gasPriceWei) / 1e9} gwei, the price that all routers use (\`npm run bench -- honesty peers\`). Of these, ${answered} were answered. "One pool" is the best pool that the router of Uniswap V2 or V3
reaches between the two tokens. The split is that of \`@uniswap/smart-order-router\` over the state's ${pools} pools of Uniswap V2
and V3, executed by SwapRouter02. Sluice also uses other DEXes. A tie is within 1 bp; trades that the other router cannot make do not count.
One hop from $100 of WBTC to WETH is charged 138,098 gas through the Guard and 125,607 through SwapRouter02: 0.4 bp of it at
0.152 gwei, 2.6 bps at 1 gwei.

| Compared with | Trade | Trades | Wins | Ties | Losses | Median (bps) |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
${Object.entries(versus)
  .flatMap(([peer, sizes]) =>
    Object.entries(sizes).map(
      ([usd, { trades, wins, ties, losses, medianBps }]) =>
        `| ${peer} | $${Number(usd).toLocaleString('en')} | ${trades} | ${wins} | ${ties} | ${losses} | ${medianBps ?? '–'} |`,
    ),
  )
  .join('\n')}
${losses.length === 0 ? '' : `\nLosses: ${losses.map(({ peer, usd, bps }) => `${bps} bps compared with ${peer} at $${usd}`).join('; ')}.\n`}`

type FormatRow = (name: string, read: (figures: Figures['all']) => unknown) => string

function formatBlockRows(formatRow: FormatRow, block: string, index: number): readonly string[] {
  const blockRow = (name: string, read: (figures: Figures['all']['afterBlocks'][number]) => unknown) =>
    formatRow(name, ({ afterBlocks }) => read(afterBlocks[index]!))
  return [
    blockRow(`**after block ${block}**: sent`, ({ sent }) => sent),
    blockRow('moved by the block', ({ moved }) => moved),
    blockRow('lost, p99 (bps)', ({ lostBps }) => lostBps.p99),
    blockRow('lost, maximum (bps)', ({ lostBps }) => lostBps.most),
    blockRow('gained, p99 (bps)', ({ gainedBps }) => gainedBps.p99),
    ...TOLERANCES.map((tolerance) =>
      blockRow(
        `reverted at ${tolerance === 'auto' ? 'the chosen' : `${tolerance} %`} slippage`,
        ({ reverts }) => reverts[tolerance],
      ),
    ),
    blockRow('reverted at any slippage', ({ revertsAtAnyTolerance }) => revertsAtAnyTolerance),
  ]
}
