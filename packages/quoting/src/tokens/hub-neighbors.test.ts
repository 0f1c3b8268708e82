/** Tests which logs are read, and which tokens are followed, with a node and a market in memory. */
import { ReadBatch__factory } from '@sluice/bindings'
import { type Address, type Chain, type Hex, toAddress } from '@sluice/chains'
import { familyOf } from '@sluice/liquidity'
import { batchedReads } from '@sluice/liquidity/testing'
import { RpcError } from '@sluice/rpc'
import { toBeHex } from 'ethers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HubNeighbors, type NeighborSource } from './hub-neighbors.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [HUB, NAMED, FACTORY] = [at(1), at(2), at(3)]
const chain = {
  ...{ chainId: 1, hubs: [HUB], stables: [], tokens: [], wrappedNative: null },
  dexes: [{ family: 'uniswap-v2', brand: 'test', role: 'factory', address: FACTORY, feePpm: 3_000 }],
} as unknown as Chain
const batch = ReadBatch__factory.createInterface()
const [TOPIC] = familyOf('uniswap-v2')!.creationTopics!
const word = (value: Address | number) => value.toString().replace('0x', '').padStart(64, '0')

/** The log of a pair. */
const created = (pool: number, a: Address, b: Address) => ({
  ...{ address: FACTORY, blockNumber: 1, logIndex: 0, transactionHash: '0x' },
  topics: [TOPIC!, `0x${word(a)}`, `0x${word(b)}`],
  data: `0x${word(at(pool))}${word(1)}`,
})

type Filter = { readonly fromBlock: number; readonly toBlock: number }
function worldOf({
  head = 120_000,
  prices = new Map([[HUB, 2_000]]),
  decimals = 18 as number | null,
  hubs = [HUB] as readonly Address[],
} = {}) {
  const world = {
    ...{ decimals, callFailures: [] as Error[] },
    ...{ head, ranges: [] as number[][], reads: [] as string[], searches: [] as (readonly Address[])[] },
    ...{ logs: new Map<number, readonly object[]>(), balances: new Map<number, bigint>(), failures: [] as Error[] },
  }
  const rpc = {
    getLogs: async ({ fromBlock, toBlock, ...filter }: Filter) => {
      world.ranges.push([fromBlock, toBlock])
      expect(filter).toEqual({ address: [FACTORY], topics: [[TOPIC]] })
      const failure = world.failures.shift()
      if (failure) throw failure
      return [...world.logs].flatMap(([block, logs]) => (block >= fromBlock && block <= toBlock ? logs : []))
    },
    call: async ({ data }: { readonly data: Hex }) => {
      const failure = world.callFailures.shift()
      if (failure) throw failure
      const answers = batchedReads(data).map(({ to, data: call }) => {
        expect(to).toBe(HUB)
        const pool = Number(BigInt(`0x${call.slice(-40)}`))
        read.push(pool)
        const balance = balances.get(pool) ?? 0n
        return balance < 0n ? { ok: false, data: '0x' } : { ok: true, data: toBeHex(balance * 10n ** 18n, 32) }
      })
      return batch.encodeFunctionResult('run', [answers])
    },
  }
  const market = {
    snapshot: () => ({ block: { number: world.head, hash: '0x0b' as Hex } }),
    searchPools: async (tokens: readonly Address[]) => void world.searches.push(tokens),
  }
  const source = { rpc, market, prices: { usd: (token: Address) => prices.get(token) ?? null } }
  const neighbors = new HubNeighbors({ ...chain, hubs }, [NAMED], () => world.decimals ?? undefined)
  return { world, neighbors, run: () => neighbors.run(source as unknown as NeighborSource) }
}

/** Hub balances in whole units, by the number of the pool's address; a negative one cannot be read. */
let balances: Map<number, bigint>
let read: number[]
beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  balances = new Map()
  read = []
})
afterEach(() => {
  vi.useRealTimers()
})

test('reads the newest blocks first, then those below, to the first one, in runs of at most eight requests', async () => {
  const { world, run } = worldOf()
  await run()
  expect(world.ranges).toEqual([
    [70_001, 120_000],
    [20_001, 70_000],
    [0, 20_000],
  ])
  world.ranges.length = 0
  await run()
  expect(world.ranges).toEqual([])
  // A clock that is set back does not delay the next run.
  vi.setSystemTime(Date.now() - 3_600_000)
  vi.advanceTimersByTime(30_000)
  world.head = 120_007
  await run()
  expect(world.ranges).toEqual([[120_001, 120_007]])
  const long = worldOf({ head: 10 ** 7 })
  await long.run()
  expect(long.world.ranges).toHaveLength(8)
  expect(long.world.ranges[7]).toEqual([10 ** 7 - 8 * 50_000 + 1, 10 ** 7 - 7 * 50_000])
})

test('blocks that one request cannot contain are read later, also those that were mined during a long pause', async () => {
  const { world, run } = worldOf({ head: 9_999 })
  const runAgain = async () => {
    world.ranges.length = 0
    vi.advanceTimersByTime(30_000)
    await run()
    return world.ranges
  }
  await run()
  expect(world.ranges).toEqual([[0, 9_999]])
  world.head = 129_999
  expect(await runAgain()).toEqual([
    [80_000, 129_999],
    [30_000, 79_999],
    [10_000, 29_999],
  ])
  // The node allows only short ranges now, so that new blocks arrive before the older ones are read.
  world.failures.push(...Array.from({ length: 4 }, () => new RpcError('RANGE', 'no')))
  world.head = 139_999
  expect((await runAgain()).slice(4)).toEqual([
    [139_500, 139_999],
    [139_000, 139_499],
    [138_500, 138_999],
    [138_000, 138_499],
  ])
  world.head = 140_099
  expect((await runAgain()).slice(0, 2)).toEqual([
    [140_000, 140_099],
    [137_500, 137_999],
  ])
  const readBlocks = new Set<number>()
  for (let rounds = 0; rounds < 4; rounds++)
    for (const [from, to] of await runAgain()) for (let k = from!; k <= to!; k++) readBlocks.add(k)
  expect(Math.min(...readBlocks)).toBe(130_000)
  expect(await runAgain()).toEqual([])
})

test('many pauses leave no block unread', async () => {
  const { world, run } = worldOf({ head: 0 })
  // Each run reads 500 blocks per request, 4,000 in total, of 5,000 new ones.
  world.failures.push(...Array.from({ length: 4 }, () => new RpcError('RANGE', 'no')))
  const isRead = new Uint8Array(100 * 5_000)
  const runAgain = async () => {
    world.ranges.length = 0
    await run()
    vi.advanceTimersByTime(30_000)
    for (const [from, to] of world.ranges) if (to! - from! < 500) isRead.fill(1, from, to! + 1)
  }
  for (let pause = 1; pause <= 100; pause++) {
    world.head = pause * 5_000 - 1
    await runAgain()
  }
  for (let rounds = 0; rounds < 200; rounds++) await runAgain()
  expect(isRead.indexOf(0)).toBe(-1)
})

test('does nothing before a hub has a price, or without factories', async () => {
  const unpriced = worldOf({ prices: new Map() })
  await unpriced.run()
  expect(unpriced.world.ranges).toEqual([])
})

test('a range that the node refuses is quartered, down to 500 blocks; other failures end the run', async () => {
  const { world, run } = worldOf({ head: 40_000 })
  world.failures.push(...['RANGE', 'TIMEOUT', 'SIZE'].map((code) => new RpcError(code as 'RANGE', 'no')))
  await run()
  const lengths = world.ranges.map(([from, to]) => to! - from! + 1)
  expect(lengths.slice(0, 4)).toEqual([40_001, 12_500, 3_125, 781])
  const failing = worldOf({ head: 40_000 })
  failing.world.failures.push(new RpcError('UNREACHABLE', 'down'))
  await failing.run()
  expect(failing.world.ranges).toHaveLength(1)
  // The next run repeats it.
  vi.advanceTimersByTime(30_000)
  await failing.run()
  expect(failing.world.ranges[1]).toEqual(failing.world.ranges[0])
})

test('tokens whose pools hold 5,000 dollars of a hub are followed, the deepest first in doubt, each pool read once', async () => {
  const { world, neighbors, run } = worldOf({ head: 10 })
  const [rich, poor, edge] = [at(0x11), at(0x12), at(0x13)]
  world.logs.set(5, [
    created(101, rich, HUB),
    created(102, HUB, poor),
    created(103, edge, HUB),
    created(104, NAMED, HUB),
    created(105, rich, poor),
  ])
  // 2.5 units at 2,000 dollars are 5,000.
  for (const [pool, units] of [
    [101, 10n],
    [102, 2n],
    [103, 3n],
    [104, 99n],
  ] as const)
    balances.set(pool, units)
  await run()
  expect(read.toSorted()).toEqual([101, 102, 103])
  expect(world.searches.flat().toSorted()).toEqual([rich, edge].toSorted())
  expect(neighbors.count).toEqual({ entries: 2, evicted: 0 })
  vi.advanceTimersByTime(30_000)
  world.head = 20
  world.logs.set(15, [created(101, rich, HUB), created(106, poor, HUB)])
  balances.set(106, 50n)
  await run()
  expect(read.slice(3)).toEqual([106])
  expect(world.searches.slice(1).flat()).toContain(poor)
})

test('a token of unknown decimals is not followed', async () => {
  const { world, run } = worldOf({ head: 10, decimals: null })
  world.logs.set(5, [created(101, at(0x11), HUB)])
  balances.set(101, 10n)
  await run()
  expect(world.searches).toEqual([])
})

test('a pool whose hub balance could not be read is read by the next run', async () => {
  const { world, neighbors, run } = worldOf({ head: 10, decimals: null })
  world.logs.set(5, [created(101, at(0x11), HUB)])
  balances.set(101, 10n)
  const runAgain = async () => {
    vi.advanceTimersByTime(30_000)
    await run()
  }
  expect(neighbors.isStarted).toBe(false)
  await run()
  expect(neighbors.isStarted).toBe(true)
  world.decimals = 18
  world.callFailures.push(new RpcError('TIMEOUT', 'late'))
  await runAgain()
  expect(world.searches).toEqual([])
  await runAgain()
  expect(world.searches).toEqual([[at(0x11)]])
  expect(read).toEqual([101])
  await runAgain()
  expect(read).toEqual([101])
})

test('pools beyond the limit of a run are read by the next runs, the newest first', async () => {
  const { world, run } = worldOf({ head: 10 })
  world.logs.set(
    5,
    Array.from({ length: 2_500 }, (_, k) => created(0x2000 + k, at(0x1_0000 + k), HUB)),
  )
  const lengths: number[] = []
  for (let k = 0; k < 4; k++) {
    await run()
    lengths.push(read.length)
    vi.advanceTimersByTime(30_000)
  }
  expect(lengths).toEqual([1_000, 2_000, 2_500, 2_500])
  expect(read[0]).toBe(0x2000 + 2_499)
})

test('pools of a hub without a price do not displace pools that can be read', async () => {
  const UNPRICED = at(4)
  const { world, run } = worldOf({ head: 10, hubs: [UNPRICED, HUB] })
  world.logs.set(
    5,
    Array.from({ length: 10_001 }, (_, k) => created(0x1_0000 + k, at(0x2_0000 + k), UNPRICED)),
  )
  await run()
  vi.advanceTimersByTime(30_000)
  world.head = 20
  world.logs.set(15, [created(101, at(0x11), HUB)])
  await run()
  expect(read).toEqual([101])
})

test('a token whose liquidity is removed is not followed any more, and makes room for a token found before', async () => {
  const { world, neighbors, run } = worldOf({ head: 10 })
  const tokens = Array.from({ length: 301 }, (_, k) => at(0x1000 + k))
  world.logs.set(
    5,
    tokens.map((token, k) => created(0x2000 + k, token, HUB)),
  )
  for (const k of tokens.keys()) balances.set(0x2000 + k, BigInt(10 + k))
  await run()
  expect(world.searches.flat()).not.toContain(tokens[0])
  balances.set(0x2000 + 300, 0n)
  const searchedAfter = async (ms: number) => {
    vi.advanceTimersByTime(ms)
    read.length = world.searches.length = 0
    await run()
    return world.searches.flat()
  }
  // A failed read is repeated.
  world.callFailures.push(new RpcError('TIMEOUT', 'late'))
  await searchedAfter(600_000)
  expect(neighbors.count.entries).toBe(300)
  const searched = await searchedAfter(30_000)
  expect([read.length, neighbors.count.entries]).toEqual([301, 300])
  expect(searched.toSorted()).toEqual(tokens.slice(0, 300).toSorted())
  await searchedAfter(599_999)
  expect(read).toEqual([])
  // A call that fails says nothing, and liquidity may come back.
  balances.set(0x2000 + 300, 400n)
  balances.set(0x2000 + 299, -1n)
  const searchedLater = await searchedAfter(30_000)
  expect(searchedLater.toSorted()).toEqual(tokens.slice(1).toSorted())
})

test('at most 300 tokens are followed, 25 at a time: those with most of a hub', async () => {
  const { world, neighbors, run } = worldOf({ head: 10 })
  const tokens = Array.from({ length: 310 }, (_, k) => at(0x1000 + k))
  world.logs.set(
    5,
    tokens.map((token, k) => created(0x2000 + k, token, HUB)),
  )
  for (const k of tokens.keys()) balances.set(0x2000 + k, BigInt(10 + k))
  await run()
  expect(neighbors.count.entries).toBe(300)
  expect(world.searches.map(({ length }) => length)).toEqual(Array.from({ length: 12 }, () => 25))
  expect(world.searches.flat().toSorted()).toEqual(tokens.slice(10).toSorted())
})
