import { setImmediate as nextTurn } from 'node:timers/promises'
import { PoolMap } from '@sluice/liquidity'
import { afterAll, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph.ts'
import { RouterThread, RouterThreadError } from '../src/thread/router-thread.ts'
import { RouterThreads } from '../src/thread/router-threads.ts'
import { E18, fairPools, request, snapshotOf } from './graphs.ts'

const threads = new RouterThreads(2)
afterAll(() => threads.close())

const pools = fairPools(1, 3_000, 400)
const snapshot = { ...snapshotOf([]), pools: PoolMap.empty.with(pools) }
const richer = pools.slice(0, 700).map((pool) => ({
  ...pool,
  state: { ...pool.state, reserve0: pool.state.reserve0 * 2n },
}))
const later = { ...snapshot, pools: snapshot.pools.with(richer, [pools[2_999]!.id]) }
const anew = (of: typeof snapshot, asked = request()) => findRoute(buildGraph(of), asked)

test('a thread finds what the process would, whichever block is asked for in whichever order', async () => {
  const taxes = new Map([
    [request().tokenIn, { usual: { buyPpm: 0, sellPpm: 50_000, transferPpm: 0 }, inPool: new Map() }],
  ])
  const asked = request({
    amountIn: 100n * E18,
    gasPriceWei: 10n ** 9n,
    sources: { exclude: new Set(['none']) },
    taxes,
  })
  const results = await Promise.all(
    [snapshot, later, snapshot, snapshot, later].map((of) => threads.findRoute(of, asked)),
  )
  expect(results[0]!.ok).toBe(true)
  for (const index of [0, 2, 3]) expect(results[index]).toEqual(anew(snapshot, asked))
  for (const index of [1, 4]) expect(results[index]).toEqual(anew(later, asked))
})

test('refusals come back with their reasons', async () => {
  const asked = request({ excludePools: new Set(pools.map(({ id }) => id)) })
  const refused = await threads.findRoute(snapshot, asked)
  expect(refused).toEqual(anew(snapshot, asked))
  expect(refused.ok ? [] : refused.reasons).toHaveLength(pools.length)
})

test('chains are kept apart, and a chain that was forgotten is told anew', async () => {
  const other = { ...later, chainId: 2 }
  const thread = new RouterThread()
  const [first, second] = await Promise.all([thread.findRoute(snapshot, request()), thread.findRoute(other, request())])
  expect(first).toEqual(anew(snapshot))
  expect(second).toEqual(anew(other))
  const forgotten = thread.forget(2)
  expect(await thread.findRoute(other, request())).toEqual(anew(other))
  await forgotten
  await thread.close()
})

test('while a large search runs, small ones are answered', async () => {
  const small = buildGraph(snapshotOf(fairPools(2, 20)))
  // More than all reserves together: the search weighs every pool.
  const asked = request({ amountIn: 2n ** 100n })
  let running = true
  const large = threads.findRoute(snapshot, asked).finally(() => {
    running = false
  })
  let answered = 0
  for (; running; await nextTurn()) if (findRoute(small, request()).ok) answered++
  expect(await large).toEqual(anew(snapshot, asked))
  expect(answered).toBeGreaterThan(10)
})

test('a thread that ends fails its searches, and the next one starts another', async () => {
  const thread = new RouterThread()
  const lost = thread.findRoute(snapshot, request())
  const failed = expect(lost).rejects.toThrow(RouterThreadError)
  await nextTurn()
  await thread.close()
  await failed
  expect(await thread.findRoute(snapshot, request())).toEqual(anew(snapshot))
  expect(thread.load).toBe(0)
  await thread.close()
})

test('a fault of the search is told to its caller alone', async () => {
  const broken = request({ amountIn: 1e18 as unknown as bigint })
  await expect(threads.findRoute(snapshot, broken)).rejects.toThrow(TypeError)
  expect(await threads.findRoute(snapshot, request())).toEqual(anew(snapshot))
})
