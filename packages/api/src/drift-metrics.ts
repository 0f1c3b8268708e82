/** Metrics of drift: the difference between quotes and their simulation one and two blocks later. */
import { FLOAT_PPM } from '@sluice/chains'
import { BLOCKS_AFTER, type ByBlock, type DriftFigures, type Figures } from '@sluice/quoting'
import type { Registry } from 'prom-client'
import { metricFactory } from './metric-factory.ts'

/** Maximum exported families of a chain, and likewise brands and pools. The ones with the most samples are exported. */
export const MAX_DRIFTS = 32

export type DriftMetrics = ReturnType<typeof createDriftMetrics>

export function createDriftMetrics(registry: Registry) {
  const { gauge } = metricFactory(registry)
  const labelNames = ['chain', 'of', 'name', 'after'] as const
  return {
    samples: gauge(
      'sluice_drift_samples',
      'Quotes simulated again so many blocks later (after), in the window that the figures are of; by chain, family, brand and pool.',
      labelNames,
    ),
    bps: gauge(
      'sluice_drift_bps',
      'Basis points by which they paid more than quoted, below 0 against the taker: mean, median, and one in twenty is as bad as worst5.',
      [...labelNames, 'figure'],
    ),
    wouldRevert: gauge(
      'sluice_drift_would_revert_ratio',
      'Share of them that would have reverted within their own slippage.',
      labelNames,
    ),
    driftPenalty: gauge(
      'sluice_drift_haircut_ratio',
      'Part of its output that a pool is ranked lower by, for quotes that it withdrew; 1 while it is left out. Those that lose most.',
      ['chain', 'pool', 'family', 'dex'],
    ),
    missed: gauge(
      'sluice_drift_missed',
      'Quotes that were to be simulated again and could not be: a block was not seen, or is gone, or the node failed.',
      ['chain'],
    ),
  }
}

/** Sets the gauges of a chain. Call `resetDrift` first, so series that are no longer exported disappear. */
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
