import { ConcentratedLens__factory, IUniswapV3Factory__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, Reads } from '../../family.ts'
import { CONCENTRATED_LENS } from '../../lenses.ts'
import { chunks } from '../chunks.ts'
import { sortTokens } from '../direction.ts'

const lens = ConcentratedLens__factory.createInterface()
const factory = IUniswapV3Factory__factory.createInterface()

/**
 * Fees, in parts per million, that factories of this family are known to offer. The lens skips those a factory has not
 * enabled; a pool with any other is found when its creation is seen.
 */
const FEES = [
  50, 80, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 800, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 5000, 6000,
  8000, 10_000, 15_000, 20_000, 30_000,
]
/** About 3 million gas where four fees are enabled. */
const PAIRS_PER_READ = 250

export function* findPools(row: DexRow, pairs: readonly (readonly [Address, Address])[]): Reads<readonly Pool<null>[]> {
  const batches = chunks(pairs, PAIRS_PER_READ)
  const answers = yield batches.map((batch) => ({
    ...CONCENTRATED_LENS,
    data: lens.encodeFunctionData('find', [row.address, batch.flat(), FEES]) as Hex,
    gas: 100_000 + 13_000 * batch.length,
  }))
  return batches.flatMap((batch, b) => {
    const answer = answers[b]
    if (!answer) return []
    const [found] = lens.decodeFunctionResult('find', answer) as unknown as [string[]]
    return found.flatMap((text, i) => {
      const address = toAddress(text)
      return address === ZERO_ADDRESS ? [] : [makePool(row, address, batch[Math.floor(i / FEES.length)]!)]
    })
  })
}

function makePool(row: DexRow, address: Address, pair: readonly [Address, Address]): Pool<null> {
  return { id: address, family: row.family, dex: row.brand, address, tokens: sortTokens(pair), state: null }
}

export const creationTopics: readonly Hex[] = [factory.getEvent('PoolCreated').topicHash as Hex]

/** The pool that a factory has just made. */
export function createdPool(row: DexRow, log: Log): Pool<null> {
  const { token0, token1, pool } = factory.decodeEventLog('PoolCreated', log.data, log.topics)
  return makePool(row, toAddress(pool), [toAddress(token0), toAddress(token1)])
}
