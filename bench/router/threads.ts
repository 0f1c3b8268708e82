/**
 * `npm run bench -- router threads [pools]`: measures searches per second with one and with two routing threads, while
 * blocks arrive. The main thread encodes the routes. Also measures the main thread's CPU time per block, for one thread
 * and for two threads that receive the block.
 */
import { toAddress } from '@sluice/chains'
import { families, type Pool, PoolMap } from '@sluice/liquidity'
import { EncodeError, encodeSwap, type RouteResult, RouterThreads } from '@sluice/routing'
import { median } from '../lib/statistics.ts'
import { record, rounded } from '../record.ts'
import { generate } from './generate.ts'
import { requestOf, SERVICE_LIMITS } from './route.ts'
import { loadScenario } from './scenario.ts'

const POOLS = Number(process.argv[2] ?? 20_000)
const TRADES = 40
const SECONDS = 8
/** Number of rounds. Each measures one thread and then two threads, so that other load on the machine affects both. */
const ROUNDS = 3
/** Concurrent searches per thread. */
const SEARCHES_PER_THREAD = 2
const BLOCK_MS = 2_000
const CHANGED_POOLS = 200
const BLOCKS = 40
/** Timeout of a search. It is so long that no search reaches it, even on a busy machine. */
const TIMEOUT_MS = 20_000
const GAS_PRICE = 10n ** 10n

const scenario = generate({ name: 'threads', nPools: POOLS, seed: 940_001, nTrades: TRADES })
const loadedScenario = loadScenario(scenario)
const requests = scenario.trades.map((trade) => requestOf(loadedScenario, trade, GAS_PRICE, SERVICE_LIMITS))
const ids = [...loadedScenario.snapshot.pools.keys()]
const [guard, executor] = ['11', '22'].map((byte) => toAddress(`0x${byte.repeat(20)}`)) as [never, never]
const swapFields = {
  from: toAddress(`0x${'c'.repeat(40)}`),
  guard,
  executor,
  families: new Map(families.map((family) => [family.id, family])),
  minOutput: 1n,
  deadline: 2n ** 40n,
}

let snapshot = { ...loadedScenario.snapshot, pools: PoolMap.empty.with(loadedScenario.snapshot.pools.values()) }
let version = 0
/** Replaces the states of some pools by equal objects with the same ticks. A block with swaps has the same effect. */
function nextBlock(): void {
  version++
  const changedPools = Array.from({ length: CHANGED_POOLS }, (_, i) => {
    const pool = snapshot.pools.get(ids[(version * 7_919 + i * 61) % ids.length]!) as Pool<object>
    return { ...pool, state: { ...pool.state } }
  })
  snapshot = { ...snapshot, pools: snapshot.pools.with(changedPools) }
}

let encodedCount = 0
function encode(result: RouteResult): void {
  if (!result.ok) return
  try {
    encodeSwap({ route: result.route, wrappedNative: requests[0]!.wrappedNative, ...swapFields })
    encodedCount++
  } catch (error) {
    // Some types of pools in the scenario have no contract, so that their routes cannot be encoded.
    if (!(error instanceof EncodeError)) throw error
  }
}

/** Returns the number of searches per second, while a block arrives every two seconds. */
async function searchesPerSecond(threads: RouterThreads, threadCount: number): Promise<number> {
  const end = performance.now() + SECONDS * 1_000
  const timer = setInterval(nextBlock, BLOCK_MS)
  let searchCount = 0
  const caller = async (firstIndex: number) => {
    for (let index = firstIndex; performance.now() < end; index += threadCount * SEARCHES_PER_THREAD) {
      encode(await threads.findRoute(snapshot, requests[index % TRADES]!))
      searchCount++
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: threadCount * SEARCHES_PER_THREAD }, (_, index) => caller(index)))
  clearInterval(timer)
  return (searchCount * 1_000) / (performance.now() - start)
}

/**
 * Returns the main thread's CPU microseconds per block that is sent to the threads, including one search in each
 * thread.
 */
async function microsPerBlock(threads: RouterThreads, threadCount: number): Promise<number> {
  const times: number[] = []
  for (let block = 0; block < BLOCKS; block++) {
    nextBlock()
    const cpuBefore = process.threadCpuUsage()
    await Promise.all(Array.from({ length: threadCount }, () => threads.findRoute(snapshot, requests[0]!)))
    const { user, system } = process.threadCpuUsage(cpuBefore)
    times.push(user + system)
  }
  return median(times)
}

const oneThread = new RouterThreads({ count: 1, timeoutMs: TIMEOUT_MS })
const twoThreads = new RouterThreads({ count: 2, timeoutMs: TIMEOUT_MS })
for (const [threads, count] of [
  [oneThread, 1],
  [twoThreads, 2],
] as const)
  await searchesPerSecond(threads, count)
const rounds: { one: number; two: number; times: number }[] = []
for (let round = 0; round < ROUNDS; round++) {
  const [withOne, withTwo] = [await searchesPerSecond(oneThread, 1), await searchesPerSecond(twoThreads, 2)]
  rounds.push({ one: rounded(withOne), two: rounded(withTwo), times: rounded(withTwo / withOne, 2) })
}
const cost = {
  one: Math.round(await microsPerBlock(oneThread, 1)),
  two: Math.round(await microsPerBlock(twoThreads, 2)),
}
await Promise.all([oneThread.close(), twoThreads.close()])
record('threads', {
  ...{
    pools: POOLS,
    searchesPerSecond: rounds,
    times: median(rounds.map(({ times }) => times)),
    encoded: encodedCount,
  },
  processMicrosPerBlock: { changedPools: CHANGED_POOLS, ...cost },
})
