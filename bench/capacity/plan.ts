/** The capacity model of docs/scaling.md: what a load takes, from coefficients that were measured. */

/** Each with where it comes from. */
export const COEFFICIENTS = {
  /** ms of a worker's main thread a quote. `results/api.json`: a swap less its node, its caller and its route. */
  mainMs: 1.1,
  /** ms of a routing thread a quote: median and one in twenty. `results/router.json`, 20,000 pools, gas counted. */
  routeMs: { median: 4.2, p95: 36 },
  /** kB of heap a pool and copy. `results/sync.json` 1.7; 1.9 in a worker that follows over Redis. */
  poolKB: 1.9,
  /** kB of Redis a pool, ticks of concentrated pools included. */
  redisPoolKB: 0.94,
  /** kB of Redis' stream a changed pool, kept for two minutes: 3.8 kB a block of 20, 22.6 kB one of 200. */
  redisEntryKB: 0.19,
  /** ms of an indexer's CPU, and at most of a follower's: a block, and a pool changed in it. Of blocks of 20 and of 200, 40 a second. */
  blockMs: { each: 1.5, pool: 0.018 },
  /** ms of Redis' CPU a block of 200 changed pools, four followers included. `results/bus.json`. */
  redisBlockMs: 2.6,
  /** ms of a node's CPU a quote; of anvil, real nodes differ. `results/api.json`. */
  nodeMs: 0.78,
  /** Seconds of CPU to join a chain of 100,000 pools. `results/bus.json`. */
  joinSeconds: 1.7,
} as const

/** Share of a thread's time that searches may take: what is left takes up the unevenness of chains, callers and searches. */
const TARGET = 0.5
/** Pools of a process, all chains and one copy: more makes pauses of the garbage collector, and restarts, long. */
const MOST_POOLS = 1_000_000
const STREAM_SECONDS = 120

/** Keys that a chain gets for each worker that its share of the requests takes: fewer fall together too often. */
const KEYS_PER_WORKER = 8

export type Load = {
  readonly chains: number
  readonly poolsPerChain: number
  readonly quotesPerSecond: number
  /** Blocks of all chains together. */
  readonly blocksPerSecond: number
  readonly changedPoolsPerBlock: number
  /** Workers that follow each chain, so that one may leave. */
  readonly replicas: number
  readonly threads: number
}

export type Plan = {
  readonly workers: number
  readonly indexers: number
  readonly cores: number
  readonly redisGB: number
  readonly redisCores: number
  readonly nodeCores: number
  readonly busMBps: number
  /** Time of one process that starts with its share of the chains. */
  readonly joinSeconds: number
}

/** Keys of a chain behind nginx (`split_clients`), by its share of all requests. */
export function keysOf(share: number, workers: number, replicas: number): number {
  return Math.max(replicas, Math.ceil(share * workers * KEYS_PER_WORKER))
}

/** Draws of a log-normal time with this median and 95th percentile. */
export function lognormal({ median, p95 }: { readonly median: number; readonly p95: number }) {
  const sigma = Math.log(p95 / median) / 1.645
  return { mu: Math.log(median), sigma, mean: median * Math.exp(sigma ** 2 / 2) }
}

export function planOf(load: Load): Plan {
  const { chains, poolsPerChain, quotesPerSecond, blocksPerSecond, changedPoolsPerBlock, replicas, threads } = load
  const { mainMs, routeMs, redisPoolKB, redisEntryKB, blockMs, redisBlockMs, nodeMs, joinSeconds } = COEFFICIENTS
  const route = lognormal(routeMs).mean
  const pools = chains * poolsPerChain
  const byThreads = (quotesPerSecond * route) / 1_000 / (threads * TARGET)
  const byMain = (quotesPerSecond * mainMs) / 1_000 / TARGET
  const byPools = (pools * replicas) / MOST_POOLS
  const workers = Math.max(replicas, Math.ceil(Math.max(byThreads, byMain, byPools)))
  const perBlock = blockMs.each + blockMs.pool * changedPoolsPerBlock
  return {
    workers,
    indexers: Math.max(replicas, Math.ceil(pools / MOST_POOLS)),
    cores: Math.ceil(
      (quotesPerSecond * (mainMs + route)) / 1_000 + (blocksPerSecond * perBlock * (1 + replicas)) / 1_000,
    ),
    redisGB: (pools * redisPoolKB + blocksPerSecond * changedPoolsPerBlock * redisEntryKB * STREAM_SECONDS) / 1e6,
    redisCores: (blocksPerSecond * redisBlockMs) / 1_000,
    nodeCores: (quotesPerSecond * nodeMs) / 1_000,
    busMBps: (blocksPerSecond * changedPoolsPerBlock * redisEntryKB * replicas) / 1_000,
    joinSeconds: ((pools * replicas) / workers / 100_000) * joinSeconds,
  }
}

/** 98 chains of the registry tell their block time; the other 66 count with the median of two seconds. */
const BLOCKS_PER_SECOND = 131

const usual = { changedPoolsPerBlock: 20, threads: 4 }
export const LOADS: Readonly<Record<string, Load>> = {
  '10 × 20,000, 100 q/s': {
    ...usual,
    chains: 10,
    poolsPerChain: 20_000,
    quotesPerSecond: 100,
    blocksPerSecond: 8,
    replicas: 1,
  },
  '164 × 20,000, 1,000 q/s': {
    ...usual,
    chains: 164,
    poolsPerChain: 20_000,
    quotesPerSecond: 1_000,
    blocksPerSecond: BLOCKS_PER_SECOND,
    replicas: 2,
  },
  '164 × 100,000, 10,000 q/s': {
    ...usual,
    chains: 164,
    poolsPerChain: 100_000,
    quotesPerSecond: 10_000,
    blocksPerSecond: BLOCKS_PER_SECOND,
    replicas: 2,
  },
}
