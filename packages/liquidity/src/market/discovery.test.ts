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
function discovered(isDown = false, gate: Promise<void> = Promise.resolve()) {
  const searches: string[][] = []
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
      if (isDown) throw new RpcError('UNREACHABLE', 'down')
      yield [{ to: at(7), data: '0x' }]
      return []
    },
  }
  const tokens = new FollowedTokens(new Set([hub, other, third]), defaultMarketLimits)
  for (const intermediate of [hub, other, third]) tokens.markRequested(intermediate)
  const row = { family: 'test' } as unknown as DexRow
  const scope = { hubs: [hub], intermediates: [hub, other, third] }
  const directory = {
    // Pools of the second family are never searched by pairs.
    ...{ rows: [row, { family: 'unsearched' }], familyOf: () => family, scope },
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
  }
  const ledger = { newest: null, snapshot: () => ({ block: { number: 1, hash: '0x01' } }), history: null }
  const components = { rpc, directory, ledger, signal: new AbortController().signal }
  const follower = { retryOnReorg: (work: (block: { hash: string }) => Promise<unknown>) => work({ hash: '0x01' }) }
  const options = { components, follower, evictor: { run: () => {} }, limits: defaultMarketLimits, searchesLogs: false }
  return { discovery: new Discovery(options as unknown as DiscoveryOptions), searches, requests }
}

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

describe('pools that past logs list', () => {
  const block = { number: 5, hash: '0x05', parentHash: '0x04', timestamp: 5 } as unknown as BlockHeader
  const pools = ['followed', 'followed too', 'known', 'other', 'unreadable'].map((id) => ({ id, tokens: [] }))

  const entryOf = (index: number) => ({ row: {}, pool: pools[index] }) as unknown as PoolEntry

  /** A discovery whose node has the log of each pool. The block of the first reads is reorged away as often as given. */
  function scanned(reorgs = 0, duringRead: (ledger: Ledger) => void = () => {}) {
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
    const directory = {
      ...{ rows: [row], families: new Map([['test', family]]), familyOf: () => family },
      ...{ scope: { hubs: [], intermediates: [] }, tokens: new FollowedTokens(new Set(), defaultMarketLimits) },
      ...{ listedPools, followedPools },
      list: (entry: PoolEntry) => listedPools.set(entry.pool.id, entry),
      hasFollowedPair: ({ id }: Pool) => id !== 'other',
      add: (entry: PoolEntry) => followedPools.set(entry.pool.id, entry).size > 0,
    }
    const rpc = { getLogs: async () => pools.map((_, k) => ({ address: at(7), topics: ['0xa'], data: String(k) })) }
    const reads: unknown[] = []
    const follower = {
      retryOnReorg: (work: (of: BlockHeader) => Promise<unknown>) =>
        work(reads.length < reorgs ? { ...block, hash: '0xgone' as Hex } : block),
      read: async (of: BlockHeader, ids: readonly string[], priority: string) => {
        reads.push([of.hash, ids, priority])
        duringRead(ledger)
        return ids.filter((id) => id !== 'unreadable').map((id) => ({ id, state: 'read' }))
      },
      refreshSilentPools: async ({ number }: BlockHeader, of: PoolMap, ids: readonly string[]) =>
        of.with(ids.map((id) => ({ ...of.get(id)!, state: `refreshed at ${number}` }))),
    }
    let evictions = 0
    const statuses: string[] = []
    const discovery = new Discovery({
      ...{ components: { rpc, directory, ledger, signal: new AbortController().signal }, follower },
      ...{ evictor: { run: () => evictions++ }, limits: defaultMarketLimits },
      onScan: ({ state }: { state: string }) => statuses.push(state),
    } as unknown as DiscoveryOptions)
    return { discovery, ledger, directory, reads, statuses, evictions: () => evictions }
  }

  test('are added to memory if their tokens are followed, and listed in any case', async () => {
    const { discovery, ledger, directory, reads, statuses, evictions } = scanned()
    const changes: unknown[] = []
    ledger.onSnapshot(({ changedIds }) => changes.push(changedIds))
    await discovery.whenIdle()
    expect([...directory.listedPools.keys()]).toEqual(pools.map(({ id }) => id))
    expect(reads).toEqual([['0x05', ['followed', 'followed too', 'unreadable'], 'lookup']])
    const { pools: pooled } = ledger.snapshot()
    const states = Object.fromEntries([...pooled.values()].map(({ id, state }) => [id, state]))
    expect(states).toEqual({ known: 'old', followed: 'read', 'followed too': 'read' })
    expect(changes).toEqual([['followed', 'followed too']])
    expect([...ledger.history!.top.changedIds]).toEqual(['followed', 'followed too'])
    expect([evictions(), statuses]).toEqual([1, ['scanning', 'done']])
  })

  test('are not merged if a newer block has changed them during the read, and the others are refreshed', async () => {
    const next = { ...block, number: 6, hash: '0x06' as Hex, parentHash: '0x05' as Hex }
    const { discovery, ledger } = scanned(0, (of) => {
      const history = of.history!
      const changedIds = new Set(['followed'])
      of.commit(history.continueFrom(history.top, [{ block: next, pools: history.top.pools, changedIds }]), [])
    })
    await discovery.whenIdle()
    const { block: newest, pools: pooled } = ledger.snapshot()
    const states = Object.fromEntries([...pooled.values()].map(({ id, state }) => [id, state]))
    expect([newest.number, states]).toEqual([6, { known: 'old', 'followed too': 'refreshed at 6' }])
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

  test('that another market found are listed, and added at once', async () => {
    const { discovery, ledger, directory, evictions } = scanned()
    await discovery.addFoundPools([entryOf(0)])
    expect([...directory.listedPools.keys()]).toEqual(['followed'])
    expect(ledger.snapshot().pools.has('followed')).toBe(true)
    await discovery.addFoundPools([entryOf(3)])
    expect([directory.listedPools.size, evictions()]).toEqual([2, 1])
  })
})
