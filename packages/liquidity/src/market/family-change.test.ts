/** Tests what a market does after a pool went from its exact family to the sampled twin or back, with a node in memory. */
import { type Address, type Chain, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'
import { expect, test } from 'vitest'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { type MarketComponents, MarketFollower } from './follow.ts'
import { History } from './history.ts'
import { Ledger } from './ledger.ts'
import { PoolDirectory } from './pool-directory.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const header = (number: number): BlockHeader => ({
  ...{ number, hash: `0x${number}` as Hex, parentHash: `0x${number - 1}` as Hex, timestamp: number },
  ...{ gasLimit: 1n, baseFeePerGas: null, miner: at(0) },
})

const [exactRow, twinRow] = ['erc4626', 'erc4626-sampled'].map(
  (family) => ({ family, brand: family, role: 'factory', address: at(8) }) as unknown as DexRow,
) as [DexRow, DexRow]
const poolOf = (family: string, state: unknown) =>
  ({ ...{ id: 'moved', family, dex: family, address: at(9), tokens: [at(1), at(2)] }, state }) as Pool
const exact = poolOf('erc4626', 'exact')
const twin = { ...poolOf('erc4626-sampled', 'sample of block 2'), fixed: { exact: undefined } }

const PAUSED = '0xdd' as Hex
/** Log of one pool, with the pool's id in its data. */
const POOL_PAUSED = '0xee' as Hex

/** A follower at block 2 of a pool whose family has changed once, or back too, and the change that it reports next. */
async function followingAfter(
  mapsOfBlocks: readonly PoolMap[],
  isHandedBack: boolean,
  next: BlockHeader,
  { exactState = null as unknown, logs = [] as readonly object[] } = {},
) {
  const familyOf = (row: DexRow, state: unknown, overrides: object) => ({
    ...{ id: row.family, topics: [], reserves: () => [], rowsOf: (of: DexRow) => (of === exactRow ? [row] : []) },
    ...overrides,
    readStates: function* (_: DexRow, batch: readonly unknown[]) {
      yield []
      return batch.map(() => state)
    },
  })
  const families = [
    familyOf(exactRow, exactState, {
      ...{ contractTopics: [PAUSED], topics: [POOL_PAUSED], resumeTopics: [POOL_PAUSED] },
      poolIdOf: ({ data }: { data: string }) => data,
      applyLog: (_: unknown, { address }: { address: Address }) => (address === at(8) ? 'reread' : 'ignore'),
    }),
    familyOf(twinRow, 'first sample', {
      sampled: {},
      refreshStates: function* (_: DexRow, batch: readonly unknown[]) {
        yield []
        return batch.map(() => 'sampled again')
      },
    }),
  ]
  const chain = { hubs: [at(1), at(2)], stables: [], tokens: [], wrappedNative: null, dexes: [exactRow] }
  const directory = new PoolDirectory(chain as unknown as Chain, families as never)
  directory.add({ row: directory.rows[0]!, pool: { ...exact, state: null } })
  expect(directory.handOver('moved')).toBe(true)
  if (isHandedBack) directory.handBack('moved')
  const rpc = {
    getBlock: async (ref: unknown) => (ref === 'latest' ? next : null),
    getLogs: async () => logs,
  }
  const { signal } = new AbortController()
  const ledger = new Ledger(1)
  const entries = mapsOfBlocks.map((pools, k) => ({ block: header(k + 1), pools, changedIds: new Set<string>() }))
  ledger.commit(new History(entries), null)
  const changes: unknown[] = []
  ledger.onSnapshot(({ changedIds }) => changes.push(changedIds))
  const components = { ledger, signal, rpc, directory } as unknown as MarketComponents
  await new MarketFollower(components, () => {}).follow()
  const pools = [...ledger.snapshot().pools.values()].map(({ family, state }) => [family, state])
  return { pools, family: directory.followedPools.get('moved')!.row.family, changes }
}
const fork = { ...header(2), hash: '0x2b' as Hex }
const of = (...pools: readonly Pool[]) => PoolMap.empty.with(pools)

test.each([
  ['a reorg of its block', [of(exact), of(twin)], fork],
  ['a failure in its block', [of(), of(exact)], header(3)],
] as const)('outlasts %s: the pool is sampled again', async (_, maps, next) => {
  expect(await followingAfter(maps, false, next)).toEqual({
    pools: [['erc4626-sampled', 'first sample']],
    family: 'erc4626-sampled',
    changes: [['moved']],
  })
})

test.each([
  ['a reorg of its block', [of(twin), of()], fork],
  ['a failure in its block', [of(), of(twin)], header(3)],
] as const)('back to the exact one outlasts %s: old samples are dropped', async (_, maps, next) => {
  expect(await followingAfter(maps, true, next)).toEqual({ pools: [], family: 'erc4626', changes: [['moved']] })
})

test.each([
  ['its own contract', at(9)],
  ['the contract of its row', at(8)],
])('is undone by a log of %s, such as the end of a pause', async (_, address) => {
  const follow = (exactState: unknown) =>
    followingAfter([of(exact), of(twin)], false, header(3), { exactState, logs: [{ address, topics: [PAUSED] }] })
  expect(await follow('read again')).toEqual({
    pools: [['erc4626', 'read again']],
    family: 'erc4626',
    changes: [['moved']],
  })
  expect(await follow(null)).toMatchObject({ pools: [['erc4626-sampled', 'first sample']], family: 'erc4626-sampled' })
})

test('is undone by a log of the pool, such as the end of its own pause, unless another contract emits the log', async () => {
  const follow = (address: Address, data: string) =>
    followingAfter([of(exact), of(twin)], false, header(3), {
      exactState: 'read again',
      logs: [{ address, data, topics: [POOL_PAUSED] }],
    })
  expect(await follow(at(8), 'moved')).toEqual({
    pools: [['erc4626', 'read again']],
    family: 'erc4626',
    changes: [['moved']],
  })
  for (const sampled of [follow(at(7), 'moved'), follow(at(8), 'other')])
    expect(await sampled).toMatchObject({ pools: [['erc4626-sampled', 'sampled again']], family: 'erc4626-sampled' })
})
