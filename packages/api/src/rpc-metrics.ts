/** Metrics of a chain's RPC endpoints: calls, retries, health, and block times. */
import type { RpcEvent, RpcHealth } from '@sluice/rpc'
import type { Registry } from 'prom-client'
import { metricFactory } from './metric-factory.ts'

/** Methods with their own label; all others are counted as `other` to bound the number of labels. */
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

/** Metrics of RPC endpoints. */
export type RpcMetrics = ReturnType<typeof createRpcMetrics>

export function createRpcMetrics(registry: Registry) {
  const { counter, gauge } = metricFactory(registry)
  return {
    calls: counter(
      'sluice_rpc_calls_total',
      'JSON-RPC calls sent, by method and by who waits for them: a quote, a lookup of a token, or background work.',
      ['chain', 'endpoint', 'method', 'priority'],
    ),
    posts: counter(
      'sluice_rpc_http_requests_total',
      'HTTP requests sent to endpoints; each holds one call or a batch.',
      ['chain', 'endpoint', 'priority'],
    ),
    extraRequests: counter(
      'sluice_rpc_extra_total',
      'Requests sent again (retry) and second ones sent beside a late one (hedge).',
      ['chain', 'endpoint', 'kind'],
    ),
    slowedDown: counter(
      'sluice_rpc_slowed_total',
      'Times that an endpoint is asked more slowly from then on, since it refused.',
      ['chain', 'endpoint'],
    ),
    endpoint: gauge(
      'sluice_rpc_endpoint',
      'An endpoint now: success_rate (0 to 1), ejected (0 or 1), queued requests, batch_size (1 where batches are refused), calls_per_second it is held to (0 when not).',
      ['chain', 'endpoint', 'what'],
    ),
    clock: gauge(
      'sluice_chain_clock_seconds',
      'Usual time between blocks (interval), and age of new blocks by our clock when they come (behind; far from 0 when a clock is off).',
      ['chain', 'what'],
    ),
    clockState: gauge(
      'sluice_chain_clock_state',
      '1 for what the chain does: moving, resting (no blocks for longer than usual), off (blocks come with another time than ours), unknown.',
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
