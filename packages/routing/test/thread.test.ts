import { setImmediate as nextTurn } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { entryBetween, type Pool, PoolMap, rememberEntry } from '@sluice/liquidity'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { RoutingError } from '../src/errors.ts'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import { EntryLog } from '../src/thread/entry-log.ts'
import type { FromThread, ToThread } from '../src/thread/messages.ts'
import type { RouterThread } from '../src/thread/router-thread.ts'
import { RouterThreads } from '../src/thread/router-threads.ts'
import { E18, fairPools, request, snapshotOf } from './graphs.ts'

// Time enough for a machine that has far more to do.
const threads = new RouterThreads({ count: 2, timeoutMs: 30_000 })
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

test('threads that are told of blocks at different times, from one memory, agree with the process', async () => {
  let at = later
  for (let block = 0; block < 20; block++) {
    const some = pools
      .slice(block * 7, block * 7 + 5)
      .map((pool) => ({ ...pool, state: { ...pool.state, reserve1: pool.state.reserve1 + BigInt(block) } }))
    const next = { ...at, pools: at.pools.with(some, block % 8 === 3 ? [pools[block]!.id] : []) }
    // As an entry of the bus that the state was made by.
    if (block % 3 === 0) rememberEntry(at.pools, next.pools, entryBetween(at.pools, next.pools, 100)!)
    at = next
    // Alone, one of them hears of it; two at once, both do.
    const asked = Array.from({ length: block % 5 === 0 ? 2 : 1 }, () => threads.findRoute(at, request()))
    for (const result of await Promise.all(asked)) expect(result).toEqual(anew(at))
  }
})

test('a thread has a few short searches in hand, of whichever blocks, and a long one alone', async () => {
  const one = new RouterThreads({ count: 1, timeoutMs: 30_000 })
  const short = (of: typeof snapshot) => one.findRoute(of, request(), undefined, true)
  expect(one.free).toBe('cold')
  // The thread has to start: who could search elsewhere would.
  const first = short(snapshot)
  expect(one.free).toBeNull()
  expect(await first).toEqual(anew(snapshot))
  const inHand = [short(later), short(snapshot), short(later)]
  expect(one.free).toBe('warm')
  inHand.push(short(snapshot))
  expect(one.free).toBeNull()
  const behind = short(later)
  expect(one.queued).toBe(1)
  one.forget(1)
  const expected = [anew(later), anew(snapshot), anew(later), anew(snapshot), anew(later)]
  expect(await Promise.all([...inHand, behind])).toEqual(expected)
  expect(one.free).toBe('warm')
  const long = one.findRoute(snapshot, request())
  expect(one.free).toBeNull()
  expect(await long).toEqual(anew(snapshot))
  await one.close()
})

test('the graph of a block is made once, for all searches of it', async () => {
  const worker = new Worker(new URL('../src/thread/worker.ts', import.meta.url))
  const heard: FromThread[] = []
  worker.on('message', (message: FromThread) => heard.push(message))
  const tell = (message: ToThread) => worker.postMessage(message)
  const find = (block: typeof snapshot.block) => tell({ do: 'find', chainId: 1, block, request: request(), shared: [] })
  const change = (changed: readonly Pool[]) => tell({ do: 'change', chainId: 1, changed, gone: [] })
  const next = { ...snapshot.block, number: snapshot.block.number + 1, hash: '0x02' } as const
  change(pools.slice(0, 100))
  for (const block of [snapshot.block, snapshot.block, next, next]) find(block)
  change(richer.slice(0, 1))
  find(next)
  await vi.waitFor(() => expect(heard.filter((message) => 'result' in message)).toHaveLength(5), { timeout: 30_000 })
  expect(heard.map((message) => Object.keys(message)[0])).toEqual(
    ['prepared result result', 'prepared result result', 'prepared result'].flatMap((of) => of.split(' ')),
  )
  await worker.terminate()
})

test('what cannot be told to a thread fails alone', async () => {
  const one = new RouterThreads({ count: 1, timeoutMs: 30_000 })
  const unheard = request({ wrappedNative: (() => {}) as never })
  const asked = [request(), unheard, request()].map((of) => one.findRoute(snapshot, of, undefined, true))
  const [first, second, third] = await Promise.allSettled(asked)
  expect(second).toMatchObject({ status: 'rejected', reason: { name: 'DataCloneError' } })
  for (const told of [first, third]) expect(told).toEqual({ status: 'fulfilled', value: anew(snapshot) })
  expect(await one.findRoute(later, request())).toEqual(anew(later))
  await one.close()
})

test('what changed is put into words once for all threads', () => {
  const log = new EntryLog()
  const [first, second, third] = [snapshot.pools, later.pools, snapshot.pools.with(richer.slice(0, 3))]
  expect(log.between(PoolMap.empty, first)).toBeNull()
  const [entry, ...more] = log.between(first, second)!
  expect(more).toEqual([])
  expect(entry!.buffer).toBeInstanceOf(SharedArrayBuffer)
  expect(log.between(first, second)![0]).toBe(entry)
  expect(log.between(second, third)).toHaveLength(1)
  expect(log.between(first, third)).toHaveLength(2)
  expect(log.between(first, third)![0]).toBe(entry)
  expect(log.between(third, third)).toEqual([])
  // An earlier block again, and a market that is another altogether.
  expect(log.between(third, second)).toBeNull()
  expect(log.between(third, PoolMap.empty)).toBeNull()
})

test('terms that requests share are told again when they are others', async () => {
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
  const doubted = request({ haircuts: new Map([[id!, 1_000_000]]) })
  for (const asked of [taxed(0), taxed(90_000), request(), costly, measured, doubted, taxed(90_000), costly, request()])
    expect(await threads.findRoute(snapshot, asked)).toEqual(anew(snapshot, asked))
})

test('refusals come back with their reasons', async () => {
  const asked = request({ excludePools: new Set(pools.map(({ id }) => id)) })
  const refused = await threads.findRoute(snapshot, asked)
  expect(refused).toEqual(anew(snapshot, asked))
  expect(refused.ok ? [] : refused.reasons).toHaveLength(pools.length)
})

test('chains are kept apart, and a chain that was forgotten is told anew', async () => {
  const other = { ...later, chainId: 2 }
  const one = new RouterThreads({ count: 1, timeoutMs: 30_000 })
  const [first, second] = await Promise.all([one.findRoute(snapshot, request()), one.findRoute(other, request())])
  expect(first).toEqual(anew(snapshot))
  expect(second).toEqual(anew(other))
  one.forget(2)
  expect(await one.findRoute(other, request())).toEqual(anew(other))
  const asked = one.findRoute(other, request())
  one.forget(2)
  expect(await asked).toEqual(anew(other))
  expect(await one.findRoute(other, request())).toEqual(anew(other))
  await one.close()
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

test('a fault of the search is told to its caller alone', async () => {
  const broken = request({ amountIn: 1e18 as unknown as bigint })
  await expect(threads.findRoute(snapshot, broken)).rejects.toThrow(TypeError)
  expect(await threads.findRoute(snapshot, request())).toEqual(anew(snapshot))
})

/** A thread that runs the usual searches, and for some amounts goes wrong. */
const faulty = { entry: new URL('faulty-worker.ts', import.meta.url), timeoutMs: 2_000 }
const UNPREPARED = request({ amountIn: 664n })
const SILENT = request({ amountIn: 665n })
const ENDLESS = request({ amountIn: 666n })
const DYING = request({ amountIn: 667n })
const HOARDING = request({ amountIn: 668n })
const SLOW = request({ amountIn: 669n })

describe('searches that go wrong', () => {
  test('one that never ends is ended; those behind it and those to come notice nothing', async () => {
    const one = new RouterThreads({ count: 1, ...faulty })
    const lost = expect(one.findRoute(snapshot, ENDLESS)).rejects.toMatchObject({ code: 'SEARCH_OVERRAN' })
    const behind = Array.from({ length: 5 }, () => one.findRoute(snapshot, request()))
    for (const result of await Promise.all(behind)) expect(result).toEqual(anew(snapshot))
    await lost
    expect(await one.findRoute(later, request())).toEqual(anew(later))
    await one.close()
  })

  test('one of a block that the thread knows has no time to prepare, one of another block has', async () => {
    const one = new RouterThreads({ count: 1, ...faulty, timeoutMs: 1_000 })
    expect(await one.findRoute(snapshot, request())).toEqual(anew(snapshot))
    expect(await one.findRoute(later, UNPREPARED)).toEqual(anew(later, UNPREPARED))
    // Forgotten in the same turn, a chain has to be prepared again.
    one.forget(1)
    expect(await one.findRoute(later, UNPREPARED)).toEqual(anew(later, UNPREPARED))
    expect(await one.findRoute(snapshot, UNPREPARED)).toEqual(anew(snapshot, UNPREPARED))
    const short = (asked = request()) => one.findRoute(snapshot, asked, undefined, true)
    const [before, lost] = [short(), short(SILENT).catch(({ code }) => code)]
    expect(await before).toEqual(anew(snapshot))
    expect(await lost).toBe('SEARCH_OVERRAN')
    await one.close()
  })

  test('those behind it need not wait until it is ended', async () => {
    const one = new RouterThreads({ count: 1, ...faulty, timeoutMs: 60_000 })
    let ended = false
    const lost = one.findRoute(snapshot, ENDLESS).catch(({ code }) => {
      ended = true
      return code
    })
    expect(await one.findRoute(snapshot, request())).toEqual(anew(snapshot))
    expect(ended).toBe(false)
    await one.close()
    expect(await lost).toBe('THREAD_ENDED')
  })

  test('one that kills its thread, or takes all of its memory, is the only one to fail', async () => {
    const one = new RouterThreads({ count: 1, ...faulty, timeoutMs: 60_000, memoryMb: 128 })
    for (const fatal of [DYING, HOARDING]) {
      const lost = expect(one.findRoute(snapshot, fatal)).rejects.toMatchObject({ code: 'THREAD_ENDED' })
      expect(await one.findRoute(snapshot, request())).toEqual(anew(snapshot))
      await lost
    }
    await one.close()
  })

  test('those in hand of a thread that takes long, or is killed, go to another one', async () => {
    const one = new RouterThreads({ count: 1, ...faulty, timeoutMs: 60_000 })
    const short = (asked = request()) => one.findRoute(snapshot, asked, undefined, true)
    for (const fault of [DYING, ENDLESS]) {
      // Only a thread that has answered has room.
      expect(await short()).toEqual(anew(snapshot))
      let ended = false
      const lost = short(fault).catch(({ code }) => {
        ended = true
        return code
      })
      const behind = [short(), short(), short()]
      expect(one.queued).toBe(0)
      for (const result of await Promise.all(behind)) expect(result).toEqual(anew(snapshot))
      expect(ended).toBe(fault === DYING)
      if (fault === ENDLESS) await one.close()
      expect(await lost).toBe('THREAD_ENDED')
    }
  })

  test('what a thread still does of searches given back keeps none waiting when it is done', async () => {
    const one = new RouterThreads({ count: 1, ...faulty, timeoutMs: 60_000 })
    expect(await one.findRoute(snapshot, SLOW)).toEqual(anew(snapshot, SLOW))
    const [slow, behind] = [SLOW, request()].map((asked) => one.findRoute(snapshot, asked, undefined, true))
    const abort = new AbortController()
    const left = one.findRoute(snapshot, request(), abort.signal, true)
    setTimeout(() => abort.abort(new Error('gone')), 100)
    await expect(left).rejects.toThrow('gone')
    expect(await behind).toEqual(anew(snapshot))
    for (let k = 0; k < 3; k++) expect(await one.findRoute(snapshot, request())).toEqual(anew(snapshot))
    expect(await slow).toEqual(anew(snapshot, SLOW))
    expect(await one.findRoute(snapshot, request())).toEqual(anew(snapshot))
    await one.close()
  })

  test('a process that is held up does not take its threads for slow', async () => {
    const one = new RouterThreads({ count: 1, ...faulty })
    await one.findRoute(snapshot, request())
    const asked = [0, 0, 0, 0].map(() => one.findRoute(snapshot, request(), undefined, true))
    await nextTurn()
    const until = performance.now() + 400
    while (performance.now() < until);
    await Promise.all(asked)
    // The spare one was not asked for anything.
    const all: readonly Pick<RouterThread, 'isWarm' | 'isBusy'>[] = Reflect.get(one, 'threads')
    expect(all.map(({ isWarm, isBusy }) => isWarm || isBusy)).toEqual([true, false])
    await one.close()
  })

  test('a thread that cannot start fails the search that it was started for, and close ends what waits', async () => {
    const entry = new URL('no-such-worker.ts', import.meta.url)
    const none = new RouterThreads({ count: 1, entry })
    for (let turn = 0; turn < 2; turn++)
      await expect(none.findRoute(snapshot, request())).rejects.toMatchObject({ code: 'THREAD_ENDED' })
    const one = new RouterThreads({ count: 1, ...faulty, timeoutMs: 60_000 })
    const lost = [ENDLESS, request()].map((asked) =>
      expect(one.findRoute(snapshot, asked)).rejects.toThrow(RoutingError),
    )
    await nextTurn()
    await one.close()
    await Promise.all(lost)
  })

  test('a caller who gives up waits no longer', async () => {
    const one = new RouterThreads({ count: 1, ...faulty })
    const first = one.findRoute(snapshot, request())
    const abort = new AbortController()
    const second = one.findRoute(snapshot, request(), abort.signal)
    abort.abort(new Error('gone'))
    await expect(second).rejects.toThrow('gone')
    expect(one.queued).toBe(0)
    expect(await first).toEqual(anew(snapshot))
    await one.close()
  })
})
