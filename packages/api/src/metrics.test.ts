/** Tests of the metrics that a server exports. */
import { inSlices } from '@sluice/rpc'
import { afterEach, expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'

const open: ReturnType<typeof createMetrics>[] = []
const metricsOf = () => {
  const metrics = createMetrics()
  open.push(metrics)
  return metrics
}
afterEach(() => {
  for (const { registry } of open.splice(0)) registry.clear()
})

// Dashboards and alerts depend on these names and labels.
test('metrics have the names and labels that operators know', () => {
  const { registry } = metricsOf()
  const all = registry.getMetricsAsArray() as unknown as { name: string; labelNames: readonly string[] }[]
  expect(Object.fromEntries(all.map(({ name, labelNames }) => [name, labelNames.join(' ')]))).toEqual({
    sluice_requests_total: 'endpoint status code',
    sluice_integrator_requests_total: 'integrator endpoint',
    sluice_request_seconds: 'endpoint',
    sluice_stage_seconds: 'stage',
    sluice_route_gap_bps: '',
    sluice_simulated_versus_settled_ppm: '',
    sluice_route_trials_total: 'chain outcome',
    sluice_quotes_total: 'chain how',
    sluice_streams: 'chain kind',
    sluice_stream_events_total: 'chain event',
    sluice_solver_solutions_total: 'chain',
    sluice_solver_notifications_total: 'chain kind',
    sluice_drift_samples: 'chain of name after',
    sluice_drift_bps: 'chain of name after figure',
    sluice_drift_would_revert_ratio: 'chain of name after',
    sluice_drift_haircut_ratio: 'chain pool family dex',
    sluice_drift_missed: 'chain',
    sluice_rpc_calls_total: 'chain endpoint method priority',
    sluice_rpc_http_requests_total: 'chain endpoint priority',
    sluice_rpc_extra_total: 'chain endpoint kind',
    sluice_rpc_slowed_total: 'chain endpoint',
    sluice_rpc_endpoint: 'chain endpoint what',
    sluice_chain_clock_seconds: 'chain what',
    sluice_chain_clock_state: 'chain state',
    sluice_rpc_errors_total: 'chain endpoint code',
    sluice_state_entries: 'chain kind',
    sluice_state_evictions: 'chain kind',
    sluice_token_slots: 'chain kind',
    sluice_head_block: 'chain',
    sluice_head_age_seconds: 'chain',
    sluice_chain_state: 'chain state',
    sluice_memory_bytes: 'kind',
    sluice_event_loop_delay_seconds: 'quantile',
    sluice_longest_task_seconds: 'kind',
    sluice_audited_pools: 'chain kind',
    sluice_scan: 'chain what',
    sluice_scan_state: 'chain state',
    sluice_pools: 'chain',
    sluice_trust: 'chain kind',
    sluice_bus: 'what',
    sluice_chain_requests: 'chain state',
    sluice_chain_callers: 'chain',
  })
})

test('every scrape tells the memory and the event loop of the process', async () => {
  const text = await metricsOf().registry.metrics()
  for (const kind of ['resident', 'heap_used', 'heap_total', 'external', 'array_buffers'])
    expect(text).toMatch(new RegExp(`^sluice_memory_bytes\\{kind="${kind}"\\} [1-9]`, 'm'))
  for (const quantile of ['0.5', '0.99', '1'])
    expect(text).toMatch(new RegExp(`^sluice_event_loop_delay_seconds\\{quantile="${quantile}"\\} \\d`, 'm'))
})

test('the longest task of each kind is told once', async () => {
  const { longestTask } = metricsOf()
  await longestTask.get()
  await inSlices(
    'a kind of work',
    (function* () {
      yield
    })(),
  )
  const kinds = async () => (await longestTask.get()).values.map(({ labels }) => labels.kind)
  expect(await kinds()).toContain('a kind of work')
  expect(await kinds()).not.toContain('a kind of work')
})

test('each server counts for itself', async () => {
  const [one, other] = [metricsOf(), metricsOf()]
  one.quotes.inc({ chain: 1, how: 'made' })
  expect((await one.quotes.get()).values).toMatchObject([{ value: 1 }])
  expect((await other.quotes.get()).values).toEqual([])
})
