/**
 * Metrics of drift: the difference between a quote and the output of its transaction, simulated one and two blocks
 * later.
 */
import { FLOAT_PPM } from '@sluice/chains'
import { BLOCKS_AFTER, type ByBlock, type DriftFigures, type Figures } from '@sluice/quoting'
import type { Registry } from 'prom-client'
import { metricFactory } from './metric-factory.ts'

/**
 * Maximum number of DEX families that are exported per chain. The same maximum applies to brands, and to pools. Those
 * with the most samples are exported.
 */
export const MAX_DRIFTS = 32

export type DriftMetrics = ReturnType<typeof createDriftMetrics>

export function createDriftMetrics(registry: Registry) {
  const { gauge } = metricFactory(registry)
  const labelNames = ['chain', 'of', 'name', 'after'] as const
  return {
    samples: gauge(
      'sluice_drift_samples',
      'Quotes that were simulated again, in the window of recent samples that the other drift figures cover. Label after: number of blocks after the quote. Label of: chain, family, brand or pool.',
      labelNames,
    ),
    bps: gauge(
      'sluice_drift_bps',
      'Simulated output above the quote in basis points; negative if the taker receives less. Label figure: mean, median, or worst5 (5 % of the quotes drift this much or worse).',
      [...labelNames, 'figure'],
    ),
    wouldRevert: gauge(
      'sluice_drift_would_revert_ratio',
      'Share of the quotes whose transaction would have reverted, because the output fell below its minimum.',
      labelNames,
    ),
    driftPenalty: gauge(
      'sluice_drift_haircut_ratio',
      'Share of its output that is deducted from a pool when routes are ranked, because its quotes repeatedly paid less one block later; 1 while the pool is excluded. Only the pools with the largest losses.',
      ['chain', 'pool', 'family', 'dex'],
    ),
    missed: gauge(
      'sluice_drift_missed',
      'Quotes that were selected as samples but could not be simulated again: a block was not seen or was reorganized, or the node failed.',
      ['chain'],
    ),
  }
}

/** Sets the gauges of a chain. Call `clearDriftSeries` first, so that series that are no longer exported disappear. */
export function exportDrift(metrics: DriftMetrics, chainId: number, figures: DriftFigures): void {
  const chain = String(chainId)
  metrics.missed.set({ chain }, figures.missed)
  const setGauges = (scope: string, name: string, figuresByBlock: ByBlock<Figures>) => {
    for (const blocks of BLOCKS_AFTER) {
      const labels = { chain, of: scope, name, after: String(blocks) }
      const { samples, wouldRevert, meanBps, medianBps, worst5Bps } = figuresByBlock[blocks]
      if (samples === 0) continue
      metrics.samples.set(labels, samples)
      metrics.wouldRevert.set(labels, wouldRevert)
      for (const [figure, bps] of Object.entries({ mean: meanBps, median: medianBps, worst5: worst5Bps }))
        if (bps !== null) metrics.bps.set({ ...labels, figure }, bps)
    }
  }
  setGauges('chain', chain, figures.chain)
  for (const { name, after } of figures.families) setGauges('family', name, after)
  for (const { name, after } of figures.brands) setGauges('brand', name, after)
  for (const { id, after } of figures.pools) setGauges('pool', id, after)
  for (const { id: pool, family, dex, driftPenaltyPpm } of figures.withdrawing)
    metrics.driftPenalty.set({ chain, pool, family, dex }, driftPenaltyPpm / FLOAT_PPM)
}

/** Removes all series. */
export function clearDriftSeries(metrics: DriftMetrics): void {
  for (const gauge of Object.values(metrics)) gauge.reset()
}
