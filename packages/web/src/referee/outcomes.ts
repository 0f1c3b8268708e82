/** Texts of the Referee page: the verdict on a swap, or the reason why a transaction was not judged. */
import type { Comparison, RefereeReport } from './report.ts'

/** Title and text of a notice. */
export type OutcomeText = { readonly kind: 'good' | 'warn' | 'info'; readonly title: string; readonly text: string }

/** Maximum difference that counts as equal, because the gas price and rounding cause such differences. */
const NOISE_BPS = 1

const toSentence = (text: string): string => {
  const capitalized = text.charAt(0).toUpperCase() + text.slice(1)
  return capitalized === '' || /[.!?]$/.test(capitalized) ? capitalized : `${capitalized}.`
}

/** Explains why a transaction was not judged; undefined if it was. */
export function reasonNotJudged(
  { outcome, reason, block, trades, gaps }: RefereeReport,
  chain: string,
): OutcomeText | undefined {
  switch (outcome) {
    case 'unknown':
      return {
        kind: 'warn',
        title: `No transaction with this hash on ${chain}.`,
        text: 'Check the hash and the chain.',
      }
    case 'pending':
      return { kind: 'info', title: 'Not mined yet.', text: 'It is judged as soon as it is in a block.' }
    case 'reverted':
      return { kind: 'info', title: 'Not a swap.', text: 'The transaction reverted: it cost gas and swapped nothing.' }
    case 'nothing':
    case 'transfer':
    case 'wrap':
      return { kind: 'info', title: 'Not a swap.', text: toSentence(reason) }
    case 'several':
      return { kind: 'info', title: 'Not comparable.', text: toSentence(reason) }
    case 'swap':
      break
  }
  if (trades.some(({ comparisons }) => comparisons.length > 0)) return undefined
  if (gaps.some(({ code }) => code === 'NO_STATE')) {
    const blockText = block === null ? 'the block before' : `block ${block - 1}`
    const text = 'Judging an old swap takes an archive node.'
    return { kind: 'warn', title: `The service’s node has no state of ${blockText}.`, text }
  }
  return { kind: 'warn', title: 'Not comparable.', text: gaps.map(({ message }) => toSentence(message)).join(' ') }
}

/** Describes the result of one comparison of a trade with the best route. */
export function comparisonText({ leftNetBps, leftBps }: Comparison): OutcomeText {
  const gapBps = leftNetBps ?? leftBps
  const gas = leftNetBps === null ? 'before gas' : 'net of gas'
  if (gapBps === null) return { kind: 'info', title: 'Not comparable.', text: 'The best route pays nothing.' }
  const amount = `${bpsText(Math.abs(gapBps))} (${percentText(Math.abs(gapBps))})`
  if (gapBps > NOISE_BPS) return { kind: 'warn', title: `Left ${amount} on the table, ${gas}.`, text: '' }
  if (gapBps < -NOISE_BPS) {
    const text = 'It used liquidity that this service does not know, such as quotes of market makers, or cheaper gas.'
    return { kind: 'good', title: `Paid ${amount} more than the best known route, ${gas}.`, text }
  }
  return { kind: 'good', title: `As good as the best known route: within ${NOISE_BPS} bps, ${gas}.`, text: '' }
}

/** Formats positive basis points with two decimals, rounded like the `Bps` component. */
export const bpsText = (bps: number): string => `${bps.toFixed(2)} bps`

const percentText = (bps: number): string => {
  const percent = Math.trunc(bps) / 100
  return percent < 0.01 ? '< 0.01 %' : `${percent.toFixed(2)} %`
}

/** True if the service could not read the transactions before and after the judged one, which could be a sandwich. */
export const isSandwichUnknown = ({ gaps }: RefereeReport): boolean => gaps.some(({ code }) => code === 'NEIGHBORS')
