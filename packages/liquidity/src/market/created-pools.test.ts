/** Tests what a market knows of a pool that a new block creates, with a node in memory. */
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

const CREATION_TOPIC = '0xc'
const pool: Pool<null> = { id: at(9), family: 'lazy', dex: '', address: at(9), tokens: [at(1), at(2)], state: null }
const family = {
  ...{ id: 'lazy', topics: [], creationTopics: [CREATION_TOPIC], reserves: () => [], createdPool: () => ({ ...pool }) },
  readFixed: function* (_: DexRow, pools: readonly Pool<null>[]) {
    yield []
    return pools.map((created) => ({ ...created, fixed: 'facts' }))
  },
  readStates: function* (_: DexRow, pools: readonly unknown[]) {
    yield []
    return pools.map(() => 'state')
  },
}

test('a created pool keeps the immutable facts that were read with its first state', async () => {
  const row = { family: 'lazy', brand: '', role: 'factory', address: at(8) } as unknown as DexRow
  const chain = { hubs: [at(1), at(2)], stables: [], tokens: [], wrappedNative: null, dexes: [row] }
  const directory = new PoolDirectory(chain as unknown as Chain, [family] as never)
  const ledger = new Ledger(1)
  ledger.commit(new History([{ block: header(1), pools: PoolMap.empty, changedIds: new Set() }]), null)
  const rpc = {
    getBlock: async () => header(2),
    getLogs: async () => [{ address: at(8), topics: [CREATION_TOPIC], logIndex: 0 }],
  }
  const { signal } = new AbortController()
  const components = { ledger, signal, rpc, directory } as unknown as MarketComponents
  await new MarketFollower(components, () => {}).follow()
  expect(ledger.snapshot().pools.get(pool.id)).toEqual({ ...pool, fixed: 'facts', state: 'state' })
  // The market saves this entry, and the state that it saves with it is useless without the facts.
  const entry = directory.followedPools.get(pool.id)!
  expect([entry.pool.fixed, directory.isIncomplete(entry)]).toEqual(['facts', false])
})
