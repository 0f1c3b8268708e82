/** Tests how often a market asks its node, saves, and audits, and what it reports meanwhile, with a node in memory. */
import { type Address, type Chain, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { type BlockHeader, type Rpc, RpcError } from '@sluice/rpc'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { DexFamily, Pool } from '../family.ts'
import type { SaveCommand, Store } from '../store/store.ts'
import { Auditor } from './audit.ts'
import { Discovery } from './discovery.ts'
import { defaultMarketLimits } from './limits.ts'
import { createMarket, type MarketOptions } from './market.ts'
import { rowsHash } from './saver.ts'
import { TokenFacts } from './token-facts.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [hub, token, account] = [at(1), at(2), at(3)]
const chain = {
  ...{ chainId: 10, wrappedNative: null, nativeCurrency: { symbol: 'ETH', decimals: 18 }, blockTimeMs: 2_000 },
  ...{ stables: [], hubs: [hub], tokens: [], dexes: [] },
} as unknown as Chain

let head: number
let failure: Error | null
/** The node answers no request for its head before this resolves. */
let pendingAnswer: Promise<void>
/** Milliseconds at which the head was requested. */
let polls: number[]
let saves: number[]
let closed: number
const header = (number: number): BlockHeader => ({
  ...{ number, hash: `0x${number}` as Hex, parentHash: `0x${number - 1}` as Hex, timestamp: number },
  ...{ gasLimit: 1n, baseFeePerGas: null, miner: at(0) },
})

function marketOf(over: Partial<MarketOptions> = {}) {
  const rpc = {
    getBlock: async (ref: unknown) => {
      if (ref !== 'latest') return typeof ref === 'number' ? header(ref) : null
      polls.push(Date.now())
      if (failure) throw failure
      const newest = header(head)
      await pendingAnswer
      return newest
    },
    getLogs: async () => [],
    health: () => ({ clock: { intervalMs: null } }),
  } as unknown as Rpc
  const market = createMarket({ chain, rpc, families: [], ...over })
  // Only the account is not a token.
  vi.spyOn(market.tokens, 'check').mockResolvedValue()
  vi.spyOn(market.tokens, 'isToken').mockImplementation((address) => address !== account)
  return market
}
const store: Store = {
  facts: null,
  async *batches() {},
  save: async (facts, parts) => {
    for await (const _ of parts);
    saves.push(facts.block.number)
  },
  close: async () => {
    closed++
  },
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  head = 100
  failure = null
  pendingAnswer = Promise.resolve()
  ;[polls, saves, closed] = [[], [], 0]
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})
/** Differences of subsequent times. */
const gapsOf = (times: readonly number[]) => times.slice(1).map((time, k) => time - times[k]!)

describe('a market that was started', () => {
  test.each([
    ['half of the block time', {}, 1_000],
    ['at most every 200 ms', { chain: { ...chain, blockTimeMs: 250 } }, 200],
    ['at least every two seconds', { chain: { ...chain, blockTimeMs: 12_000 } }, 2_000],
    ['as often as it is told', { pollMs: 70 }, 70],
  ])('asks for the head after %s', async (_, over, everyMs) => {
    const market = marketOf(over)
    market.start()
    market.start()
    await vi.advanceTimersByTimeAsync(5 * everyMs + 1)
    expect(polls).toEqual([0, 1, 2, 3, 4, 5].map((k) => k * everyMs))
    await market.stop()
    await vi.advanceTimersByTimeAsync(10 * everyMs)
    expect(polls).toHaveLength(6)
  })

  test('without subscribers asks when the next block is due', async () => {
    const market = marketOf({ isWatched: () => false })
    market.start()
    await vi.advanceTimersByTimeAsync(1_900)
    // The block may arrive 5 % early.
    expect(polls).toEqual([0, 1_900])
    await market.stop()
  })

  test('pauses twice as long after each failure, up to five seconds, and reports the last one', async () => {
    const market = marketOf({ pollMs: 500 })
    market.start()
    await vi.advanceTimersByTimeAsync(250)
    expect(market.health()).toMatchObject({ head: header(100), lagMs: 250, error: null })
    failure = new RpcError('UNREACHABLE', 'connection refused')
    await vi.advanceTimersByTimeAsync(21_000)
    expect(gapsOf(polls)).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000])
    expect(market.health()).toMatchObject({ head: header(100), lagMs: 21_250, error: 'connection refused' })
    failure = null
    head = 101
    await vi.advanceTimersByTimeAsync(2_000)
    expect(market.health()).toMatchObject({ head: header(101), error: null })
    await market.stop()
  })

  test('saves in intervals what is new, and once more when it stops', async () => {
    const market = marketOf({ save: { path: async () => store, everyMs: 10_000 } })
    market.start()
    await vi.advanceTimersByTimeAsync(9_900)
    expect(saves).toEqual([])
    await vi.advanceTimersByTimeAsync(200)
    expect(saves).toEqual([100])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(saves).toEqual([100])
    head = 102
    await vi.advanceTimersByTimeAsync(10_000)
    expect(saves).toEqual([100, 102])
    head = 103
    await vi.advanceTimersByTimeAsync(1_000)
    await market.stop()
    expect([saves, closed]).toEqual([[100, 102, 103], 1])
  })

  test('saves the block that it is reading when it stops, before it closes the store', async () => {
    const market = marketOf({ save: { path: async () => store } })
    const answer = Promise.withResolvers<void>()
    pendingAnswer = answer.promise
    market.start()
    await vi.advanceTimersByTimeAsync(0)
    expect(polls).toEqual([0])
    const stopping = market.stop()
    await vi.advanceTimersByTimeAsync(0)
    expect(closed).toBe(0)
    answer.resolve()
    await stopping
    expect([saves, closed]).toEqual([[100], 1])
  })

  test('reads decimals again every minute, and drops unused tokens', async () => {
    const market = marketOf()
    const refresh = vi.spyOn(market.tokens, 'refresh').mockRejectedValue(new Error('down'))
    const evict = vi.spyOn(market, 'evict')
    market.start()
    await vi.advanceTimersByTimeAsync(59_999)
    expect([refresh.mock.calls.length, evict.mock.calls.length]).toEqual([0, 0])
    await vi.advanceTimersByTimeAsync(60_001)
    expect([refresh.mock.calls.length, evict.mock.calls.length]).toEqual([2, 2])
    await market.stop()
  })
})

describe('what a market does in the background', () => {
  test('starts with the pools between hubs, before any request', async () => {
    const market = marketOf({ chain: { ...chain, hubs: [hub, token] } })
    market.start()
    await vi.advanceTimersByTimeAsync(1_000)
    expect([...market.loadedPairKeys]).toEqual([`${hub},${token}`])
    await market.stop()
  })

  test('goes on after failures', async () => {
    const audit = vi.spyOn(Auditor.prototype, 'run').mockRejectedValue(new RpcError('UNREACHABLE', 'down'))
    const market = marketOf({ auditMs: 1_000 })
    market.start()
    await vi.advanceTimersByTimeAsync(3_000)
    expect(audit).toHaveBeenCalledTimes(3)
    await market.stop()
  })

  test('retries no earlier than it polls', async () => {
    const market = marketOf({ pollMs: 10_000 })
    failure = new RpcError('UNREACHABLE', 'down')
    market.start()
    await vi.advanceTimersByTimeAsync(30_000)
    expect(polls).toEqual([0, 10_000, 20_000, 30_000])
    await market.stop()
  })

  test('has ended when the market has stopped', async () => {
    const market = marketOf()
    const refreshed = Promise.withResolvers<void>()
    vi.spyOn(market.tokens, 'refresh').mockReturnValue(refreshed.promise)
    market.start()
    await vi.advanceTimersByTimeAsync(60_000)
    const stopped = vi.fn()
    const stopping = market.stop().then(stopped)
    await vi.advanceTimersByTimeAsync(0)
    expect(stopped).not.toHaveBeenCalled()
    refreshed.resolve()
    await stopping
  })

  test('slows down while no request arrives, whatever it reads by itself', async () => {
    const market = marketOf({ isWatched: () => false })
    market.start()
    // A block every 2 s, as expected.
    const blocks = setInterval(() => head++, 2_000)
    await vi.advanceTimersByTimeAsync(200_000)
    expect(gapsOf(polls).at(-1)).toBe(30_000)
    await market.ensure([token])
    const before = polls.length
    await vi.advanceTimersByTimeAsync(60_000)
    expect(polls.length - before).toBeGreaterThan(10)
    clearInterval(blocks)
    await market.stop()
  })
})

test('the first sync waits until the saved state is in memory', async () => {
  const opened = Promise.withResolvers<Store>()
  const market = marketOf({ save: { path: () => opened.promise } })
  const syncing = market.sync()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(polls).toEqual([])
  opened.resolve(store)
  expect((await syncing).block.number).toBe(100)
  await market.stop()
})

test('waiting for searches ends with the time limit', async () => {
  const market = marketOf()
  await market.sync()
  vi.spyOn(Discovery.prototype, 'whenIdle').mockReturnValue(new Promise(() => {}))
  const waiting = market.whenIdle(1_000)
  await vi.advanceTimersByTimeAsync(1_000)
  expect((await waiting).block.number).toBe(100)
})

test('token facts can be shared by markets', () => {
  const facts = new TokenFacts(chain, defaultMarketLimits)
  expect(createMarket({ chain, rpc: {} as Rpc, families: [], facts }).tokens).toBe(facts)
})

test('a listener that has unsubscribed is not called', async () => {
  const market = marketOf()
  const blocks: number[] = []
  const unsubscribe = market.onSnapshot(({ block }) => blocks.push(block.number))
  await market.sync()
  unsubscribe()
  head = 101
  await market.sync()
  expect(blocks).toEqual([100])
})

test('pairs are searched again after blocks were skipped', async () => {
  const market = marketOf()
  await market.ensure([token])
  expect([...market.loadedPairKeys]).toHaveLength(1)
  head = 10_000
  await market.sync()
  expect([...market.loadedPairKeys]).toEqual([])
})

test('tokens that nobody requests any more are dropped', async () => {
  const market = marketOf({ limits: { tokenIdleMs: 1_000 } })
  await market.ensure([token])
  await vi.advanceTimersByTimeAsync(1_000)
  expect(market.cacheCounts().tokens!.entries).toBe(2)
  market.evict()
  await vi.advanceTimersByTimeAsync(0)
  expect(market.cacheCounts().tokens!.entries).toBe(1)
})

test('requests made together share one look at the head, and later ones look again', async () => {
  const market = marketOf()
  const snapshots = await Promise.all([market.sync(), market.sync()])
  expect([polls.length, snapshots[0]]).toEqual([1, snapshots[1]])
  head = 101
  expect((await market.sync()).block.number).toBe(101)
  expect(polls).toHaveLength(2)
  expect([market.hasBlock(header(100)), market.hasBlock(header(99))]).toEqual([true, false])
})

test('a caller that gives up does not cancel the look of others', async () => {
  const market = marketOf()
  const controller = new AbortController()
  const [abortedSync, otherSync] = [market.sync({ signal: controller.signal }), market.sync()]
  controller.abort(new Error('gone'))
  await expect(abortedSync).rejects.toThrow('gone')
  expect((await otherSync).block.number).toBe(100)
})

test('only tokens are followed, after a first look at the head', async () => {
  const market = marketOf()
  await market.ensure([token, account, hub])
  expect(polls.length).toBeGreaterThan(0)
  expect(vi.mocked(market.tokens.check).mock.calls[0]![0]).toEqual([token, account, hub])
  expect(vi.mocked(market.tokens.check).mock.calls[0]![2]).toEqual({ priority: 'lookup', retryBlock: '0x100' })
  // The hub is always followed.
  expect(market.cacheCounts().tokens!.entries).toBe(2)
  expect([...market.loadedPairKeys]).toHaveLength(1)
})

test('all groups of a request are checked, and tokens that could not be checked are followed', async () => {
  const market = marketOf()
  vi.mocked(market.tokens.isToken).mockReturnValue(undefined)
  await market.ensureGroups([[token], [account]])
  expect(vi.mocked(market.tokens.check).mock.calls[0]![0]).toEqual([token, account])
  expect([...market.loadedPairKeys].sort()).toEqual([`${hub},${token}`, `${hub},${account}`])
  await market.searchPools([at(4)])
  expect([...market.loadedPairKeys]).toContain(`${hub},${at(4)}`)
})

test('a background search checks its tokens first, and searches no other address', async () => {
  const market = marketOf()
  await market.sync()
  let isChecked = false
  vi.mocked(market.tokens.check).mockImplementation(async () => {
    await vi.advanceTimersByTimeAsync(0)
    isChecked = true
  })
  vi.mocked(market.tokens.isToken).mockImplementation((address) => (isChecked ? address !== account : undefined))
  await market.searchPools([token, account])
  const searchedTokens = new Set([...market.loadedPairKeys].flatMap((key) => key.split(',')))
  expect([searchedTokens.has(token), searchedTokens.has(account)]).toEqual([true, false])
})

describe('waiting for a block', () => {
  test('ends with the block, or with an error that says how far the market is', async () => {
    const market = marketOf()
    await expect(market.waitForBlock(100, 0)).rejects.toThrow('chain 10 is not read yet, not at 100')
    expect((await market.waitForBlock(100, 1_000)).block.number).toBe(100)
    const looks = polls.length
    expect((await market.waitForBlock(99, 1_000)).block.number).toBe(100)
    expect(polls).toHaveLength(looks)
    const waiting = market.waitForBlock(101, 1_000)
    await vi.advanceTimersByTimeAsync(120)
    head = 101
    await vi.advanceTimersByTimeAsync(50)
    expect((await waiting).block.number).toBe(101)
    // At 0, 50, 100, and 150 ms.
    expect(polls).toHaveLength(looks + 4)
    const late = expect(market.waitForBlock(102, 1_000)).rejects.toMatchObject({
      ...{ code: 'BEHIND', message: 'chain 10 is at block 101, not at 102' },
    })
    failure = new RpcError('UNREACHABLE', 'down')
    await vi.advanceTimersByTimeAsync(1_001)
    await late
  })

  test('ends when the caller gives up', async () => {
    const market = marketOf()
    const controller = new AbortController()
    const waiting = market.waitForBlock(101, 60_000, controller.signal)
    const gone = expect(waiting).rejects.toThrow('gone')
    await vi.advanceTimersByTimeAsync(100)
    controller.abort(new Error('gone'))
    await gone
  })
})

test('a request during a sync gets a sync of its own, since the running one may have read an older head', async () => {
  const market = marketOf()
  const running = market.sync()
  while (polls.length === 0) await Promise.resolve()
  head = 101
  const [first, ...later] = await Promise.all([running, market.sync(), market.sync()])
  expect([first, ...later].map(({ block }) => block.number)).toEqual([100, 101, 101])
  expect(polls).toHaveLength(2)
  await market.stop()
})

test('an unwatched market asks less and less often while no block arrives', async () => {
  const market = marketOf({ isWatched: () => false })
  market.start()
  await vi.advanceTimersByTimeAsync(30_000)
  const gaps = gapsOf(polls)
  expect(gaps.at(-1)).toBeGreaterThan(2 * gaps[0]!)
  await market.stop()
})

describe('pools that past logs list', () => {
  const row = { family: 'listed', brand: 'x', role: 'factory', address: at(7), startBlock: 1 } as unknown as DexRow
  const poolOf = (n: number, tokens: readonly Address[]): Pool<null> => ({
    ...{ id: at(n), address: at(n), family: 'listed', dex: 'x', tokens, state: null },
  })
  const listedPools = [poolOf(21, [hub, token]), poolOf(22, [hub, at(5)]), poolOf(23, [at(5), at(6)])]
  const family = {
    ...{ id: 'listed', topics: [], creationTopics: ['0xa'], listedByLogs: true, createdPool: () => null },
    *readStates(_: DexRow, pools: readonly Pool[]) {
      return pools.map(() => 'state')
    },
  } as unknown as DexFamily
  const listing = (over: Partial<MarketOptions> = {}) =>
    marketOf({ chain: { ...chain, dexes: [row] }, families: [family], ...over })
  const entries = listedPools.map((pool) => ({ row, pool }))

  test('by another market are added, also before the first block', async () => {
    const market = listing({ searchesLogs: false })
    expect(market.health().scan).toBeNull()
    await market.addFoundPools(entries)
    await market.ensure([token])
    expect([...market.snapshot().pools.keys()]).toEqual([at(21)])
    // For the next market: the pools of all tokens that it names.
    const scannedIds = async (tokens: readonly Address[]) =>
      (await market.scannedPools!(tokens)).map(({ pool }) => pool.id).sort()
    expect(await scannedIds([token, at(5)])).toEqual([at(21), at(22), at(23)])
    expect(await scannedIds([token])).toEqual([at(21)])
  })

  test('in a saved file without a state are read again at the next block', async () => {
    const saved = {
      ...store,
      facts: {
        chainId: 10,
        block: header(100),
        extra: { rows: rowsHash([row]), scannedTo: [] },
      },
      async *batches() {
        yield { pools: [], list: { name: 'tokens', items: [hub, token] } }
        yield { pools: [{ pool: listedPools[0]!, dexRow: 0, state: null }], list: null }
      },
    }
    const market = listing({ save: { path: async () => saved } })
    head = 101
    expect([...(await market.sync()).pools.keys()]).toEqual([at(21)])
    await market.stop()
  })

  test('replace all saved pools once the store is full', async () => {
    const commands: SaveCommand[] = []
    const saved = {
      ...store,
      save: async (_: unknown, parts: AsyncIterable<SaveCommand>) => {
        for await (const command of parts) commands.push(command)
      },
    }
    const market = listing({ limits: { savedPools: 2 }, save: { path: async () => saved } })
    await market.addFoundPools(entries)
    await market.stop()
    const keptIds = commands.flatMap((command) => (command.do === 'keep' ? command.ids : []))
    expect(keptIds.sort()).toEqual(listedPools.map(({ id }) => id))
  })
})
