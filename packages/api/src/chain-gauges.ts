/** Sets the gauges of chains for a metrics scrape. */
import type { ScanStatus } from '@sluice/liquidity'
import { CHAIN_STATES } from '@sluice/quoting'
import { clearDriftSeries, exportDrift, MAX_DRIFTS } from './drift-metrics.ts'
import type { Metrics } from './metrics.ts'
import { exportRpcHealth } from './rpc-metrics.ts'
import type { ServedChain } from './served-chain.ts'

const SCAN_STATES: readonly ScanStatus['state'][] = ['waiting', 'scanning', 'paused', 'failing', 'done']

/** Sets the gauges of a search of past logs. */
export function exportScan(chainId: number, scan: ScanStatus, metrics: Metrics): void {
  const chain = String(chainId)
  metrics.scan.set({ chain, what: 'progress' }, scan.progress)
  metrics.scan.set({ chain, what: 'blocks_left' }, scan.blocksLeft ?? 0)
  metrics.scan.set({ chain, what: 'blocks_per_call' }, scan.blocksPerCall ?? 0)
  for (const state of SCAN_STATES) metrics.scanState.set({ chain, state }, Number(state === scan.state))
}

/**
 * Removes the series of all chains. Call it before `exportGauges`, so that the last figures of a chain that fell
 * asleep, or that this process no longer indexes, disappear.
 */
export function clearChainSeries(metrics: Metrics): void {
  clearDriftSeries(metrics.drift)
  const { headBlock, headAge, chainState, pools, scan, scanState, audited, state, evictions, slots, trust } = metrics
  const { endpoint, clock, clockState } = metrics.rpc
  const { streams, load, callers } = metrics
  const gauges = [
    ...[headBlock, headAge, chainState, pools, scan, scanState, audited, state, evictions, slots, trust],
    ...[endpoint, clock, clockState, streams, load, callers],
  ]
  for (const gauge of gauges) gauge.reset()
}

/** Sets the gauges of a chain's current state. */
export function exportGauges({ liveChain, admission }: ServedChain, metrics: Metrics): void {
  const chain = String(liveChain.chain.chainId)
  const { state: currentState, head, lagSeconds, pools, scan } = liveChain.status()
  for (const state of CHAIN_STATES) metrics.chainState.set({ chain, state }, Number(state === currentState))
  if (head !== undefined) metrics.headBlock.set({ chain }, head)
  if (lagSeconds !== undefined) metrics.headAge.set({ chain }, lagSeconds)
  if (pools !== undefined) metrics.pools.set({ chain }, pools)
  if (scan) exportScan(liveChain.chain.chainId, scan, metrics)
  for (const [kind, count] of Object.entries(liveChain.audit ?? {})) metrics.audited.set({ chain, kind }, count)
  for (const [kind, { entries, evicted }] of Object.entries(liveChain.counts)) {
    metrics.state.set({ chain, kind }, entries)
    metrics.evictions.set({ chain, kind }, evicted)
  }
  for (const [kind, count] of Object.entries(liveChain.simulation.slots.statistics))
    metrics.slots.set({ chain, kind }, count)
  for (const [kind, count] of Object.entries(liveChain.tokens.trustTracker.counts))
    metrics.trust.set({ chain, kind }, count)
  exportDrift(metrics.drift, liveChain.chain.chainId, liveChain.drift(MAX_DRIFTS))
  if (liveChain.rpcHealth) exportRpcHealth(metrics.rpc, liveChain.chain.chainId, liveChain.rpcHealth)
  for (const [kind, count] of Object.entries(liveChain.streams.counts)) metrics.streams.set({ chain, kind }, count)
  for (const [state, count] of Object.entries(admission.load)) metrics.load.set({ chain, state }, count)
  metrics.callers.set({ chain }, admission.callers)
}
