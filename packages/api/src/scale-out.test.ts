/** Tests of the connection to Redis, with a fake of the bus package. */
import type { BusOptions, ChainIndexersOptions, Fact } from '@sluice/bus'
import { loadRegistry } from '@sluice/chains'
import { pairScopeOf } from '@sluice/liquidity'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { loadConfig } from './config.ts'
import { createMetrics } from './metrics.ts'
import { ScaleOut } from './scale-out.ts'

class FakeBusError extends Error {
  readonly code: string
  constructor(code: string) {
    super(code)
    this.code = code
  }
}

type FakeIndexer = { chainId: number; ownsChain: boolean; market?: { health: () => { scan?: { state: string } } } }
const START_MS = Date.parse('2026-01-01T00:00:00Z')
const calls: unknown[] = []
const lines: unknown[] = []
let bus: { options: BusOptions; awaySince: number | null }
let indexers: { options: ChainIndexersOptions; indexers: FakeIndexer[] } | undefined

const loadFakeBus = async () =>
  ({
    BusError: FakeBusError,
    StateBus: class {
      awaySince: number | null = Date.now()
      readonly options: BusOptions
      constructor(options: BusOptions) {
        this.options = options
        bus = this
      }
      follow = (parts: unknown) => ['market', parts]
      publishFact = (...of: unknown[]) => calls.push(['fact', ...of])
      close = () => calls.push('close')
    },
    ChainIndexers: class {
      readonly indexers: FakeIndexer[] = []
      readonly options: ChainIndexersOptions
      constructor(options: ChainIndexersOptions) {
        this.options = options
        indexers = this
      }
      start = () => calls.push('start')
      stop = async () => calls.push('stop')
    },
  }) as never

const chain = loadRegistry().chain(1)!
async function open(environment: Readonly<Record<string, string>> = {}) {
  const write =
    (level: string) =>
    ({ err }: { readonly err?: { readonly code?: string } }, text: string) =>
      void lines.push([level, err?.code, text])
  const options = {
    config: loadConfig({ REDIS_URL: 'redis://redis', IDLE_SLEEP_MS: '5000', DATA_DIR: '/nowhere', ...environment }),
    registry: { chain: (chainId: number) => (chainId === 1 ? chain : undefined) },
    metrics: createMetrics(),
    log: { info: write('info'), warn: write('warn'), error: write('error'), child: () => ({}) },
    poolListLoaders: new Map(),
  }
  return (await ScaleOut.open(options as never, loadFakeBus))!
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: START_MS })
  calls.length = 0
  lines.length = 0
  indexers = undefined
})
afterEach(() => void vi.useRealTimers())

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

test('without REDIS_URL, nothing is opened', async () => {
  expect(await ScaleOut.open({ config: loadConfig({}) } as never, loadFakeBus)).toBeUndefined()
})

describe('the role', () => {
  test.each(['all', 'indexer'])('%s indexes chains of the registry', async (role) => {
    await open({ ROLE: role })
    expect(calls).toEqual(['start'])
    const { url, idleMs, canServe, optionsOf } = indexers!.options
    expect([url, idleMs, canServe(1), canServe(2)]).toEqual(['redis://redis', 5_000, true, false])
    expect(optionsOf(1).scope).toEqual(pairScopeOf(chain))
    expect(bus.options.url).toBe('redis://redis')
  })

  test.each(['worker', 'solver'])('%s indexes nothing', async (role) => {
    const scaleOut = await open({ ROLE: role })
    expect([indexers, calls]).toEqual([undefined, []])
    expect([scaleOut.status().owned, scaleOut.scans.size]).toEqual([[], 0])
    await scaleOut.releaseChains()
    scaleOut.close()
    expect(calls).toEqual(['close'])
  })
})

test('markets, facts, and the end are passed on', async () => {
  const scaleOut = await open()
  const parts = { chain } as never
  expect(scaleOut.openMarket(parts)).toEqual(['market', parts])
  const fact = { kind: 'a fact' } as unknown as Fact
  scaleOut.publishFact(1, fact)
  await scaleOut.releaseChains()
  scaleOut.close()
  expect(calls).toEqual(['start', ['fact', 1, fact], 'stop', 'close'])
})

describe('a process', () => {
  test('is ready from the first response of Redis until it was away for 15 seconds', async () => {
    const scaleOut = await open()
    expect(scaleOut.isReady).toBe(false)
    expect(scaleOut.status()).toEqual({ state: 'away', since: '2026-01-01T00:00:00.000Z', owned: [] })
    bus.awaySince = null
    expect([scaleOut.isReady, scaleOut.status()]).toEqual([true, { state: 'connected', owned: [] }])
    bus.awaySince = Date.now()
    pass(14_999)
    expect(scaleOut.isReady).toBe(true)
    pass(1)
    expect(scaleOut.isReady).toBe(false)
  })

  test('is not ready after 15 seconds in which Redis refused writes', async () => {
    const scaleOut = await open()
    bus.awaySince = null
    for (let second = 0; second < 15; second++) {
      bus.options.onFull!(new FakeBusError('FULL') as never)
      expect([second, scaleOut.isReady]).toEqual([second, true])
      pass(1_000)
    }
    expect(scaleOut.isReady).toBe(false)
    expect(scaleOut.status()).toEqual({ state: 'full', since: '2026-01-01T00:00:00.000Z', owned: [] })
    bus.awaySince = Date.now()
    expect(scaleOut.status()).toMatchObject({ state: 'away', since: '2026-01-01T00:00:15.000Z' })
  })

  test('counts Redis as full for 5 seconds after a refusal, and from the next one again', async () => {
    const scaleOut = await open()
    bus.awaySince = null
    indexers!.options.onError!(new FakeBusError('FULL'))
    pass(4_999)
    expect(scaleOut.status().state).toBe('full')
    pass(1)
    expect(scaleOut.status()).toEqual({ state: 'connected', owned: [] })
    bus.options.onFull!(new FakeBusError('FULL') as never)
    expect(scaleOut.status()).toEqual({ state: 'full', since: '2026-01-01T00:00:05.000Z', owned: [] })
    // After the clock was set back, too.
    pass(-3_600_000)
    expect(scaleOut.status().state).toBe('connected')
  })
})

test('chains that the process owns are listed, with their unfinished scans', async () => {
  const scaleOut = await open()
  bus.awaySince = null
  const marketWith = (scan?: { state: string }) => ({ health: () => ({ ...(scan && { scan }) }) })
  indexers!.indexers.push(
    { chainId: 1, ownsChain: true, market: marketWith({ state: 'reading' }) },
    { chainId: 2, ownsChain: false, market: marketWith({ state: 'reading' }) },
    { chainId: 3, ownsChain: true, market: marketWith({ state: 'done' }) },
    { chainId: 4, ownsChain: true, market: marketWith() },
    { chainId: 5, ownsChain: true },
  )
  const scans = { 1: { state: 'reading' } }
  expect(scaleOut.status()).toEqual({ state: 'connected', owned: [1, 3, 4, 5], scans })
  expect([...scaleOut.scans.keys()]).toEqual([1, 3])
  indexers!.indexers.shift()
  expect(scaleOut.status()).toEqual({ state: 'connected', owned: [3, 4, 5] })
})

test('failures are logged by their kind, a full Redis and unknown errors as errors', async () => {
  await open()
  bus.options.onAway!(new FakeBusError('AWAY'))
  bus.options.onAway!(new FakeBusError('CLUSTER'))
  bus.options.onFull!(new FakeBusError('FULL') as never)
  const { onError } = indexers!.options
  for (const error of [new FakeBusError('LOST'), new FakeBusError('FULL'), new Error('x')]) onError!(error)
  expect(lines).toEqual([
    ['warn', 'AWAY', 'Redis does not answer'],
    ['error', 'CLUSTER', 'Redis Cluster is not supported: REDIS_URL must name a server without cluster mode'],
    ['error', 'FULL', 'Redis is full: chains cannot be published'],
    ['info', 'LOST', 'indexer error, retrying'],
    ['error', undefined, 'indexer error, retrying'],
  ])
})
