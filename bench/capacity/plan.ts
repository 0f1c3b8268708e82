/** The capacity model of docs/scaling.md: computes the resources for a load from measured coefficients. */

/** Measured coefficients with their sources. */
export const COEFFICIENTS = {
  /**
   * Milliseconds of a worker's main thread per quote. Source: a swap in `results/api.json` without the time of node,
   * caller, and route search.
   */
  mainMs: 1.1,
  /**
   * Milliseconds of a routing thread per quote: median and 95th percentile. Source: `results/router.json`, 20,000
   * pools, with gas.
   */
  routeMs: { median: 4.2, p95: 36 },
  /** kB of heap per pool and thread. Sources: 1.7 in `results/sync.json`; 1.9 in a worker that follows over Redis. */
  poolKB: 1.9,
  /** kB of Redis memory per pool, including ticks of concentrated pools. */
  redisPoolKB: 0.94,
  /**
   * kB of the Redis stream per changed pool. Source: 3.8 kB per block of 20 pools, 22.6 kB per block of 200.
   */
  redisEntryKB: 0.19,
  /**
   * CPU milliseconds of an indexer per block (`each`) and per changed pool. Also an upper bound for a follower. Source:
   * blocks of 20 and of 200 pools at 40 per second.
   */
  blockMs: { each: 1.5, pool: 0.018 },
  /** CPU milliseconds of Redis per block of 200 changed pools with four followers. Source: `results/bus.json`. */
  redisBlockMs: 2.6,
  /** CPU milliseconds of a node per quote. Source: `results/api.json`, with anvil; real nodes differ. */
  nodeMs: 0.78,
  /** CPU seconds to join a chain of 100,000 pools. Source: `results/bus.json`. */
  joinSeconds: 1.7,
} as const

/** Maximum share of time in which a thread is busy. The rest is a reserve for uneven load. */
const MAX_THREAD_USE = 0.5
/**
 * Maximum pools of a process, summed over its chains. Copies in routing threads do not count. More pools cause long
 * garbage collection pauses and slow restarts.
 */
const MAX_POOLS = 1_000_000
/** Seconds for which the Redis stream keeps blocks. */
const STREAM_SECONDS = 120

/**
 * A chain that needs the capacity of n workers gets n times this number of keys. nginx assigns each request of a chain
 * to one of the chain's keys, and each key to a worker. With fewer keys the load is uneven, because often several keys
 * of a chain map to the same worker.
 */
const KEYS_PER_WORKER = 8

export type Load = {
  readonly chains: number
  readonly poolsPerChain: number
  readonly quotesPerSecond: number
  /** Blocks per second of all chains together. */
  readonly blocksPerSecond: number
  readonly changedPoolsPerBlock: number
  /** Minimum number of workers that follow each chain. With two, one may stop. */
  readonly replicas: number
  /** Routing threads per worker. */
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
  /** Seconds until a starting process has joined its share of the chains. */
  readonly joinSeconds: number
}

/** Returns the number of keys of a chain in nginx's `split_clients`. `share` is the chain's part of all requests. */
export function keysOf(share: number, workers: number, replicas: number): number {
  return Math.max(replicas, Math.ceil(share * workers * KEYS_PER_WORKER))
}

/** Returns the parameters of a log-normal distribution with this median and 95th percentile. */
export function lognormal({ median, p95 }: { readonly median: number; readonly p95: number }) {
  const sigma = Math.log(p95 / median) / 1.645
  return { mu: Math.log(median), sigma, mean: median * Math.exp(sigma ** 2 / 2) }
}

/** Computes the resources for a load. */
export function planOf(load: Load): Plan {
  const { chains, poolsPerChain, quotesPerSecond, blocksPerSecond, changedPoolsPerBlock, replicas, threads } = load
  const { mainMs, routeMs, redisPoolKB, redisEntryKB, blockMs, redisBlockMs, nodeMs, joinSeconds } = COEFFICIENTS
  const meanRouteMs = lognormal(routeMs).mean
  const pools = chains * poolsPerChain
  const workersForSearches = (quotesPerSecond * meanRouteMs) / 1_000 / (threads * MAX_THREAD_USE)
  const workersForMainThread = (quotesPerSecond * mainMs) / 1_000 / MAX_THREAD_USE
  const workersForPools = (pools * replicas) / MAX_POOLS
  const workers = Math.max(replicas, Math.ceil(Math.max(workersForSearches, workersForMainThread, workersForPools)))
  const msPerBlock = blockMs.each + blockMs.pool * changedPoolsPerBlock
  return {
    workers,
    indexers: Math.max(replicas, Math.ceil(pools / MAX_POOLS)),
    cores: Math.ceil(
      (quotesPerSecond * (mainMs + meanRouteMs)) / 1_000 + (blocksPerSecond * msPerBlock * (1 + replicas)) / 1_000,
    ),
    redisGB: (pools * redisPoolKB + blocksPerSecond * changedPoolsPerBlock * redisEntryKB * STREAM_SECONDS) / 1e6,
    redisCores: (blocksPerSecond * redisBlockMs) / 1_000,
    nodeCores: (quotesPerSecond * nodeMs) / 1_000,
    busMBps: (blocksPerSecond * changedPoolsPerBlock * redisEntryKB * replicas) / 1_000,
    joinSeconds: ((pools * replicas) / workers / 100_000) * joinSeconds,
  }
}

/**
 * Blocks per second of all 164 chains of the registry. The block time of 66 of them is unknown, and assumed to be the
 * median of the others, two seconds.
 */
const BLOCKS_PER_SECOND = 131

/** Parameters that all loads share. */
const usualLoad = { changedPoolsPerBlock: 20, threads: 4 }
export const LOADS: Readonly<Record<string, Load>> = {
  '10 × 20,000, 100 q/s': {
    ...usualLoad,
    chains: 10,
    poolsPerChain: 20_000,
    quotesPerSecond: 100,
    blocksPerSecond: 8,
    replicas: 1,
  },
  '164 × 20,000, 1,000 q/s': {
    ...usualLoad,
    chains: 164,
    poolsPerChain: 20_000,
    quotesPerSecond: 1_000,
    blocksPerSecond: BLOCKS_PER_SECOND,
    replicas: 2,
  },
  '164 × 100,000, 10,000 q/s': {
    ...usualLoad,
    chains: 164,
    poolsPerChain: 100_000,
    quotesPerSecond: 10_000,
    blocksPerSecond: BLOCKS_PER_SECOND,
    replicas: 2,
  },
}
