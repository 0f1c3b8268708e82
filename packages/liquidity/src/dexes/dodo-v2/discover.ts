/** Finds pools of DODO V2 factories. */
import { DodoV2Lens__factory, IDodoV2Factory__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { id } from 'ethers'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { lensOf, lensRead } from '../../lenses.ts'
import { chunks } from '../common/chunks.ts'
import { type FactoryList, withDeepestPools } from '../common/deepest-pools.ts'
import { contractPool } from '../common/make-pool.ts'

const LENS = lensOf('DodoV2Lens')
const lensInterface = DodoV2Lens__factory.createInterface()
/** Result of the lens for one pool. The zero address stands for a list with more than `MAX_POOLS` pools. */
type FoundPool = {
  /** Index of the pair in the request. */
  readonly index: bigint
  /** Index of the factory in the request. */
  readonly factory: bigint
  readonly pool: string
  /** True if the first token of the pair is the base token. */
  readonly firstIsBase: boolean
}
const findCodec = callCodec<[factories: readonly string[], pairs: string[], maxPools: number], [FoundPool[]]>(
  lensInterface,
  'find',
)
const factoryInterface = IDodoV2Factory__factory.createInterface()

const POOL_BY_INDEX = factoryInterface.getFunction('_REGISTRY_').selector

const PAIRS_PER_READ = 50
/** Maximum pools per factory and token order. If there are more, the deepest ones are taken. */
const MAX_POOLS = 8

/**
 * Returns all factories of a row. Each factory creates one kind of pool. The row's address is one of them. `contracts`
 * of the row contains the other ones, under names such as `dvmFactory` and `dppFactory2`.
 */
function factoriesOf({ address, contracts = {} }: DexRow): readonly Address[] {
  const otherFactories = Object.entries(contracts).filter(([name]) => /^(dvm|dpp|dsp|gsp)Factory\d*$/.test(name))
  return [...new Set([address, ...otherFactories.map(([, factory]) => factory)])]
}

export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const factories = factoriesOf(row)
  const batches = chunks(pairs, PAIRS_PER_READ)
  const answers = yield batches.map((batch) =>
    lensRead(LENS, findCodec.encode(factories, batch.flat(), MAX_POOLS), 12_000 * factories.length * batch.length),
  )
  const lists = batches.flatMap((batch, batchIndex) => {
    const answer = answers[batchIndex]
    if (!answer) return []
    return findCodec.decode(answer)[0].map(({ index, factory, pool, firstIsBase }): FactoryList => {
      const [first, second] = batch[Number(index)]!
      const isCut = BigInt(pool) === 0n
      return {
        factory: factories[Number(factory)]!,
        tokens: firstIsBase ? [first, second] : [second, first],
        pools: isCut ? [] : [toAddress(pool)],
        isCut,
      }
    })
  })
  const completeLists = yield* withDeepestPools(lists, POOL_BY_INDEX, MAX_POOLS)
  return completeLists.flatMap(({ pools, tokens }) => pools.map((pool) => contractPool(row, pool, tokens)))
}

const CREATED_EVENT = factoryInterface.getEvent('NewDVM')
/** Topics of the creation logs of all kinds. The logs have the same fields. */
export const creationTopics: readonly Hex[] = ['NewDVM', 'NewDPP', 'NewDSP', 'NewGSP'].map(
  (name) => id(`${name}(address,address,address,address)`) as Hex,
)

export function createdPool(row: DexRow, log: Log): Pool<null> | null {
  if (!creationTopics.includes(log.topics[0]!)) return null
  const [base, quote, , pool] = factoryInterface.decodeEventLog(CREATED_EVENT, log.data)
  return contractPool(row, toAddress(pool), [toAddress(base), toAddress(quote)])
}
