import { AlgebraIntegralLens__factory, IAlgebraFactory__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, Reads } from '../../family.ts'
import { ALGEBRA_INTEGRAL_LENS } from '../../lenses.ts'
import { chunks } from '../common/chunks.ts'
import { pairPool } from '../common/concentrated-discover.ts'

const lens = AlgebraIntegralLens__factory.createInterface()
const factory = IAlgebraFactory__factory.createInterface()

/** About 2 million gas. */
const PAIRS_PER_READ = 500

export function* findPools(row: DexRow, pairs: readonly (readonly [Address, Address])[]): Reads<readonly Pool<null>[]> {
  const batches = chunks(pairs, PAIRS_PER_READ)
  const answers = yield batches.map((batch) => ({
    ...ALGEBRA_INTEGRAL_LENS,
    data: lens.encodeFunctionData('find', [row.address, batch.flat()]) as Hex,
    gas: 5_000 * batch.length,
  }))
  return batches.flatMap((batch, b) => {
    const answer = answers[b]
    if (!answer) return []
    const [found] = lens.decodeFunctionResult('find', answer) as unknown as [string[]]
    return batch.flatMap((pair, i) => {
      const address = toAddress(found[i]!)
      return address === ZERO_ADDRESS ? [] : [pairPool(row, address, pair)]
    })
  })
}

export const creationTopics: readonly Hex[] = [factory.getEvent('Pool').topicHash as Hex]

/** The pool that a factory has just made. */
export function createdPool(row: DexRow, log: Log): Pool<null> {
  const { token0, token1, pool } = factory.decodeEventLog('Pool', log.data, log.topics)
  return pairPool(row, toAddress(pool), [toAddress(token0), toAddress(token1)])
}
