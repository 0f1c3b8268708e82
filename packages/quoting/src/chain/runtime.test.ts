/** Tests when a chain wakes, sleeps, and reports prices, with a market in memory. */
import { join } from 'node:path'
import { type Chain, toAddress } from '@sluice/chains'
import type { Snapshot } from '@sluice/liquidity'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ChainTokens } from '../tokens/chain-tokens.ts'
import { ChainRuntime, logPoolListImport, logScan } from './runtime.ts'

const HUB = toAddress(`0x${'1'.repeat(40)}`)
const IDLE_MS = 60_000
const chain = {
  ...{ chainId: 7, name: 'test', blockTimeMs: 1_000, nativeCurrency: { symbol: 'ETH', name: 'Ether', decimals: 18 } },
  ...{ wrappedNative: { address: HUB, symbol: 'W', decimals: 18 }, hubs: [HUB], stables: [], tokens: [], dexes: [] },
} as unknown as Chain
const snapshotOf = (number: number) =>
  ({
    ...{ chainId: 7, changedIds: null, pools: new Map([['pool', { id: 'pool', family: 'none', tokens: [] }]]) },
    block: { number, hash: `0x${number}`, parentHash: `0x${number - 1}`, timestamp: number },
  }) as unknown as Snapshot

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function runtimeOf() {
  const state = { isBusy: false, head: null as object | null, newest: snapshotOf(1) }
  const calls: string[] = []
  const lines: [string, unknown][] = []
  const log = Object.fromEntries(
    ['info', 'warn', 'error'].map((level) => [
      level,
      (fields: unknown, text: string) => lines.push([`${level}: ${text}`, fields]),
    ]),
  )
  let notify: (snapshot: Snapshot) => void = () => {}
  const opened: { readonly onFact: (fact: never) => void }[] = []
  const facts: unknown[] = []
  const tokens = new ChainTokens({ chain, earnBlocks: 5, sourceAt: () => ({}) as never })
  const runtime = new ChainRuntime({
    ...{ chain, tokens, log, idleSleepMs: IDLE_MS, contracts: {}, fees: {}, emit: () => {} },
    rpc: { urls: ['http://127.0.0.1:9'], timeoutMs: 1_000 },
    onFact: (fact: unknown) => facts.push(fact),
    isBusy: () => state.isBusy,
    isWatched: () => false,
    onSleep: () => calls.push('onSleep'),
    openMarket: (parts: (typeof opened)[0]) => {
      opened.push(parts)
      return {
        snapshot: () => state.newest,
        hasBlock: ({ number }: { number: number }) => number === 1,
        cacheCounts: () => ({ pools: { entries: 3, evicted: 0 } }),
        onSnapshot: (listener: typeof notify) => {
          notify = listener
          return () => {
            notify = () => {}
          }
        },
        health: () => ({ head: state.head, error: null, reason: null, scan: undefined, audit: { checked: 1 } }),
        start: () => calls.push('start'),
        stop: async () => calls.push('stop'),
      }
    },
  } as never)
  const publish = (snapshot: Snapshot) => {
    state.newest = snapshot
    notify(snapshot)
  }
  return { runtime, state, calls, lines, opened, facts, publish, tokens }
}

describe('a chain that falls asleep', () => {
  test.each([
    ['before', 1],
    ['while', 0],
  ])('is not woken by a block that arrives %s it stops', async (_, snapshots) => {
    const { runtime, opened, publish } = runtimeOf()
    const events: string[] = []
    const record = (what: string) => {
      events.push(what)
      runtime.isCanonical({ number: 1 } as never)
    }
    runtime.onSnapshot(() => record('block'))
    runtime.onPriced(() => record('prices'))
    void runtime.parts
    for (let k = 0; k < snapshots; k++) publish(snapshotOf(2))
    const sleeping = runtime.sleep()
    publish(snapshotOf(3))
    await sleeping
    await vi.advanceTimersByTimeAsync(0)
    expect([events, opened.length, runtime.partsIfAwake]).toEqual([Array(snapshots).fill('block'), 1, undefined])
  })
})

describe('a chain', () => {
  test('sleeps until it is used, and reads nothing for its status', () => {
    const { runtime, opened } = runtimeOf()
    expect(runtime.status()).toEqual({ chainId: 7, state: 'asleep' })
    expect([runtime.partsIfAwake, runtime.isFollowed, runtime.recentResponse('/x')]).toEqual([
      undefined,
      false,
      undefined,
    ])
    expect([runtime.counts, runtime.rpcHealth, runtime.audit]).toEqual([{}, undefined, undefined])
    expect(opened).toEqual([])
  })

  test('wakes once, and is followed when a block is in memory', () => {
    const { runtime, state, calls, opened } = runtimeOf()
    const { parts } = runtime
    expect([runtime.parts, runtime.partsIfAwake]).toEqual([parts, parts])
    expect([calls, opened.length, runtime.isFollowed]).toEqual([['start'], 1, false])
    expect(runtime.status()).toMatchObject({ chainId: 7, state: expect.not.stringMatching('asleep') })
    state.head = { number: 1, timestamp: 1 }
    expect(runtime.isFollowed).toBe(true)
    expect(runtime.counts).toMatchObject({ pools: { entries: 3 } })
    expect(runtime.audit).toEqual({ checked: 1 })
    expect(runtime.rpcHealth?.endpoints).toHaveLength(1)
    expect([1, 2].map((number) => runtime.isCanonical({ number } as never))).toEqual([true, false])
    parts.rpc.close()
  })

  test('updates prices after a test sale, and drops cached responses before and after', async () => {
    const { runtime, publish, tokens } = runtimeOf()
    const { prices, views, rpc } = runtime.parts
    const token = toAddress(`0x${'a'.repeat(40)}`)
    const state = { reserve0: 10n ** 18n, reserve1: 10n ** 18n, feePpm: 3_000 }
    const pool = { ...{ id: 'pair', address: token, family: 'uniswap-v2', dex: 'test', tokens: [token, HUB] }, state }
    publish({ ...snapshotOf(1), pools: new Map([['pair', pool]]) })
    const forget = vi.spyOn(views, 'forgetResponses')
    for (const isSellable of [false, true]) {
      forget.mockClear()
      tokens.taxes.onSaleTested(token, isSellable)
      expect([prices.isUnsellable(token), forget.mock.calls.length]).toEqual([!isSellable, 1])
      await vi.waitFor(() => expect(forget).toHaveBeenCalledTimes(2))
    }
    rpc.close()
    await runtime.sleep()
  })

  test('falls asleep when it was not used for a while, and wakes again', async () => {
    const { runtime, calls, lines } = runtimeOf()
    const { parts } = runtime
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1)
    expect(runtime.parts).toBe(parts)
    await vi.advanceTimersByTimeAsync(IDLE_MS - 1)
    expect(runtime.partsIfAwake).toBe(parts)
    await vi.advanceTimersByTimeAsync(1)
    expect(runtime.partsIfAwake).toBeUndefined()
    expect(calls).toEqual(['start', 'onSleep', 'stop'])
    expect(lines.map(([text]) => text)).toEqual(['info: chain wakes', 'info: chain sleeps'])
    expect(runtime.parts).not.toBe(parts)
    expect(calls.at(-1)).toBe('start')
    await runtime.sleep()
  })

  test('stays awake while requests are in flight', async () => {
    const { runtime, state } = runtimeOf()
    const { parts } = runtime
    state.isBusy = true
    await vi.advanceTimersByTimeAsync(3 * IDLE_MS)
    expect(runtime.partsIfAwake).toBe(parts)
    state.isBusy = false
    await vi.advanceTimersByTimeAsync(IDLE_MS)
    expect(runtime.partsIfAwake).toBeUndefined()
  })

  test('that is put to sleep forgets its timers', async () => {
    const { runtime, publish } = runtimeOf()
    runtime.parts
    publish(snapshotOf(1))
    await runtime.sleep()
    expect(vi.getTimerCount()).toBe(0)
    await runtime.sleep()
  })

  test('passes on what other processes have measured', async () => {
    const { runtime, opened, facts } = runtimeOf()
    runtime.parts
    opened[0]!.onFact('fact' as never)
    expect(facts).toEqual(['fact'])
    await runtime.sleep()
  })
})

describe('a new block', () => {
  test('is reported to all listeners but those that left, and its prices once they are computed', async () => {
    const { runtime, publish } = runtimeOf()
    const [first, second, priced]: number[][] = [[], [], []]
    const remove = runtime.onSnapshot(({ block }) => first!.push(block.number))
    runtime.onSnapshot(({ block }) => second!.push(block.number))
    runtime.onPriced(({ number }) => priced!.push(number))
    runtime.parts
    publish(snapshotOf(1))
    expect(runtime.status()).toMatchObject({ chainId: 7 })
    expect(runtime.partsIfAwake!.poolCount).toBe(1)
    remove()
    publish(snapshotOf(2))
    await vi.advanceTimersByTimeAsync(10)
    expect([first, second]).toEqual([[1], [1, 2]])
    // The prices of the first block were replaced by those of the second one.
    expect(priced).toEqual([2])
    await runtime.sleep()
  })

  test('confirms jumps of prices if no further block comes for two block times', async () => {
    const { runtime, publish } = runtimeOf()
    const { prices } = runtime.parts
    const accept = vi.spyOn(prices, 'acceptJumps').mockResolvedValue()
    publish(snapshotOf(1))
    await vi.advanceTimersByTimeAsync(1_999)
    publish(snapshotOf(2))
    await vi.advanceTimersByTimeAsync(1_999)
    expect(accept).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(accept).toHaveBeenCalledTimes(1)
    await runtime.sleep()
  })

  test('whose pools fail is logged: the trust ledger, and a pool that cannot be priced', async () => {
    const { runtime, publish, lines, tokens } = runtimeOf()
    const failure = new Error('no')
    vi.spyOn(tokens.trustTracker, 'observe').mockRejectedValue(failure)
    runtime.parts
    const broken = { id: 'broken', family: 'uniswap-v2', dex: 'test', address: HUB, tokens: [HUB, HUB] }
    publish({ ...snapshotOf(1), pools: new Map([['broken', broken]]) } as never)
    await vi.advanceTimersByTimeAsync(10)
    expect(lines).toContainEqual(['error: failed to update the trust ledger', { err: failure }])
    expect(lines).toContainEqual(['error: a pool cannot be priced', { err: expect.any(Error), pool: 'broken' }])
    await runtime.sleep()
  })

  test('whose prices fail is logged', async () => {
    const { runtime, publish, lines } = runtimeOf()
    const failure = new Error('no')
    vi.spyOn(runtime.parts.prices, 'follow').mockRejectedValue(failure)
    publish(snapshotOf(1))
    await vi.advanceTimersByTimeAsync(10)
    expect(lines).toContainEqual(['error: failed to update prices', { err: failure }])
    await runtime.sleep()
  })
})

describe('a chain that this process reads itself', () => {
  beforeEach(() => void vi.useRealTimers())
  function readingRuntime(settings: object = {}) {
    const [events, warnings]: unknown[][] = [[], []]
    const tokens = new ChainTokens({ chain, earnBlocks: 5, sourceAt: () => ({}) as never })
    const runtime = new ChainRuntime({
      ...{ chain, tokens, idleSleepMs: IDLE_MS, contracts: {}, fees: {} },
      log: { info: () => {}, error: () => {}, warn: (...line: unknown[]) => warnings!.push(line) },
      rpc: { urls: ['http://127.0.0.1:9'], timeoutMs: 30_000 },
      ...{ isBusy: () => false, isWatched: () => false, onSleep: () => {}, onFact: () => {} },
      emit: (event: unknown) => events!.push(event),
      ...settings,
    } as never)
    return { runtime, events: events!, warnings: warnings! }
  }

  test('reports failures of its node, with the endpoint', async () => {
    const { runtime, events } = readingRuntime()
    await expect(runtime.parts.rpc.getBlock('latest')).rejects.toMatchObject({ code: 'UNREACHABLE' })
    expect(events).toContainEqual({ kind: 'rpc-failure', endpoint: 0, code: 'UNREACHABLE' })
    expect(events).toContainEqual({ kind: 'rpc', event: expect.objectContaining({ kind: 'sent' }) })
    await runtime.sleep()
  })

  test('warns if known pools cannot be stored, with the path', async () => {
    const path = join(import.meta.filename, 'pools.sqlite')
    const { runtime, warnings } = readingRuntime({ save: { path, everyMs: 60_000 } })
    runtime.parts
    await vi.waitFor(() => expect(warnings.length).toBeGreaterThan(0), { timeout: 20_000 })
    expect(warnings[0]).toEqual([{ err: expect.any(Error), path }, 'failed to save or restore known pools'])
    await runtime.sleep()
  })
})

test('searches of logs and lists of pools are logged as warnings only if something is missing', () => {
  const lines: string[] = []
  const log = {
    info: (_: unknown, text: string) => lines.push(`info: ${text}`),
    warn: (_: unknown, text: string) => lines.push(`warn: ${text}`),
  } as never
  for (const state of ['scanning', 'done', 'failing'] as const) logScan(log, { state } as never)
  for (const refused of [0, 1]) logPoolListImport(log, { proven: 5, refused })
  expect(lines).toEqual([
    'info: search of past logs: scanning',
    'info: search of past logs: done',
    'warn: search of past logs fails: pools of these families are missing',
    'info: the chain has all pools of the list',
    'warn: the chain does not have some pools of the list: its logs are searched from the start',
  ])
})
