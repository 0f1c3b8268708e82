import { type Address, toAddress } from '@sluice/chains'
import type { Pool, Snapshot } from '@sluice/liquidity'
import { buildGraph, type RouteRequest, type RouteResult, RouterThreads, RoutingError } from '@sluice/routing'
import { afterAll, expect, test, vi } from 'vitest'
import { searchInline } from './inline-search.ts'
import { RouterSearch } from './router-search.ts'

const [tokenIn, tokenOut, pair, miner] = ['11', '22', '33', '44'].map((byte) => toAddress(`0x${byte.repeat(20)}`)) as [
  Address,
  Address,
  Address,
  Address,
]
const state = { reserve0: 10n ** 24n, reserve1: 10n ** 24n, feePpm: 3_000 }
const pool: Pool = { id: pair, address: pair, family: 'uniswap-v2', dex: 'test', tokens: [tokenIn, tokenOut], state }
const block = {
  number: 7,
  hash: '0x07',
  parentHash: '0x06',
  timestamp: 0,
  gasLimit: 1n,
  baseFeePerGas: 0n,
  miner,
} as const
const snapshot: Snapshot = { chainId: 1, block, pools: new Map([[pair, pool]]), changedIds: null }
const view = { snapshot, graph: () => buildGraph(snapshot) }
const request: RouteRequest = { tokenIn, tokenOut, amountIn: 10n ** 18n, wrappedNative: null, gasPriceWei: 0n }
const log = { error: () => {} }

const threads = new RouterThreads({ count: 1 })
/** Threads that exit on start, so that every search in them fails. */
const broken = new RouterThreads({ count: 1, entryModule: new URL('data:text/javascript,process.exit()') })
afterAll(() => Promise.all([threads.close(), broken.close()]))

test('workers search small chains while the process is busy and others wait, with the same result', async () => {
  const options = { threads, inlinePools: 10, longWork: 0, log }
  const search = (utilization: number, isAlone = false) =>
    new RouterSearch({ ...options, measureUtilization: () => utilization, isAlone: () => isAlone }).find(view, request)
  const here = await search(0.5)
  await search(1, true)
  expect(threads.freeThreadState).toBe('cold')
  // The first search runs here and starts the worker.
  expect(await search(1)).toEqual(here)
  await vi.waitFor(() => expect(threads.freeThreadState).toBe('warm'), { timeout: 30_000 })
  const searches: Promise<RouteResult>[] = []
  while (threads.freeThreadState) searches.push(search(1))
  expect(searches.length).toBeGreaterThan(1)
  // The worker has no capacity left.
  expect(await search(1)).toEqual(here)
  expect(threads.freeThreadState).toBeNull()
  for (const result of await Promise.all(searches)) expect(result).toEqual(here)
})

test('workers get no short searches, and none of pairs without a previous search', async () => {
  const findRoute = vi.spyOn(threads, 'findRoute')
  const work = searchInline(view.graph(), request).work
  const search = (longWork: number) =>
    new RouterSearch({ threads, inlinePools: 10, longWork, log, measureUtilization: () => 1 })
  await vi.waitFor(() => expect(threads.freeThreadState).toBe('warm'), { timeout: 30_000 })
  const [short, long] = [search(work + 1), search(work)]
  for (let k = 0; k < 3; k++) await short.find(view, request)
  await long.find(view, request)
  expect(findRoute).not.toHaveBeenCalled()
  await long.find(view, request)
  expect(findRoute).toHaveBeenCalledOnce()
  findRoute.mockRestore()
})

test('a worker that cannot start does not affect results', async () => {
  const search = new RouterSearch({ threads: broken, inlinePools: 10, log, measureUtilization: () => 1 })
  for (let k = 0; k < 3; k++) expect(await search.find(view, request)).toMatchObject({ ok: true })
})

test('a chain with more pools than the limit is searched in a worker only', async () => {
  const findRoute = vi.fn(async () => 'found')
  const stub = { freeThreadState: null, findRoute } as never
  const graph = () => {
    throw new Error('this thread needs no graph')
  }
  const find = (inlinePools: number) => {
    const search = new RouterSearch({ threads: stub, inlinePools, log, measureUtilization: () => 1 })
    return search.find({ snapshot, graph: inlinePools < 1 ? graph : view.graph }, request)
  }
  expect(await find(0)).toBe('found')
  // A chain that is not searched here for its size is not searched as one of a busy process.
  expect(findRoute.mock.calls).toEqual([[snapshot, request, undefined, false]])
  expect(await find(1)).toMatchObject({ ok: true })
  expect(findRoute).toHaveBeenCalledTimes(1)
})

test('utilization is measured once in a while, and not while a request is alone', async () => {
  vi.useFakeTimers({ toFake: ['performance'], now: 1_000 })
  try {
    const measureUtilization = vi.fn(() => 0)
    let isAlone = true
    const search = new RouterSearch({ threads, inlinePools: 1, log, measureUtilization, isAlone: () => isAlone })
    await search.find(view, request)
    expect(measureUtilization).not.toHaveBeenCalled()
    isAlone = false
    for (let k = 0; k < 3; k++) await search.find(view, request)
    expect(measureUtilization).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(60_000)
    await search.find(view, request)
    expect(measureUtilization).toHaveBeenCalledTimes(2)
  } finally {
    vi.useRealTimers()
  }
})

test('a search that fails is logged with all that repeats it, and other errors are not', async () => {
  const logged: unknown[][] = []
  const failing = (error: Error) => {
    const stub = { freeThreadState: null, findRoute: () => Promise.reject(error) } as never
    return new RouterSearch({
      threads: stub,
      inlinePools: 0,
      log: { error: (...line: unknown[]) => logged.push(line) },
    })
  }
  const failure = new RoutingError('BAD_REQUEST' as never, 'no')
  await expect(failing(failure).find(view, request)).rejects.toBe(failure)
  expect(logged).toMatchObject([[{ err: failure, replay: { block: 7, pools: 1 } }, 'route search failed']])
  await expect(failing(new Error('aborted')).find(view, request)).rejects.toThrow('aborted')
  expect(logged).toHaveLength(1)
})
