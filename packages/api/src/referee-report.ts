/** Formats a verdict on a mined swap as text, for the command line. */
import type { RefereeResponse } from './referee-response.ts'

/** Formats an amount in base units of a token. */
type FormatAmount = (amount: string, token: string) => string

/** Returns the text of a verdict, with one fact per line. */
export function formatReport(verdict: RefereeResponse, formatAmount: FormatAmount): string {
  const { outcome, reason, block, index, trades, sandwich, unknown } = verdict
  if (outcome !== 'swap')
    return `No swap to judge: ${reason}${block === null ? '' : ` (block ${block}, position ${index})`}.`
  const lines = [`Transaction ${verdict.hash} in block ${block}, position ${index}`]
  for (const trade of trades) lines.push(...tradeLines(trade, formatAmount))
  if (sandwich)
    lines.push(
      `Looks like a sandwich: ${sandwich.front.hash} (position ${sandwich.front.index}) and ${sandwich.back.hash} (position ${sandwich.back.index}) of ${sandwich.by} trade around it in ${sandwich.pool}, and take ${sandwich.gain} base units of ${sandwich.token} out of it.`,
    )
  else lines.push('No sandwich was seen around it.')
  for (const gap of unknown) lines.push(`Not known: ${gap}.`)
  return lines.join('\n')
}

function tradeLines(trade: RefereeResponse['trades'][number], formatAmount: FormatAmount): readonly string[] {
  const { src, dst, comparisons, fees } = trade
  const traderText = trade.trader === trade.recipient ? trade.trader : `${trade.trader}, for ${trade.recipient}`
  const lines = [
    `Trade of ${traderText}`,
    formatRow('gave', formatAmount(trade.fromAmount, src)),
    formatRow('received', formatAmount(trade.toAmount, dst)),
    ...fees.map((fee) => formatRow('fee, it seems', `${formatAmount(fee.amount, fee.token)} to ${fee.account}`)),
  ]
  if (trade.toAmountAtParent !== null)
    lines.push(formatRow('at the block before', formatAmount(trade.toAmountAtParent, dst)))
  for (const { state, ...comparison } of comparisons) {
    lines.push(state === 'position' ? 'At the state in its position in the block' : 'At the end of the block before')
    lines.push(
      formatRow('best simulated', `${formatAmount(comparison.toAmount, dst)} (${comparison.pools.length} pools)`),
    )
    lines.push(formatRow('proven bound', comparison.bound === null ? 'not known' : formatAmount(comparison.bound, dst)))
    lines.push(
      formatRow(
        'left on the table',
        `${formatBps(comparison.leftBps)}, at most ${formatBps(comparison.leftAtMostBps)}`,
      ),
    )
    lines.push(formatRow('net of gas', formatBps(comparison.leftNetBps)))
    if (comparison.poolsPending) lines.push(formatRow('caveat', 'pools are still being searched for'))
  }
  return lines
}

function formatRow(name: string, value: string): string {
  return `  ${name.padEnd(20)} ${value}`
}

function formatBps(value: number | null): string {
  return value === null ? 'not known' : `${value} bps`
}
