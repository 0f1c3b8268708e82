/** Prometheus metrics of the service. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { takeLongestTasks } from '@sluice/rpc'
import { Registry } from 'prom-client'
import { createDriftMetrics } from './drift-metrics.ts'
import { BackgroundQueue } from './http/background-queue.ts'
import { BoundedLabels } from './http/referer.ts'
import { metricFactory } from './metric-factory.ts'
import { createRpcMetrics } from './rpc-metrics.ts'

/** Histogram buckets in seconds. */
const LATENCY_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
/** Maximum integrators with their own label. */
const MAX_INTEGRATORS = 200
/** Sampling interval of the event loop delay. */
const LOOP_RESOLUTION_MS = 5

/** Metrics of a service, with their registry. */
export type Metrics = ReturnType<typeof createMetrics>

/** Creates the metrics in a new registry, so several servers can run in one process. Long: a list of all gauges. */
export function createMetrics() {
  const registry = new Registry()
  const { counter, gauge, histogram } = metricFactory(registry)
  const integrators = new BoundedLabels(MAX_INTEGRATORS)
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  loopDelay.enable()
  return {
    registry,
    integrators,
    /** Batches the counting and logging of requests. */
    backgroundQueue: new BackgroundQueue(),
    requests: counter('sluice_requests_total', 'Answered requests.', ['endpoint', 'status', 'code']),
    byIntegrator: counter('sluice_integrator_requests_total', 'Requests by the host of their Referer.', [
      'integrator',
      'endpoint',
    ]),
    latency: histogram(
      'sluice_request_seconds',
      'Time from the first byte of a request to the end of its answer, of those that were not turned away.',
      LATENCY_BUCKETS,
      ['endpoint'],
    ),
    stages: histogram('sluice_stage_seconds', 'Time of the stages of a request.', LATENCY_BUCKETS, ['stage']),
    routeGap: histogram(
      'sluice_route_gap_bps',
      'Basis points between a route and the upper bound over the liquidity considered.',
      [0, 0.1, 0.5, 1, 2, 5, 10, 50],
    ),
    settledError: histogram(
      'sluice_simulated_versus_settled_ppm',
      'Parts per million by which the first simulation of a route missed its settled output.',
      [0, 1, 10, 100, 1_000, 5_000, 50_000],
    ),
    trials: counter(
      'sluice_route_trials_total',
      'Simulations of routes by outcome: exact, adjusted, shortfall or reverted.',
      ['chain', 'outcome'],
    ),
    quotes: counter(
      'sluice_quotes_total',
      'Quotes by how they came about: made, shared with an identical request, outdated by a new block, or reorged away.',
      ['chain', 'how'],
    ),
    streams: gauge(
      'sluice_streams',
      'Streams that are open (streams), and the different quotes that they share (quotes).',
      ['chain', 'kind'],
    ),
    streamEvents: counter(
      'sluice_stream_events_total',
      'Events sent: quote, block (looked at again, the last quote stands), refused, end.',
      ['chain', 'event'],
    ),
    solverSolutions: counter('sluice_solver_solutions_total', 'Solutions of auctions answered by a solver.', ['chain']),
    solverNotifications: counter(
      'sluice_solver_notifications_total',
      'Notifications of drivers about solutions, by kind.',
      ['chain', 'kind'],
    ),
    drift: createDriftMetrics(registry),
    rpc: createRpcMetrics(registry),
    rpcErrors: counter(
      'sluice_rpc_errors_total',
      "Failed calls by the endpoint's place in the chain's list and the code of the error.",
      ['chain', 'endpoint', 'code'],
    ),
    state: gauge(
      'sluice_state_entries',
      'What callers can make the service remember, each with a limit: tokens, pools, pairs, taxes and so on.',
      ['chain', 'kind'],
    ),
    evictions: gauge(
      'sluice_state_evictions',
      'Entries dropped or turned away so far, since the chain woke, to keep to the limits.',
      ['chain', 'kind'],
    ),
    slots: gauge(
      'sluice_token_slots',
      'Tokens whose storage layout is remembered, and how often one asked for was among them (hits) or not (misses).',
      ['chain', 'kind'],
    ),
    headBlock: gauge('sluice_head_block', 'Newest block held in memory.', ['chain']),
    headAge: gauge('sluice_head_age_seconds', 'Age of the newest block held in memory by its own timestamp.', [
      'chain',
    ]),
    chainState: gauge(
      'sluice_chain_state',
      'State of a chain that was asked for since the start: 1 for the one it is in, 0 for the others.',
      ['chain', 'state'],
    ),
    memory: gauge(
      'sluice_memory_bytes',
      'Memory of the process: resident; the heap of the main thread and its used part; buffers outside it.',
      ['kind'],
      function () {
        const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
        this.set({ kind: 'resident' }, rss)
        this.set({ kind: 'heap_used' }, heapUsed)
        this.set({ kind: 'heap_total' }, heapTotal)
        this.set({ kind: 'external' }, external)
        this.set({ kind: 'array_buffers' }, arrayBuffers)
      },
    ),
    loopDelay: gauge(
      'sluice_event_loop_delay_seconds',
      'By how much the event loop was late since the last scrape: half of the time, one time in a hundred, at most.',
      ['quantile'],
      function () {
        const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0)
        this.set({ quantile: '0.5' }, seconds(loopDelay.percentile(50)))
        this.set({ quantile: '0.99' }, seconds(loopDelay.percentile(99)))
        this.set({ quantile: '1' }, seconds(loopDelay.max))
        loopDelay.reset()
      },
    ),
    longestTask: gauge(
      'sluice_longest_task_seconds',
      'Longest time for which work of a kind held the event loop since the last scrape.',
      ['kind'],
      function () {
        this.reset()
        for (const [kind, ms] of takeLongestTasks()) this.set({ kind }, ms / 1_000)
      },
    ),
    audited: gauge(
      'sluice_audited_pools',
      'Pools compared with the chain since it woke (checked), and those of them that memory had wrong (repaired).',
      ['chain', 'kind'],
    ),
    scan: gauge(
      'sluice_scan',
      'Search of past logs for pools: progress (0 to 1), blocks_left, and blocks_per_call that the node grants (0 while not known).',
      ['chain', 'what'],
    ),
    scanState: gauge(
      'sluice_scan_state',
      '1 for what the search of past logs does: waiting, scanning, paused (the node is busy), failing (the node does not give the logs), done.',
      ['chain', 'state'],
    ),
    pools: gauge('sluice_pools', 'Pools held in memory.', ['chain']),
    standings: gauge(
      'sluice_trust',
      "Tokens and pools beyond the chain's file that are watched, and those that earned to be passed through (earnedTokens, earnedPools).",
      ['chain', 'kind'],
    ),
    bus: gauge(
      'sluice_bus',
      'With REDIS_URL: whether Redis answers (connected, 1 or 0) and refuses writes for being full (full), and the chains that this process reads for all (owned).',
      ['what'],
    ),
    load: gauge('sluice_chain_requests', 'Requests of a chain that run or wait.', ['chain', 'state']),
    callers: gauge(
      'sluice_chain_callers',
      'Callers of a chain who have requests under way, or lately took more than their share.',
      ['chain'],
    ),
  }
}
