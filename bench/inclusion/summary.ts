/** Summarizes the predicted and the charged gas. */
import { quantile } from '../lib/statistics.ts'
import { rounded } from '../record.ts'
import { DELAYS, type SentSwap } from './send.ts'

/** Number of transactions with the worst predictions that are listed individually. */
const FURTHEST = 20

export function summary(sentSwaps: readonly SentSwap[]) {
  const landedSwaps = sentSwaps.filter(({ outcome }) => outcome === 'landed')
  const families = [...new Set(sentSwaps.flatMap((swap) => swap.families))].sort()
  return {
    swaps: sentSwaps.length,
    outOfGas: count(sentSwaps, 'out of gas'),
    reverted: count(sentSwaps, 'reverted'),
    chargedErrorPercent: errors(landedSwaps),
    /** Errors of transactions at all delays compared with the prediction for the next block. */
    nextBlockErrorPercent: errors(landedSwaps.map((swap) => ({ ...swap, predicted: swap.predictedNext }))),
    /** Charged gas as a fraction of the estimate, which includes a buffer for later blocks and refunds. */
    chargedOfEstimate: quantiles(landedSwaps.map(({ gasUsed, estimate }) => gasUsed / estimate)),
    furthestOff: furthest(landedSwaps),
    byDelay: byDelay(sentSwaps, summaryOf),
    byPlace: Object.fromEntries(
      [...new Set(sentSwaps.map(({ place }) => place))].map((place) => [
        place,
        summaryOf(sentSwaps.filter((swap) => swap.place === place)),
      ]),
    ),
    byFamily: Object.fromEntries(
      families.map((family) => {
        const familySwaps = sentSwaps.filter((swap) => swap.families.includes(family))
        const p95ByDelay = byDelay(familySwaps, (delayedSwaps) => summaryOf(delayedSwaps).chargedErrorPercent.p95)
        return [family, { ...summaryOf(familySwaps), p95ByDelay }]
      }),
    ),
  }
}

function byDelay<T>(
  sentSwaps: readonly SentSwap[],
  figure: (swaps: readonly SentSwap[]) => T,
): Readonly<Record<string, T>> {
  const usedDelays = DELAYS.filter((delay) => sentSwaps.some((swap) => swap.delay === delay))
  return Object.fromEntries(
    usedDelays.map((delay) => [delay, figure(sentSwaps.filter((swap) => swap.delay === delay))]),
  )
}

/**
 * Returns the worst predictions first. Transactions of one quote with the same error share a row with all their delays.
 */
function furthest(landedSwaps: readonly SentSwap[]) {
  const rows = new Map<string, { delays: number[]; row: object }>()
  for (const swap of landedSwaps.toSorted((a, b) => errorOf(b) - errorOf(a))) {
    const { place, delay, families, predicted, gasUsed } = swap
    const key = [place, families, predicted, gasUsed].join(' ')
    const existingRow = rows.get(key)
    if (existingRow) {
      if (!existingRow.delays.includes(delay)) existingRow.delays.push(delay)
      continue
    }
    if (rows.size >= FURTHEST) continue
    const row = { place, families, predicted, gasUsed, offPercent: rounded(errorOf(swap), 2) }
    rows.set(key, { delays: [delay], row })
  }
  return [...rows.values()].map(({ delays, row }) => ({ ...row, delays }))
}

function summaryOf(sentSwaps: readonly SentSwap[]) {
  const landedSwaps = sentSwaps.filter(({ outcome }) => outcome === 'landed')
  return {
    swaps: sentSwaps.length,
    outOfGas: count(sentSwaps, 'out of gas'),
    reverted: count(sentSwaps, 'reverted'),
    chargedErrorPercent: errors(landedSwaps),
  }
}

const count = (sentSwaps: readonly SentSwap[], outcome: SentSwap['outcome']) =>
  sentSwaps.filter((swap) => swap.outcome === outcome).length

function errors(landedSwaps: readonly SentSwap[]) {
  return quantiles(landedSwaps.map(errorOf))
}

/** Returns the error in percent. */
const errorOf = ({ gasUsed, predicted }: SentSwap) => (100 * Math.abs(predicted - gasUsed)) / gasUsed

function quantiles(values: readonly number[]) {
  const quantileAt = (part: number) => (values.length === 0 ? 0 : rounded(Number(quantile(values, part)), 2))
  return { median: quantileAt(0.5), p95: quantileAt(0.95), worst: quantileAt(1) }
}
