import { IUniswapV2Factory__factory, PairLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, Reads } from '../../family.ts'
import { PAIR_LENS } from '../../lenses.ts'
import { chunks } from '../common/chunks.ts'
import { sortTokens } from '../common/direction.ts'

const lens = PairLens__factory.createInterface()
const factory = IUniswapV2Factory__factory.createInterface()

/** Pairs asked for in one read: about 2 million gas, 32 kB. */
const PAIRS_PER_READ = 500

export function* findPools(row: DexRow, pairs: readonly (readonly [Address, Address])[]): Reads<readonly Pool<null>[]> {
  const batches = chunks(pairs, PAIRS_PER_READ)
  const answers = yield batches.map((batch) => ({
    ...PAIR_LENS,
    data: lens.encodeFunctionData('find', [row.address, batch.flat()]) as Hex,
    gas: 5_000 * batch.length,
  }))
  return batches.flatMap((batch, b) => {
    const answer = answers[b]
    if (!answer) return []
    const [found] = lens.decodeFunctionResult('find', answer) as unknown as [string[]]
    return batch.flatMap((pair, i) => {
      const address = toAddress(found[i]!)
      return address === ZERO_ADDRESS ? [] : [makePool(row, address, pair)]
    })
  })
}

function makePool(row: DexRow, address: Address, pair: readonly [Address, Address]): Pool<null> {
  return { id: address, family: row.family, dex: row.brand, address, tokens: sortTokens(pair), state: null }
}

export const creationTopics: readonly Hex[] = [factory.getEvent('PairCreated').topicHash as Hex]

/** The pair that a factory has just made. */
export function createdPool(row: DexRow, log: Log): Pool<null> {
  const { token0, token1, pair } = factory.decodeEventLog('PairCreated', log.data, log.topics)
  return makePool(row, toAddress(pair), [toAddress(token0), toAddress(token1)])
}
