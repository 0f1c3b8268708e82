/** Metrics of a chain's RPC endpoints: calls, retries, health, and block times. */
import type { RpcEvent, RpcHealth } from '@sluice/rpc'
import type { Registry } from 'prom-client'
import { metricFactory } from './metric-factory.ts'

/** Methods with their own label. All other methods are counted as `other`, to limit the number of labels. */
const METHODS: ReadonlySet<string> = new Set([
  'eth_call',
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getLogs',
  'eth_getCode',
  'eth_gasPrice',
  'eth_chainId',
  'eth_blockNumber',
])

export type RpcMetrics = ReturnType<typeof createRpcMetrics>

export function createRpcMetrics(registry: Registry) {
  const { counter, gauge } = metricFactory(registry)
  return {
    calls: counter(
      'sluice_rpc_calls_total',
      'JSON-RPC calls sent, by method and by priority: a quote or a look-up of a token waits for them, or background work.',
      ['chain', 'endpoint', 'method', 'priority'],
    ),
    posts: counter(
      'sluice_rpc_http_requests_total',
      'HTTP requests sent to endpoints; each contains one call or a batch.',
      ['chain', 'endpoint', 'priority'],
    ),
    extraRequests: counter(
      'sluice_rpc_extra_total',
      'Requests that were sent again after a failure (retry), or a second time because the first one was slow (hedge).',
      ['chain', 'endpoint', 'kind'],
    ),
    slowedDown: counter(
      'sluice_rpc_slowed_total',
      'Number of times that the call rate of an endpoint was reduced, because it refused calls.',
      ['chain', 'endpoint'],
    ),
    endpoint: gauge(
      'sluice_rpc_endpoint',
      'State of an endpoint: success_rate (0 to 1), ejected (0 or 1), queued requests, batch_size (1 if batches are refused), and the limit calls_per_second (0 if unlimited).',
      ['chain', 'endpoint', 'what'],
    ),
    clock: gauge(
      'sluice_chain_clock_seconds',
      'Median time between blocks (interval), and age of new blocks on arrival by the local clock (behind; far from 0 if a clock is wrong).',
      ['chain', 'what'],
    ),
    clockState: gauge(
      'sluice_chain_clock_state',
      'State of block production, 1 for the current one: moving, resting (no block for longer than usual), off (timestamps differ from the local clock), unknown.',
      ['chain', 'state'],
    ),
  }
}

export function countRpcEvent(metrics: RpcMetrics, chain: number, event: RpcEvent): void {
  const endpoint = String(event.endpoint)
  switch (event.kind) {
    case 'sent': {
      const { priority } = event
      metrics.posts.inc({ chain, endpoint, priority })
      for (const method of event.methods)
        metrics.calls.inc({ chain, endpoint, method: METHODS.has(method) ? method : 'other', priority })
      return
    }
    case 'retry':
    case 'hedge':
      return void metrics.extraRequests.inc({ chain, endpoint, kind: event.kind })
    case 'slowed':
      return void metrics.slowedDown.inc({ chain, endpoint })
    case 'batch':
      return void metrics.endpoint.set({ chain, endpoint, what: 'batch_size' }, event.size)
  }
}

/** Sets the gauges of endpoint health and of the chain's clock. */
export function exportRpcHealth(metrics: RpcMetrics, chain: number, { endpoints, clock }: RpcHealth): void {
  for (const [index, health] of endpoints.entries()) {
    const endpoint = String(index)
    const setEndpointGauge = (what: string, value: number) => metrics.endpoint.set({ chain, endpoint, what }, value)
    setEndpointGauge('success_rate', health.successRate)
    setEndpointGauge('ejected', Number(health.ejected))
    setEndpointGauge('queued', health.queued)
    setEndpointGauge('batch_size', health.batchSize)
    setEndpointGauge('calls_per_second', health.callsPerSecond ?? 0)
  }
  if (clock.intervalMs !== null) metrics.clock.set({ chain, what: 'interval' }, clock.intervalMs / 1_000)
  if (clock.behindSeconds !== null) metrics.clock.set({ chain, what: 'behind' }, clock.behindSeconds)
  for (const state of ['unknown', 'moving', 'resting', 'off'])
    metrics.clockState.set({ chain, state }, Number(state === clock.state))
}
