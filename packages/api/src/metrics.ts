import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { Afterwards } from './http/afterwards.ts'
import { BoundedLabels } from './http/referer.ts'
import { createRpcMetrics } from './rpc-metrics.ts'

/** Seconds. */
const LATENCY_BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const MAX_INTEGRATORS = 200

export type Metrics = ReturnType<typeof createMetrics>

/** A registry of its own for each server, so that several run in one process. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const integrators = new BoundedLabels(MAX_INTEGRATORS)
  return {
    registry,
    integrators,
    /** What is to be counted and logged of requests. */
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
      help: 'Quotes by how they came about: made, shared with an identical request, or outdated by a new block.',
      labelNames: ['chain', 'how'],
      registers,
    }),
    rpc: createRpcMetrics(registry),
    rpcErrors: new Counter({
      name: 'sluice_rpc_errors_total',
      help: "Failed calls by the endpoint's place in the chain's list and the code of the error.",
      labelNames: ['chain', 'endpoint', 'code'],
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
    memory: new Gauge({
      name: 'sluice_memory_bytes',
      help: 'Memory of the process: resident, and the used part of the heap.',
      labelNames: ['kind'],
      registers,
      collect() {
        const { rss, heapUsed } = process.memoryUsage()
        this.set({ kind: 'resident' }, rss)
        this.set({ kind: 'heap_used' }, heapUsed)
      },
    }),
    audited: new Gauge({
      name: 'sluice_audited_pools',
      help: 'Pools compared with the chain since it woke (checked), and those of them that memory had wrong (repaired).',
      labelNames: ['chain', 'kind'],
      registers,
    }),
    pools: new Gauge({ name: 'sluice_pools', help: 'Pools held in memory.', labelNames: ['chain'], registers }),
    standings: new Gauge({
      name: 'sluice_trust',
      help: "Tokens and pools beyond the chain's file that are watched, and those that earned to be passed through (earnedTokens, earnedPools).",
      labelNames: ['chain', 'kind'],
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
