/** Compares searches in a routing thread with searches in the main thread, on a large chain. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { PoolMap } from '@sluice/liquidity'
import { buildGraph, findRoute, RouterThreads } from '@sluice/routing'
import { median } from '../lib/statistics.ts'
import { rounded } from '../record.ts'
import { generate } from './generate.ts'
import { requestOf } from './route.ts'
import { loadScenario } from './scenario.ts'

const TRADES = 20
/** Number of searches that are requested at the same time. */
const CONCURRENT_SEARCHES = 10

export async function measureThread(nPools: number, seed: number) {
  const scenario = generate({ name: 'thread', nPools, seed, nTrades: TRADES })
  const loadedScenario = loadScenario(scenario)
  const snapshot = { ...loadedScenario.snapshot, pools: PoolMap.empty.with(loadedScenario.snapshot.pools.values()) }
  const requests = scenario.trades.map((trade) => requestOf(loadedScenario, trade, 0n))
  const graph = buildGraph(snapshot)
  const threads = new RouterThreads({ count: 1 })
  const searchInThread = (index: number) => threads.findRoute(snapshot, requests[index % TRADES]!)

  const firstBlockMs = await longestBlockMs(() => searchInThread(0))
  for (let index = 0; index < TRADES; index++) findRoute(graph, requests[index]!)
  for (let index = 0; index < TRADES; index++) await searchInThread(index)
  const inlineMs: number[] = []
  const threadMs: number[] = []
  for (let index = 0; index < TRADES; index++) {
    inlineMs.push(await timeOf(async () => findRoute(graph, requests[index]!)))
    threadMs.push(await timeOf(() => searchInThread(index)))
  }
  const indexes = Array.from({ length: CONCURRENT_SEARCHES }, (_, index) => index)
  const threadBlockMs = await longestBlockMs(() => Promise.all(indexes.map(searchInThread)))
  const inlineBlockMs = await longestBlockMs(async () => {
    for (const index of indexes) findRoute(graph, requests[index]!)
  })
  await threads.close()
  return {
    pools: nPools,
    ms: { inline: rounded(median(inlineMs), 2), inThread: rounded(median(threadMs), 2) },
    // Longest times for which the event loop was blocked: while the thread received all pools (`telling`), and while
    // ten searches ran.
    longestTurnMs: { telling: firstBlockMs, tenInThread: threadBlockMs, tenInline: inlineBlockMs },
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Runs `work`, and returns the longest time in milliseconds for which the event loop was blocked meanwhile. */
async function longestBlockMs(work: () => Promise<unknown>): Promise<number> {
  let isRunning = true
  let longest = 0
  const watch = async () => {
    for (let last = performance.now(); isRunning; last = performance.now()) {
      await nextTurn()
      longest = Math.max(longest, performance.now() - last)
    }
  }
  const loopWatch = watch()
  await work()
  isRunning = false
  await loopWatch
  return rounded(longest, 1)
}
