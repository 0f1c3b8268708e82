/** Tests when work at a block is repeated, and how reads of incomplete pools are recorded, with a node in memory. */
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { type BlockHeader, RpcError } from '@sluice/rpc'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { MarketError } from '../errors.ts'
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
/** Functions of a directory for logs that neither create pools nor change the family of a pool. */
const noChanges = {
  ...{ registerCreatedPools: () => [], handBackAfter: () => {}, statelessIdsIn: () => [], outdatedIds: () => [] },
}
const GONE = new RpcError('BLOCK_GONE', 'gone')

let ledger: Ledger
let follower: MarketFollower
/** Number of the newest block. */
let head: number
/** Numbers of the blocks that the work was done at. */
let attempts: number[]
const commit = (number: number) =>
  ledger.commit(new History([{ block: header(number), pools: PoolMap.empty, changedIds: new Set() }]), null)

afterEach(() => void vi.restoreAllMocks())
beforeEach(() => {
  ledger = new Ledger(1)
  head = 1
  attempts = []
  const signal = new AbortController().signal
  follower = new MarketFollower({ ledger, signal, rpc: {}, directory: {} } as unknown as MarketComponents, () => {})
  follower.follow = async () => {
    commit(head)
    return ledger.snapshot()
  }
  commit(1)
})

/** Work that fails as many times as there are errors; `advance` moves the head before the failure. */
const workWith = (errors: readonly Error[], advances: boolean) => async (block: BlockHeader) => {
  attempts.push(block.number)
  const error = errors[attempts.length - 1]
  if (!error) return 'done'
  if (advances) head++
  throw error
}

test.each([
  ['a block that is gone', GONE],
  ['a reorg', new MarketError('REORGED', 'gone')],
])('work that fails because of %s is repeated at the next block', async (_, error) => {
  expect(await follower.retryOnReorg(workWith([error, error], true))).toBe('done')
  expect(attempts).toEqual([1, 2, 3])
})

test('a block that is gone is tried again while the node still announces it', async () => {
  expect(await follower.retryOnReorg(workWith([GONE, GONE], false))).toBe('done')
  expect(attempts).toEqual([1, 1, 1])
})

test('another failure at a block that stays is not repeated', async () => {
  const error = new RpcError('LAGGING', 'behind')
  await expect(follower.retryOnReorg(workWith([error], false))).rejects.toBe(error)
  expect(attempts).toEqual([1])
  attempts = []
  expect(await follower.retryOnReorg(workWith([error], true))).toBe('done')
  expect(attempts).toEqual([1, 2])
})

test('a failure that no block explains is thrown at once, and any other after eight attempts', async () => {
  const broken = new RpcError('UNREACHABLE', 'down')
  await expect(follower.retryOnReorg(workWith([broken], true))).rejects.toBe(broken)
  expect(attempts).toEqual([1])
  attempts = []
  head = 1
  commit(1)
  await expect(follower.retryOnReorg(workWith(Array(99).fill(GONE), true))).rejects.toBe(GONE)
  expect(attempts).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

test('a failed read of immutable facts is recorded, unless the pool was read or dropped meanwhile', async () => {
  const pools = [1, 2, 3, 4, 5].map((n) => ({ id: `${n}`, address: at(n), tokens: [], state: null }))
  const row = { family: 'test' } as unknown as DexRow
  const entries = new Map(pools.map((pool) => [pool.id, { row, pool }]))
  const completed = new Set<string>()
  const recorded: string[] = []
  const directory = {
    followedPools: entries,
    sampling: { has: () => false },
    isIncomplete: ({ pool }: { pool: { id: string } }) => pool.id < '4' && !completed.has(pool.id),
    isDueToComplete: ({ pool }: { pool: { id: string } }) => pool.id < '4',
    complete: ({ pool }: { pool: { id: string } }) => completed.add(pool.id),
    recordIncomplete: ({ pool }: { pool: { id: string } }, block: number) => recorded.push(`${pool.id} at ${block}`),
    isCurrent: ({ id }: { id: string }) => entries.has(id),
    families: new Map([
      [
        'test',
        {
          // The first pool has no facts yet, and the third is dropped during the read.
          readFixed: function* (_: DexRow, batch: readonly { id: string }[]) {
            entries.delete('3')
            return batch.map((pool) => (pool.id === '2' ? pool : null))
          },
          readStates: function* (_: DexRow, batch: readonly { id: string }[]) {
            // The fifth pool is dropped while its state is read.
            entries.delete('5')
            return batch.map(({ id }) => `state of ${id}`)
          },
        },
      ],
    ]),
  }
  const { signal } = new AbortController()
  const reader = new MarketFollower({ ledger, signal, rpc: {}, directory } as unknown as MarketComponents, () => {})
  const read = await reader.read(header(7), ['1', '2', '3', '4', '5', 'unknown'])
  expect(read.map(({ id, state }) => [id, state])).toEqual([
    ['4', 'state of 4'],
    ['2', 'state of 2'],
  ])
  expect(recorded).toEqual(['1 at 7'])
})

describe('a reorg', () => {
  const poolOf = (id: string): Pool => ({ id, family: 'test', dex: '', address: at(9), tokens: [], state: 0 })
  const [oldPool, newPool] = [poolOf('kept'), poolOf('added')]
  const fork = (number: number, name: string, parent: string): BlockHeader => ({
    ...header(number),
    ...{ hash: `0x${number}${name}` as Hex, parentHash: `0x${number - 1}${parent}` as Hex },
  })
  const row = { family: 'test' } as unknown as DexRow
  const pools = { old: PoolMap.empty.with([oldPool]), both: PoolMap.empty.with([oldPool, newPool]) }

  /** A follower of blocks 1 and 2, and the blocks to which its node switches; `readState` reads one pool. */
  function following(poolsOf: readonly [PoolMap, PoolMap], followed: readonly Pool[], readState: () => unknown) {
    const family = {
      readStates: function* (_: DexRow, batch: readonly unknown[]) {
        yield []
        return batch.map(readState)
      },
    }
    const directory = {
      followedPools: new Map(followed.map((pool) => [pool.id, { row, pool }])),
      families: new Map([['test', family]]),
      sampling: { size: 0, has: () => false },
      ...{ handOver: () => false, isCurrent: () => true },
      ...{ topics: [], poolIdsOf: () => [], isIncomplete: () => false, isDueToComplete: () => false },
      ...{ ...noChanges, chooseSilentIds: () => [] },
    }
    const blocks: BlockHeader[] = []
    const rpc = {
      getBlock: async (ref: unknown) =>
        ref === 'latest'
          ? blocks.at(-1)
          : (blocks.find(({ number, hash }) => number === ref || hash === (ref as { blockHash?: Hex }).blockHash) ??
            null),
      getLogs: async () => [],
    }
    const { signal } = new AbortController()
    const components = { ledger, signal, rpc, directory } as unknown as MarketComponents
    const entries = poolsOf.map((ownPools, k) => ({
      ...{ block: fork(k + 1, '', ''), pools: ownPools, changedIds: new Set<string>() },
    }))
    ledger.commit(new History(entries), null)
    return { blocks, rpc, follower: new MarketFollower(components, () => {}) }
  }

  test('after which the follower reads pools again reports them, also if that block is reorged away', async () => {
    let reads = 0
    // The pool was found while the second block was the newest one. The second branch does not have it.
    const { blocks, follower } = following([pools.old, pools.both], [oldPool, newPool], () =>
      ++reads === 1 ? 'read' : null,
    )
    const changes: unknown[] = []
    ledger.onSnapshot(({ block, changedIds }) => changes.push([block.hash, changedIds]))
    blocks.push(fork(2, 'b', ''))
    await follower.follow()
    expect(ledger.snapshot().pools.get('added')).toMatchObject({ state: 'read' })
    blocks.push(fork(2, 'c', ''))
    await follower.follow()
    expect([...ledger.snapshot().pools.values()]).toEqual([oldPool])
    expect(changes).toEqual([
      ['0x2b', ['added']],
      ['0x2c', ['added']],
    ])
  })

  test('after which a pool cannot be read at first is followed by another read of this pool', async () => {
    let reads = 0
    const { blocks, follower } = following([pools.old, pools.both], [oldPool, newPool], () =>
      ++reads === 1 ? null : 'read again',
    )
    blocks.push(fork(2, 'b', ''))
    await follower.follow()
    expect(ledger.snapshot().pools.has('added')).toBe(false)
    blocks.push(fork(3, 'b', 'b'))
    await follower.follow()
    expect(ledger.snapshot().pools.get('added')).toMatchObject({ state: 'read again' })
  })

  test('and logs that the node refuses lead to another reading of all pools if the first one fails', async () => {
    let reads = 0
    const { blocks, rpc, follower } = following([pools.old, pools.old], [oldPool], () => {
      if (++reads === 1) throw new RpcError('UNREACHABLE', 'down')
      return 'read'
    })
    rpc.getLogs = async () => {
      throw new RpcError('UNSUPPORTED', 'no logs')
    }
    blocks.push(fork(2, 'b', ''))
    await expect(follower.follow()).rejects.toThrow('down')
    await follower.follow()
    expect(ledger.snapshot().pools.get('kept')).toMatchObject({ state: 'read' })
    // The node refuses the logs of the next block too.
    blocks.push(fork(3, 'b', 'b'))
    await expect(follower.follow()).rejects.toThrow('no logs')
  })

  test('restores no pool that was dropped in an undone block, unless it is followed again', async () => {
    for (const [followed, expectedPools] of [
      [[oldPool], [oldPool]],
      [
        [oldPool, newPool],
        [oldPool, newPool],
      ],
    ] as const) {
      const { blocks, follower } = following([pools.both, pools.old], followed, () => null)
      blocks.push(fork(2, 'b', ''))
      await follower.follow()
      expect([...ledger.snapshot().pools.values()]).toEqual(expectedPools)
    }
  })
})

describe('sampled pools', () => {
  /** A follower of a normal pool, and of three sampled ones, of which the budget selects two. The last one cannot be read. */
  function sampled() {
    const ids = ['normal', 'due', 'later', 'unreadable']
    const pools = ids.map((id) => ({ id, address: at(1), tokens: [], state: null }))
    const row = { family: 'test' } as unknown as DexRow
    const calls: unknown[] = []
    const directory = {
      followedPools: new Map(pools.map((pool) => [pool.id, { row, pool }])),
      sampling: {
        has: (id: string) => id !== 'normal',
        choose: (_: PoolMap, block: number) => {
          calls.push(['choose', block])
          return { sampledIds: new Set(['due']), unsampledIds: new Set(['unreadable']) }
        },
        recordSample: (...of: unknown[]) => calls.push(['sample', ...of]),
      },
      ...{ isIncomplete: () => false, isDueToComplete: () => false, isCurrent: () => true },
      handBack: (id: string) => calls.push(['hand back', id]),
      handOver: (id: string) => calls.push(['hand over', id]) < 0,
      families: new Map([
        [
          'test',
          {
            readStates: function* (_: DexRow, batch: readonly { id: string }[]) {
              return batch.map(({ id }) => (id === 'unreadable' ? null : `state of ${id}`))
            },
          },
        ],
      ]),
    }
    const { signal } = new AbortController()
    const components = { ledger, signal, rpc: {}, directory } as unknown as MarketComponents
    const reader = new MarketFollower(components, () => {})
    const readIds = async (of: readonly string[], chosenIds?: ReadonlySet<string>) =>
      (await reader.read(header(7), of, 'quote', chosenIds)).map(({ id }) => id)
    return { ids, calls, readIds }
  }

  test('are read within their budget, and go back if they cannot be sampled', async () => {
    const { ids, calls, readIds } = sampled()
    expect(await readIds(ids)).toEqual(['normal', 'due'])
    expect(calls).toEqual([
      ['choose', 7],
      ['sample', 'due', true, 7],
      ['sample', 'unreadable', false, 7],
      ['hand back', 'unreadable'],
    ])
  })

  test('may be chosen by the caller', async () => {
    const { ids, calls, readIds } = sampled()
    expect(await readIds(ids, new Set(['later']))).toEqual(['normal', 'later'])
    expect(calls).toEqual([['sample', 'later', true, 7]])
  })

  test('take no budget if none is read', async () => {
    const { calls, readIds } = sampled()
    expect(await readIds(['normal', 'unknown'])).toEqual(['normal'])
    expect(calls).toEqual([])
  })
})

describe('samples of a block', () => {
  const block = header(1)
  const next = { ...header(2), parentHash: block.hash }
  const ids = ['again', 'first', 'stale', 'silenced']
  const poolOf = (id: string, state: unknown) => ({ id, family: 'test', dex: '', address: at(9), tokens: [], state })

  /** A follower of sampled pools with states at block 1, except `first`. */
  function samplingFollower() {
    const calls: unknown[] = []
    const row = { family: 'test' } as unknown as DexRow
    const family = {
      topics: [],
      refreshStates: function* (_: DexRow, batch: readonly { id: string }[]) {
        return batch.map(({ id }) => (id === 'again' ? 'sampled again' : null))
      },
      readStates: function* (_: DexRow, batch: readonly { id: string }[]) {
        return batch.map(() => 'first sample')
      },
      sampled: {
        refine: function* (_: DexRow, { id }: { id: string }, swaps: readonly unknown[]) {
          calls.push(['refine', id, swaps])
          yield []
          return id === 'stale' ? null : `refined ${id}`
        },
      },
    }
    const directory = {
      followedPools: new Map(ids.map((id) => [id, { row, pool: poolOf(id, null) }])),
      families: new Map([['test', family]]),
      familyOf: () => family,
      sampling: {
        ...{ size: 4, has: () => true, ids: () => ids },
        choose: () => ({ sampledIds: new Set(['again', 'silenced']), unsampledIds: new Set(['first']) }),
        recordSample: (...of: unknown[]) => calls.push(of),
      },
      ...{ handBack: (id: string) => calls.push(['hand back', id]), isCurrent: () => true, chooseSilentIds: () => [] },
      ...{ topics: [], poolIdsOf: () => [], isIncomplete: () => false, isDueToComplete: () => false },
      ...noChanges,
    }
    const rpc = { getBlock: async () => next, getLogs: async () => [] }
    const { signal } = new AbortController()
    const following = new MarketFollower({ ledger, signal, rpc, directory } as unknown as MarketComponents, () => {})
    const states = PoolMap.empty.with(['again', 'stale', 'silenced'].map((id) => poolOf(id, 'old')) as never)
    ledger.commit(new History([{ block, pools: states, changedIds: new Set() }]), null)
    const stateOf = () => Object.fromEntries([...ledger.snapshot().pools.values()].map(({ id, state }) => [id, state]))
    return { following, calls, stateOf, directory }
  }

  test('replace the states of chosen pools; other pools, and those that refuse every swap, lose theirs', async () => {
    const { following, calls, stateOf } = samplingFollower()
    const changes: unknown[] = []
    ledger.onSnapshot(({ changedIds }) => changes.push([...changedIds!].sort()))
    await following.follow()
    expect(stateOf()).toEqual({ again: 'sampled again', first: 'first sample' })
    expect(changes).toEqual([['again', 'first', 'silenced', 'stale']])
    expect(calls).toEqual([
      ['first', true, 2],
      ['silenced', false, 2],
      ['hand back', 'silenced'],
    ])
  })

  test('are refined at the inputs of swaps, and published as another snapshot of the block', async () => {
    const { following, calls, stateOf } = samplingFollower()
    const changes: unknown[] = []
    ledger.onSnapshot(({ block: { number }, changedIds }) => changes.push([number, changedIds]))
    const swaps = new Map([...ids, 'unknown'].map((id) => [id, [`swap of ${id}`]])) as never
    await following.refine(block, swaps)
    expect(calls.map((call) => (call as unknown[])[1])).toEqual(['again', 'stale', 'silenced'])
    expect(calls[0]).toEqual(['refine', 'again', ['swap of again']])
    expect(stateOf()).toEqual({ again: 'refined again', stale: 'old', silenced: 'refined silenced' })
    expect(changes).toEqual([[1, ['again', 'silenced']]])
    expect([...ledger.history!.top.changedIds]).toEqual(['again', 'silenced'])
  })

  test('are not refined at another block than the newest, before or after the reads', async () => {
    const { following, calls, stateOf } = samplingFollower()
    const swaps = new Map([['again', []]])
    await following.refine(next, swaps)
    expect(calls).toEqual([])
    const pending = following.refine(block, swaps)
    ledger.commit(new History([{ block: next, pools: ledger.history!.top.pools, changedIds: new Set() }]), [])
    await pending
    expect([calls.length, stateOf().again]).toEqual([1, 'old'])
  })

  test('are not refined if a replay that has not ended has handed their pool back', async () => {
    const { following, calls, stateOf, directory } = samplingFollower()
    const sampledFamily = directory.familyOf()
    Object.assign(directory, {
      isCurrent: ({ id }: { id: string }) => id !== 'again',
      familyOf: ({ family }: DexRow) => (family === 'exact' ? {} : sampledFamily),
    })
    directory.followedPools.set('again', { row: { family: 'exact' } as unknown as DexRow, pool: poolOf('again', null) })
    await following.refine(block, new Map(['again', 'silenced'].map((id) => [id, []])))
    expect(calls).toEqual([['refine', 'silenced', []]])
    expect(stateOf()).toMatchObject({ again: 'old', silenced: 'refined silenced' })
  })

  test('of a pool that changed or was dropped meanwhile are not replaced', async () => {
    const { following, stateOf, directory } = samplingFollower()
    const pending = following.refine(block, new Map(ids.map((id) => [id, []])))
    const { pools } = ledger.history!.top
    const changed = pools.with([poolOf('again', 'newer') as never])
    ledger.commit(new History([{ block, pools: changed, changedIds: new Set() }]), ['again'])
    Object.assign(directory, { isCurrent: ({ id }: { id: string }) => id !== 'silenced' })
    await pending
    expect(stateOf()).toEqual({ again: 'newer', stale: 'old', silenced: 'old' })
  })
})

test.each(['getLogs', 'readStates'])('logs that arrive late are not lost if %s fails meanwhile', async (method) => {
  let now = 1_000_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const pool = { id: 'pool', family: 'test', dex: '', address: at(9), tokens: [], state: 'old' }
  const row = { family: 'test' } as unknown as DexRow
  let failing: string | undefined
  const failIf = (name: string) => {
    if (name === failing) throw new RpcError('UNREACHABLE', 'down')
  }
  const family = {
    topics: [],
    readStates: function* (_: DexRow, batch: readonly unknown[]) {
      failIf('readStates')
      return batch.map(() => 'new')
    },
  }
  const directory = {
    followedPools: new Map([['pool', { row, pool }]]),
    families: new Map([['test', family]]),
    sampling: { size: 0, has: () => false },
    ...{ handOver: () => false, isCurrent: () => true, poolIdsOf: () => ['pool'] },
    ...{ topics: ['0x01'], isIncomplete: () => false, isDueToComplete: () => false },
    ...{ ...noChanges, chooseSilentIds: () => [] },
  }
  let logs: readonly object[] = []
  const block = { ...header(2), logsBloom: `0x${'f'.repeat(512)}` as Hex }
  const rpc = {
    getBlock: async () => block,
    getLogs: async () => {
      failIf('getLogs')
      return logs
    },
  }
  const { signal } = new AbortController()
  const following = new MarketFollower({ ledger, signal, rpc, directory } as unknown as MarketComponents, () => {})
  const pools = PoolMap.empty.with([pool])
  ledger.commit(new History([{ block: header(1), pools, changedIds: new Set() }]), null)
  await following.follow()
  expect(ledger.snapshot()).toMatchObject({ block: { number: 2 } })
  logs = [{ topics: ['0x01'], logIndex: 0 }]
  failing = method
  // More failures than a block has checks.
  for (let k = 0; k < 6; k++) {
    now += 20_000
    await following.follow()
  }
  expect(ledger.snapshot().pools.get('pool')!.state).toBe('old')
  failing = undefined
  now += 20_000
  await following.follow()
  expect(ledger.snapshot().pools.get('pool')!.state).toBe('new')
})

describe('a repair', () => {
  test('corrects pools that differ, and drops those that can no longer be read', async () => {
    const poolOf = (id: string, state: unknown) => ({ id, family: 'test', dex: '', address: at(9), tokens: [], state })
    const ids = ['same', 'different', 'gone']
    const row = { family: 'test' } as unknown as DexRow
    const onChain: Readonly<Record<string, unknown>> = { same: { x: 1n }, different: { x: 2n }, gone: null }
    const family = {
      readStates: function* (_: DexRow, batch: readonly { id: string }[]) {
        return batch.map(({ id }) => onChain[id])
      },
    }
    const directory = {
      followedPools: new Map(ids.map((id) => [id, { row, pool: poolOf(id, null) }])),
      families: new Map([['test', family]]),
      ...{ sampling: { has: () => false }, isIncomplete: () => false, isDueToComplete: () => false },
      ...{ handOver: () => false, isCurrent: () => true },
    }
    const { signal } = new AbortController()
    const repairing = new MarketFollower(
      { ledger, signal, rpc: {}, directory } as unknown as MarketComponents,
      () => {},
    )
    const pools = PoolMap.empty.with(ids.map((id) => poolOf(id, { x: 1n })) as never)
    ledger.commit(new History([{ block: header(1), pools, changedIds: new Set(['earlier']) }]), null)
    const changes: unknown[] = []
    ledger.onSnapshot(({ changedIds }) => changes.push(changedIds))
    expect(await repairing.repair(new Set(['same']))).toBe(0)
    expect(changes).toEqual([])
    expect(await repairing.repair(new Set([...ids, 'unknown']))).toBe(2)
    expect(changes).toEqual([['different', 'gone']])
    expect([...ledger.history!.top.changedIds]).toEqual(['earlier', 'different', 'gone'])
    expect(ledger.snapshot().pools.get('different')!.state).toEqual({ x: 2n })
    expect(ledger.snapshot().pools.has('gone')).toBe(false)
  })
})
