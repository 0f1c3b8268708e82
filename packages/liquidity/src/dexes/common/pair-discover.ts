/** Finds pools of factories with one pool per pair, by getter or by creation log. */
import { PairLens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Interface } from 'ethers'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { lensRead, PAIR_LENS } from '../../lenses.ts'
import { nonzeroAddresses } from './address-list.ts'
import { chunks } from './chunks.ts'
import { sortPair } from './direction.ts'
import { contractPool } from './make-pool.ts'

export const findByGetterCodec = callCodec<[factory: string, getter: string, pairs: string[]], [string[]]>(
  PairLens__factory.createInterface(),
  'find',
)

/** Maximum pairs per read. They take about 2.5 million gas, and 32 kB of calldata. */
const PAIRS_PER_READ = 500

/** Finds the pool of each pair. @param getter - selector of the factory's getter of a pool by its two tokens */
function* findByPair(row: DexRow, pairs: readonly TokenPair[], getter: string): Reads<readonly Pool<null>[]> {
  const batches = chunks(pairs, PAIRS_PER_READ)
  const answers = yield batches.map((batch) =>
    lensRead(PAIR_LENS, findByGetterCodec.encode(row.address, getter, batch.flat()), 5_000 * batch.length),
  )
  return batches.flatMap((batch, batchIndex) => {
    const answer = answers[batchIndex]
    if (!answer) return []
    return Array.from(nonzeroAddresses(answer), ([i, address]) => pairPool(row, address, batch[i]!))
  })
}

/** Returns a two-token pool that is a contract, without its state. Sorts the tokens. */
export function pairPool(row: DexRow, address: Address, pair: readonly [Address, Address]): Pool<null> {
  return contractPool(row, address, sortPair(pair))
}

/**
 * Returns `creationTopics` and `createdPool` of a family, for `PoolCreated` logs, which contain both tokens and the
 * pool.
 */
export function poolCreation(factory: Interface) {
  return {
    creationTopics: [factory.getEvent('PoolCreated')!.topicHash as Hex] as readonly Hex[],
    createdPool(row: DexRow, log: Log): Pool<null> {
      const { token0, token1, pool } = factory.decodeEventLog('PoolCreated', log.data, log.topics)
      return pairPool(row, toAddress(pool), [toAddress(token0), toAddress(token1)])
    },
  }
}

/**
 * Returns `findPools`, `creationTopics`, and `createdPool` of a family whose factory has one pool per pair.
 *
 * @param getter - name of the factory's getter of a pool by its two tokens
 * @param createdEvent - name of the creation event, which contains both tokens and the pool
 */
export function pairFactory(factory: Interface, getter: string, createdEvent: string) {
  const { selector } = factory.getFunction(getter)!
  const event = factory.getEvent(createdEvent)!
  return {
    findPools: (row: DexRow, pairs: readonly TokenPair[]) => findByPair(row, pairs, selector),
    creationTopics: [event.topicHash as Hex] as readonly Hex[],
    createdPool(row: DexRow, log: Log): Pool<null> {
      const [token0, token1, pool] = factory.decodeEventLog(event, log.data, log.topics)
      return pairPool(row, toAddress(pool), [toAddress(token0), toAddress(token1)])
    },
  }
}
