/** Reads pools with one read per pool. */
import type { DexRow, Hex } from '@sluice/chains'
import type { Pool, PoolReads, Read } from '../../family.ts'

/**
 * Reads each pool and decodes the result. Returns null for a pool whose read reverts or for which `decode` returns
 * null.
 */
export function* readEach<P extends Pool, T>(
  pools: readonly P[],
  readOf: (pool: P) => Read,
  decode: (answer: Hex, pool: P) => T | null,
): PoolReads<T> {
  const answers = yield pools.map(readOf)
  return answers.map((answer, i) => answer && decode(answer, pools[i]!))
}

/** Returns the `readStates` of a family that reads each pool with one read. @param decode - as in `readEach` */
export const stateReader =
  <T>(readOf: (pool: Pool, row: DexRow) => Read, decode: (answer: Hex, pool: Pool) => T | null) =>
  (row: DexRow, pools: readonly Pool[]): PoolReads<T> =>
    readEach(pools, (pool) => readOf(pool, row), decode)
