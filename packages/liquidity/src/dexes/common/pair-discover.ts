/** How factories with one pool for each pair are asked for them. */
import { PairLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool, Reads } from '../../family.ts'
import { PAIR_LENS } from '../../lenses.ts'
import { chunks } from './chunks.ts'
import { sortTokens } from './direction.ts'

const lens = PairLens__factory.createInterface()

/** Pairs asked for in one read: about 2 million gas, 32 kB. */
const PAIRS_PER_READ = 500

/** @param getter - selector of the factory's getter of a pool by its two tokens */
export function* findByPair(
  row: DexRow,
  pairs: readonly (readonly [Address, Address])[],
  getter: string,
): Reads<readonly Pool<null>[]> {
  const batches = chunks(pairs, PAIRS_PER_READ)
  const answers = yield batches.map((batch) => ({
    ...PAIR_LENS,
    data: lens.encodeFunctionData('find', [row.address, getter, batch.flat()]) as Hex,
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

/** A pool of two tokens that is a contract of its own, yet to be read. */
export function pairPool(row: DexRow, address: Address, pair: readonly [Address, Address]): Pool<null> {
  return { id: address, family: row.family, dex: row.brand, address, tokens: sortTokens(pair), state: null }
}
