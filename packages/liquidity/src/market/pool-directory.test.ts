/** Tests which pools a market follows, lists, and drops, and the neighbors that it derives, with families in memory. */
import { type Address, type Chain, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { atOnce, type Log } from '@sluice/rpc'
import { describe, expect, test } from 'vitest'
import type { DexFamily, Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { applyLogs } from './apply.ts'
import { Evictor } from './evictor.ts'
import { History } from './history.ts'
import { Ledger } from './ledger.ts'
import { defaultMarketLimits } from './limits.ts'
import { listedPoolsNear } from './listed-pools.ts'
import { findNeighbors, needsNeighborSearch, neighborPairs } from './neighbors.ts'
import { PoolDirectory } from './pool-directory.ts'
import { servedRows } from './pool-reader.ts'

const testAddress = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [hub, stable, a, b, c, d] = [1, 2, 11, 12, 13, 14].map(testAddress) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
]
const topics: readonly Hex[] = ['0xaa', '0xbb', '0xcc', '0xdd']
const [moved, created, inside, paused] = topics as [Hex, Hex, Hex, Hex]

const family = (id: string, overrides: Partial<DexFamily> = {}) =>
  ({ id, topics: [moved], reserves: () => [], ...overrides }) as unknown as DexFamily
const createdPool = (row: DexRow, { data }: Log): Pool<null> | null => {
  if (data === '0xbad') throw new Error('data out of bounds')
  return data === '0x' ? null : poolOf(row.family, data, [hub, toAddress(data)])
}
const families = [
  family('paired', { creationTopics: [created], createdPool }),
  family('logged', { listedByLogs: true, creationTopics: [created], createdPool }),
  family('shared', { contractTopics: [paused], applyLog: () => 'ignore' }),
  family('silent', { refreshStates: () => [] as never, movesSilently: ({ id }) => id.endsWith('!') }),
  family('priced', {
    findPools: () => [] as never,
    refreshStates: () => [] as never,
    creationTopics: [created],
    createdPool,
  }),
  family('lazy', { readFixed: () => [] as never, refreshStates: () => [] as never }),
  family('inside', { topics: [inside], poolIdOf: ({ data }) => `id ${data}`, holdsNative: true }),
  family('wrapper', { topics: [], wrapsNative: true }),
]
const rowOf = (name: string, n: number): DexRow =>
  ({ family: name, brand: name, role: 'factory', address: testAddress(n) }) as never
const rows = ['paired', 'logged', 'silent', 'lazy', 'unknown', 'shared'].map((name, k) => rowOf(name, 100 + k))
const chain = {
  wrappedNative: null,
  stables: [{ address: stable, symbol: 'S', decimals: 6 }],
  hubs: [hub],
  tokens: [],
  dexes: rows,
} as unknown as Chain

const poolOf = (name: string, id: string, tokens: readonly Address[]): Pool<null> => ({
  ...{ id, family: name, dex: name, address: testAddress(1_000), tokens, state: null },
})
const directoryOf = (limits: Partial<typeof defaultMarketLimits> = {}, of = chain) =>
  new PoolDirectory(of, families, { ...defaultMarketLimits, ...limits })
const entry = (name: string, id: string, ...tokens: readonly Address[]) => ({
  row: rows.find((row) => row.family === name)!,
  pool: poolOf(name, id, tokens),
})

describe('rows', () => {
  test('without a family are left out; rows with native pools know the wrapper, which gets a row itself', () => {
    expect(directoryOf().rows.map((row) => row.family)).toEqual(['paired', 'logged', 'silent', 'lazy', 'shared'])
    const served = (wrappedNative: Chain['wrappedNative'], dexes: readonly DexRow[]) =>
      servedRows({ ...chain, wrappedNative, dexes } as Chain, new Map(families.map((family) => [family.id, family])))
    const token = { address: testAddress(9), symbol: 'W', decimals: 18 }
    const [paired, holder] = [
      rowOf('paired', 100),
      { ...rowOf('inside', 110), contracts: { vault: testAddress(8) } } as DexRow,
    ]
    expect(served(token, [paired])).toEqual([paired])
    expect(served(null, [paired, holder])).toEqual([paired, holder])
    expect(served(token, [paired, holder])).toEqual([
      paired,
      { ...holder, contracts: { vault: testAddress(8), wrappedNative: testAddress(9) } },
      { family: 'wrapper', brand: 'W', role: 'wrapper', address: testAddress(9) },
    ])
    const native = directoryOf({}, { ...chain, wrappedNative: token, dexes: [holder] } as Chain)
    expect([native.tokens.has(ZERO_ADDRESS), directoryOf().tokens.has(ZERO_ADDRESS)]).toEqual([true, false])
  })

  test('give the topics to follow, and the pool of a log in a contract of many', () => {
    const directory = directoryOf({}, { ...chain, dexes: [...rows, rowOf('inside', 110)] } as Chain)
    expect(new Set(directory.topics)).toEqual(new Set(topics))
    const log = { address: testAddress(5), data: '0x7' } as unknown as Log
    expect(directory.poolIdsOf({ ...log, topics: [inside] })).toEqual(['id 0x7'])
    expect(directory.poolIdsOf({ ...log, topics: [moved] })).toEqual([testAddress(5)])
  })

  test('give all pools of a contract for a log that concerns all of them', () => {
    const directory = directoryOf()
    const ids = ['a', 'b', 'c']
    for (const id of ids) directory.add(entry('shared', id, hub, stable))
    directory.add(entry('paired', 'd', hub, stable))
    const pools = PoolMap.empty.with(ids.slice(1).map((id) => ({ ...poolOf('shared', id, [hub, stable]), state: 1 })))
    const logOf = (address: Address, topic: Hex) => ({ address, data: '0x', topics: [topic] }) as unknown as Log
    const [factory, pool] = [rows.find((row) => row.family === 'shared')!.address, testAddress(1_000)]
    for (const address of [factory, pool]) {
      const logs = [logOf(address, paused)]
      const applied = atOnce(applyLogs(pools, logs, (id) => directory.families.get(id), directory.poolIdsOf))
      expect([...applied.idsToReread]).toEqual(['b', 'c'])
      expect(directory.statelessIdsIn(pools, logs)).toEqual(['a'])
    }
    for (const log of [logOf(testAddress(6), paused), logOf(factory, moved)])
      expect(directory.poolIdsOf(log)).toEqual([log.address])
  })
})

describe('followed pools', () => {
  test('have two followed tokens', () => {
    const directory = directoryOf()
    directory.tokens.markRequested(a)
    const isWanted = (...tokens: readonly Address[]) => directory.hasFollowedPair(poolOf('paired', 'x', tokens))
    expect([isWanted(a, hub), isWanted(hub, stable), isWanted(a, b), isWanted(a, b, hub)]).toEqual([
      ...[true, true, false, true],
    ])
  })

  test('of the same tokens are limited; a known one is replaced, and a dropped one makes room', () => {
    const directory = directoryOf({ poolsOfSameTokens: 2 })
    directory.tokens.markRequested(a)
    expect(['1', '2', '3'].map((id) => directory.add(entry('paired', id, a, hub)))).toEqual([true, true, false])
    expect(directory.add(entry('paired', '2', a, hub))).toBe(true)
    expect(directory.add(entry('paired', '4', hub, a))).toBe(true)
    expect(directory.stateCounts.pools).toEqual({ entries: 3, evicted: 1 })
    directory.tokens.dropIdle(Number.POSITIVE_INFINITY)
    expect(new Set(directory.dropUnfollowed(directory.tokens.takeDropped()))).toEqual(new Set(['1', '2', '4']))
    directory.tokens.markRequested(a)
    expect(['5', '6', '7'].map((id) => directory.add(entry('paired', id, a, hub)))).toEqual([true, true, false])
  })

  test('of the same tokens that logs announce displace neither pools of other DEXes nor those that a getter lists', () => {
    const directory = directoryOf({ poolsOfSameTokens: 2 })
    directory.tokens.markRequested(a)
    expect(['1', '2', '3'].map((id) => directory.add(entry('logged', id, a, hub)))).toEqual([true, true, false])
    expect(directory.add(entry('paired', '4', a, hub))).toBe(true)
    expect(directory.add(entry('logged', '5', a, hub), { isLimited: false })).toBe(true)
    expect([...directory.followedPools.keys()]).toEqual(['1', '2', '4', '5'])
    // The same pool from another factory counts there.
    const factory = { ...rowOf('logged', 200), brand: 'other' }
    directory.add({ row: factory, pool: poolOf('logged', '2', [a, hub]) })
    directory.add({ row: factory, pool: poolOf('logged', '5', [a, hub]) })
    expect(['6', '7'].map((id) => directory.add(entry('logged', id, a, hub)))).toEqual([true, false])
  })

  test('that are read at every block are few, and the pair of a refused pool is searched again', () => {
    const priced = rowOf('priced', 110)
    const directory = directoryOf({ silentPoolsOfSameTokens: 2 }, { ...chain, dexes: [...rows, priced] } as Chain)
    directory.tokens.markRequested(d)
    // Three pools of the same tokens: the creation log of the third is refused.
    const pricedPool = (id: string) => ({ row: priced, pool: poolOf('priced', id, [hub, d]) })
    expect([directory.add(pricedPool('1')), directory.add(pricedPool('2'))]).toEqual([true, true])
    expect(directory.takeRefusedPair([d, hub])).toBe(false)
    const log = { address: priced.address, data: d, topics: [created] } as unknown as Log
    expect(directory.registerCreatedPools([log])).toEqual([])
    expect([directory.takeRefusedPair([d, hub]), directory.takeRefusedPair([d, hub])]).toEqual([true, false])
    // A search adds the pool without the limit, and pools of other DEXes have the larger limit.
    expect(directory.add(pricedPool(d), { isLimited: false })).toBe(true)
    for (const id of ['4', '5', '6']) expect(directory.add(entry('paired', id, hub, d))).toBe(true)
  })

  test('of a family that lists its pools by logs neither replace pools of other families, nor outlast them', () => {
    // Anyone can register the contract of another family's pool with such a family, with any tokens.
    const registration = { address: testAddress(101), data: d, topics: [created] } as unknown as Log
    const genuine = entry('paired', d, hub, stable)
    for (const isRegisteredFirst of [true, false]) {
      const directory = directoryOf({ poolsOfSameTokens: 1 })
      directory.tokens.markRequested(d)
      if (isRegisteredFirst) expect(directory.registerCreatedPools([registration])).toEqual([d])
      expect(directory.add(genuine)).toBe(true)
      expect(directory.registerCreatedPools([registration])).toEqual([])
      expect(directory.followedPools.get(d)).toEqual(genuine)
      expect(directory.listedPools.size).toBe(0)
      // The registered pool may be read while the genuine pool replaces it.
      directory.complete({ row: rows[1]!, pool: poolOf('logged', d, [hub, d]) })
      expect(directory.followedPools.get(d)).toEqual(genuine)
      // The registration does not count as a pool of its tokens.
      expect(directory.add(entry('paired', 'other', hub, d))).toBe(true)
      expect(directory.add(entry('paired', 'too many', hub, stable))).toBe(false)
      expect(directory.dropUnfollowed([d])).toEqual([])
    }
  })

  test('of up to four tokens that cannot be read go to the sampled twin, with its row, and back', () => {
    const rowsOf = (row: DexRow) => (row.family === 'paired' ? [row] : [])
    const twinFamily = family('paired-sampled', { sampled: {} as never, rowsOf })
    const directory = new PoolDirectory(chain, [...families, twinFamily], defaultMarketLimits)
    const [pool, wide, other] = [
      { ...entry('paired', 'p', hub, stable), pool: { ...poolOf('paired', 'p', [hub, stable]), fixed: 7 } },
      entry('paired', 'w', hub, stable, a, b, c),
      entry('logged', 'o', hub, stable),
    ]
    for (const each of [pool, wide, other]) directory.add(each)
    expect(['p', 'w', 'o', 'unknown'].map((id) => directory.handOver(id))).toEqual([true, false, false, false])
    const twin = directory.followedPools.get('p')!
    expect(twin).toEqual({
      row: { ...rows[0], family: 'paired-sampled' },
      pool: { ...pool.pool, family: 'paired-sampled', fixed: { exact: 7 } },
    })
    expect([directory.sampling.ids(), directory.isHandedOver(pool), directory.isHandedOver(other)]).toEqual([
      ...[['p'], true, false],
    ])
    expect([directory.isCurrent(pool.pool), directory.isCurrent(twin.pool)]).toEqual([false, true])
    const outdatedIds = (...pools: readonly Pool[]) => directory.outdatedIds(PoolMap.empty.with(pools))
    expect([outdatedIds(pool.pool, other.pool), outdatedIds(twin.pool), outdatedIds()]).toEqual([['p'], [], []])
    // Another search finds the pool again, as a pool of the exact family.
    expect([directory.add(pool), directory.followedPools.get('p'), directory.handOver('p')]).toEqual([
      true,
      twin,
      false,
    ])
    expect([directory.exactEntryOf(twin), directory.exactEntryOf(other)]).toEqual([pool, other])
    for (const id of ['p', 'o', 'unknown']) directory.handBack(id)
    expect([...directory.followedPools.values()]).toEqual([pool, wide, other])
    expect([directory.sampling.ids(), directory.isHandedOver(pool)]).toEqual([[], false])
    expect([outdatedIds(pool.pool), outdatedIds(twin.pool)]).toEqual([[], ['p']])
  })

  test('are still complete when the twin hands them back, and no longer outdated when they are dropped', () => {
    const rowsOf = (row: DexRow) => (row.family === 'lazy' ? [row] : [])
    const twinFamily = family('lazy-sampled', { sampled: {} as never, rowsOf })
    const directory = new PoolDirectory(chain, [...families, twinFamily])
    const lazy = { ...entry('lazy', 'p', hub, a), pool: { ...poolOf('lazy', 'p', [hub, a]), fixed: 7 } }
    directory.tokens.markRequested(a)
    directory.add(lazy)
    directory.complete(lazy)
    expect(directory.handOver('p')).toBe(true)
    directory.handBack('p')
    const handedBack = directory.followedPools.get('p')!
    expect([handedBack, directory.isIncomplete(handedBack)]).toEqual([lazy, false])
    const twinPools = PoolMap.empty.with([{ ...lazy.pool, family: 'lazy-sampled', state: 1 }])
    expect(directory.outdatedIds(twinPools)).toEqual(['p'])
    directory.tokens.dropIdle(Number.POSITIVE_INFINITY)
    expect(directory.dropUnfollowed(directory.tokens.takeDropped())).toEqual(['p'])
    expect(directory.outdatedIds(twinPools)).toEqual([])
  })

  test('go to the twin of their own version if a contract has several', () => {
    const [first, second] = ['v1', 'v2'].map((version) => ({ ...rowOf('paired', 100), version })) as [DexRow, DexRow]
    const twinFamily = family('paired-sampled', {
      sampled: {} as never,
      rowsOf: (row) => (row.family === 'paired' ? [row] : []),
    })
    const directory = new PoolDirectory({ ...chain, dexes: [first, second] }, [...families, twinFamily])
    for (const row of [first, second]) {
      const pool = poolOf('paired', row.version!, [hub, stable])
      directory.add({ row, pool })
      expect(directory.handOver(pool.id)).toBe(true)
      const twin = directory.followedPools.get(pool.id)!
      expect(twin.row.version).toBe(row.version)
      expect(directory.exactEntryOf(twin).row).toEqual(row)
    }
  })

  test('are dropped with their token, unless two of the others are followed', () => {
    const directory = directoryOf({ pools: 2 })
    for (const token of [a, b]) directory.tokens.markRequested(token)
    directory.add(entry('paired', 'ab', a, b))
    directory.add(entry('paired', 'a', a, hub))
    expect(directory.isOverfull).toBe(false)
    directory.add(entry('paired', 'ab hub', a, b, hub))
    expect(directory.isOverfull).toBe(true)
    expect(directory.tokens.dropOldest()).toBe(true)
    expect(new Set(directory.dropUnfollowed([a]))).toEqual(new Set(['ab', 'a']))
    expect([...directory.followedPools.keys()]).toEqual(['ab hub'])
    expect(directory.dropUnfollowed([a, d])).toEqual([])
  })

  test('wait for their facts, with growing pauses, and only while they are followed', () => {
    const directory = directoryOf()
    const [lazy, other] = [entry('lazy', 'l', hub, stable), entry('paired', 'p', hub, stable)]
    directory.add(lazy)
    expect([directory.isIncomplete(lazy), directory.isIncomplete(other)]).toEqual([true, false])
    const due = (block: number) => directory.isDueToComplete(lazy, block)
    expect([due(1), directory.isDueToComplete(other, 1)]).toEqual([true, false])
    directory.recordIncomplete(lazy, 1)
    directory.recordIncomplete(lazy, 2)
    expect([due(3), due(4)]).toEqual([false, true])
    const complete = { ...lazy, pool: { ...lazy.pool, fixed: 7 } }
    directory.complete(complete)
    expect([directory.followedPools.get('l'), directory.isIncomplete(complete)]).toEqual([complete, false])
    const gone = entry('lazy', 'gone', hub, stable)
    directory.complete(gone)
    expect([directory.followedPools.has('gone'), directory.isIncomplete(gone)]).toEqual([false, false])
  })

  test('that change without a log are chosen for a refresh, if they can be read', () => {
    const directory = directoryOf()
    for (const id of ['x!', 'y']) directory.add(entry('silent', id, hub, stable))
    directory.add(entry('lazy', 'l', hub, stable))
    const loadedPool = (family: string, id: string) => ({ ...poolOf(family, id, [hub, stable]), state: 1 })
    const allPools = [loadedPool('silent', 'x!'), loadedPool('silent', 'y'), loadedPool('lazy', 'l')]
    expect(allPools.map((pool) => directory.isSilent(pool))).toEqual([true, false, true])
    const pools = PoolMap.empty.with([loadedPool('silent', 'x!')])
    expect(directory.chooseSilentIds(pools, new Set())).toEqual(['x!'])
    expect(directory.chooseSilentIds(pools, new Set(['x!']))).toEqual([])
    const logs = ['x!', 'l', 'unknown'].map((address) => ({ address, topics: [moved] }) as unknown as Log)
    expect(directory.statelessIdsIn(pools, logs)).toEqual(['l'])
  })

  test('that a block creates are followed or listed', () => {
    const directory = directoryOf()
    directory.tokens.markRequested(a)
    directory.tokens.setNeighbors(a, [])
    const log = (factory: number, data: string, topic = created) =>
      ({ address: testAddress(factory), data, topics: [topic] }) as unknown as Log
    expect(
      directory.registerCreatedPools([
        log(100, a),
        log(100, b),
        log(100, '0x'),
        log(100, '0xbad'),
        log(100, a, moved),
        log(999, a),
      ]),
    ).toEqual([a])
    expect([[...directory.followedPools.keys()], directory.listedPools.size]).toEqual([[a], 0])
    expect(directory.tokens.periodOf(a)?.neighbors).toEqual([])
    directory.tokens.markRequested(c)
    directory.tokens.setNeighbors(c, [])
    expect(directory.registerCreatedPools([log(101, c), log(101, b), log(102, c)])).toEqual([c])
    expect([directory.listedPools.has(c), directory.listedPools.has(b), directory.followedPools.has(b)]).toEqual([
      true,
      true,
      false,
    ])
    expect(directory.tokens.periodOf(c)?.neighbors).toBeNull()
  })
})

describe('eviction', () => {
  test('drops pools from the newest block, and publishes them as changed', async () => {
    const directory = directoryOf({ pools: 1 })
    const ledger = new Ledger(10)
    const evictor = new Evictor(directory, ledger)
    for (const token of [a, b]) directory.tokens.markRequested(token)
    for (const [id, token] of [
      ['1', a],
      ['2', b],
    ] as const)
      directory.add(entry('paired', id, token, hub))
    const pools = PoolMap.empty.with(['1', '2'].map((id) => ({ ...poolOf('paired', id, [a, hub]), state: 1 })))
    const block = { number: 1, hash: '0x1' } as never
    const drop = async () => {
      evictor.run()
      evictor.run()
      await ledger.mutex.run(async () => {})
    }
    const history = new History([{ block, pools, changedIds: new Set(['1']) }])
    ledger.restore(history)
    await drop()
    expect([ledger.newest, [...ledger.history!.top.pools.keys()]]).toEqual([null, ['2']])
    ledger.commit(history, null)
    const published: unknown[] = []
    ledger.onSnapshot(({ changedIds: changed }) => published.push(changed))
    await drop()
    expect(published).toEqual([])
    directory.tokens.dropOldest()
    await drop()
    expect([published, [...ledger.history!.top.pools.keys()], ledger.history!.top.changedIds]).toEqual([
      ...[[['2']], ['1'], new Set(['1', '2'])],
    ])
  })
})

describe('neighbors', () => {
  function filled(neighbors = 2) {
    const directory = directoryOf({ neighbors })
    directory.tokens.markRequested(a)
    const list = (...entries: readonly ReturnType<typeof entry>[]) => {
      for (const one of entries) directory.listedPools.set(one.pool.id, one)
    }
    return { directory, list }
  }
  const search = (directory: PoolDirectory, group: readonly Address[]) => atOnce(findNeighbors(directory, [group]))

  test('are the tokens with the most pools, of past logs or with an intermediate', () => {
    const { directory, list } = filled()
    list(
      entry('logged', '1', a, b),
      entry('logged', '2', a, c),
      entry('logged', '3', c, a),
      entry('logged', '4', a, d),
      entry('logged', '5', a, hub),
      entry('logged', '6', b, c),
      entry('logged', '7', a, ZERO_ADDRESS),
    )
    // Known only because their tokens were requested, which must not decide.
    for (const id of ['8', '9']) directory.add(entry('paired', id, a, d))
    expect(needsNeighborSearch(directory, [a], () => false)).toBe(true)
    search(directory, [a, hub])
    expect(directory.tokens.periodOf(a)?.neighbors).toEqual([c, b])
    expect(directory.tokens.has(c)).toBe(true)
    expect(needsNeighborSearch(directory, [a], () => false)).toBe(false)
    expect(needsNeighborSearch(directory, [a], ([x, y]) => x === b && y === a)).toBe(true)
    expect(needsNeighborSearch(directory, [hub], () => true)).toBe(false)
    const pairs = neighborPairs(directory, [a, hub]).map(([x, y]) => [x, y])
    expect(pairs).toEqual([...[c, b].flatMap((token) => [a, hub, stable].map((other) => [token, other]))])
  })

  test('stay as they are in later searches, also of other tokens of the group', () => {
    const { directory, list } = filled(1)
    directory.tokens.markRequested(d)
    list(entry('logged', '1', a, b))
    search(directory, [a])
    list(entry('logged', '2', a, c), entry('logged', '3', a, c), entry('logged', '4', d, c))
    search(directory, [a, d])
    expect(directory.tokens.periodOf(a)?.neighbors).toEqual([b])
    expect(directory.tokens.periodOf(d)?.neighbors).toEqual([c])
  })

  test('count each pool once, and those of other families only with an intermediate', () => {
    const { directory, list } = filled(1)
    const both = entry('logged', '1', a, b)
    list(both)
    directory.add(both)
    directory.add(entry('paired', '2', a, c, hub))
    directory.add(entry('paired', '3', a, c, stable))
    directory.add(entry('paired', '4', a, d))
    search(directory, [a])
    expect(directory.tokens.periodOf(a)?.neighbors).toEqual([c])
  })

  test('that the file names come first', () => {
    const named = directoryOf({ neighbors: 1 }, { ...chain, hubs: [hub], tokens: [] } as Chain)
    named.tokens.markRequested(a)
    const isNamed = (token: Address) => token === b
    Object.assign(named.tokens, { isNamed })
    for (const one of [entry('logged', '1', a, c), entry('logged', '2', a, c), entry('logged', '3', a, b)])
      named.listedPools.set(one.pool.id, one)
    search(named, [a])
    expect(named.tokens.periodOf(a)?.neighbors).toEqual([b])
  })

  test('decide which listed pools another market needs: of the tokens first, then of one of them', () => {
    const { directory, list } = filled()
    directory.tokens.setNeighbors(a, [b])
    list(
      entry('logged', 'a d', a, d),
      entry('logged', 'c d', c, d),
      entry('logged', 'hub d', hub, d),
      entry('logged', 'a b', a, b),
      entry('logged', 'b hub', b, hub),
      entry('logged', 'native a', ZERO_ADDRESS, a),
    )
    directory.add(entry('paired', 'paired', a, hub))
    directory.add(entry('logged', 'followed', a, stable))
    const ids = atOnce(listedPoolsNear(directory, [a])).map(({ pool }) => pool.id)
    expect(ids.slice(0, 4).sort()).toEqual(['a b', 'b hub', 'followed', 'native a'])
    expect(ids.slice(4)).toEqual(['a d'])
    // A requested token that is not followed has no neighbors.
    const idsOfOther = atOnce(listedPoolsNear(directory, [d])).map(({ pool }) => pool.id)
    expect(idsOfOther.sort()).toEqual(['a d', 'c d', 'hub d'])
    list(...Array.from({ length: 2_100 }, (_, k) => entry('logged', `${k}`, a, testAddress(5_000 + k))))
    expect(atOnce(listedPoolsNear(directory, [a]))).toHaveLength(2_000)
  })
})
