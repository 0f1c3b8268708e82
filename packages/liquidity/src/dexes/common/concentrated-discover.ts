/** Finds pools of factories whose getter takes a token pair and a key: a fee or a tick spacing. */
import { ConcentratedLens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import type { DexRow } from '@sluice/chains'
import type { Interface } from 'ethers'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { CONCENTRATED_LENS, type Lens, lensRead } from '../../lenses.ts'
import { nonzeroAddresses } from './address-list.ts'
import { chunks } from './chunks.ts'
import { pairPool } from './pair-discover.ts'

type FindArguments = [factory: string, pairs: string[], keys: readonly number[]]
/** Returns the codec of a lens function that finds pools. A lens is a contract that reads pools in an eth_call. */
export const finderCodec = (lens: Interface, name: string) => callCodec<FindArguments, [string[]]>(lens, name)

const lensInterface = ConcentratedLens__factory.createInterface()
const finders = {
  find: finderCodec(lensInterface, 'find'),
  findByTickSpacing: finderCodec(lensInterface, 'findByTickSpacing'),
}

/**
 * Fees or tick spacings by which a factory distinguishes the pools of a pair. No pools are found at values that the
 * factory has not enabled.
 */
export type PoolKeys = { readonly finderName: 'find' | 'findByTickSpacing'; readonly values: readonly number[] }

/** Finds the pools of pairs for all keys through ConcentratedLens. */
export const findByKeys = (row: DexRow, pairs: readonly TokenPair[], { finderName, values }: PoolKeys) =>
  findKeyedPools(row, pairs, values, {
    lens: CONCENTRATED_LENS,
    finder: finders[finderName],
    // A read takes about 3 million gas if the factory has enabled four of the keys.
    pairsPerRead: 250,
    pairGas: 13_000,
  })

/** Lens function that finds pools by keys, and the size of its reads. */
type KeyedFinder = {
  readonly lens: Lens
  /**
   * Function that returns pools in this order: the pools of the first pair for all keys, then those of the next pair.
   * The zero address stands for no pool.
   */
  readonly finder: ReturnType<typeof finderCodec>
  readonly pairsPerRead: number
  /** Estimated gas to find the pools of one pair for all keys. */
  readonly pairGas: number
}

/** Finds the pools of pairs for all keys (fees or tick spacings) through a lens. */
export function* findKeyedPools(
  row: DexRow,
  pairs: readonly TokenPair[],
  keys: readonly number[],
  { lens, finder, pairsPerRead, pairGas }: KeyedFinder,
): Reads<readonly Pool<null>[]> {
  const batches = chunks(pairs, pairsPerRead)
  const answers = yield batches.map((batch) =>
    lensRead(lens, finder.encode(row.address, batch.flat(), keys), 100_000 + pairGas * batch.length),
  )
  return batches.flatMap((batch, batchIndex) => {
    const answer = answers[batchIndex]
    if (!answer) return []
    return Array.from(nonzeroAddresses(answer), ([i, address]) =>
      pairPool(row, address, batch[Math.floor(i / keys.length)]!),
    )
  })
}
