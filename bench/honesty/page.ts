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
  writeFileSync(FILE, `# How honest quotes are\n\n${sections.filter((part) => part !== '').join('\n')}`)
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
sent just as the answer says, and compared with what was promised. Then the real transactions of that block and the next are
mined (${figures.blocks.map(({ transactions }) => transactions).join(' and ')}, each held to its status and gas, the blocks to the root of their receipts), and after each block the
same trades are sent once more, each by itself. \`npm run bench -- honesty\` measures it and writes this page;
\`bench/results/honesty.json\` has machine, date and commit.

${figures.trades} trades by seed ${figures.seed} between ${figures.tokens} tokens and ether, half of them between ether and the ${figures.busy} that those blocks trade in,
$10 to $1,000,000, a tenth of them with a fee.
${figures.unfunded} could not be tried, since the balance of their token cannot be set; refused were ${refusalCounts.join(', ') || 'none'}.
Market-consistent are those that pay at most 2 % more than prices say: the state's pools are of different dates, and routes
through pools whose prices disagree pay more than any market would.

| | all | market-consistent | the rest |
| --- | ---: | ---: | ---: |
${formatRow('answered', (figures) => figures.answered)}
${formatRow('reverted at the quoted state', (figures) => figures.reverted)}
${formatRow('paid exactly what was promised', (figures) => figures.exact)}
${formatRow('paid less', (figures) => figures.paidLess)}
${formatRow('paid more', (figures) => figures.paidMore)}
${formatRow('difference, p99 (bps)', (figures) => figures.differenceBps.p99)}
${formatRow('difference, most (bps)', (figures) => figures.differenceBps.most)}
${formatRow('gas needed, of `gasEstimate`: p50', (figures) => figures.gasNeeded.p50)}
${formatRow('p1', (figures) => figures.gasNeeded.p1)}
${formatRow('p99', (figures) => figures.gasNeeded.p99)}
${formatRow('most', (figures) => figures.gasNeeded.most)}
${formatRow('gas charged, after refunds: p50', (figures) => figures.gasCharged.p50)}
${formatRow('most', (figures) => figures.gasCharged.most)}
${formatRow('out of gas at 1.2 times the estimate', (figures) => figures.outOfGas)}
${formatRow('time of a quote, p50 (ms)', (figures) => figures.quoteMs.p50)}

## What real blocks do to a quote

| | all | market-consistent | the rest |
| --- | ---: | ---: | ---: |
${formatRow('`slippage=auto` chose, p50 (%)', (figures) => figures.autoPercent.p50)}
${formatRow('p99', (figures) => figures.autoPercent.p99)}
${figures.blocks.flatMap(({ block }, index) => formatBlockRows(formatRow, formatNumber(block), index)).join('\n')}

A trade that the blocks moved pays more or less than was promised; one that reverts pays nothing and costs its gas. What is
lost and gained counts every trade, also those that no block touched.

## Compared with prices

Trades of up to $1,000 pay, compared with what \`/prices\` says: p50 ${figures.overPrices.p50} bps, p99 ${figures.overPrices.p99} bps, at most ${figures.overPrices.most} bps.
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

Of the ${trades} trades, ${trades - unfunded} can be funded and ${answered} of those are answered: ${answeredPercent} %, and ${answeredPercentOfKnownState} % of those for which the state has what
it takes. ${routedPercent} % of the funded trades have a route, price impacts above the default limit included. Of those that neither missing
state, lack of liquidity nor a token's own limit prevents, ${answeredPercentOfPossible} % are answered. Each refusal is explained by bare transfers on the
node, by the same trade at other sizes, and by giving pools what their state says they hold (\`npm run bench -- honesty --refusals\`;
\`bench/results/refusals.json\` names tokens).

| code | trades | reason |
| --- | ---: | --- |
${refused.map(({ code, reason, trades }) => `| ${code} | ${trades} | ${REASONS[reason]} |`).join('\n')}
`

const formatOwnShare = ({
  ownBps,
  restBps,
}: Figures['overPrices']) => `Of that, fees of pools and integrators and the trades' own weight take p50 ${ownBps.p50} bps, p99 ${ownBps.p99} bps. What is left,
p50 ${restBps.p50} bps and p99 ${restBps.p99} bps, is how far the mid prices of the route's pools are from what \`/prices\` says: a price is of many pools,
and a small trade on this state often has one pool to go through.
`

const formatRouters = ({
  transactions,
  exact,
  minedAsOnChain,
  byRouter,
  gas,
}: Routers) => `## What users of other routers were paid

\`/simulate\` was asked what ${transactions} transactions do that users sent through other routers on Ethereum, each at the state before it in
its block, and the same transaction was mined there: ${minedAsOnChain} came out as on Ethereum to the last log, and \`/simulate\` had reported what the
sender received, to the base unit, of ${exact} (\`npm run bench -- simulate routers\`).

| router | exact |
| --- | ---: |
${Object.entries(byRouter)
  .map(([router, share]) => `| ${router} | ${share} |`)
  .join('\n')}

Gas lies above that of the trace by ${gas.overTheTrace.p50} at the median and ${gas.overTheTrace.most} at most (${gas.ofTheTrace.p50} and ${gas.ofTheTrace.most} times), never below, for reasons that
are known: \`/simulate\` gives the sender exactly the input and an allowance of just that, which a token has to write down where the
real sender had allowed without a limit or kept a rest; it answers for a signature of Permit2 in 4,093 gas more than a plain
account, and receives ether in 15 more. Once the real sender holds and allows just that, and those two taken off, ${gas.equalOnceTheSenderHoldsJustThat} of
${transactions} are equal.
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

${trades} trades between ${tokens} tokens that real blocks trade in, on the same state, each mined: what is paid, less the gas that was charged
at ${Number(gasPriceWei) / 1e9} gwei, the price that all of them choose by (\`npm run bench -- honesty peers\`). Of these, ${answered} were answered. One pool is the best that Uniswap V2's or V3's own
router reaches between the two tokens; the split is that of \`@uniswap/smart-order-router\` over the state's ${pools} pools of Uniswap V2
and V3, walked by SwapRouter02. Sluice also trades elsewhere. A tie is within 1 bp; trades that the other cannot make do not count.
One hop from $100 of WBTC to WETH is charged 138,098 gas through the Guard and 125,607 through SwapRouter02: 0.4 bp of it at
0.152 gwei, 2.6 bps at 1 gwei.

| compared with | trade | trades | wins | ties | losses | median (bps) |
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
    blockRow('moved by it', ({ moved }) => moved),
    blockRow('lost, p99 (bps)', ({ lostBps }) => lostBps.p99),
    blockRow('lost, most (bps)', ({ lostBps }) => lostBps.most),
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
