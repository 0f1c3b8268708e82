/** Pool discovery through factory getters that take a fee or a tick spacing. */
import { ConcentratedLens__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import type { Address, DexRow } from '@sluice/chains'
import type { Pool, Reads } from '../../family.ts'
import { CONCENTRATED_LENS } from '../../lenses.ts'
import { presentAddresses } from './address-list.ts'
import { chunks } from './chunks.ts'
import { pairPool } from './pair-discover.ts'

type Find = [factory: string, pairs: string[], keys: readonly number[]]
const lens = ConcentratedLens__factory.createInterface()
const finders = {
  find: callCodec<Find, [string[]]>(lens, 'find'),
  findByTickSpacing: callCodec<Find, [string[]]>(lens, 'findByTickSpacing'),
}

/** About 3 million gas if the factory has four keys enabled. */
const PAIRS_PER_READ = 250

/**
 * Fees or tick spacings by which a factory distinguishes the pools of a pair; the lens skips those that are not
 * enabled.
 */
export type PoolKeys = { readonly by: 'find' | 'findByTickSpacing'; readonly values: readonly number[] }

/** Finds the pools of pairs for all keys. */
export function* findByKeys(
  row: DexRow,
  pairs: readonly (readonly [Address, Address])[],
  { by, values }: PoolKeys,
): Reads<readonly Pool<null>[]> {
  const batches = chunks(pairs, PAIRS_PER_READ)
  const answers = yield batches.map((batch) => ({
    ...CONCENTRATED_LENS,
    data: finders[by].encode(row.address, batch.flat(), values),
    gas: 100_000 + 13_000 * batch.length,
  }))
  return batches.flatMap((batch, b) => {
    const answer = answers[b]
    if (!answer) return []
    return Array.from(presentAddresses(answer), ([i, address]) =>
      pairPool(row, address, batch[Math.floor(i / values.length)]!),
    )
  })
}
