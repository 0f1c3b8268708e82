/** Summarizes the differences between the predicted and the charged gas. */
import { quantile } from '../lib/statistics.ts'
import { rounded } from '../record.ts'
import { DELAYS, type SentSwap } from './send.ts'

/** Number of transactions with the worst predictions that are listed individually. */
const MAX_LISTED = 20

export function summary(sentSwaps: readonly SentSwap[]) {
  const landedSwaps = sentSwaps.filter(({ outcome }) => outcome === 'landed')
  const families = [...new Set(sentSwaps.flatMap((swap) => swap.families))].sort()
  return {
    swaps: sentSwaps.length,
    outOfGas: count(sentSwaps, 'out of gas'),
    reverted: count(sentSwaps, 'reverted'),
    chargedErrorPercent: errorQuantiles(landedSwaps),
    /** Errors of the prediction for the next block, over transactions at all delays. */
    nextBlockErrorPercent: errorQuantiles(
      landedSwaps.map((swap) => ({ ...swap, predictedGas: swap.predictedGasNextBlock })),
    ),
    /**
     * Charged gas divided by the estimate. The estimate includes gas that is refunded, and a buffer for later blocks.
     */
    chargedOfEstimate: quantiles(landedSwaps.map(({ gasUsed, gasEstimate }) => gasUsed / gasEstimate)),
    furthestOff: worstPredictions(landedSwaps),
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
  summarizeDelay: (swaps: readonly SentSwap[]) => T,
): Readonly<Record<string, T>> {
  const usedDelays = DELAYS.filter((delay) => sentSwaps.some((swap) => swap.delay === delay))
  return Object.fromEntries(
    usedDelays.map((delay) => [delay, summarizeDelay(sentSwaps.filter((swap) => swap.delay === delay))]),
  )
}

/**
 * Returns the transactions with the worst predictions, worst first. Transactions of one quote with the same error are
 * one row, which lists their delays.
 */
function worstPredictions(landedSwaps: readonly SentSwap[]) {
  const rows = new Map<string, { delays: number[]; row: object }>()
  for (const swap of landedSwaps.toSorted((a, b) => errorPercentOf(b) - errorPercentOf(a))) {
    const { place, delay, families, predictedGas: predicted, gasUsed } = swap
    const key = [place, families, predicted, gasUsed].join(' ')
    const existingRow = rows.get(key)
    if (existingRow) {
      if (!existingRow.delays.includes(delay)) existingRow.delays.push(delay)
      continue
    }
    if (rows.size >= MAX_LISTED) continue
    const row = { place, families, predicted, gasUsed, offPercent: rounded(errorPercentOf(swap), 2) }
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
    chargedErrorPercent: errorQuantiles(landedSwaps),
  }
}

const count = (sentSwaps: readonly SentSwap[], outcome: SentSwap['outcome']) =>
  sentSwaps.filter((swap) => swap.outcome === outcome).length

function errorQuantiles(landedSwaps: readonly SentSwap[]) {
  return quantiles(landedSwaps.map(errorPercentOf))
}

/** Returns the error of the prediction in percent of the charged gas. */
const errorPercentOf = ({ gasUsed, predictedGas }: SentSwap) => (100 * Math.abs(predictedGas - gasUsed)) / gasUsed

function quantiles(values: readonly number[]) {
  const quantileAt = (part: number) => (values.length === 0 ? 0 : rounded(Number(quantile(values, part)), 2))
  return { median: quantileAt(0.5), p95: quantileAt(0.95), worst: quantileAt(1) }
}
