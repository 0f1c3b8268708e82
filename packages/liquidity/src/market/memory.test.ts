/** Tests what a market keeps in memory: blocks, tokens, pairs, and queued work, at and beyond every limit. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import type { BlockHeader, Log, Rpc } from '@sluice/rpc'
import { keccak256 as keccak, id as keccakOf } from 'ethers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { DexFamily, Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { applyLogs } from './apply.ts'
import { BatchQueue } from './batch-queue.ts'
import { logsOf, mayContain } from './block-logs.ts'
import { findBranch } from './branch.ts'
import { DoubtfulBlocks } from './doubtful-blocks.ts'
import { FollowedPools } from './followed-pools.ts'
import { FollowedTokens } from './followed-tokens.ts'
import { HISTORY_BLOCKS, History, type HistoryEntry } from './history.ts'
import { Ledger } from './ledger.ts'
import { defaultMarketLimits } from './limits.ts'
import type { PoolEntry } from './pool-reader.ts'
import { RequestedPairs } from './requested-pairs.ts'

const testAddress = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const hashOf = (number: number, fork = ''): Hex => `0x${fork}${number.toString(16).padStart(4, '0')}`
const header = (number: number, fork = '', parentFork = fork): BlockHeader => ({
  ...{ number, hash: hashOf(number, fork), parentHash: hashOf(number - 1, parentFork), timestamp: number },
  ...{ gasLimit: 1n, baseFeePerGas: null, miner: testAddress(0) },
})
const pool = (id: string, state: unknown = 0): Pool => ({
  ...{ id, family: 'logged', dex: '', address: testAddress(1), tokens: [testAddress(1), testAddress(2)], state },
})
const entry = (number: number, pools = PoolMap.empty): HistoryEntry => ({
  ...{ block: header(number), pools, changedIds: new Set<string>() },
})
const historyOf = (from: number, to: number) =>
  new History(Array.from({ length: to - from + 1 }, (_, k) => entry(from + k)))
const signal = new AbortController().signal

describe('the history', () => {
  test.each([
    [1, 1, 1],
    [1, HISTORY_BLOCKS + 1, 1],
    [1, HISTORY_BLOCKS + 2, 2],
    [5, 200, 200 - HISTORY_BLOCKS],
  ])('of blocks %d to %d starts at block %d', (from, to, oldest) => {
    const history = historyOf(from, to)
    expect([history.oldest.block.number, history.top.block.number]).toEqual([oldest, to])
    expect(history.find(hashOf(oldest))?.block.number).toBe(oldest)
    expect(history.find(hashOf(oldest - 1))).toBeUndefined()
  })

  test('continues from any of its blocks, and knows the blocks above', () => {
    const history = historyOf(1, 5)
    const third = history.find(hashOf(3))!
    const numbers = (entries: readonly HistoryEntry[]) => entries.map(({ block }) => block.number)
    expect(numbers(history.entriesAbove(third))).toEqual([4, 5])
    expect(numbers(history.entriesAbove(history.top))).toEqual([])
    const forked = history.continueFrom(third, [{ ...entry(4), block: header(4, 'f') }])
    expect([forked.top.block.hash, forked.oldest.block.number]).toEqual([hashOf(4, 'f'), 1])
    expect(forked.find(hashOf(4))).toBeUndefined()
    const replaced = history.replaceTop({ ...history.top, changedIds: new Set(['x']) })
    expect([replaced.top.changedIds, replaced.oldest, replaced.entriesAbove(third).length]).toEqual([
      new Set(['x']),
      history.oldest,
      2,
    ])
  })
})

describe('the ledger', () => {
  const history = historyOf(1, 2)

  test('publishes nothing before the first commit, and what has changed only afterwards', () => {
    const ledger = new Ledger(10)
    expect(() => ledger.snapshot()).toThrow(expect.objectContaining({ code: 'NOT_READY' }))
    ledger.restore(history)
    expect([ledger.history, ledger.newest]).toEqual([history, null])
    const published: unknown[] = []
    const off = ledger.onSnapshot(({ changedIds: changed }) => published.push(changed))
    ledger.commit(history, ['a'])
    ledger.commit(history, ['b'])
    ledger.commit(history, null)
    off()
    ledger.commit(history, ['c'])
    expect(published).toEqual([null, ['b'], null])
    const { block, pools } = history.top
    expect(ledger.snapshot()).toEqual({ chainId: 10, block, pools, changedIds: ['c'] })
  })
})

describe('the branch to a head', () => {
  const history = historyOf(101, 105)
  /** A node that has blocks by number, and by hash; counts the requests. */
  function node(blocks: readonly BlockHeader[]) {
    const requests: unknown[] = []
    const getBlock = async (ref: number | { readonly blockHash: Hex }) => {
      requests.push(ref)
      const block = blocks.find(({ number, hash }) =>
        typeof ref === 'number' ? number === ref : hash === ref.blockHash,
      )
      return block ?? null
    }
    return { requests, branchTo: (head: BlockHeader) => findBranch({ getBlock } as unknown as Rpc, history, head, {}) }
  }
  const result = (from: number, blocks: readonly BlockHeader[]) => ({ from: history.find(hashOf(from)), blocks })

  test('is empty at the top, and one block for the next', async () => {
    const { requests, branchTo } = node([])
    expect(await branchTo(header(105))).toEqual(result(105, []))
    expect(await branchTo(header(106))).toEqual(result(105, [header(106)]))
    expect(await branchTo(header(103))).toEqual(result(103, []))
    expect(requests).toEqual([])
  })

  test('asks for the blocks between by number, once', async () => {
    const blocks = [106, 107, 108].map((number) => header(number))
    const { requests, branchTo } = node(blocks)
    expect(await branchTo(header(109))).toEqual(result(105, [...blocks, header(109)]))
    expect(requests).toEqual([106, 107, 108])
  })

  test('of a fork leads from the last common block, by the hashes of parents', async () => {
    const fork = [header(104, 'f', ''), header(105, 'f'), header(106, 'f')]
    const { branchTo } = node(fork)
    expect(await branchTo(header(107, 'f'))).toEqual(result(103, [...fork, header(107, 'f')]))
  })

  test('is not searched further if the node answers with another block', async () => {
    const head = header(107, 'f')
    for (const answer of [header(106, 'g'), header(105, 'f'), { ...header(106, 'f'), number: 107 }]) {
      let requestCount = 0
      const getBlock = async () => {
        if (++requestCount > 9) throw new Error('too many requests')
        return answer
      }
      await expect(findBranch({ getBlock } as unknown as Rpc, history, head, {})).rejects.toMatchObject({
        code: 'BAD_ANSWER',
      })
    }
  })

  test('is broken if the node lacks a block, and null below the history or too far above it', async () => {
    expect(await node([]).branchTo(header(108))).toBe('broken')
    const fork = [100, 101, 102, 103].map((number) => header(number, 'f'))
    expect(await node(fork).branchTo(header(104, 'f'))).toBeNull()
    // The oldest block itself was replaced, so its parent cannot be in the history.
    expect(await node(fork.slice(1)).branchTo(header(104, 'f'))).toBeNull()
    const far = Array.from({ length: HISTORY_BLOCKS + 1 }, (_, k) => header(106 + k))
    const reaching = await node(far).branchTo(header(105 + HISTORY_BLOCKS))
    expect(reaching).toEqual(result(105, far.slice(0, HISTORY_BLOCKS)))
    const { requests, branchTo } = node(far)
    expect([await branchTo(header(106 + HISTORY_BLOCKS)), requests]).toEqual([null, []])
  })
})

describe('followed tokens', () => {
  const named = new Set([testAddress(1)])
  let tokens: FollowedTokens
  beforeEach(() => {
    tokens = new FollowedTokens(named, { ...defaultMarketLimits, tokens: 3, tokenIdleMs: 100 })
  })

  test('beyond the limit, the least recently requested goes; named ones stay and do not count', () => {
    for (const n of [1, 2, 3, 4]) tokens.markRequested(testAddress(n), n)
    tokens.markRequested(testAddress(2), 5)
    tokens.markRequested(testAddress(5), 6)
    expect([...tokens]).toEqual([testAddress(1), testAddress(5), testAddress(2), testAddress(4)])
    expect(tokens.takeDropped()).toEqual([testAddress(3)])
    expect(tokens.takeDropped()).toEqual([])
    expect(tokens.stateCount).toEqual({ entries: 4, evicted: 1 })
    expect([tokens.has(testAddress(3)), tokens.has(testAddress(1)), tokens.has(testAddress(4))]).toEqual([
      false,
      true,
      true,
    ])
    expect([tokens.isNamed(testAddress(1)), tokens.isNamed(testAddress(2))]).toEqual([true, false])
  })

  test('idle ones go at the time limit, not before, and never named ones', () => {
    tokens.markRequested(testAddress(1), 0)
    tokens.markRequested(testAddress(2), 0)
    tokens.markRequested(testAddress(3), 1)
    tokens.dropIdle(99)
    expect(tokens.takeDropped()).toEqual([])
    tokens.dropIdle(100)
    expect(tokens.takeDropped()).toEqual([testAddress(2)])
    tokens.dropIdle(1_000)
    expect([tokens.takeDropped(), [...tokens]]).toEqual([[testAddress(3)], [testAddress(1)]])
    expect(tokens.dropOldest()).toBe(false)
    for (const n of [2, 3]) tokens.markRequested(testAddress(n), n)
    expect([tokens.dropOldest(), tokens.takeDropped()]).toEqual([true, [testAddress(2)]])
  })

  test('a token is followed for an hour after its last request by default', () => {
    const defaultTokens = new FollowedTokens(named, defaultMarketLimits)
    const HOUR_MS = 60 * 60 * 1_000
    defaultTokens.markRequested(testAddress(2), 5)
    defaultTokens.dropIdle(HOUR_MS + 4)
    expect(defaultTokens.has(testAddress(2))).toBe(true)
    defaultTokens.dropIdle(HOUR_MS + 5)
    expect(defaultTokens.has(testAddress(2))).toBe(false)
  })

  test('a neighbor keeps the time of its own later request, so tokens become idle in the order of their requests', () => {
    for (const [n, time] of [
      [2, 0],
      [3, 10],
      [4, 50],
    ] as const)
      tokens.markRequested(testAddress(n), time)
    tokens.setNeighbors(testAddress(2), [testAddress(4)], 60)
    expect(tokens.periodOf(testAddress(4))?.requestedAtMs).toBe(60)
    tokens.dropIdle(110)
    expect(tokens.takeDropped()).toEqual([testAddress(2), testAddress(3)])
    tokens.dropIdle(159)
    expect(tokens.takeDropped()).toEqual([])
    tokens.dropIdle(160)
    expect(tokens.takeDropped()).toEqual([testAddress(4)])
  })

  test('neighbors are followed with their token, until one of them is gone', () => {
    tokens.markRequested(testAddress(2), 10)
    expect(tokens.periodOf(testAddress(2))).toEqual({ requestedAtMs: 10, neighbors: null })
    tokens.setNeighbors(testAddress(2), [testAddress(3), testAddress(4)], 10)
    tokens.setNeighbors(testAddress(9), [testAddress(8)])
    expect([
      tokens.periodOf(testAddress(3))?.requestedAtMs,
      tokens.has(testAddress(8)),
      tokens.has(testAddress(9)),
    ]).toEqual([10, false, false])
    tokens.markRequested(testAddress(2), 20)
    expect(tokens.periodOf(testAddress(4))?.requestedAtMs).toBe(20)
    expect(tokens.periodOf(testAddress(2))?.neighbors).toEqual([testAddress(3), testAddress(4)])
    for (const n of [5, 2]) tokens.markRequested(testAddress(n), 30)
    expect(tokens.periodOf(testAddress(2))?.neighbors).toBeNull()
    tokens.setNeighbors(testAddress(2), [])
    expect(tokens.periodOf(testAddress(2))?.neighbors).toEqual([])
    tokens.forgetNeighbors(testAddress(2))
    tokens.forgetNeighbors(testAddress(9))
    expect(tokens.periodOf(testAddress(2))?.neighbors).toBeNull()
    // A token that comes back has a new period.
    const before = tokens.periodOf(testAddress(2))
    tokens.dropIdle(10_000)
    tokens.markRequested(testAddress(2), 20_000)
    expect(tokens.periodOf(testAddress(2))).not.toBe(before)
  })
})

test('a token whose neighbor is gone does not follow it again, so that its pools are searched first', () => {
  const tokens = new FollowedTokens(new Set([testAddress(1)]), { ...defaultMarketLimits, tokens: 3 })
  for (const n of [1, 2]) tokens.markRequested(testAddress(n))
  tokens.setNeighbors(testAddress(2), [testAddress(3), testAddress(4)])
  // As a neighbor of another token, it stays longer than its own neighbors.
  tokens.setNeighbors(testAddress(1), [testAddress(2)])
  tokens.markRequested(testAddress(5))
  expect(tokens.takeDropped()).toEqual([testAddress(3)])
  tokens.markRequested(testAddress(2))
  expect([tokens.has(testAddress(3)), tokens.periodOf(testAddress(2))?.neighbors]).toEqual([false, null])
})

describe('requested pairs', () => {
  const [a, b, c] = [testAddress(2), testAddress(3), testAddress(4)]
  let tokens: FollowedTokens
  let pairs: RequestedPairs
  beforeEach(() => {
    tokens = new FollowedTokens(new Set(), defaultMarketLimits)
    for (const token of [a, b, c]) tokens.markRequested(token)
    pairs = new RequestedPairs(tokens, { ...defaultMarketLimits, pairs: 2 })
  })

  test('are pending until their search ends, in either order of their tokens', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    expect([pairs.isNew([a, b]), pairs.searchOf([a, b])]).toEqual([true, null])
    pairs.recordSearch([[b, a]], promise)
    expect([pairs.isNew([a, b]), pairs.searchOf([a, b]), [...pairs.loadedKeys()]]).toEqual([false, promise, []])
    resolve()
    await promise
    expect([pairs.isNew([a, b]), pairs.searchOf([b, a]), [...pairs.loadedKeys()]]).toEqual([false, null, [`${a},${b}`]])
  })

  test('are new again if the search fails, unless another one has begun', async () => {
    const failed = Promise.reject(new Error('down'))
    pairs.recordSearch([[a, b]], failed)
    await failed.catch(() => undefined)
    expect(pairs.isNew([a, b])).toBe(true)
    const { promise, reject } = Promise.withResolvers<void>()
    const other = new Promise<void>(() => {})
    pairs.recordSearch([[a, b]], promise)
    pairs.recordSearch([[a, b]], other)
    reject(new Error('down'))
    await promise.catch(() => undefined)
    expect(pairs.searchOf([a, b])).toBe(other)
  })

  test('are searched again once per interval after their last search, or after a failure', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    pairs.recordSearch([[a, b]], promise)
    expect(pairs.takeStale([[a, b]], 0)).toEqual([])
    resolve()
    await promise
    const HOUR_MS = 3_600_000
    expect(pairs.takeStale([[a, b]], HOUR_MS)).toEqual([])
    pairs.restore([`${b},${c}`])
    expect(
      pairs.takeStale(
        [
          [a, b],
          [c, b],
          [a, c],
        ],
        HOUR_MS,
      ),
    ).toEqual([[c, b]])
    expect(pairs.takeStale([[c, b]], HOUR_MS)).toEqual([])
    pairs.markStale([b, c])
    expect(pairs.takeStale([[c, b]], HOUR_MS)).toEqual([[c, b]])
    // Nothing is recorded of a pair that was never searched.
    pairs.markStale([a, c])
    expect(pairs.takeStale([[a, c]], 0)).toEqual([])
  })

  test('expire when a token is followed no longer or again, and beyond the limit', () => {
    pairs.restore([`${a},${b}`, `${b},${c}`])
    expect([pairs.isNew([a, b]), pairs.isNew([b, c]), pairs.isNew([a, c])]).toEqual([false, false, true])
    pairs.restore([`${a},${c}`])
    expect([pairs.isNew([a, b]), pairs.stateCount]).toEqual([true, { entries: 2, evicted: 1 }])
    tokens.dropIdle(Number.POSITIVE_INFINITY)
    expect([pairs.isNew([b, c]), [...pairs.loadedKeys()]]).toEqual([true, []])
    // A pair of tokens that nobody follows is never in memory.
    pairs.restore([`${b},${c}`])
    expect([pairs.isNew([b, c]), [...pairs.loadedKeys()]]).toEqual([true, []])
    for (const token of [a, b, c]) tokens.markRequested(token)
    expect(pairs.isNew([b, c])).toBe(true)
    pairs.restore([`${b},${c}`])
    expect(pairs.isNew([b, c])).toBe(false)
    pairs.forgetAll()
    expect(pairs.isNew([b, c])).toBe(true)
  })
})

describe('background work', () => {
  test('runs in batches, each item once, and refuses more than the queue holds', async () => {
    const batches: (readonly number[])[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    const background = new BatchQueue<number>(
      async (items) => {
        batches.push(items)
        await promise
      },
      3,
      2,
    )
    const all = [1, 2, 3].map((n) => background.add(`${n}`, n))
    expect(background.add('2', 99)).toBe(all[1])
    await expect(background.add('4', 4)).rejects.toMatchObject({ code: 'BUSY' })
    expect(background.stateCount).toEqual({ entries: 3, evicted: 1 })
    resolve()
    await background.whenIdle()
    await Promise.all(all)
    expect(batches).toEqual([[1, 2], [3]])
    expect(background.stateCount.entries).toBe(0)
    await background.add('4', 4)
    expect(batches.at(-1)).toEqual([4])
  })

  test('reports a failure to all items of its batch, and continues', async () => {
    let runs = 0
    const background = new BatchQueue<number>(
      async () => {
        if (runs++ === 0) throw new Error('down')
      },
      9,
      2,
    )
    const results = await Promise.allSettled([1, 2, 3].map((n) => background.add(`${n}`, n)))
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  })
})

test('a doubtful block is checked after 0.5, 1, 2, and 4 s more, then dropped; 64 at most', () => {
  let now = 0
  const blocks = new DoubtfulBlocks(() => now)
  expect(blocks.isEmpty).toBe(true)
  blocks.add('0xa')
  expect(blocks.isEmpty).toBe(false)
  const checks: number[] = []
  for (; now <= 20_000; now += 100) if ([...blocks.takeDue()].length > 0) checks.push(now)
  expect(checks).toEqual([500, 1_500, 3_500, 7_500])
  expect(blocks.isEmpty).toBe(true)
  for (let k = 0; k < 70; k++) blocks.add(`0x${k}`)
  blocks.drop('0x3')
  now += 500
  expect([...blocks.takeDue()]).toHaveLength(63)
})

test('pools that change without a log are listed as long as they are followed as such', () => {
  const silent = new Set(['a', 'b'])
  const pools = new FollowedPools(
    ({ pool }) => silent.has(pool.id),
    () => false,
  )
  const entryOf = (id: string) => ({ row: {}, pool: { id } }) as PoolEntry
  for (const id of ['a', 'b', 'c']) pools.set(id, entryOf(id))
  expect([[...pools.silentIds], pools.size]).toEqual([['a', 'b'], 3])
  silent.delete('a')
  pools.set('a', entryOf('a'))
  expect([[...pools.silentIds], pools.delete('b'), pools.delete('b')]).toEqual([['b'], true, false])
  expect(pools.silentIds.size).toBe(0)
  pools.clear()
  silent.add('a')
  pools.set('a', entryOf('a'))
  pools.clear()
  expect([pools.size, pools.silentIds.size]).toEqual([0, 0])
})

test('pools are listed by their contract and by that of their row', () => {
  const pools = new FollowedPools(
    () => false,
    ({ pool }) => pool.family === 'f',
  )
  const entryOf = (family: string, row: string, address: string) => ({
    row: { address: row },
    pool: { family, address },
  })
  const idsOf = (contract: string) => [...pools.idsOfContract(contract as Address)]
  const set = (id: string, ...entry: readonly [string, string, string]) => pools.set(id, entryOf(...entry) as PoolEntry)
  set('a', 'f', '0x01', '0x02')
  set('b', 'f', '0x01', '0x01')
  set('c', 'other', '0x01', '0x02')
  expect([idsOf('0x01'), idsOf('0x02'), idsOf('0x03')]).toEqual([['a', 'b'], ['a'], []])
  // Another family, and another row.
  set('a', 'other', '0x01', '0x02')
  set('b', 'f', '0x03', '0x04')
  expect(['0x01', '0x02', '0x03', '0x04'].map(idsOf)).toEqual([[], [], ['b'], ['b']])
  pools.delete('b')
  set('d', 'f', '0x05', '0x05')
  pools.clear()
  expect(['0x03', '0x04', '0x05'].map(idsOf)).toEqual([[], [], []])
})

describe('the logs of a block', () => {
  const [topic, other] = [keccakOf('Sync(uint112,uint112)') as Hex, keccakOf('Swap()') as Hex]
  /** Bloom filter of topics, by the definition of the yellow paper: bit 0 is the last bit of the last byte. */
  const bloomOf = (...topics: readonly Hex[]): Hex => {
    const bytes = new Uint8Array(256)
    for (const topic of topics) {
      const hash = Buffer.from(keccak(topic).slice(2), 'hex')
      for (const place of [0, 2, 4]) {
        const bit = hash.readUInt16BE(place) & 2047
        bytes[255 - (bit >> 3)]! |= 1 << (bit & 7)
      }
    }
    return `0x${Buffer.from(bytes).toString('hex')}`
  }
  const log = { logIndex: 0 } as Log

  test('may hold a topic only if all three of its bits are set', () => {
    expect(mayContain(bloomOf(topic), topic)).toBe(true)
    expect(mayContain(bloomOf(topic), other)).toBe(false)
    expect(mayContain(bloomOf(topic, other), other)).toBe(true)
    const bits = BigInt(bloomOf(topic))
    for (let bit = 0n; bit < 2048n; bit++)
      if ((bits >> bit) & 1n) {
        const missing = (bits ^ (1n << bit)).toString(16).padStart(512, '0')
        expect(mayContain(`0x${missing}`, topic)).toBe(false)
      }
  })

  test.each([
    ['without a bloom filter', undefined, [0], 1, 0],
    ['with a filter that has none of the topics', bloomOf(other), [0], 1, 0],
    ['with logs', bloomOf(topic), [1], 1, 0],
    ['whose logs arrive late', bloomOf(topic), [0, 0, 1], 3, 0],
    ['whose logs do not arrive', bloomOf(topic), [0, 0, 0, 0, 1], 4, 1],
  ])('%s are read as often as needed', async (_, logsBloom, counts, calls, doubts) => {
    vi.useFakeTimers()
    try {
      let call = 0
      let doubted = 0
      const filters: unknown[] = []
      const rpc = {
        getLogs: async (filter: unknown) => {
          filters.push(filter)
          return counts[call++] ? [log] : []
        },
        getBlock: async () => header(7),
      } as unknown as Rpc
      const block = { ...header(7), ...(logsBloom && { logsBloom }) }
      const reading = logsOf(rpc, block, [topic], signal, () => doubted++)
      await vi.advanceTimersByTimeAsync(10_000)
      expect(await reading).toHaveLength(counts[calls - 1]!)
      expect([call, doubted]).toEqual([calls, doubts])
      expect(filters[0]).toEqual({ blockHash: hashOf(7), topics: [[topic]] })
    } finally {
      vi.useRealTimers()
    }
  })

  test('of a block that is gone are an error', async () => {
    const rpc = { getLogs: async () => [], getBlock: async () => null } as unknown as Rpc
    const reading = logsOf(rpc, { ...header(7), logsBloom: bloomOf(topic) }, [topic], signal)
    await expect(reading).rejects.toMatchObject({ code: 'REORGED' })
  })

  test('are applied in order, to known pools of their family; a pool that must be read again takes no more', () => {
    type State = readonly string[]
    const family = {
      topics: [topic],
      applyLog: ({ state }: Pool<State>, { data }: Log) =>
        data === '0xread' ? 'reread' : data === '0xskip' ? 'ignore' : [...state, data],
    } as unknown as DexFamily
    const pools = PoolMap.empty.with(['a', 'b', 'c', 'd'].map((id) => pool(id, [])))
    const logOf = (logIndex: number, address: string, data: string, name = topic) =>
      ({ logIndex, address, data, topics: [name] }) as unknown as Log
    const steps = applyLogs(
      pools,
      [
        logOf(5, 'a', '0x2'),
        logOf(1, 'a', '0x1'),
        logOf(2, 'b', '0x1'),
        logOf(3, 'b', '0xread'),
        logOf(4, 'b', '0x3'),
        logOf(6, 'c', '0xskip'),
        logOf(7, 'd', '0x1', other),
        logOf(8, 'unknown', '0x1'),
      ],
      (name) => (name === 'logged' ? family : undefined),
      ({ address }) => [address],
    )
    let step = steps.next()
    while (!step.done) step = steps.next()
    expect(step.value).toEqual({
      changedPools: new Map([['a', pool('a', ['0x1', '0x2'])]]),
      idsToReread: new Set(['b']),
    })
  })
})
