/** Prometheus metrics of the service. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { takeLongestTasks } from '@sluice/rpc'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { createDriftMetrics } from './drift-metrics.ts'
import { Afterwards } from './http/afterwards.ts'
import { BoundedLabels } from './http/referer.ts'
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
  const registers = [registry]
  const integrators = new BoundedLabels(MAX_INTEGRATORS)
  const loopDelay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS })
  loopDelay.enable()
  return {
    registry,
    integrators,
    /** Batches the counting and logging of requests. */
    afterwards: new Afterwards(),
    requests: new Counter({
      name: 'sluice_requests_total',
      help: 'Answered requests.',
      labelNames: ['endpoint', 'status', 'code'],
      registers,
    }),
    byIntegrator: new Counter({
      name: 'sluice_integrator_requests_total',
      help: 'Requests by the host of their Referer.',
      labelNames: ['integrator', 'endpoint'],
      registers,
    }),
    latency: new Histogram({
      name: 'sluice_request_seconds',
      help: 'Time from the first byte of a request to the end of its answer, of those that were not turned away.',
      labelNames: ['endpoint'],
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    stages: new Histogram({
      name: 'sluice_stage_seconds',
      help: 'Time of the stages of a request.',
      labelNames: ['stage'],
      buckets: LATENCY_BUCKETS,
      registers,
    }),
    routeGap: new Histogram({
      name: 'sluice_route_gap_bps',
      help: 'Basis points between a route and the upper bound over the liquidity considered.',
      buckets: [0, 0.1, 0.5, 1, 2, 5, 10, 50],
      registers,
    }),
    settledError: new Histogram({
      name: 'sluice_simulated_versus_settled_ppm',
      help: 'Parts per million by which the first simulation of a route missed its settled output.',
      buckets: [0, 1, 10, 100, 1_000, 5_000, 50_000],
      registers,
    }),
    trials: new Counter({
      name: 'sluice_route_trials_total',
      help: 'Simulations of routes by outcome: exact, adjusted, shortfall or reverted.',
      labelNames: ['chain', 'outcome'],
      registers,
    }),
    quotes: new Counter({
      name: 'sluice_quotes_total',
      help: 'Quotes by how they came about: made, shared with an identical request, outdated by a new block, or reorged away.',
      labelNames: ['chain', 'how'],
      registers,
    }),
    streams: new Gauge({
      name: 'sluice_streams',
      help: 'Streams that are open (streams), and the different quotes that they share (quotes).',
      labelNames: ['chain', 'kind'],
      registers,
    }),
    streamEvents: new Counter({
      name: 'sluice_stream_events_total',
      help: 'Events sent: quote, block (looked at again, the last quote stands), refused, end.',
      labelNames: ['chain', 'event'],
      registers,
    }),
    solverSolutions: new Counter({
      name: 'sluice_solver_solutions_total',
      help: 'Solutions of auctions answered by a solver.',
      labelNames: ['chain'],
      registers,
    }),
    solverNotifications: new Counter({
      name: 'sluice_solver_notifications_total',
      help: 'Notifications of drivers about solutions, by kind.',
      labelNames: ['chain', 'kind'],
      registers,
    }),
    drift: createDriftMetrics(registry),
    rpc: createRpcMetrics(registry),
    rpcErrors: new Counter({
      name: 'sluice_rpc_errors_total',
      help: "Failed calls by the endpoint's place in the chain's list and the code of the error.",
      labelNames: ['chain', 'endpoint', 'code'],
      registers,
    }),
    state: new Gauge({
      name: 'sluice_state_entries',
      help: 'What callers can make the service remember, each with a limit: tokens, pools, pairs, taxes and so on.',
      labelNames: ['chain', 'kind'],
      registers,
    }),
    evictions: new Gauge({
      name: 'sluice_state_evictions',
      help: 'Entries dropped or turned away so far, since the chain woke, to keep to the limits.',
      labelNames: ['chain', 'kind'],
      registers,
    }),
    slots: new Gauge({
      name: 'sluice_token_slots',
      help: 'Tokens whose storage layout is remembered, and how often one asked for was among them (hits) or not (misses).',
      labelNames: ['chain', 'kind'],
      registers,
    }),
    headBlock: new Gauge({
      name: 'sluice_head_block',
      help: 'Newest block held in memory.',
      labelNames: ['chain'],
      registers,
    }),
    headAge: new Gauge({
      name: 'sluice_head_age_seconds',
      help: 'Age of the newest block held in memory by its own timestamp.',
      labelNames: ['chain'],
      registers,
    }),
    chainState: new Gauge({
      name: 'sluice_chain_state',
      help: 'State of a chain that was asked for since the start: 1 for the one it is in, 0 for the others.',
      labelNames: ['chain', 'state'],
      registers,
    }),
    memory: new Gauge({
      name: 'sluice_memory_bytes',
      help: 'Memory of the process: resident; the heap of the main thread and its used part; buffers outside it.',
      labelNames: ['kind'],
      registers,
      collect() {
        const { rss, heapUsed, heapTotal, external, arrayBuffers } = process.memoryUsage()
        this.set({ kind: 'resident' }, rss)
        this.set({ kind: 'heap_used' }, heapUsed)
        this.set({ kind: 'heap_total' }, heapTotal)
        this.set({ kind: 'external' }, external)
        this.set({ kind: 'array_buffers' }, arrayBuffers)
      },
    }),
    loopDelay: new Gauge({
      name: 'sluice_event_loop_delay_seconds',
      help: 'By how much the event loop was late since the last scrape: half of the time, one time in a hundred, at most.',
      labelNames: ['quantile'],
      registers,
      collect() {
        const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0)
        this.set({ quantile: '0.5' }, seconds(loopDelay.percentile(50)))
        this.set({ quantile: '0.99' }, seconds(loopDelay.percentile(99)))
        this.set({ quantile: '1' }, seconds(loopDelay.max))
        loopDelay.reset()
      },
    }),
    longestTask: new Gauge({
      name: 'sluice_longest_task_seconds',
      help: 'Longest time for which work of a kind held the event loop since the last scrape.',
      labelNames: ['kind'],
      registers,
      collect() {
        this.reset()
        for (const [kind, ms] of takeLongestTasks()) this.set({ kind }, ms / 1_000)
      },
    }),
    audited: new Gauge({
      name: 'sluice_audited_pools',
      help: 'Pools compared with the chain since it woke (checked), and those of them that memory had wrong (repaired).',
      labelNames: ['chain', 'kind'],
      registers,
    }),
    scan: new Gauge({
      name: 'sluice_scan',
      help: 'Search of past logs for pools: progress (0 to 1), blocks_left, and blocks_per_call that the node grants (0 while not known).',
      labelNames: ['chain', 'what'],
      registers,
    }),
    scanState: new Gauge({
      name: 'sluice_scan_state',
      help: '1 for what the search of past logs does: waiting, scanning, paused (the node is busy), failing (the node does not give the logs), done.',
      labelNames: ['chain', 'state'],
      registers,
    }),
    pools: new Gauge({ name: 'sluice_pools', help: 'Pools held in memory.', labelNames: ['chain'], registers }),
    standings: new Gauge({
      name: 'sluice_trust',
      help: "Tokens and pools beyond the chain's file that are watched, and those that earned to be passed through (earnedTokens, earnedPools).",
      labelNames: ['chain', 'kind'],
      registers,
    }),
    bus: new Gauge({
      name: 'sluice_bus',
      help: 'With REDIS_URL: whether Redis answers (connected, 1 or 0) and refuses writes for being full (full), and the chains that this process reads for all (owned).',
      labelNames: ['what'],
      registers,
    }),
    load: new Gauge({
      name: 'sluice_chain_requests',
      help: 'Requests of a chain that run or wait.',
      labelNames: ['chain', 'state'],
      registers,
    }),
    callers: new Gauge({
      name: 'sluice_chain_callers',
      help: 'Callers of a chain who have requests under way, or lately took more than their share.',
      labelNames: ['chain'],
      registers,
    }),
  }
}
