/** Tests that worthless pools, which logs announce by the hundred, do not hide a good one, with a node in memory. */
import { type Address, type Chain, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { BlockHeader, Log } from '@sluice/rpc'
import { expect, test } from 'vitest'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { MAX_COMPARED, replaceShallow } from './crowded-pools.ts'
import { Discovery, type DiscoveryOptions } from './discovery.ts'
import { Evictor } from './evictor.ts'
import { type MarketComponents, MarketFollower } from './follow.ts'
import { History } from './history.ts'
import { Ledger } from './ledger.ts'
import { defaultMarketLimits } from './limits.ts'
import { PoolDirectory } from './pool-directory.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [HUB, STABLE, FACTORY, MANAGER] = [at(1), at(2), at(3), at(4)]
const [CREATED, MOVED] = ['0xcc', '0xdd'] as const
const block = {
  ...{ number: 5, hash: '0x05' as Hex, parentHash: '0x04' as Hex, timestamp: 5 },
  ...{ gasLimit: 1n, baseFeePerGas: null, miner: at(0) },
} as BlockHeader
const poolOf = (id: string) => ({
  ...{ id, family: 'logged', dex: 'test', address: MANAGER, tokens: [HUB, STABLE], state: null },
})
const row = { family: 'logged', brand: 'test', role: 'factory', address: FACTORY, startBlock: 0 } as unknown as DexRow
const creationOf = (id: string) => ({ address: FACTORY, topics: [CREATED], data: id }) as unknown as Log
const idsFrom = (name: string, count: number) => Array.from({ length: count }, (_, k) => `${name}${k}`)

/** A market whose node has pools of one pair in this order, all of them from past logs. */
function marketOf(ids: readonly string[], depthOf: (id: string) => bigint | null, limit = 500) {
  const readIds: string[] = []
  const family = {
    ...{ id: 'logged', topics: [MOVED], creationTopics: [CREATED], listedByLogs: true },
    poolIdOf: ({ data }: Log) => data,
    createdPool: (_: DexRow, { data }: Log) => poolOf(data),
    reserves: ({ state }: Pool) => [state as bigint, state as bigint],
    readStates: function* (_: DexRow, pools: readonly Pool[]) {
      yield []
      readIds.push(...pools.map(({ id }) => id))
      return pools.map(({ id }) => depthOf(id))
    },
  }
  const chain = { hubs: [HUB, STABLE], stables: [], tokens: [], wrappedNative: null, dexes: [row] } as unknown as Chain
  const limits = { ...defaultMarketLimits, poolsOfSameTokens: limit }
  const directory = new PoolDirectory(chain, [family] as never, limits)
  const ledger = new Ledger(1)
  ledger.commit(new History([{ block, pools: PoolMap.empty, changedIds: new Set() }]), null)
  const rpc = { getBlock: async () => block, getLogs: async () => ids.map(creationOf) }
  const components = { rpc, directory, ledger, signal: new AbortController().signal } as unknown as MarketComponents
  const follower = new MarketFollower(components, () => {})
  const evictor = new Evictor(directory, ledger)
  const discovery = new Discovery({ components, follower, evictor, limits } as unknown as DiscoveryOptions)
  const request = async () => {
    await discovery.ensure([[HUB, STABLE]])
    await discovery.whenIdle()
  }
  return { directory, ledger, request, readIds }
}

test('a pool is found behind 600 worthless ones, empty or with dust', async () => {
  const [older, newer] = [idsFrom('older', 600), idsFrom('newer', 100)]
  const depths = [0n, 1n, null]
  const depthOf = (id: string) => (id === 'good' ? 10n ** 24n : depths[id.length % 3]!)
  const { directory, ledger, request, readIds } = marketOf([...older, 'good', ...newer], depthOf)
  await request()
  expect(ledger.snapshot().pools.get('good')).toMatchObject({ state: 10n ** 24n })
  expect(directory.followedPools.size).toBe(500)
  // A displaced pool is no longer traded, but can come back.
  const displacedIds = older.slice(0, 500).filter((id) => !directory.followedPools.has(id))
  expect(displacedIds.length).toBeGreaterThan(0)
  for (const id of displacedIds) {
    expect(ledger.snapshot().pools.has(id)).toBe(false)
    expect(directory.listedPools.has(id)).toBe(true)
  }
  // Each pool is compared once, also if its pair is requested again.
  expect(readIds.filter((id) => id === 'older599').length).toBe(1)
})

test('a request reads a bounded number of pools, and the next requests read the others', async () => {
  const ids = [...idsFrom('older', 1_500), 'good', ...idsFrom('newer', 1_500)]
  const { ledger, request, readIds } = marketOf(ids, (id) => (id === 'good' ? 10n ** 24n : 1n), 100)
  await request()
  // Several searches run at the start: of the scan, of the pair, and of each hub.
  const searches = 6
  expect(readIds.length).toBeLessThanOrEqual(100 + searches * MAX_COMPARED)
  for (let requests = 0; requests < 10 && !ledger.snapshot().pools.has('good'); requests++) await request()
  expect(ledger.snapshot().pools.has('good')).toBe(true)
})

test('a pool that was empty when it was compared is compared again after a log of it', async () => {
  let depth = 0n
  const ids = [...idsFrom('spam', 4), 'good']
  const { directory, ledger, request, readIds } = marketOf(ids, (id) => (id === 'good' ? depth : 1n), 3)
  await request()
  depth = 100n
  const readCount = readIds.length
  await request()
  expect([readIds.length, ledger.snapshot().pools.has('good')]).toEqual([readCount, false])
  const moved = { address: MANAGER, topics: [MOVED], data: 'good' } as unknown as Log
  directory.registerCreatedPools([moved])
  await request()
  expect(ledger.snapshot().pools.has('good')).toBe(true)
  expect(directory.followedPools.size).toBe(3)
})

test('a pool that is created after the worthless ones is searched with the next request', async () => {
  const { directory, ledger, request } = marketOf(idsFrom('spam', 4), (id) => (id === 'good' ? 100n : 1n), 3)
  await request()
  expect(directory.registerCreatedPools([creationOf('good')])).toEqual([])
  await request()
  expect(ledger.snapshot().pools.has('good')).toBe(true)
})

const entryOf = (id: string) => ({ row, pool: poolOf(id) })
const replacement = (reserves: Readonly<Record<string, readonly bigint[]>>, followed: string, others: string) => {
  const { droppedIds, chosenEntries } = replaceShallow(
    [...followed].map(entryOf),
    [...others].map(entryOf),
    (id) => reserves[id] ?? [],
  )
  return [droppedIds.join(''), chosenEntries.map(({ pool }) => pool.id).join('')]
}

test('the deepest pools replace the shallowest, each token counting the same, and a pool without state is shallow', () => {
  const reserves = { a: [5n, 5_000n], b: [100n, 100_000n], c: [50n, 60_000n], d: [0n, 0n], e: [5n, 5_000n] }
  expect(replacement(reserves, 'ab', 'c')).toEqual(['a', 'c'])
  expect(replacement(reserves, 'xab', 'cd')).toEqual(['x', 'c'])
  // Pools of equal depth stay.
  expect(replacement(reserves, 'a', 'e')).toEqual(['', ''])
  expect(replacement(reserves, 'x', 'd')).toEqual(['', ''])
  // A deposit of one token counts by its part of that token only.
  expect(replacement({ ...reserves, f: [10_000n, 0n] }, 'b', 'f')).toEqual(['', ''])
})
