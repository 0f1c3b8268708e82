/** Tests what a live chain connects, with a market and searches in memory. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Chain, toAddress } from '@sluice/chains'
import type { Market, Pool, Snapshot } from '@sluice/liquidity'
import { buildGraph, findRoute } from '@sluice/routing'
import { RpcError } from '@sluice/rpc'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { LiveChain, type LiveChainOptions } from './live-chain.ts'
import { quoteRequest } from './quote/request.ts'

const at = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const [A, B] = [at('a'), at('b')]
const E18 = 10n ** 18n
const dir = mkdtempSync(join(tmpdir(), 'sluice-live-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const token = (address: string, symbol: string) => ({ address, symbol, decimals: 18 })
const chain = {
  ...{ chainId: 7, name: 'test', displayName: 'Test', blockTimeMs: 1_000, l1FeeModel: 'none' },
  nativeCurrency: { symbol: 'ETH', name: 'Ether', decimals: 18 },
  ...{ wrappedNative: token(A, 'W'), hubs: [A], stables: [token(B, 'USD')], tokens: [token(A, 'W')], dexes: [] },
} as unknown as Chain
const record = (digit: string) => ({
  ...{ address: at(digit), salt: '0x', initCodeHash: '0x', codeHash: '0x', build: 'cancun', status: 'deployed' },
})
const deployment = {
  ...{ chainId: 7, guard: record('8') },
  executors: [{ ...record('9'), version: 1, families: ['uniswap-v2'] }],
}
const pool: Pool = {
  ...{ id: 'pool', address: at('5'), family: 'uniswap-v2', dex: 'test', tokens: [A, B] },
  state: { reserve0: 1_000n * E18, reserve1: 2_000n * E18, feePpm: 3_000 },
}
const snapshot = {
  ...{ chainId: 7, changedIds: null, pools: new Map([[pool.id, pool]]) },
  block: {
    number: 5,
    hash: `0x${'05'.repeat(32)}`,
    parentHash: '0x',
    timestamp: 50,
    gasLimit: 1n,
    baseFeePerGas: 1n,
    miner: A,
  },
} as unknown as Snapshot

const running: LiveChain[] = []
afterEach(async () => {
  for (const live of running.splice(0)) await live.sleep()
})

function liveChain(
  market: Partial<Market> & { readonly scan?: string; readonly queued?: number } = {},
  options: object = {},
) {
  const forgotten: number[] = []
  const state = { scan: market.scan, queued: market.queued ?? 0 }
  const opened = {
    ...{
      chainId: 7,
      tokens: { isToken: () => true },
      onSnapshot: () => () => {},
      start: () => {},
      stop: async () => {},
    },
    ...{ snapshot: () => snapshot, sync: async () => snapshot, ensureGroups: async () => snapshot },
    searchPools: async () => {},
    hasBlock: () => true,
    cacheCounts: () => ({ queued: { entries: state.queued, evicted: 0 } }),
    health: () => ({
      head: snapshot.block,
      lagMs: 0,
      error: null,
      reason: null,
      scan: state.scan && { state: state.scan },
    }),
    ...market,
  } as unknown as Market
  const live = new LiveChain({
    ...{ chain, deployment, openMarket: () => opened, log: { info: () => {}, warn: () => {}, error: () => {} } },
    threads: { forget: (chainId: number) => forgotten.push(chainId) },
    ...options,
    settings: {
      ...{
        rpc: { urls: ['http://127.0.0.1:9'], timeoutMs: 500 },
        idleSleepMs: 60_000,
        inlinePools: 1_000,
        maxGas: 10n ** 9n,
      },
      ...(options as { readonly settings?: object }).settings,
    },
  } as unknown as LiveChainOptions)
  running.push(live)
  return { live, state, forgotten }
}
const work = () => ({
  signal: new AbortController().signal,
  time: async <T>(_: string, run: () => T | Promise<T>) => run(),
  log: { info: () => {} },
})

describe('the status of a chain', () => {
  test('settles while pools are searched or queued, and not while it sleeps', async () => {
    const { live, state } = liveChain({ scan: 'scanning' })
    expect(live.status()).toEqual({ chainId: 7, state: 'asleep' })
    await live.views.head(work().signal)
    expect(live.status()).toMatchObject({ chainId: 7, settling: true, head: 5 })
    state.scan = 'done'
    expect(live.status()).not.toHaveProperty('settling')
    state.queued = 2
    expect(live.status()).toMatchObject({ settling: true })
  })

  test('is waited for until it is settled, or the time is up', async () => {
    const { live, state } = liveChain({ scan: 'scanning' })
    await live.views.head(work().signal)
    await live.waitUntilSettled(10)
    expect(live.status()).toHaveProperty('settling')
    setTimeout(() => {
      state.scan = 'done'
    }, 20)
    await live.waitUntilSettled(60_000)
    expect(live.status()).not.toHaveProperty('settling')
  })
})

test('a status is not waited for without time', async () => {
  const { live } = liveChain({ scan: 'scanning' })
  await live.views.head(work().signal)
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    // The clock stands still, so only a wait of no time ends.
    await live.waitUntilSettled(0)
  } finally {
    vi.useRealTimers()
  }
  expect(live.status()).toHaveProperty('settling')
})

test('quotes of blocks that do not exist yet are refused', async () => {
  const { live } = liveChain()
  const request = quoteRequest({ tokenIn: A, tokenOut: B, from: at('6'), amountIn: E18 })
  await expect(live.quoteAtBlock(6, request, work())).rejects.toMatchObject({
    ...{ code: 'BLOCK_AHEAD', message: 'block 6 does not exist: the chain is at 5' },
  })
})

test('the search of a small chain runs in this process, and finds what the router finds', async () => {
  const { live } = liveChain()
  // Streams look at routes without a simulation.
  const { quoter } = live as unknown as { quoter: { peek: (...of: unknown[]) => Promise<{ amountOut: bigint }> } }
  const request = quoteRequest({ tokenIn: A, tokenOut: B, from: at('6'), amountIn: E18 })
  const view = await live.views.inMemory([[A, B]], work().signal)
  Object.assign(view, { l1FeePerByteWei: async () => 0 })
  const route = await quoter.peek(request, 0n, work().signal)
  const terms = { tokenIn: A, tokenOut: B, amountIn: E18, wrappedNative: A, gasPriceWei: 0n }
  const searched = findRoute(buildGraph(snapshot), terms)
  expect(route.amountOut).toBe(searched.ok && searched.route.amountOut)
  await expect(quoter.peek({ ...request, tokenOut: at('7') }, 0n, work().signal)).resolves.toBeUndefined()
})

describe('at most ten mined swaps', () => {
  test('are judged or wait at a time', async () => {
    const { live } = liveChain()
    const hashOf = (k: number) => `0x${k.toString(16).padStart(64, '0')}` as const
    const judged = Array.from({ length: 10 }, (_, k) => live.judge(hashOf(k), work()).catch(() => 'failed'))
    await expect(live.judge(hashOf(10), work())).rejects.toMatchObject({ code: 'BUSY' })
    expect(new Set(await Promise.all(judged))).toEqual(new Set(['failed']))
    await expect(live.judge(hashOf(11), work())).rejects.not.toMatchObject({ code: 'BUSY' })
  })
})

describe('pools for past blocks', () => {
  const listPoolsOf = (live: LiveChain) =>
    (live as unknown as { listPools: (tokens: readonly unknown[]) => Promise<unknown> }).listPools([A, B])

  test('are those that the market has found by logs', async () => {
    const scannedPools = async () => [{ pool }] as never
    const { live, state } = liveChain({ scannedPools, scan: 'scanning' })
    expect(await listPoolsOf(live)).toEqual({ pools: [{ pool }], isComplete: false })
    state.scan = 'done'
    expect(await listPoolsOf(live)).toEqual({ pools: [{ pool }], isComplete: true })
  })

  test('are unknown if another process searches the logs', async () => {
    expect(await listPoolsOf(liveChain().live)).toBeUndefined()
  })
})

test('a quote is logged, and sampled only while its block is the head', async () => {
  const quoteLog = { path: join(dir, 'log/quotes.sqlite'), maxBytes: 1_000_000 }
  const { live } = liveChain({}, { settings: { quoteLog, driftShare: 0.01 } })
  const { quoter, sampler } = live as unknown as {
    quoter: { options: { onQuote: (view: object, record: object) => void } }
    sampler: { offer: (...of: unknown[]) => void }
  }
  const offered: unknown[] = []
  sampler.offer = (_, record) => offered.push(record)
  const quoteOf = (head: object | undefined) => ({ quote: { head, block: snapshot.block }, searchRequest: {} })
  const records = [quoteOf(undefined), quoteOf({ hash: snapshot.block.hash }), quoteOf({ hash: '0x06' })]
  for (const quoted of records) quoter.options.onQuote({ snapshot }, quoted)
  expect(offered).toEqual(records.slice(0, 2))
  expect(live.counts.quoteLog?.entries).toBe(3)
  expect(live.driftPercent).toBe(1)
})

test('blocks are waited for while a quote stream is open or a sample waits for its blocks', () => {
  const { live } = liveChain()
  const { runtime, streams, sampler } = live as unknown as {
    runtime: { options: { isWatched: () => boolean; isBusy: () => boolean } }
    streams: { counts: object }
    sampler: { awaitsBlocks: (ms: number) => boolean }
  }
  let openStreams = 0
  Object.defineProperty(streams, 'counts', { get: () => ({ streams: openStreams }) })
  const windows: number[] = []
  let hasSample = false
  sampler.awaitsBlocks = (ms) => {
    windows.push(ms)
    return hasSample
  }
  const { isWatched, isBusy } = runtime.options
  expect([isWatched(), isBusy()]).toEqual([false, false])
  hasSample = true
  expect([isWatched(), isBusy()]).toEqual([true, false])
  hasSample = false
  openStreams = 1
  expect([isWatched(), isBusy()]).toEqual([true, true])
  // Three blocks of a second, and two seconds.
  expect(new Set(windows)).toEqual(new Set([5_000]))
})

test('faults of pools and tokens are forgotten when the chain falls asleep', async () => {
  const { live } = liveChain()
  const { faultyPools, faultyTokens } = live as unknown as {
    faultyPools: { record: (legs: readonly object[], now: number) => void }
    faultyTokens: { record: (tokens: readonly string[], now: number) => void }
  }
  const leg = { pool, tokenIn: A, tokenOut: B, minFailingInput: 0n, maxWorkingInput: 0n }
  faultyPools.record([leg], 50)
  faultyTokens.record([B], 50)
  const entries = () => [live.counts.faultyPools!.entries, live.counts.faultyTokens!.entries]
  expect(entries()).toEqual([1, 1])
  await live.sleep()
  expect(entries()).toEqual([0, 0])
})

test('a chain that falls asleep is forgotten by the search threads', async () => {
  const { live, forgotten } = liveChain()
  await live.views.head(work().signal)
  expect(live.rpcHealth?.endpoints).toHaveLength(1)
  await live.sleep()
  expect([forgotten, live.rpcHealth]).toEqual([[7], undefined])
})

test('calls of the node earn calls for samples, by the methods of each request', () => {
  const events: unknown[] = []
  const { live } = liveChain({}, { onEvent: (event: unknown) => events.push(event) })
  const { runtime, sampler } = live as unknown as {
    runtime: { options: { emit: (event: object) => void } }
    sampler: { recordNodeCalls: (count: number) => void }
  }
  const recorded: number[] = []
  sampler.recordNodeCalls = (count) => recorded.push(count)
  const sent = { kind: 'rpc', event: { kind: 'sent', methods: ['eth_call', 'eth_call', 'eth_getCode'] } }
  const all = [sent, { kind: 'rpc', event: { kind: 'answered' } }, { kind: 'quote', how: 'made' }]
  for (const event of all) runtime.options.emit(event)
  expect([recorded, events]).toEqual([[3], all])
})

test('facts that other processes have measured are known here, and those of this one are published', () => {
  const published: unknown[] = []
  const { live } = liveChain({}, { publishFact: (fact: unknown) => published.push(fact) })
  const { runtime } = live as unknown as { runtime: { options: { onFact: (fact: object) => void } } }
  const tax = { buyPpm: 0, sellPpm: 0, transferPpm: 9, surchargePpm: 0 }
  live.tokens.taxes.onMeasured(B, 'pool', tax, 5)
  expect(published).toHaveLength(1)
  const other = liveChain().live
  expect(other.tokens.taxes.transferPpm(B)).toBe(0n)
  ;(other as unknown as { runtime: typeof runtime }).runtime.options.onFact(published[0] as object)
  expect(other.tokens.taxes.transferPpm(B)).toBe(9n)
})

test('the chain stays awake while requests are in flight', () => {
  let inFlight = true
  const { live } = liveChain({}, { isBusy: () => inFlight })
  const { options } = (live as unknown as { runtime: { options: { isBusy: () => boolean } } }).runtime
  expect(options.isBusy()).toBe(true)
  inFlight = false
  expect(options.isBusy()).toBe(false)
})

test('the measurement of a token does not keep the chain awake', async () => {
  vi.useFakeTimers()
  try {
    const { live } = liveChain()
    await live.views.head(work().signal)
    vi.advanceTimersByTime(59_999)
    live.tokens.report(B, snapshot).catch(() => {})
    await vi.advanceTimersByTimeAsync(1)
    expect(live.status().state).toBe('asleep')
  } finally {
    vi.useRealTimers()
  }
})

test('the stores that untrusted input can fill are counted, and the log of quotes only if there is one', () => {
  const { counts } = liveChain().live
  const names = 'targets sampledPools gasLessons measuredGas faultyPools faultyTokens laterGas contractBalances'.split(
    ' ',
  )
  const others = 'neighbors walletCodes walletsCompared walletsDiffering pastBlocks withdrawingPools'.split(' ')
  for (const name of [...names, ...others]) expect([name, counts[name]]).toEqual([name, { entries: 0, evicted: 0 }])
  expect(counts.quoteLog).toBeUndefined()
  expect(liveChain().live.driftPercent).toBe(0)
})

test('permits are for the Guard, at the head, with deadlines by the clock', async () => {
  const { live } = liveChain({}, { clock: () => 100_000 })
  vi.spyOn(live.rpc, 'call').mockRejectedValue(new RpcError('REVERTED', 'no'))
  const request = { token: A, owner: at('6'), amount: 1n, deadline: undefined }
  expect(await live.permits(request, work())).toEqual({
    ...{ spender: at('8'), deadline: 100 + 1_200, block: snapshot.block, offers: [] },
  })
})

describe('a new block', () => {
  /** A live chain whose private parts record their calls. */
  function recordingChain(options: object = {}) {
    let notify: (snapshot: Snapshot) => void = () => {}
    const onSnapshot = (listener: typeof notify) => {
      notify = listener
      return () => {}
    }
    const { live } = liveChain({ onSnapshot }, options)
    const parts = live as unknown as {
      sampler: { observe: (snapshot: Snapshot) => void }
      measuredGas: { markChanged: (snapshot: Snapshot) => void }
      faultyPools: { forgetChanged: (snapshot: Snapshot) => void }
      neighbors: { run: (source: object) => Promise<void> }
      runtime: { snapshotListeners: Set<(snapshot: Snapshot) => void> }
    }
    const run = vi.spyOn(parts.neighbors, 'run').mockResolvedValue()
    const spies = [
      vi.spyOn(parts.sampler, 'observe').mockImplementation(() => {}),
      vi.spyOn(parts.measuredGas, 'markChanged'),
      vi.spyOn(parts.faultyPools, 'forgetChanged'),
    ]
    return { live, runtime: parts.runtime, run, spies, publish: (published: Snapshot) => notify(published) }
  }

  test('has its quotes sampled, its changed pools measured again, and its prices kept', async () => {
    const { live, run, spies, publish } = recordingChain()
    const record = vi.spyOn(live.priceHistory, 'record')
    live.views
    publish(snapshot)
    for (const spy of spies) expect(spy.mock.calls).toEqual([[snapshot]])
    await vi.waitFor(() => expect(record).toHaveBeenCalledTimes(1))
    const [block, usdOf] = record.mock.calls[0]!
    // Two units of the dollar token are in the pool for one of the other.
    expect([block, usdOf(A), usdOf(at('7'))]).toEqual([snapshot.block, expect.closeTo(2, 1), null])
    expect(run).not.toHaveBeenCalled()
  })

  test('has tokens next to hubs looked for only if this process reads the chain, and not while it sleeps', async () => {
    const { live, run, runtime } = recordingChain({ openMarket: undefined })
    const publishToAll = () => {
      for (const listener of runtime.snapshotListeners) listener(snapshot)
    }
    publishToAll()
    expect(run).not.toHaveBeenCalled()
    const { rpc } = live
    publishToAll()
    expect(run).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ rpc }))
  })
})

test('a chain that falls asleep drops samples, measurements that wait, and past blocks', async () => {
  const { live } = liveChain()
  const { sampler, gasProber, pastBlocks } = live as unknown as {
    sampler: { clear: () => void }
    gasProber: { forget: () => void }
    pastBlocks: { close: () => Promise<void> }
  }
  const spies = [vi.spyOn(sampler, 'clear'), vi.spyOn(gasProber, 'forget'), vi.spyOn(pastBlocks, 'close')]
  live.views
  await live.sleep()
  for (const spy of spies) expect(spy).toHaveBeenCalledTimes(1)
})

test('the drift of samples decides slippage and penalties, of quotes at the head and at past blocks', () => {
  const { live } = liveChain()
  type Closures = { slippageOf: (route: object) => { ppm: bigint }; driftPenaltiesAt: (timestamp: number) => unknown }
  const { quoter, pastQuoter, sampler } = live as unknown as {
    quoter: { options: Closures }
    pastQuoter: { options: Closures }
    sampler: {
      statistics: {
        measuredDrift: (pool: string) => object
        fadingPools: { driftPenalties: (timestamp: number) => object }
      }
    }
  }
  const penalties = new Map([['pool', 1]])
  vi.spyOn(sampler.statistics.fadingPools, 'driftPenalties').mockImplementation((at) => (at === 50 ? penalties : {}))
  const measured = vi.spyOn(sampler.statistics, 'measuredDrift').mockReturnValue({ samples: 1e9, worstPpm: -7_000 })
  const route = { tokenIn: A, legs: [{ pool, tokenIn: A, tokenOut: B, amountIn: E18, amountOut: E18 }] }
  for (const { options } of [quoter, pastQuoter]) {
    expect(options.driftPenaltiesAt(50)).toBe(penalties)
    expect(options.slippageOf(route).ppm).toBe(7_000n)
  }
  expect(measured).toHaveBeenCalledWith('pool')
})
