/** Tests which pairs are searched, and with which priority and time limit, with a node in memory. */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { type BlockHeader, type RequestOptions, RpcError } from '@sluice/rpc'
import { describe, expect, test, vi } from 'vitest'
import { pairKey, sortPair } from '../dexes/common/direction.ts'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { Discovery, type DiscoveryOptions } from './discovery.ts'
import { FollowedTokens } from './followed-tokens.ts'
import { History } from './history.ts'
import { Ledger } from './ledger.ts'
import { defaultMarketLimits } from './limits.ts'
import type { PoolEntry } from './pool-reader.ts'
import { BACKGROUND_TIMEOUT_MS } from './timing.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [hub, other, third, token] = [at(1), at(2), at(3), at(9)] as const
type Pair = readonly [Address, Address]
const keyOf = (a: Address, b: Address) => pairKey(sortPair([a, b]))

/** A discovery whose node refuses each request once `gate` opens, and records its options. */
function discovered(isDown = false, gate: Promise<void> = Promise.resolve(), limits = defaultMarketLimits) {
  const node = { isDown }
  const searches: string[][] = []
  const refusedPairs = new Set<string>()
  const requests: RequestOptions[] = []
  const rpc = {
    call: async (_call: unknown, _block: unknown, options: RequestOptions) => {
      requests.push(options)
      await gate
      throw new RpcError('REVERTED', 'none')
    },
  }
  const family = {
    *findPools(_row: DexRow, pairs: readonly Pair[]) {
      searches.push(pairs.map(([a, b]) => keyOf(a, b)))
      if (node.isDown) throw new RpcError('UNREACHABLE', 'down')
      yield [{ to: at(7), data: '0x' }]
      return []
    },
  }
  const tokens = new FollowedTokens(new Set([hub, other, third]), limits)
  for (const intermediate of [hub, other, third]) tokens.markRequested(intermediate)
  const row = { family: 'test' } as unknown as DexRow
  const scope = { hubs: [hub], intermediates: [hub, other, third] }
  const directory = {
    // Pools of the second family are never searched by pairs.
    ...{ rows: [row, { family: 'unsearched' }], familyOf: () => family, scope, limits },
    families: new Map<string, object>([
      ['test', family],
      ['unsearched', {}],
    ]),
    ...{
      tokens,
      listedPools: new Map(),
      followedPools: new Map(),
    },
    hasFollowedPair: () => false,
    takeRefusedPair: (pair: Pair) => refusedPairs.delete(keyOf(...pair)),
    recordRefusedPair: (pair: Pair) => refusedPairs.add(keyOf(...pair)),
  }
  const ledger = { newest: null, snapshot: () => ({ block: { number: 1, hash: '0x01' } }), history: null }
  const components = { rpc, directory, ledger, signal: new AbortController().signal }
  const follower = { retryOnReorg: (work: (block: { hash: string }) => Promise<unknown>) => work({ hash: '0x01' }) }
  const options = { components, follower, evictor: { run: () => {} }, limits, searchesLogs: false }
  return {
    discovery: new Discovery(options as unknown as DiscoveryOptions),
    tokens,
    directory,
    searches,
    requests,
    refusedPairs,
    node,
  }
}

test('a pair is searched again in the background after a created pool was not added', async () => {
  const { discovery, searches, requests, refusedPairs } = discovered()
  await discovery.ensure([[token]])
  await discovery.whenIdle()
  searches.length = 0
  refusedPairs.add(keyOf(token, hub))
  await discovery.ensure([[token]])
  await discovery.whenIdle()
  expect(searches).toEqual([[keyOf(token, hub)]])
  expect(requests.at(-1)?.priority).toBe('background')
  await discovery.ensure([[token]])
  await discovery.whenIdle()
  expect(searches.length).toBe(1)
})

test('such a search that fails is repeated with the next request of the pair', async () => {
  const { discovery, searches, refusedPairs, node } = discovered()
  await discovery.ensure([[token]])
  await discovery.whenIdle()
  refusedPairs.add(keyOf(token, hub))
  node.isDown = true
  await discovery.ensure([[token]])
  await discovery.whenIdle()
  node.isDown = false
  searches.length = 0
  await discovery.ensure([[token]])
  await discovery.whenIdle()
  expect(searches).toEqual([[keyOf(token, hub)]])
  expect(refusedPairs.size).toBe(0)
})

test('a requested token is searched with all intermediates at once, and all intermediates with each other', async () => {
  const { discovery, searches, requests } = discovered()
  await discovery.ensure([[token]])
  await discovery.whenIdle()
  const searchedPairs = new Set(searches.flat())
  for (const intermediate of [hub, other, third]) expect(searchedPairs).toContain(keyOf(token, intermediate))
  for (const [a, b] of [
    [hub, other],
    [hub, third],
    [other, third],
  ] as const)
    expect(searchedPairs).toContain(keyOf(a, b))
  // Each pair is searched once.
  expect(searches.flat()).toHaveLength(searchedPairs.size)
  const limitOf = (priority: string) => [
    ...new Set(requests.filter((request) => request.priority === priority).map(({ timeoutMs }) => timeoutMs)),
  ]
  expect(limitOf('background')).toEqual([BACKGROUND_TIMEOUT_MS])
  expect(limitOf('lookup')).toHaveLength(1)
  expect(limitOf('lookup')[0]).not.toBe(BACKGROUND_TIMEOUT_MS)
  const count = searches.length
  await discovery.ensure([[token]])
  expect(searches.slice(count)).toEqual([])
})

test('a search that failed is repeated with the next request', async () => {
  const { discovery, searches } = discovered(true)
  await expect(discovery.ensure([[token]])).rejects.toThrow('down')
  const first = searches.flat().filter((key) => key === keyOf(token, hub)).length
  await vi.waitFor(() => expect(discovery.stateCounts.queued.entries).toBe(0))
  await expect(discovery.ensure([[token]])).rejects.toThrow('down')
  expect(searches.flat().filter((key) => key === keyOf(token, hub)).length).toBe(first + 1)
  // The pools between intermediates are searched again too.
  await vi.waitFor(() => expect(searches.flat().filter((key) => key === keyOf(other, third)).length).toBeGreaterThan(1))
})

test('a search with the hubs waits for a search of the same pairs that is under way', async () => {
  const gate = Promise.withResolvers<void>()
  const { discovery } = discovered(false, gate.promise)
  const requested = discovery.ensure([[token]])
  const searched = discovery.searchWithHubs(token).then(() => 'done')
  const turn = new Promise((resolve) => setImmediate(() => resolve('pending')))
  expect(await Promise.race([searched, turn])).toBe('pending')
  gate.resolve()
  await requested
  expect(await searched).toBe('done')
  // Afterwards the pools are in memory.
  await discovery.searchWithHubs(token)
})

describe('groups of tokens', () => {
  const [a, b, c, neighbor] = [at(21), at(22), at(23), at(24)] as const

  test('are followed and searched each by itself', async () => {
    const { discovery, searches } = discovered()
    await discovery.ensure([[a], [b]])
    expect([...discovery.loadedPairKeys]).toEqual(expect.arrayContaining([keyOf(a, hub), keyOf(b, hub)]))
    await discovery.whenIdle()
    expect(searches.flat()).not.toContain(keyOf(a, b))
  })

  test('are searched with the neighbors of their tokens, also if they share the first token', async () => {
    const { discovery, directory, searches } = discovered()
    for (const [id, token] of [b, c].entries())
      directory.followedPools.set(`${id}`, {
        row: directory.rows[0],
        pool: { id: `${id}`, tokens: [token, at(31 + id), hub] },
      })
    await discovery.ensure([
      [a, b],
      [a, c],
    ])
    await discovery.whenIdle()
    expect(searches.flat()).toEqual(expect.arrayContaining([keyOf(a, at(31)), keyOf(a, at(32))]))
  })

  test('whose neighbors do not fit into the queue are searched all the same', async () => {
    // The queue is full of the three intermediates' searches, or of three groups.
    const { discovery, searches } = discovered(false, undefined, { ...defaultMarketLimits, queuedSearches: 3 })
    await discovery.ensure([[a], [b], [c], [neighbor]])
    expect(searches.flat()).toContain(keyOf(neighbor, hub))
    await discovery.whenIdle()
    expect(discovery.stateCounts.queued).toEqual({ entries: 0, evicted: 1 })
  })

  test('searched in the background stay followed', async () => {
    const { discovery, tokens } = discovered(false, undefined, { ...defaultMarketLimits, tokens: 2 })
    await discovery.ensure([[a], [b]])
    await discovery.searchWithHubs(a)
    await discovery.ensure([[c]])
    expect([tokens.has(a), tokens.has(b), tokens.has(c)]).toEqual([true, false, true])
  })
})

describe('the pools between intermediates', () => {
  const isOfIntermediates = (keys: readonly string[]) => keys.includes(keyOf(other, third))

  test('delay a request by a second at most, and are searched again after a late failure', async () => {
    vi.useFakeTimers()
    try {
      const gate = Promise.withResolvers<void>()
      const { discovery, directory, searches } = discovered()
      const family = directory.familyOf()
      const { findPools } = family
      let failure: Error | null = new RpcError('UNREACHABLE', 'down')
      vi.spyOn(family, 'findPools').mockImplementation(function* (row, pairs) {
        yield* findPools(row, pairs)
        if (failure && isOfIntermediates(searches.at(-1)!)) throw failure
        return []
      })
      const { follower } = discovery as unknown as { follower: { retryOnReorg(work: unknown): Promise<unknown> } }
      const { retryOnReorg } = follower
      // Only the search of the requested pairs, the first one, is not delayed.
      let count = 0
      follower.retryOnReorg = async (work) => {
        if (count++ > 0) await gate.promise
        return retryOnReorg(work as never)
      }
      const answered = vi.fn()
      const request = discovery.ensure([[token]]).then(answered)
      await vi.advanceTimersByTimeAsync(999)
      expect(answered).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      expect(answered).toHaveBeenCalled()
      await request
      gate.resolve()
      await vi.advanceTimersByTimeAsync(1_000)
      const failed = searches.filter(isOfIntermediates).length
      expect(failed).toBe(1)
      failure = null
      await discovery.ensure([[token]])
      await discovery.whenIdle()
      expect(searches.filter(isOfIntermediates).length).toBe(2)
    } finally {
      vi.useRealTimers()
    }
  })

  test('are searched again after blocks were skipped', async () => {
    const { discovery, searches } = discovered()
    await discovery.ensure([])
    await discovery.whenIdle()
    discovery.forgetPairs()
    await discovery.ensure([])
    await discovery.whenIdle()
    expect(searches.filter(isOfIntermediates).length).toBe(2)
  })
})

describe('pools that past logs list', () => {
  const block = { number: 5, hash: '0x05', parentHash: '0x04', timestamp: 5 } as unknown as BlockHeader
  const [a, b, neighbor] = [at(21), at(22), at(23)]
  const pools = ['followed', 'followed too', 'known', 'other', 'unreadable'].map((id) => ({
    ...{ id, tokens: id === 'followed' ? [a, neighbor] : [] },
  }))

  const entryOf = (index: number) => ({ row: {}, pool: pools[index] }) as unknown as PoolEntry

  /** A discovery whose node has the log of each pool. The block of the first reads is reorged away as often as given. */
  function scanned(
    reorgs = 0,
    duringRead: (ledger: Ledger, followedPools: Map<string, unknown>) => void = () => {},
    refreshErrors: Error[] = [],
  ) {
    const ledger = new Ledger(1)
    const poolsBefore = PoolMap.empty.with([{ ...pools[2], state: 'old' } as unknown as Pool])
    ledger.commit(new History([{ block, pools: poolsBefore, changedIds: new Set() }]), null)
    const family = {
      ...{ listedByLogs: true, creationTopics: ['0xa'] },
      createdPool: (_: DexRow, { data }: { data: string }) => pools[Number(data)],
    }
    const row = { family: 'test', address: at(7), startBlock: 0 } as unknown as DexRow
    const followedPools = new Map<string, unknown>()
    const listedPools = new Map<string, unknown>()
    const unfollowedIds = new Set(['other'])
    const directory = {
      ...{ rows: [row], families: new Map([['test', family]]), familyOf: () => family },
      ...{ scope: { hubs: [], intermediates: [] }, tokens: new FollowedTokens(new Set(), defaultMarketLimits) },
      ...{ listedPools, followedPools, limits: defaultMarketLimits },
      list: (entry: PoolEntry) => listedPools.set(entry.pool.id, entry),
      hasFollowedPair: ({ id }: Pool) => !unfollowedIds.has(id),
      takeRefusedPair: () => false,
      add: (entry: PoolEntry) => followedPools.set(entry.pool.id, entry).size > 0,
    }
    const node: { answer: Promise<void> } = { answer: Promise.resolve() }
    const getLogs = async () => {
      await node.answer
      return pools.map((_, k) => ({ address: at(7), topics: ['0xa'], data: String(k) }))
    }
    const rpc = { getLogs }
    const reads: unknown[] = []
    const unreadIds: string[] = []
    const follower = {
      retryUnread: (ids: readonly string[], of: PoolMap) => unreadIds.push(...ids.filter((id) => !of.has(id))),
      retryOnReorg: (work: (of: BlockHeader) => Promise<unknown>) =>
        work(reads.length < reorgs ? { ...block, hash: '0xgone' as Hex } : block),
      read: async (of: BlockHeader, ids: readonly string[], priority: string) => {
        reads.push([of.hash, ids, priority])
        duringRead(ledger, followedPools)
        return ids.filter((id) => id !== 'unreadable').map((id) => ({ id, state: 'read' }))
      },
      refreshSilentPools: async ({ number }: BlockHeader, of: PoolMap, ids: readonly string[]) => {
        const error = refreshErrors.shift()
        if (error) throw error
        return of.with(ids.map((id) => ({ ...of.get(id)!, state: `refreshed at ${number}` })))
      },
    }
    let evictions = 0
    const statuses: string[] = []
    const discovery = new Discovery({
      ...{ components: { rpc, directory, ledger, signal: new AbortController().signal }, follower },
      ...{ evictor: { run: () => evictions++ }, limits: defaultMarketLimits },
      onScan: ({ state }: { state: string }) => statuses.push(state),
    } as unknown as DiscoveryOptions)
    return { discovery, ledger, directory, node, unfollowedIds, reads, unreadIds, statuses, evictions: () => evictions }
  }

  test('are added to memory if their tokens are followed, and listed in any case', async () => {
    const { discovery, ledger, directory, reads, unreadIds, statuses, evictions } = scanned()
    const changes: unknown[] = []
    ledger.onSnapshot(({ changedIds }) => changes.push(changedIds))
    await discovery.whenIdle()
    expect([...directory.listedPools.keys()]).toEqual(pools.map(({ id }) => id))
    expect(reads).toEqual([['0x05', ['followed', 'followed too', 'unreadable'], 'lookup']])
    expect(unreadIds).toEqual(['unreadable'])
    const { pools: pooled } = ledger.snapshot()
    const states = Object.fromEntries([...pooled.values()].map(({ id, state }) => [id, state]))
    expect(states).toEqual({ known: 'old', followed: 'read', 'followed too': 'read' })
    expect(changes).toEqual([['followed', 'followed too']])
    expect([...ledger.history!.top.changedIds]).toEqual(['followed', 'followed too'])
    expect([evictions(), statuses]).toEqual([1, ['scanning', 'done']])
  })

  const next = { ...block, number: 6, hash: '0x06' as Hex, parentHash: '0x05' as Hex }
  const commitNext = (of: Ledger) => {
    const history = of.history!
    if (history.top.block === next) return
    const changedIds = new Set(['followed'])
    of.commit(history.continueFrom(history.top, [{ block: next, pools: history.top.pools, changedIds }]), [])
  }
  const statesOf = ({ pools: pooled }: { pools: ReadonlyMap<string, Pool> }) =>
    Object.fromEntries([...pooled.values()].map(({ id, state }) => [id, state]))

  test('are not merged if a newer block has changed them during the read, and the others are refreshed', async () => {
    const { discovery, ledger } = scanned(0, commitNext)
    await discovery.whenIdle()
    const newest = ledger.snapshot()
    expect(newest.block.number).toBe(6)
    expect(statesOf(newest)).toEqual({ known: 'old', 'followed too': 'refreshed at 6' })
    // Other code may still read at block 5 the pools that block 6 has changed.
    expect([...ledger.history!.top.changedIds]).toEqual(['followed', 'followed too'])
  })

  test('are not merged if they were dropped during the read, or read by other code', async () => {
    const newer = { ...pools[1], state: 'newer' } as unknown as Pool
    const { discovery, ledger } = scanned(0, ({ history, commit }, followedPools) => {
      followedPools.delete('followed')
      const { top } = history!
      commit.call(ledger, history!.replaceTop({ ...top, pools: top.pools.with([newer]) }), ['followed too'])
    })
    await discovery.whenIdle()
    expect(statesOf(ledger.snapshot())).toEqual({ known: 'old', 'followed too': 'newer' })
  })

  test('are read again if the newest block is reorged away before they are refreshed', async () => {
    const { discovery, ledger, reads } = scanned(0, commitNext, [new RpcError('BLOCK_GONE', 'gone')])
    await discovery.addFoundPools([entryOf(1)])
    expect(reads).toHaveLength(2)
    expect(statesOf(ledger.snapshot())).toMatchObject({ 'followed too': 'refreshed at 6' })
  })

  test('are not read again if the node fails, or if they cannot be read', async () => {
    const failing = scanned(0, commitNext, [new RpcError('UNREACHABLE', 'down')])
    await expect(failing.discovery.addFoundPools([entryOf(1)])).rejects.toThrow('down')
    expect(failing.reads).toHaveLength(1)
    const unreadable = scanned()
    await unreadable.discovery.addFoundPools([entryOf(4)])
    expect(unreadable.reads).toHaveLength(1)
  })

  test('are scanned again after blocks were skipped', async () => {
    const { discovery, statuses } = scanned()
    await discovery.whenIdle()
    discovery.forgetPairs()
    await discovery.whenIdle()
    expect(statuses).toEqual(['scanning', 'done', 'done'])
  })

  test('are read again if their block is reorged away, eight times at most', async () => {
    const twice = scanned(2)
    await twice.discovery.whenIdle()
    expect(twice.reads).toHaveLength(3)
    expect(twice.ledger.snapshot().pools.has('followed')).toBe(true)
    const always = scanned(99)
    await expect(always.discovery.addFoundPools([entryOf(0)])).rejects.toThrow('block 5 is gone')
    expect(always.reads).toHaveLength(8)
  })

  test('join between two blocks, unless the first of them has added them', async () => {
    const { discovery, ledger, directory, reads } = scanned()
    const block = Promise.withResolvers<void>()
    const processed = ledger.mutex.run(() => block.promise)
    const added = discovery.addFoundPools([entryOf(0), entryOf(1)])
    await new Promise((resolve) => setImmediate(resolve))
    expect([...directory.followedPools]).toEqual([])
    const { top } = ledger.history!
    const pool = { ...pools[0], state: 'new' } as unknown as Pool
    ledger.commit(ledger.history!.replaceTop({ ...top, pools: top.pools.with([pool]) }), ['followed'])
    block.resolve()
    await Promise.all([processed, added])
    expect(reads).toEqual([['0x05', ['followed too'], 'lookup']])
  })

  test('are added when their tokens are requested', async () => {
    const { discovery, ledger, unfollowedIds } = scanned()
    await discovery.whenIdle()
    expect(ledger.snapshot().pools.has('other')).toBe(false)
    unfollowedIds.delete('other')
    await discovery.ensure([[a, b]])
    expect(ledger.snapshot().pools.has('other')).toBe(true)
  })

  test('delay a request by half a second at most, and name neighbors once all of them are known', async () => {
    vi.useFakeTimers()
    try {
      const { discovery, ledger, node } = scanned()
      const answer = Promise.withResolvers<void>()
      node.answer = answer.promise
      const answered = vi.fn()
      void discovery.ensure([[a, b]]).then(answered)
      await vi.advanceTimersByTimeAsync(499)
      expect(answered).not.toHaveBeenCalled()
      await vi.advanceTimersByTimeAsync(1)
      expect(answered).toHaveBeenCalled()
      expect(ledger.snapshot().pools.has('followed')).toBe(false)
      answer.resolve()
      await discovery.whenIdle()
      expect(ledger.snapshot().pools.has('followed')).toBe(true)
      expect([...discovery.loadedPairKeys]).toContain(keyOf(neighbor, b))
    } finally {
      vi.useRealTimers()
    }
  })

  test('that another market found are listed, and added at once', async () => {
    const { discovery, ledger, directory, evictions } = scanned()
    await discovery.addFoundPools([entryOf(0)])
    expect([...directory.listedPools.keys()]).toEqual(['followed'])
    expect(ledger.snapshot().pools.has('followed')).toBe(true)
    await discovery.addFoundPools([entryOf(3)])
    expect([directory.listedPools.size, evictions()]).toEqual([2, 1])
  })
})
