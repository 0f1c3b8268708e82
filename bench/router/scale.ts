/**
 * `npm run bench -- router scale [pools]`: measures search time, memory, and the time to update a changed pool, on a
 * graph with as many pools as the largest chains have.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { PoolMap } from '@sluice/liquidity'
import { buildGraph, findRoute } from '@sluice/routing'
import { median, quantile } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'
import { measureChangedPools } from './changed-pool.ts'
import { generate } from './generate.ts'
import { requestOf, SERVICE_LIMITS, warmUp } from './route.ts'
import { loadScenario } from './scenario.ts'

const POOLS = Number(process.argv[2] ?? 100_000)
/** Seed of the scenario. It was not used in development. */
const SEED = 970_001
const TRADES = 60
const RUNS = 3
const GAS_PRICES = [0n, 10n ** 10n]

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')
const usedBytes = () => {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** Runs a function, and returns its CPU time and its wall-clock time. Other processes affect only the latter. */
function timeOf(run: () => void) {
  const startedAt = performance.now()
  const cpu = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(cpu)
  return { ms: performance.now() - startedAt, cpuMs: (user + system) / 1000 }
}

const summary = (times: readonly number[]) => ({
  median: rounded(median(times), 2),
  p95: rounded(quantile(times, 0.95), 2),
  worst: rounded(Math.max(...times), 2),
})

const scenario = generate({ name: 'scale', nPools: POOLS, seed: SEED, nTrades: TRADES })
const loadedScenario = loadScenario(scenario)
let pools = PoolMap.empty.with(loadedScenario.snapshot.pools.values())
const [changedPoolId] = loadedScenario.snapshot.pools.keys()
const bytesBefore = usedBytes()
const start = performance.now()
let graph = buildGraph({ ...loadedScenario.snapshot, pools })
const buildMs = performance.now() - start
const compiledMB = (usedBytes() - bytesBefore) / 2 ** 20

/** Updates the graph to a new block, in which no search has run yet. */
function nextBlock() {
  pools = pools.with([{ ...pools.get(changedPoolId!)! }])
  graph = buildGraph({ ...loadedScenario.snapshot, pools }, graph)
}

const searches = []
for (const gasPriceWei of GAS_PRICES) {
  const requests = scenario.trades.map((trade) => requestOf(loadedScenario, trade, gasPriceWei, SERVICE_LIMITS))
  await warmUp(requests, (request) => findRoute(graph, request))
  const times = requests.map((request) => {
    nextBlock()
    const firstCpuMs = timeOf(() => findRoute(graph, request)).cpuMs
    const runs = Array.from({ length: RUNS }, () => timeOf(() => findRoute(graph, request)))
    return { first: firstCpuMs, ms: median(runs.map(({ ms }) => ms)), cpuMs: median(runs.map(({ cpuMs }) => cpuMs)) }
  })
  searches.push({
    gwei: Number(gasPriceWei / 10n ** 9n),
    trades: times.length,
    ms: summary(times.map(({ ms }) => ms)),
    cpuMs: summary(times.map(({ cpuMs }) => cpuMs)),
    /** CPU time of the first search in a block. Later searches share data that is computed once per target. */
    firstCpuMs: summary(times.map(({ first }) => first)),
  })
}
record('scale', {
  pools: POOLS,
  tokens: scenario.tokens.length,
  graph: {
    buildMs: rounded(buildMs, 0),
    compiledMB: rounded(compiledMB),
    afterSearchesMB: rounded((usedBytes() - bytesBefore) / 2 ** 20),
  },
  searches,
  changedPool: measureChangedPools(),
})
