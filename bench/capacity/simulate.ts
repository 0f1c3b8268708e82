/**
 * Simulates a fleet under a load, request by request. Requests are distributed over chains by Zipf's law, and keys map
 * to workers as in nginx. A quote uses its worker's main thread, and then one of its routing threads, first come, first
 * served.
 */
import { seededRandom } from '../lib/random.ts'
import { COEFFICIENTS, keysOf, type Load, lognormal } from './plan.ts'
import { Ring } from './ring.ts'

/** Maximum wait of a request. The service rejects requests that would wait longer (its setting `MAX_WAIT_MS`). */
const MAX_WAIT_MS = 2_000
/** Maximum time of a search, because the work of a search is bounded. No measured search took longer. */
const MAX_ROUTE_MS = 250

/** Result of a simulation. `refused` is the fraction of rejected requests. */
export type Outcome = {
  readonly refused: number
  readonly latencyMs: { readonly p50: number; readonly p99: number }
  /** Share of time in which a worker's routing threads are busy: mean and maximum of the workers. */
  readonly busy: { readonly mean: number; readonly most: number }
  /** Number of chains that a worker follows: mean and maximum of the workers. */
  readonly chains: { readonly mean: number; readonly most: number }
  /** Heap of a worker's pools, including the copy of each routing thread: mean and maximum of the workers. */
  readonly heapGB: { readonly mean: number; readonly most: number }
}

export function simulate(load: Load, workers: number, seconds: number, seed: number): Outcome {
  const random = seededRandom(seed).next
  const { chains, threads, quotesPerSecond, replicas } = load
  const shares = zipf(chains)
  const ring = new Ring(Array.from({ length: workers }, (_, i) => `10.0.${i >> 8}.${i & 255}:3000`))
  const workersByChain = shares.map((share, chain) => workersOf(ring, chain, keysOf(share, workers, replicas)))
  const cumulativeShares = shares.map((_, i) => shares.slice(0, i + 1).reduce((sum, share) => sum + share, 0))
  // Times in milliseconds at which each worker's main thread and each of its routing threads become free.
  const mainFreeAt = new Float64Array(workers)
  const threadsFreeAt = Array.from({ length: workers }, () => new Float64Array(threads))
  const busyMs = new Float64Array(workers)
  const route = lognormal(COEFFICIENTS.routeMs)
  const latencies: number[] = []
  let refusedCount = 0
  for (let now = 0; now < seconds * 1_000; now += (-Math.log(1 - random()) / quotesPerSecond) * 1_000) {
    const sample = random()
    const chainWorkers = workersByChain[cumulativeShares.findIndex((sum) => sample < sum)] ?? workersByChain.at(-1)!
    const worker = chainWorkers[Math.floor(random() * chainWorkers.length)]!
    const mainDoneAt = Math.max(now, mainFreeAt[worker]!) + COEFFICIENTS.mainMs
    const threadFreeAt = threadsFreeAt[worker]!
    const thread = threadFreeAt.indexOf(Math.min(...threadFreeAt))
    const searchStart = Math.max(mainDoneAt, threadFreeAt[thread]!)
    if (searchStart - now > MAX_WAIT_MS) {
      refusedCount++
      continue
    }
    const routeMs = Math.min(MAX_ROUTE_MS, Math.exp(route.mu + route.sigma * standardNormal(random)))
    mainFreeAt[worker] = mainDoneAt
    threadFreeAt[thread] = searchStart + routeMs
    busyMs[worker]! += routeMs
    latencies.push(searchStart + routeMs - now)
  }
  latencies.sort((a, b) => a - b)
  const busyShareOf = (ms: number) => ms / (seconds * 1_000 * threads)
  const followedChains = Array.from(
    { length: workers },
    (_, worker) => workersByChain.filter((chainWorkers) => chainWorkers.includes(worker)).length,
  )
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const heapGBOf = (chainCount: number) => (chainCount * load.poolsPerChain * COEFFICIENTS.poolKB * (1 + threads)) / 1e6
  const maxChains = Math.max(...followedChains)
  return {
    refused: refusedCount / (refusedCount + latencies.length),
    latencyMs: { p50: latencies[latencies.length >> 1]!, p99: latencies[Math.floor(latencies.length * 0.99)]! },
    busy: { mean: mean([...busyMs].map(busyShareOf)), most: busyShareOf(Math.max(...busyMs)) },
    chains: { mean: mean(followedChains), most: maxChains },
    heapGB: { mean: heapGBOf(mean(followedChains)), most: heapGBOf(maxChains) },
  }
}

/** Returns the worker of each key of a chain. Each request has a random key (nginx's `split_clients`). */
function workersOf(ring: Ring, chain: number, keys: number): readonly number[] {
  return Array.from({ length: keys }, (_, key) => ring.serverOf(`${chain}-${key}`))
}

/**
 * Returns the shares of requests by Zipf's law: the second chain has half the requests of the first, the third a third,
 * and so on.
 */
function zipf(count: number): readonly number[] {
  const weights = Array.from({ length: count }, (_, i) => 1 / (i + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}

function standardNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}
