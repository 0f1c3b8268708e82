/** Tests what a market saves and restores, with a store in memory. */
import { type Address, type Chain, type DexRow, toAddress } from '@sluice/chains'
import { beforeEach, describe, expect, test } from 'vitest'
import { MarketError } from '../errors.ts'
import type { DexFamily, Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import type { SavedFacts } from '../store/database.ts'
import type { SavedBatch } from '../store/messages.ts'
import type { SaveCommand, Store } from '../store/store.ts'
import { History } from './history.ts'
import { Ledger } from './ledger.ts'
import { defaultMarketLimits } from './limits.ts'
import { PoolDirectory } from './pool-directory.ts'
import type { PoolEntry } from './pool-reader.ts'
import { rowsHash, Saver } from './saver.ts'

const testAddress = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [hub, a] = [testAddress(1), testAddress(11)]
const rows = ['plain', 'listed', 'lazy'].map(
  (family, k) => ({ family, brand: family, role: 'factory', address: testAddress(100 + k) }) as unknown as DexRow,
)
const families = [
  { id: 'plain', topics: [] },
  { id: 'listed', topics: [], listedByLogs: true },
  { id: 'lazy', topics: [], readFixed: () => [] },
] as unknown as DexFamily[]
const chain = { wrappedNative: null, stables: [], hubs: [hub], tokens: [], dexes: rows } as unknown as Chain
const poolOf = (n: number, family: string, tokens = [hub, a]): Pool<null> => ({
  ...{ id: testAddress(n), family, dex: '', address: testAddress(n), tokens, state: null },
})

/** A store that keeps what is saved. */
class MemoryStore implements Store {
  facts: SavedFacts | null = null
  content: SavedBatch[] = []
  saves: SaveCommand[][] = []
  isComplete = true
  isLost = false
  closed = 0
  failure: Error | null = null
  onPart: (part: SaveCommand) => void = () => {}
  async *batches() {
    yield* this.content
  }
  async save(facts: SavedFacts, parts: AsyncIterable<SaveCommand>) {
    const all: SaveCommand[] = []
    for await (const part of parts) {
      all.push(part)
      this.onPart(part)
    }
    if (this.failure) throw this.failure
    this.saves.push(all)
    this.facts = facts
  }
  async isIntact() {
    return this.isComplete
  }
  async close() {
    this.closed++
  }
}

let store: MemoryStore
let errors: Error[]
let opened: boolean[]
beforeEach(() => {
  store = new MemoryStore()
  errors = []
  opened = []
})
function market(maxSaved = 1_000) {
  const directory = new PoolDirectory(chain, families, defaultMarketLimits)
  const ledger = new Ledger(10)
  const restoredPairs: string[] = []
  const restored: unknown[] = []
  const scan = {
    nextBlocks: (head: number) => [[directory.rows[1], head + 1]],
    blocksPerCall: 500 as number | undefined,
    restore: (scannedTo: unknown, blocks: unknown) => restored.push(scannedTo, blocks),
  }
  const discovery = {
    scan,
    loadedPairKeys: ['p', 'q'],
    restorePairs: (keys: readonly string[]) => restoredPairs.push(...keys),
  }
  const path = async (mustReset: boolean) => {
    opened.push(mustReset)
    return store
  }
  const components = { directory, ledger, discovery, maxSaved } as never
  const saver = new Saver({ path, onError: (error) => errors.push(error) }, components)
  const publish = (number: number, pools: readonly Pool[], gone: readonly string[] = []) => {
    const block = { number, hash: `0x${number}` } as never
    const before = ledger.history?.top.pools ?? PoolMap.empty
    ledger.commit(new History([{ block, pools: before.with(pools, gone), changedIds: new Set() }]), null)
  }
  return { directory, ledger, restoredPairs, restored, saver, publish, scan }
}
const writes = (parts: readonly SaveCommand[]) => parts.flatMap((part) => (part.do === 'write' ? [part] : []))
const summary = (parts: readonly SaveCommand[] = []) => ({
  newPools: writes(parts).flatMap(({ newPools }) => newPools.map(({ pool, dexRow }) => [pool.id, dexRow])),
  changedPools: writes(parts).flatMap(({ changedPools }) => changedPools.map(({ id }) => id)),
  goneIds: writes(parts).flatMap(({ goneIds }) => goneIds),
  kept: parts.flatMap((part) => (part.do === 'keep' ? part.ids : [])),
  lists: parts.flatMap((part) => (part.do === 'list' ? [[part.name, part.items]] : [])),
})

describe('a save', () => {
  test('holds nothing before the first block, then all, then the changes only', async () => {
    const { directory, saver, publish } = market()
    await saver.restore()
    await saver.save()
    expect([store.saves, opened]).toEqual([[], [false]])
    const [first, second] = [poolOf(20, 'plain'), poolOf(21, 'listed')]
    directory.tokens.markRequested(a)
    directory.add({ row: directory.rows[0]!, pool: first })
    directory.listedPools.set(second.id, { row: directory.rows[1]!, pool: second })
    publish(7, [{ ...first, state: 1 }])
    await saver.save()
    await saver.save()
    expect(store.saves).toHaveLength(1)
    expect(summary(store.saves[0])).toEqual({
      newPools: [
        [second.id, 1],
        [first.id, 0],
      ],
      ...{ changedPools: [first.id], goneIds: [], kept: [] },
      lists: [
        ['tokens', [hub, a]],
        ['pairs', ['p', 'q']],
      ],
    })
    expect(store.facts).toMatchObject({
      chainId: 10,
      block: { number: 7 },
      extra: { rows: rowsHash(rows), scannedTo: [[1, 8]], blocksPerCall: 500 },
    })
    publish(8, [])
    await saver.save()
    expect(summary(store.saves[1])).toMatchObject({ newPools: [], changedPools: [], goneIds: [] })
    publish(9, [{ ...first, state: 2 }])
    await saver.save()
    expect(summary(store.saves[2])).toMatchObject({ newPools: [], changedPools: [first.id], goneIds: [] })
    publish(10, [], [first.id])
    await saver.close()
    expect(summary(store.saves[3])).toMatchObject({ newPools: [], changedPools: [], goneIds: [first.id] })
    expect([store.closed, errors]).toEqual([1, []])
  })

  test('holds all states, in messages of bounded size', async () => {
    const { directory, saver, publish } = market()
    await saver.restore()
    directory.tokens.markRequested(a)
    const pools = Array.from({ length: 450 }, (_, k) => poolOf(1_000 + k, 'plain'))
    for (const pool of pools) directory.add({ row: directory.rows[0]!, pool })
    publish(
      1,
      pools.map((pool) => ({ ...pool, state: 1 })),
    )
    await saver.save()
    const { changedPools } = summary(store.saves[0])
    expect([...changedPools].sort()).toEqual(pools.map(({ id }) => id).sort())
    for (const part of writes(store.saves[0]!)) expect(part.changedPools.length).toBeLessThanOrEqual(200)
  })

  test('keeps only the pools in memory once there are too many, and counts from there', async () => {
    const { directory, saver, publish } = market(2)
    await saver.restore()
    directory.tokens.markRequested(a)
    const pools = [20, 21, 22].map((n) => poolOf(n, 'plain'))
    for (const pool of pools.slice(0, 2)) directory.add({ row: directory.rows[0]!, pool })
    publish(1, [])
    await saver.save()
    expect(summary(store.saves[0]).kept).toEqual([])
    directory.tokens.dropIdle(Number.POSITIVE_INFINITY)
    directory.dropUnfollowed(directory.tokens.takeDropped())
    directory.tokens.markRequested(a)
    directory.add({ row: directory.rows[0]!, pool: pools[2]! })
    publish(2, [])
    await saver.save()
    expect(summary(store.saves[1])).toMatchObject({ newPools: [[pools[2]!.id, 0]], kept: [pools[2]!.id] })
    directory.add({ row: directory.rows[0]!, pool: pools[0]! })
    publish(3, [])
    await saver.save()
    expect(summary(store.saves[2])).toMatchObject({ newPools: [[pools[0]!.id, 0]], kept: [] })
  })

  test('counts a pool once that is both listed and followed, when it keeps only the pools in memory', async () => {
    const { directory, saver, publish } = market(3)
    await saver.restore()
    const follow = (...entries: readonly PoolEntry[]) => {
      directory.tokens.markRequested(a)
      for (const entry of entries) directory.add(entry)
    }
    const [listed, ...plain] = [20, 21, 22, 23].map((n, k) => {
      const row = directory.rows[k === 0 ? 1 : 0]!
      return { row, pool: poolOf(n, row.family) }
    })
    directory.listedPools.set(listed!.pool.id, listed!)
    follow(listed!, plain[0]!)
    publish(1, [])
    await saver.save()
    directory.tokens.dropIdle(Number.POSITIVE_INFINITY)
    directory.dropUnfollowed(directory.tokens.takeDropped())
    follow(listed!, plain[1]!)
    publish(2, [])
    await saver.save()
    expect(new Set(summary(store.saves[1]).kept)).toEqual(new Set([listed!.pool.id, plain[1]!.pool.id]))
    // Two pools are in the store now, so a third one fits.
    follow(plain[2]!)
    publish(3, [])
    await saver.save()
    expect(summary(store.saves[2])).toMatchObject({ newPools: [[plain[2]!.pool.id, 0]], kept: [] })
  })

  test('that keeps only the pools in memory leaves pools that are found meanwhile to the next save', async () => {
    const { directory, saver, publish } = market(0)
    await saver.restore()
    directory.tokens.markRequested(a)
    const [pool, latePool] = [poolOf(20, 'plain'), poolOf(21, 'plain')]
    const add = (added: Pool<null>) => directory.add({ row: directory.rows[0]!, pool: added })
    add(pool)
    publish(1, [{ ...pool, state: 1 }])
    store.onPart = (part) => void (part.do === 'write' && part.changedPools.length > 0 && add(latePool))
    await saver.save()
    publish(2, [{ ...latePool, state: 2 }])
    await saver.save()
    expect(store.saves.map((parts) => summary(parts).newPools)).toEqual([[[pool.id, 0]], [[latePool.id, 0]]])
  })

  test('is complete again if the store has lost content, and after a failure', async () => {
    const { directory, saver, publish } = market()
    await saver.restore()
    directory.tokens.markRequested(a)
    const pool = poolOf(20, 'plain')
    directory.add({ row: directory.rows[0]!, pool })
    publish(1, [{ ...pool, state: 1 }])
    store.failure = new Error('full')
    await saver.save()
    expect([errors.map(({ message }) => message), store.saves.length]).toEqual([['full'], 0])
    store.failure = null
    const all = { newPools: [[pool.id, 0]], changedPools: [pool.id] }
    await saver.save()
    expect(summary(store.saves[0])).toMatchObject(all)
    store.isComplete = false
    publish(2, [])
    await saver.save()
    expect(summary(store.saves[1])).toMatchObject(all)
  })
})

describe('saves that fail in a row', () => {
  test('are reported once and attempted less and less often, but always when the market stops', async () => {
    const { directory, saver, publish } = market()
    await saver.restore()
    let attempts = 0
    store.onPart = ({ do: command, ...part }) => {
      if (command === 'list' && 'name' in part && part.name === 'tokens') attempts++
    }
    store.failure = new Error('full')
    const attemptsOf = async (saves: number) => {
      attempts = 0
      const attempted: number[] = []
      for (let k = 0; k < saves; k++) {
        publish(k, [])
        const before = attempts
        await saver.save()
        if (attempts > before) attempted.push(k)
      }
      return attempted
    }
    directory.tokens.markRequested(a)
    expect(await attemptsOf(60)).toEqual([0, 1, 3, 7, 15, 31, 47])
    expect(errors).toHaveLength(1)
    store.failure = null
    expect((await attemptsOf(6)).length).toBeGreaterThan(1)
    expect(store.saves.length).toBeGreaterThan(1)
    store.failure = new Error('full again')
    expect(await attemptsOf(4)).toEqual([0, 1, 3])
    expect(errors.map(({ message }) => message)).toEqual(['full', 'full again'])
    store.failure = null
    const saved = store.saves.length
    await saver.close()
    expect([store.saves.length, store.closed]).toEqual([saved + 1, 1])
  })
})

describe('a restored market', () => {
  const facts = (extra: unknown, chainId = 10): SavedFacts => ({
    ...{ chainId, extra, block: { number: 7, hash: '0x7' } as never },
  })
  const extra = { rows: rowsHash(rows), scannedTo: [[1, 8]], blocksPerCall: 50 }

  test('has the saved tokens, pairs, pools, and progress, and saves none of them again', async () => {
    store.facts = facts(extra)
    const [plain, listed, lazy] = [
      poolOf(20, 'plain'),
      poolOf(21, 'listed', [a, testAddress(99)]),
      { ...poolOf(22, 'lazy'), fixed: 1 },
    ]
    const unwanted = poolOf(23, 'plain', [a, testAddress(99)])
    const unread = poolOf(24, 'plain')
    store.content = [
      { pools: [], list: { name: 'tokens', items: [hub, a] } },
      { pools: [], list: { name: 'pairs', items: ['x'] } },
      {
        pools: [
          { pool: plain, dexRow: 0, state: 5 },
          { pool: listed, dexRow: 1, state: null },
          { pool: lazy, dexRow: 2, state: 6 },
          { pool: unwanted, dexRow: 0, state: null },
          { pool: unread, dexRow: 0, state: null },
        ],
        list: null,
      },
    ]
    const { directory, ledger, restoredPairs, restored, saver, publish } = market()
    expect(await saver.restore()).toEqual([unread.id])
    expect([errors, restoredPairs, restored]).toEqual([[], ['x'], [[[rows[1], 8]], 50]])
    expect([...directory.followedPools.keys()]).toEqual([plain.id, lazy.id, unread.id])
    expect([directory.listedPools.has(listed.id), directory.listedPools.has(plain.id)]).toEqual([true, false])
    expect(directory.isIncomplete(directory.followedPools.get(lazy.id)!)).toBe(false)
    expect([ledger.newest, ledger.history?.top.block.number]).toEqual([null, 7])
    expect([...ledger.history!.top.pools.values()]).toEqual([
      { ...plain, state: 5 },
      { ...lazy, state: 6 },
    ])
    await saver.save()
    expect(store.saves).toEqual([])
    publish(8, [{ ...plain, state: 9 }])
    await saver.save()
    expect(summary(store.saves[0])).toMatchObject({ newPools: [], changedPools: [plain.id], goneIds: [] })
  })

  test.each([
    ['another chain', facts(extra, 1)],
    ['other rows', facts({ ...extra, rows: 'other' })],
    ['no facts of a market', facts(null)],
  ])('discards what was saved with %s', async (_, saved) => {
    store.facts = saved
    const { saver, ledger } = market()
    await saver.restore()
    expect(errors).toMatchObject([{ code: 'BAD_SNAPSHOT' }])
    expect([opened, store.closed, ledger.history]).toEqual([[false, true], 1, null])
  })

  test.each([
    ['is unreadable from some pool on', new MarketError('BAD_SNAPSHOT', 'bad page'), [false, true]],
    ['is lost while it is read', new Error('away'), [false]],
  ])('forgets the pairs and the progress of a store that %s, and saves everything again', async (_, cause, opens) => {
    store.facts = facts(extra)
    const pool = poolOf(20, 'plain')
    store.batches = async function* () {
      yield { pools: [], list: { name: 'tokens', items: [hub, a] } }
      yield { pools: [], list: { name: 'pairs', items: ['x'] } }
      yield { pools: [{ pool, dexRow: 0, state: 5 }], list: null }
      throw cause
    }
    const { ledger, restoredPairs, restored, saver, publish } = market()
    await saver.restore()
    // The pools that were not read would count as found otherwise.
    expect([errors, restoredPairs, restored]).toEqual([[cause], [], []])
    expect([opened, ledger.history]).toEqual([opens, null])
    publish(8, [{ ...pool, state: 6 }])
    await saver.save()
    expect(summary(store.saves[0])).toMatchObject({ newPools: [[pool.id, 0]], changedPools: [pool.id] })
  })

  test('opens a lost store again, empty, and saves everything', async () => {
    const { directory, saver, publish } = market()
    const pool = poolOf(20, 'plain')
    await saver.restore()
    directory.add({ row: directory.rows[0]!, pool })
    publish(7, [{ ...pool, state: 5 }])
    await saver.save()
    const lostStore = store
    store = new MemoryStore()
    lostStore.failure = new Error('the thread has ended')
    lostStore.isLost = true
    // Nothing has changed since the last save, which may be lost too.
    await saver.save()
    expect([opened, lostStore.saves.length, errors]).toEqual([[false, true], 1, []])
    expect(summary(store.saves[0])).toMatchObject({ newPools: [[pool.id, 0]], changedPools: [pool.id] })
    publish(8, [])
    await saver.save()
    expect([opened, store.saves.length]).toEqual([[false, true], 2])
  })

  test('reports a store that cannot be opened, and opens an empty one at a later save', async () => {
    const { ledger, directory, publish } = market()
    let isAway = true
    const open = async (mustReset: boolean): Promise<Store> => {
      opened.push(mustReset)
      if (isAway) throw new Error('no disk')
      return store
    }
    const discovery = { loadedPairKeys: [], scan: { nextBlocks: () => [] } }
    const components = { directory, ledger, discovery, maxSaved: 1 } as never
    const saver = new Saver({ path: open, onError: (error) => errors.push(error) }, components)
    await saver.restore()
    await saver.save()
    expect([errors.map(({ message }) => message), opened]).toEqual([['no disk'], [false]])
    publish(1, [])
    await saver.save()
    expect([errors.map(({ message }) => message), opened]).toEqual([
      ['no disk', 'no disk'],
      [false, true],
    ])
    isAway = false
    await saver.close()
    expect([errors.length, opened, store.saves.length, store.closed]).toEqual([2, [false, true, true], 1, 1])
  })

  test('reports bad content that cannot be closed, and opens the store again', async () => {
    store.facts = facts(null)
    store.close = async () => {
      throw new Error('stuck')
    }
    const { saver } = market()
    await saver.restore()
    expect([errors.map(({ message }) => message).slice(1), opened]).toEqual([['stuck'], [false, true]])
  })
})
