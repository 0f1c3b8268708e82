/** Finds pools of Liquidity Book factories. */
import { ILiquidityBookFactory__factory, LiquidityBookLens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { LIQUIDITY_BOOK_LENS, lensRead } from '../../lenses.ts'
import { chunks } from '../common/chunks.ts'
import { contractPool } from '../common/make-pool.ts'

/** Result of the lens for one pool. `index` is the index of the pair in the request. */
type FoundPool = { readonly index: bigint; readonly pool: string; readonly tokenX: string }
const findCodec = callCodec<[factory: string, pairs: string[]], [FoundPool[]]>(
  LiquidityBookLens__factory.createInterface(),
  'find',
)
const factoryInterface = ILiquidityBookFactory__factory.createInterface()

/** Maximum token pairs per read. They take about 3 million gas if some pairs have pools of several bin steps. */
const PAIRS_PER_READ = 250

export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const batches = chunks(pairs, PAIRS_PER_READ)
  const answers = yield batches.map((batch) =>
    lensRead(LIQUIDITY_BOOK_LENS, findCodec.encode(row.address, batch.flat()), 12_000 * batch.length),
  )
  return batches.flatMap((batch, batchIndex) => {
    const answer = answers[batchIndex]
    if (!answer) return []
    const [foundPools] = findCodec.decode(answer)
    return foundPools.map(({ index, pool, tokenX }) => {
      const [first, second] = batch[Number(index)]!
      return contractPool(row, toAddress(pool), toAddress(tokenX) === first ? [first, second] : [second, first])
    })
  })
}

export const creationTopics: readonly Hex[] = [factoryInterface.getEvent('LBPairCreated').topicHash as Hex]

/** Returns the pool of a creation log. */
export function createdPool(row: DexRow, log: Log): Pool<null> | null {
  const { tokenX, tokenY, LBPair } = factoryInterface.decodeEventLog('LBPairCreated', log.data, log.topics)
  return contractPool(row, toAddress(LBPair), [toAddress(tokenX), toAddress(tokenY)])
}
