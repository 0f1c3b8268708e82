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
/** Maximum integrators (hosts of web pages that send requests) with their own label. */
const MAX_INTEGRATORS = 200
/** Sampling interval of the event loop delay in milliseconds. */
const LOOP_RESOLUTION_MS = 5

/** Metrics of a service, with their registry. */
export type Metrics = ReturnType<typeof createMetrics>

/**
 * Creates the metrics in a new registry, so that several servers can run in one process. Long: a list of all gauges.
 */
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
      'Time from the first byte of a request to the end of its response, without requests refused under overload.',
      LATENCY_BUCKETS,
      ['endpoint'],
    ),
    stages: histogram('sluice_stage_seconds', 'Time of the stages of a request.', LATENCY_BUCKETS, ['stage']),
    routeGap: histogram(
      'sluice_route_gap_bps',
      'Basis points between the output of a route and the upper bound on the output of all routes.',
      [0, 0.1, 0.5, 1, 2, 5, 10, 50],
    ),
    expectedOutputError: histogram(
      'sluice_simulated_versus_settled_ppm',
      'Parts per million by which the first simulation of a route paid more or less than expected.',
      [0, 1, 10, 100, 1_000, 5_000, 50_000],
    ),
    trials: counter(
      'sluice_route_trials_total',
      'Simulations of routes by outcome: exact, adjusted, shortfall or reverted.',
      ['chain', 'outcome'],
    ),
    quotes: counter(
      'sluice_quotes_total',
      'Quotes by result: made, shared with an identical request, outdated by a new block, or reorged.',
      ['chain', 'how'],
    ),
    streams: gauge(
      'sluice_streams',
      'Open quote streams (streams), and the distinct quotes that they share (quotes).',
      ['chain', 'kind'],
    ),
    streamEvents: counter(
      'sluice_stream_events_total',
      'Sent events: quote, block (the last quote still holds), refused, end.',
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
      "Failed calls by the index of the endpoint in the chain's list and by error code.",
      ['chain', 'endpoint', 'code'],
    ),
    state: gauge(
      'sluice_state_entries',
      'Entries of the stores that requests can fill, each with a limit: tokens, pools, pairs, taxes, and others.',
      ['chain', 'kind'],
    ),
    evictions: gauge(
      'sluice_state_evictions',
      'Entries evicted or refused because of the limits, since the process started to follow the chain.',
      ['chain', 'kind'],
    ),
    slots: gauge(
      'sluice_token_slots',
      'Tokens with a cached storage layout (remembered), and look-ups that found one (hits) or did not (misses).',
      ['chain', 'kind'],
    ),
    headBlock: gauge('sluice_head_block', 'Number of the newest block in memory.', ['chain']),
    headAge: gauge('sluice_head_age_seconds', 'Age of the newest block in memory, by its timestamp.', ['chain']),
    chainState: gauge(
      'sluice_chain_state',
      'State of each chain that was requested since the start: 1 for the current state, 0 for the other states.',
      ['chain', 'state'],
    ),
    memory: gauge(
      'sluice_memory_bytes',
      'Memory of the process: resident memory, heap of the main thread, used part of that heap, and buffers outside it.',
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
      'Delay of the event loop since the last scrape: median, 99th percentile, and maximum.',
      ['quantile'],
      function () {
        const toSeconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0)
        this.set({ quantile: '0.5' }, toSeconds(loopDelay.percentile(50)))
        this.set({ quantile: '0.99' }, toSeconds(loopDelay.percentile(99)))
        this.set({ quantile: '1' }, toSeconds(loopDelay.max))
        loopDelay.reset()
      },
    ),
    longestTask: gauge(
      'sluice_longest_task_seconds',
      'Longest time for which a kind of work blocked the event loop since the last scrape.',
      ['kind'],
      function () {
        this.reset()
        for (const [kind, ms] of takeLongestTasks()) this.set({ kind }, ms / 1_000)
      },
    ),
    audited: gauge(
      'sluice_audited_pools',
      'Pools in memory that were compared with the chain since the process started to follow it (checked), and those that differed (repaired).',
      ['chain', 'kind'],
    ),
    scan: gauge(
      'sluice_scan',
      'Search of past logs for pools: progress (0 to 1), blocks_left, and blocks_per_call that the node grants (0 while unknown).',
      ['chain', 'what'],
    ),
    scanState: gauge(
      'sluice_scan_state',
      'State of the search of past logs, 1 for the current one: waiting, scanning, paused (the node is busy), failing (the node does not return the logs), done.',
      ['chain', 'state'],
    ),
    pools: gauge('sluice_pools', 'Pools in memory.', ['chain']),
    trust: gauge(
      'sluice_trust',
      "Tokens and pools outside the chain's file that are observed, and those that routes may pass through because they have behaved well for long (earnedTokens, earnedPools).",
      ['chain', 'kind'],
    ),
    bus: gauge(
      'sluice_bus',
      'With REDIS_URL: 1 if Redis answers (connected), 1 if it refuses writes because it is full (full), and the number of chains that this process indexes for all processes (owned).',
      ['what'],
    ),
    load: gauge('sluice_chain_requests', 'Requests of a chain that run (running) or wait (waiting).', [
      'chain',
      'state',
    ]),
    callers: gauge(
      'sluice_chain_callers',
      'Callers of a chain with requests in flight, or that recently used more than their share.',
      ['chain'],
    ),
  }
}
