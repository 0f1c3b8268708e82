/** Tests that pools that lose their state are read again, with a node in memory. */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { type BlockHeader, RpcError } from '@sluice/rpc'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { type MarketComponents, MarketFollower } from './follow.ts'
import { History } from './history.ts'
import { Ledger } from './ledger.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const header = (number: number): BlockHeader => ({
  ...{ number, hash: `0x${number}` as Hex, parentHash: `0x${number - 1}` as Hex, timestamp: number },
  ...{ gasLimit: 1n, baseFeePerGas: null, miner: at(0) },
})

let ledger: Ledger
/** Number of the newest block. */
let head: number
afterEach(() => void vi.restoreAllMocks())
beforeEach(() => {
  ledger = new Ledger(1)
})

describe('a pool that loses its state', () => {
  const pool: Pool = { id: 'pool', family: 'test', dex: '', address: at(9), tokens: [], state: 'old' }
  const row = { family: 'test' } as unknown as DexRow
  const stateAt = () => ledger.snapshot().pools.get(pool.id)?.state

  /** A follower at block 1. Its pool can be read from the block `readableFrom` on. */
  function poolFollower({
    readableFrom,
    isRefreshed = true,
    isNew = false,
  }: {
    readableFrom: number
    isRefreshed?: boolean
    isNew?: boolean
  }) {
    const reads: number[] = []
    const createdIds: string[] = []
    let isDown = false
    const stateOrNull = (state: string) => {
      if (isDown) throw new RpcError('UNREACHABLE', 'down')
      return head > 1 && head < readableFrom ? null : state
    }
    const family = {
      topics: ['0x01'],
      refreshStates: function* (_: DexRow, batch: readonly unknown[]) {
        return batch.map(() => stateOrNull(`refreshed at ${head}`))
      },
      readStates: function* (_: DexRow, batch: readonly unknown[]) {
        reads.push(head)
        return batch.map(() => stateOrNull('read again'))
      },
      applyLog: () => 'reread',
    }
    const directory = {
      followedPools: new Map([[pool.id, { row, pool }]]),
      families: new Map([['test', family]]),
      sampling: { size: 0, has: () => false },
      chooseSilentIds: (pools: PoolMap, excludedIds: ReadonlySet<string>) =>
        isRefreshed && pools.has(pool.id) && !excludedIds.has(pool.id) ? [pool.id] : [],
      ...{ handOver: () => false, isCurrent: () => true, outdatedIds: () => [] },
      ...{ topics: ['0x01'], poolIdsOf: () => [pool.id], isIncomplete: () => false, isDueToComplete: () => false },
      ...{ registerCreatedPools: () => createdIds.splice(0), handBackAfter: () => {}, statelessIdsIn: () => [] },
    }
    let blocks: BlockHeader[] = []
    let logs: unknown[] = []
    const rpc = {
      getBlock: async (ref: unknown) => blocks.find(({ number }) => number === ref) ?? blocks.at(-1) ?? header(head),
      getLogs: async () => logs,
    }
    const { signal } = new AbortController()
    const following = new MarketFollower({ ledger, signal, rpc, directory } as unknown as MarketComponents, () => {})
    const pools = PoolMap.empty.with(isNew ? [] : [pool])
    ledger.commit(new History([{ block: header(1), pools, changedIds: new Set() }]), null)
    const set = (change: { blocks?: BlockHeader[]; logs?: unknown[]; isDown?: boolean }) => {
      blocks = change.blocks ?? blocks
      logs = change.logs ?? logs
      isDown = change.isDown ?? isDown
    }
    return { following, reads, createdIds, set }
  }

  test('in a refresh is read again after 1, 2, 4, … blocks', async () => {
    const { following, reads } = poolFollower({ readableFrom: 9 })
    const states: unknown[] = []
    for (head = 2; head <= 10; head++) {
      await following.follow()
      states.push(stateAt())
    }
    expect(reads).toEqual([3, 5, 9])
    expect(states.slice(0, 7)).toEqual(Array(7).fill(undefined))
    expect(states.slice(7)).toEqual(['read again', 'refreshed at 10'])
  })

  test('after a log is read again', async () => {
    const { following, set } = poolFollower({ readableFrom: 3, isRefreshed: false })
    set({ logs: [{ logIndex: 0, topics: ['0x01'] }] })
    head = 2
    await following.follow()
    expect(stateAt()).toBeUndefined()
    set({ logs: [] })
    head = 3
    await following.follow()
    expect(stateAt()).toBe('read again')
  })

  test('in a repair is read again', async () => {
    const { following } = poolFollower({ readableFrom: 3, isRefreshed: false })
    head = 2
    await following.follow()
    await following.repair(new Set([pool.id]))
    expect(stateAt()).toBeUndefined()
    head = 3
    await following.follow()
    expect(stateAt()).toBe('read again')
  })

  test('is read again if the block is undone, but the other branch cannot be followed', async () => {
    const { following, set } = poolFollower({ readableFrom: 3 })
    head = 2
    await following.follow()
    expect(stateAt()).toBeUndefined()
    set({ blocks: [{ ...header(2), hash: '0x2b' }], isDown: true })
    await expect(following.follow()).rejects.toThrow('down')
    set({ blocks: [], isDown: false })
    head = 3
    await following.follow()
    expect(stateAt()).toBe('read again')
  })

  test('like one whose first read fails, is read again', async () => {
    const { following, reads } = poolFollower({ readableFrom: 4, isNew: true })
    following.retryUnread([pool.id], PoolMap.empty, header(1))
    for (head = 2; head <= 5; head++) await following.follow()
    expect([reads, stateAt()]).toEqual([[2, 4], 'refreshed at 5'])
  })

  test('like one that cannot be read when it is created, is read again', async () => {
    const { following, reads, createdIds } = poolFollower({ readableFrom: 3, isRefreshed: false, isNew: true })
    createdIds.push(pool.id)
    for (head = 2; head <= 3; head++) await following.follow()
    expect([reads, stateAt()]).toEqual([[2, 3], 'read again'])
  })

  test('like one of a late creation log that cannot be read, is read again', async () => {
    let now = 1_000_000
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const options = { readableFrom: 3, isRefreshed: false, isNew: true }
    const { following, reads, createdIds, set } = poolFollower(options)
    const block = { ...header(2), logsBloom: `0x${'f'.repeat(512)}` as Hex }
    head = 2
    set({ blocks: [block] })
    await following.follow()
    expect(reads).toEqual([])
    now += 20_000
    createdIds.push(pool.id)
    set({ logs: [{ logIndex: 0, topics: ['0x01'] }] })
    await following.follow()
    expect([reads, stateAt()]).toEqual([[2], undefined])
    head = 3
    set({ blocks: [], logs: [] })
    await following.follow()
    expect([reads, stateAt()]).toEqual([[2, 3], 'read again'])
  })

  test('is read again only as long as it has no state', async () => {
    const { following, reads } = poolFollower({ readableFrom: 1, isRefreshed: false })
    following.retryUnread([pool.id], ledger.history!.top.pools, header(1))
    for (head = 2; head <= 5; head++) await following.follow()
    expect(reads).toEqual([])
  })
})
