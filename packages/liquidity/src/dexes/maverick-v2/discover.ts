/** Finds pools of Maverick V2 factories. */
import { IMaverickV2Factory__factory, MaverickV2Lens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { type Lens, lensOf, lensRead } from '../../lenses.ts'
import { chunks } from '../common/chunks.ts'
import { type FactoryList, withDeepestPools } from '../common/deepest-pools.ts'
import { sortPair } from '../common/direction.ts'
import { pairPool } from '../common/pair-discover.ts'

export const LENS: Lens = lensOf('MaverickV2Lens')
/**
 * Maximum pools of a token pair. If there are more, the deepest ones are taken. Anyone can create any number of pools
 * for a pair, with different parameters.
 */
const MAX_POOLS_OF_PAIR = 16
/** Maximum token pairs per read. */
const PAIRS_PER_READ = 200
/** Estimated gas per token pair: two calls, and one storage read per pool. */
const PAIR_GAS = 60_000

/** Result of the lens for one pool. `pair` is the index of the pair in the request. */
type FoundPool = { readonly pair: bigint; readonly pool: string }
const findCodec = callCodec<[factory: string, tokens: string[], max: bigint], [FoundPool[]]>(
  MaverickV2Lens__factory.createInterface(),
  'find',
)
const factoryInterface = IMaverickV2Factory__factory.createInterface()
const POOL_BY_INDEX = factoryInterface.getFunction('lookup').selector

export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const batches = chunks(pairs.map(sortPair), PAIRS_PER_READ)
  const answers = yield batches.map((batch) =>
    lensRead(LENS, findCodec.encode(row.address, batch.flat(), BigInt(MAX_POOLS_OF_PAIR)), PAIR_GAS * batch.length),
  )
  const lists = batches.flatMap((batch, batchIndex) => {
    const answer = answers[batchIndex]
    if (!answer) return []
    const poolsByPair = Map.groupBy(findCodec.decode(answer)[0], ({ pair }) => pair)
    return Array.from(poolsByPair, ([pair, foundPools]): FactoryList => {
      const pools = foundPools.map(({ pool }) => toAddress(pool))
      return { factory: row.address, tokens: batch[Number(pair)]!, pools, isCut: pools.length === MAX_POOLS_OF_PAIR }
    })
  })
  const completeLists = yield* withDeepestPools(lists, POOL_BY_INDEX, MAX_POOLS_OF_PAIR)
  return completeLists.flatMap(({ pools, tokens }) => pools.map((pool) => pairPool(row, pool, tokens)))
}

export const creationTopics: readonly Hex[] = [factoryInterface.getEvent('PoolCreated').topicHash as Hex]

/** Returns the pool of a creation log. Null if it has an accessor, an account that can change the fee or stop swaps. */
export function createdPool(row: DexRow, log: Log): Pool<null> | null {
  const { poolAddress, tokenA, tokenB, accessor } = factoryInterface.decodeEventLog('PoolCreated', log.data, log.topics)
  if (toAddress(accessor) !== ZERO_ADDRESS) return null
  return pairPool(row, toAddress(poolAddress), [toAddress(tokenA), toAddress(tokenB)])
}
