import { rounded } from '../record.ts'
import { quantile } from '../router/statistics.ts'
import { DELAYS, type Sent } from './send.ts'

/** Transactions whose gas was predicted worst, which are told one by one. */
const FURTHEST = 20

export function summary(sent: readonly Sent[]) {
  const landed = sent.filter(({ outcome }) => outcome === 'landed')
  const families = [...new Set(sent.flatMap((one) => one.families))].sort()
  return {
    swaps: sent.length,
    outOfGas: count(sent, 'out of gas'),
    reverted: count(sent, 'reverted'),
    chargedErrorPercent: errors(landed),
    /** Gas charged as a part of the estimate: how much of it is the buffer of later blocks and refunds. */
    chargedOfEstimate: quantiles(landed.map(({ gasUsed, estimate }) => gasUsed / estimate)),
    furthestOff: landed
      .toSorted((a, b) => errorOf(b) - errorOf(a))
      .slice(0, FURTHEST)
      .map(({ place, delay, families, predicted, gasUsed }) => ({ place, delay, families, predicted, gasUsed })),
    byDelay: Object.fromEntries(DELAYS.map((delay) => [delay, of(sent.filter((one) => one.delay === delay))])),
    byPlace: Object.fromEntries(
      [...new Set(sent.map(({ place }) => place))].map((place) => [
        place,
        of(sent.filter((one) => one.place === place)),
      ]),
    ),
    byFamily: Object.fromEntries(
      families.map((family) => [family, of(sent.filter((one) => one.families.includes(family)))]),
    ),
  }
}

function of(sent: readonly Sent[]) {
  const landed = sent.filter(({ outcome }) => outcome === 'landed')
  return {
    swaps: sent.length,
    outOfGas: count(sent, 'out of gas'),
    reverted: count(sent, 'reverted'),
    chargedErrorPercent: errors(landed),
  }
}

const count = (sent: readonly Sent[], outcome: Sent['outcome']) => sent.filter((one) => one.outcome === outcome).length

function errors(landed: readonly Sent[]) {
  return quantiles(landed.map(errorOf))
}

/** Percent. */
const errorOf = ({ gasUsed, predicted }: Sent) => (100 * Math.abs(predicted - gasUsed)) / gasUsed

function quantiles(values: readonly number[]) {
  const at = (part: number) => (values.length === 0 ? 0 : rounded(Number(quantile(values, part)), 2))
  return { median: at(0.5), p95: at(0.95), worst: at(1) }
}
