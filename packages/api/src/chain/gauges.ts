import type { Metrics } from '../metrics.ts'
import { exportRpcHealth } from '../rpc-metrics.ts'
import type { ChainService } from './chain-service.ts'
import { CHAIN_STATES } from './status.ts'

/** Writes how a chain stands now into the metrics. */
export function exportGauges(service: ChainService, metrics: Metrics): void {
  const chain = String(service.chain.chainId)
  const { state: now, head, lagSeconds, pools } = service.status()
  for (const state of CHAIN_STATES) metrics.chainState.set({ chain, state }, Number(state === now))
  if (head !== undefined) metrics.headBlock.set({ chain }, head)
  if (lagSeconds !== undefined) metrics.headAge.set({ chain }, lagSeconds)
  if (pools !== undefined) metrics.pools.set({ chain }, pools)
  for (const [kind, count] of Object.entries(service.audit ?? {})) metrics.audited.set({ chain, kind }, count)
  for (const [kind, { entries, evicted }] of Object.entries(service.state)) {
    metrics.state.set({ chain, kind }, entries)
    metrics.evictions.set({ chain, kind }, evicted)
  }
  for (const [kind, count] of Object.entries(service.simulation.slots.statistics))
    metrics.slots.set({ chain, kind }, count)
  for (const [kind, count] of Object.entries(service.standings.counts)) metrics.standings.set({ chain, kind }, count)
  if (service.rpcHealth) exportRpcHealth(metrics.rpc, service.chain.chainId, service.rpcHealth)
  for (const [state, count] of Object.entries(service.admission.load)) metrics.load.set({ chain, state }, count)
  metrics.callers.set({ chain }, service.admission.callers)
}
