/** Compares the cost of searching a large chain in a thread with searching in the main thread. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { PoolMap } from '@sluice/liquidity'
import { buildGraph, findRoute, RouterThreads } from '@sluice/routing'
import { median } from '../lib/statistics.ts'
import { rounded } from '../record.ts'
import { generate } from './generate.ts'
import { requestOf } from './route.ts'
import { loadScenario } from './scenario.ts'

const TRADES = 20
/** Trades of a block that are searched at the same time. */
const AT_ONCE = 10

export async function threadFigures(nPools: number, seed: number) {
  const scenario = generate({ name: 'thread', nPools, seed, nTrades: TRADES })
  const loadedScenario = loadScenario(scenario)
  const snapshot = { ...loadedScenario.snapshot, pools: PoolMap.empty.with(loadedScenario.snapshot.pools.values()) }
  const requests = scenario.trades.map((trade) => requestOf(loadedScenario, trade, 0n))
  const graph = buildGraph(snapshot)
  const threads = new RouterThreads({ count: 1 })
  const inThread = (index: number) => threads.findRoute(snapshot, requests[index % TRADES]!)

  const first = await stall(() => inThread(0))
  for (let index = 0; index < TRADES; index++) findRoute(graph, requests[index]!)
  for (let index = 0; index < TRADES; index++) await inThread(index)
  const inline: number[] = []
  const threadMs: number[] = []
  for (let index = 0; index < TRADES; index++) {
    inline.push(await timeOf(async () => findRoute(graph, requests[index]!)))
    threadMs.push(await timeOf(() => inThread(index)))
  }
  const many = Array.from({ length: AT_ONCE }, (_, index) => index)
  const busyThread = await stall(() => Promise.all(many.map(inThread)))
  const busyProcess = await stall(async () => {
    for (const index of many) findRoute(graph, requests[index]!)
  })
  await threads.close()
  return {
    pools: nPools,
    ms: { inline: rounded(median(inline), 2), inThread: rounded(median(threadMs), 2) },
    // Maximum wait of another request: while the thread receives all pools, and while ten searches run.
    longestTurnMs: { telling: first, tenInThread: busyThread, tenInline: busyProcess },
  }
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Returns the longest time in milliseconds during which the event loop was blocked. */
async function stall(work: () => Promise<unknown>): Promise<number> {
  let running = true
  let longest = 0
  const watch = async () => {
    for (let last = performance.now(); running; last = performance.now()) {
      await nextTurn()
      longest = Math.max(longest, performance.now() - last)
    }
  }
  const loopWatch = watch()
  await work()
  running = false
  await loopWatch
  return rounded(longest, 1)
}
