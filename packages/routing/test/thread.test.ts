/** Searches in worker threads: same results as in the process, and recovery from faults. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { encodeEntryBetween, type Pool, PoolMap, rememberEntry } from '@sluice/liquidity'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { RoutingError } from '../src/errors.ts'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { Graph } from '../src/graph/graph.ts'
import { EntryLog } from '../src/thread/entry-log.ts'
import type { FromThread, ToThread } from '../src/thread/messages.ts'
import type { RouterThread } from '../src/thread/router-thread.ts'
import { RouterThreads } from '../src/thread/router-threads.ts'
import { E18, fairPools, request, snapshotOf } from './graphs.ts'

// Long enough for a heavily loaded machine.
const threads = new RouterThreads({ count: 2, timeoutMs: 30_000 })
afterAll(() => threads.close())

const pools = fairPools(1, 300, 60)
const snapshot = { ...snapshotOf([]), pools: PoolMap.empty.with(pools) }
/** Returns pools with twice the reserves of their first token. */
const richerOf = (of: typeof pools) =>
  of.map((pool) => ({ ...pool, state: { ...pool.state, reserve0: pool.state.reserve0 * 2n } }))
const richer = richerOf(pools.slice(0, 140))
const later = { ...snapshot, pools: snapshot.pools.with(richer, [pools.at(-1)!.id]) }
const graphs = new WeakMap<typeof snapshot, Graph>()
/** Searches in this process, on one graph per state. */
function inProcess(of: typeof snapshot, req = request()) {
  const graph = graphs.get(of) ?? buildGraph(of)
  graphs.set(of, graph)
  return findRoute(graph, req)
}

test('a thread finds the same routes as the process, for blocks in any order', async () => {
  const taxes = new Map([
    [request().tokenIn, { usual: { buyPpm: 0, sellPpm: 50_000, transferPpm: 0 }, inPool: new Map() }],
  ])
  const req = request({
    amountIn: 100n * E18,
    gasPriceWei: 10n ** 9n,
    sources: { exclude: new Set(['none']) },
    taxes,
  })
  const results = await Promise.all(
    [snapshot, later, snapshot, snapshot, later].map((of) => threads.findRoute(of, req)),
  )
  expect(results[0]!.ok).toBe(true)
  for (const index of [0, 2, 3]) expect(results[index]).toEqual(inProcess(snapshot, req))
  for (const index of [1, 4]) expect(results[index]).toEqual(inProcess(later, req))
})

test('threads that learn of blocks at different times from shared memory agree with the process', async () => {
  let at = later
  for (let block = 0; block < 12; block++) {
    const changedPools = pools
      .slice(block * 7, block * 7 + 5)
      .map((pool) => ({ ...pool, state: { ...pool.state, reserve1: pool.state.reserve1 + BigInt(block) } }))
    const next = { ...at, pools: at.pools.with(changedPools, block % 8 === 3 ? [pools[block]!.id] : []) }
    // As if the state came from a bus entry.
    if (block % 3 === 0) rememberEntry(at.pools, next.pools, encodeEntryBetween(at.pools, next.pools, 100)!)
    at = next
    // A single search updates one thread; two concurrent ones update both.
    const req = Array.from({ length: block % 5 === 0 ? 2 : 1 }, () => threads.findRoute(at, request()))
    for (const result of await Promise.all(req)) expect(result).toEqual(inProcess(at))
  }
})

test('a thread queues a few short searches of any blocks, but runs a long one alone', async () => {
  const threads = new RouterThreads({ count: 1, timeoutMs: 30_000 })
  const short = (state: typeof snapshot) => threads.findRoute(state, request(), undefined, true)
  expect(threads.freeThreadState).toBe('cold')
  // The thread has to start first, so callers that can search elsewhere would.
  const first = short(snapshot)
  expect(threads.freeThreadState).toBeNull()
  expect(await first).toEqual(inProcess(snapshot))
  const inHand = [short(later), short(snapshot), short(later)]
  expect(threads.freeThreadState).toBe('warm')
  inHand.push(short(snapshot))
  expect(threads.freeThreadState).toBeNull()
  const behind = short(later)
  expect(threads.queuedCount).toBe(1)
  threads.forget(1)
  const expected = [inProcess(later), inProcess(snapshot), inProcess(later), inProcess(snapshot), inProcess(later)]
  expect(await Promise.all([...inHand, behind])).toEqual(expected)
  expect(threads.freeThreadState).toBe('warm')
  const long = threads.findRoute(snapshot, request())
  expect(threads.freeThreadState).toBeNull()
  expect(await long).toEqual(inProcess(snapshot))
  await threads.close()
})

test('the graph of a block is built once for all of its searches', async () => {
  const worker = new Worker(new URL('../src/thread/worker.ts', import.meta.url))
  const messages: FromThread[] = []
  worker.on('message', (message: FromThread) => messages.push(message))
  const send = (message: ToThread) => worker.postMessage(message)
  const find = (block: typeof snapshot.block) =>
    send({ do: 'find', chainId: 1, block, request: request(), sharedNames: [] })
  const change = (changed: readonly Pool[]) => send({ do: 'change', chainId: 1, changedPools: changed, goneIds: [] })
  const next = { ...snapshot.block, number: snapshot.block.number + 1, hash: '0x02' } as const
  change(pools.slice(0, 100))
  for (const block of [snapshot.block, snapshot.block, next, next]) find(block)
  change(richer.slice(0, 1))
  find(next)
  await vi.waitFor(() => expect(messages.filter((message) => 'result' in message)).toHaveLength(5), { timeout: 30_000 })
  expect(messages.map((message) => Object.keys(message)[0])).toEqual(
    ['prepared result result', 'prepared result result', 'prepared result'].flatMap((of) => of.split(' ')),
  )
  await worker.terminate()
})

test('a request that cannot be posted to a thread fails alone', async () => {
  const unpostable = request({ wrappedNative: (() => {}) as never })
  const req = [request(), unpostable, request()].map((of) => threads.findRoute(snapshot, of, undefined, true))
  const [first, second, third] = await Promise.allSettled(req)
  expect(second).toMatchObject({ status: 'rejected', reason: { name: 'DataCloneError' } })
  for (const settled of [first, third]) expect(settled).toEqual({ status: 'fulfilled', value: inProcess(snapshot) })
  expect(await threads.findRoute(later, request())).toEqual(inProcess(later))
})

test('changes are encoded once for all threads', () => {
  const log = new EntryLog()
  // More pools than one entry has.
  const all = fairPools(1, 1_500, 200)
  const first = PoolMap.empty.with(all)
  const second = first.with(richerOf(all.slice(0, 700)), [all.at(-1)!.id])
  const third = first.with(richerOf(all.slice(0, 3)))
  expect(log.between(PoolMap.empty, first)).toBeNull()
  const [entry, ...otherEntries] = log.between(first, second)!
  expect(otherEntries).toEqual([])
  expect(entry!.buffer).toBeInstanceOf(SharedArrayBuffer)
  expect(log.between(first, second)![0]).toBe(entry)
  expect(log.between(second, third)).toHaveLength(1)
  expect(log.between(first, third)).toHaveLength(2)
  expect(log.between(first, third)![0]).toBe(entry)
  expect(log.between(third, third)).toEqual([])
  // An earlier block again, and an unrelated state.
  expect(log.between(third, second)).toBeNull()
  expect(log.between(third, PoolMap.empty)).toBeNull()
})

test('shared terms are sent again when they change', async () => {
  const [id] = [...snapshot.pools.keys()]
  const taxed = (sellPpm: number) =>
    request({
      taxes: new Map([[request().tokenIn, { usual: { buyPpm: 0, sellPpm, transferPpm: 0 }, inPool: new Map() }]]),
    })
  const costly = request({
    gasPriceWei: 10n ** 9n,
    learnedGas: new Map([...snapshot.pools.keys()].map((id) => [id, 9_999])),
  })
  const hops = (pool: Pool) =>
    [pool.tokens, pool.tokens.toReversed()].map(([tokenIn, tokenOut]) => {
      return { tokenIn: tokenIn!, tokenOut: tokenOut!, first: 200_000, middle: 190_000, last: 210_000 }
    })
  const measured = request({
    gasPriceWei: 10n ** 9n,
    learnedGas: new Map([...snapshot.pools.values()].map((pool) => [pool.id, hops(pool)])),
  })
  const discounted = request({ driftPenalties: new Map([[id!, 1_000_000]]) })
  for (const req of [
    taxed(0),
    taxed(90_000),
    request(),
    costly,
    measured,
    discounted,
    taxed(90_000),
    costly,
    request(),
  ])
    expect(await threads.findRoute(snapshot, req)).toEqual(inProcess(snapshot, req))
})

test('refusals include their reasons', async () => {
  const req = request({ excludePools: new Set(pools.map(({ id }) => id)) })
  const refused = await threads.findRoute(snapshot, req)
  expect(refused).toEqual(inProcess(snapshot, req))
  expect(refused.ok ? [] : refused.reasons).toHaveLength(pools.length)
})

test('chains are independent, and a forgotten chain is sent again', async () => {
  const other = { ...later, chainId: 2 }
  const [first, second] = await Promise.all([
    threads.findRoute(snapshot, request()),
    threads.findRoute(other, request()),
  ])
  expect(first).toEqual(inProcess(snapshot))
  expect(second).toEqual(inProcess(other))
  threads.forget(2)
  expect(await threads.findRoute(other, request())).toEqual(inProcess(other))
  const req = threads.findRoute(other, request())
  threads.forget(2)
  expect(await req).toEqual(inProcess(other))
  expect(await threads.findRoute(other, request())).toEqual(inProcess(other))
})

test('small searches are answered while a large one runs', async () => {
  const small = buildGraph(snapshotOf(fairPools(2, 20)))
  // More than all reserves together, so the search considers every pool.
  const req = request({ amountIn: 2n ** 100n })
  let running = true
  const large = threads.findRoute(snapshot, req).finally(() => {
    running = false
  })
  let answered = 0
  for (; running; await nextTurn()) if (findRoute(small, request()).ok) answered++
  expect(await large).toEqual(inProcess(snapshot, req))
  // On a busy machine the large search can end after few turns of this thread.
  expect(answered).toBeGreaterThan(0)
})

test('an error of a search reaches only its caller', async () => {
  const broken = request({ amountIn: 1e18 as unknown as bigint })
  await expect(threads.findRoute(snapshot, broken)).rejects.toThrow(TypeError)
  expect(await threads.findRoute(snapshot, request())).toEqual(inProcess(snapshot))
})

/** A thread with faults for some amounts. */
const faulty = { entryModule: new URL('faulty-worker.ts', import.meta.url), timeoutMs: 2_000 }
const UNPREPARED = request({ amountIn: 664n })
const SILENT = request({ amountIn: 665n })
const ENDLESS = request({ amountIn: 666n })
const DYING = request({ amountIn: 667n })
const HOARDING = request({ amountIn: 668n })
const SLOW = request({ amountIn: 669n })

describe('faulty searches', () => {
  test('an endless search is terminated without affecting others', async () => {
    const threads = new RouterThreads({ count: 1, ...faulty })
    const lost = expect(threads.findRoute(snapshot, ENDLESS)).rejects.toMatchObject({ code: 'SEARCH_OVERRAN' })
    const behind = Array.from({ length: 5 }, () => threads.findRoute(snapshot, request()))
    for (const result of await Promise.all(behind)) expect(result).toEqual(inProcess(snapshot))
    await lost
    expect(await threads.findRoute(later, request())).toEqual(inProcess(later))
    await threads.close()
  })

  test('only a search of a new block has time to prepare', { tags: 'long' }, async () => {
    const threads = new RouterThreads({ count: 1, ...faulty, timeoutMs: 1_500 })
    expect(await threads.findRoute(snapshot, request())).toEqual(inProcess(snapshot))
    expect(await threads.findRoute(later, UNPREPARED)).toEqual(inProcess(later, UNPREPARED))
    // A chain that was forgotten must be prepared again.
    threads.forget(1)
    expect(await threads.findRoute(later, UNPREPARED)).toEqual(inProcess(later, UNPREPARED))
    expect(await threads.findRoute(snapshot, UNPREPARED)).toEqual(inProcess(snapshot, UNPREPARED))
    const short = (req = request()) => threads.findRoute(snapshot, req, undefined, true)
    const [before, lost] = [short(), short(SILENT).catch(({ code }) => code)]
    expect(await before).toEqual(inProcess(snapshot))
    expect(await lost).toBe('SEARCH_OVERRAN')
    await threads.close()
  })

  test('searches behind it do not wait for its end', { tags: 'long' }, async () => {
    const threads = new RouterThreads({ count: 1, ...faulty, timeoutMs: 60_000 })
    let ended = false
    const lost = threads.findRoute(snapshot, ENDLESS).catch(({ code }) => {
      ended = true
      return code
    })
    expect(await threads.findRoute(snapshot, request())).toEqual(inProcess(snapshot))
    expect(ended).toBe(false)
    await threads.close()
    expect(await lost).toBe('THREAD_ENDED')
  })

  test('a search that kills its thread or exhausts its memory fails alone', async () => {
    const threads = new RouterThreads({ count: 1, ...faulty, timeoutMs: 60_000, memoryMb: 128 })
    // Without LONG: the end alone, since the memory takes seconds to fill.
    for (const fatal of process.env.LONG ? [DYING, HOARDING] : [DYING]) {
      const lost = expect(threads.findRoute(snapshot, fatal)).rejects.toMatchObject({ code: 'THREAD_ENDED' })
      expect(await threads.findRoute(snapshot, request())).toEqual(inProcess(snapshot))
      await lost
    }
    await threads.close()
  })

  test('queued searches of a slow or dead thread move to another one', async () => {
    const threads = new RouterThreads({ count: 1, ...faulty, timeoutMs: 60_000 })
    const short = (req = request()) => threads.findRoute(snapshot, req, undefined, true)
    for (const fault of [DYING, ENDLESS]) {
      // Only a thread that has answered accepts queued searches.
      expect(await short()).toEqual(inProcess(snapshot))
      let ended = false
      const lost = short(fault).catch(({ code }) => {
        ended = true
        return code
      })
      const behind = [short(), short(), short()]
      expect(threads.queuedCount).toBe(0)
      for (const result of await Promise.all(behind)) expect(result).toEqual(inProcess(snapshot))
      expect(ended).toBe(fault === DYING)
      if (fault === ENDLESS) await threads.close()
      expect(await lost).toBe('THREAD_ENDED')
    }
  })

  test('a thread that finishes after its queue was handed back accepts new searches', { tags: 'long' }, async () => {
    const threads = new RouterThreads({ count: 1, ...faulty, timeoutMs: 60_000 })
    expect(await threads.findRoute(snapshot, SLOW)).toEqual(inProcess(snapshot, SLOW))
    const [slow, behind] = [SLOW, request()].map((req) => threads.findRoute(snapshot, req, undefined, true))
    const abort = new AbortController()
    const abortedSearch = threads.findRoute(snapshot, request(), abort.signal, true)
    setTimeout(() => abort.abort(new Error('gone')), 100)
    await expect(abortedSearch).rejects.toThrow('gone')
    expect(await behind).toEqual(inProcess(snapshot))
    for (let k = 0; k < 3; k++) expect(await threads.findRoute(snapshot, request())).toEqual(inProcess(snapshot))
    expect(await slow).toEqual(inProcess(snapshot, SLOW))
    expect(await threads.findRoute(snapshot, request())).toEqual(inProcess(snapshot))
    await threads.close()
  })

  test('a blocked process does not treat its threads as slow', async () => {
    const threads = new RouterThreads({ count: 1, ...faulty })
    await threads.findRoute(snapshot, request())
    const req = [0, 0, 0, 0].map(() => threads.findRoute(snapshot, request(), undefined, true))
    await nextTurn()
    const until = performance.now() + 400
    while (performance.now() < until);
    await Promise.all(req)
    // The spare thread was not used.
    const all: readonly Pick<RouterThread, 'isWarm' | 'isBusy'>[] = Reflect.get(threads, 'threads')
    expect(all.map(({ isWarm, isBusy }) => isWarm || isBusy)).toEqual([true, false])
    await threads.close()
  })

  test('a thread that cannot start fails its search, and close ends all others', async () => {
    const entry = new URL('no-such-worker.ts', import.meta.url)
    const none = new RouterThreads({ count: 1, entryModule: entry })
    for (let turn = 0; turn < 2; turn++)
      await expect(none.findRoute(snapshot, request())).rejects.toMatchObject({ code: 'THREAD_ENDED' })
    const threads = new RouterThreads({ count: 1, ...faulty, timeoutMs: 60_000 })
    const lost = [ENDLESS, request()].map((req) =>
      expect(threads.findRoute(snapshot, req)).rejects.toThrow(RoutingError),
    )
    await nextTurn()
    await threads.close()
    await Promise.all(lost)
  })

  test('an aborted search leaves the queue', async () => {
    const threads = new RouterThreads({ count: 1, ...faulty })
    const first = threads.findRoute(snapshot, request())
    const abort = new AbortController()
    const second = threads.findRoute(snapshot, request(), abort.signal)
    abort.abort(new Error('gone'))
    await expect(second).rejects.toThrow('gone')
    expect(threads.queuedCount).toBe(0)
    expect(await first).toEqual(inProcess(snapshot))
    await threads.close()
  })
})
