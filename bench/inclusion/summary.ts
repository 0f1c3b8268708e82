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
    /** Errors of transactions that are mined later too, against what the answer predicts for the next block. */
    nextBlockErrorPercent: errors(landed.map((one) => ({ ...one, predicted: one.predictedNext }))),
    /** Gas charged as a part of the estimate: how much of it is the buffer of later blocks and refunds. */
    chargedOfEstimate: quantiles(landed.map(({ gasUsed, estimate }) => gasUsed / estimate)),
    furthestOff: furthest(landed),
    byDelay: byDelay(sent, of),
    byPlace: Object.fromEntries(
      [...new Set(sent.map(({ place }) => place))].map((place) => [
        place,
        of(sent.filter((one) => one.place === place)),
      ]),
    ),
    byFamily: Object.fromEntries(
      families.map((family) => {
        const its = sent.filter((one) => one.families.includes(family))
        const p95ByDelay = byDelay(its, (some) => of(some).chargedErrorPercent.p95)
        return [family, { ...of(its), p95ByDelay }]
      }),
    ),
  }
}

function byDelay<T>(sent: readonly Sent[], figure: (some: readonly Sent[]) => T): Readonly<Record<string, T>> {
  const met = DELAYS.filter((delay) => sent.some((one) => one.delay === delay))
  return Object.fromEntries(met.map((delay) => [delay, figure(sent.filter((one) => one.delay === delay))]))
}

/** Worst predictions first; those of one quote that were off alike are one row with all their delays. */
function furthest(landed: readonly Sent[]) {
  const rows = new Map<string, { delays: number[]; row: object }>()
  for (const one of landed.toSorted((a, b) => errorOf(b) - errorOf(a))) {
    const { place, delay, families, predicted, gasUsed } = one
    const key = [place, families, predicted, gasUsed].join(' ')
    const known = rows.get(key)
    if (known) {
      if (!known.delays.includes(delay)) known.delays.push(delay)
      continue
    }
    if (rows.size >= FURTHEST) continue
    const row = { place, families, predicted, gasUsed, offPercent: rounded(errorOf(one), 2) }
    rows.set(key, { delays: [delay], row })
  }
  return [...rows.values()].map(({ delays, row }) => ({ ...row, delays }))
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
