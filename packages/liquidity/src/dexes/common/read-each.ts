/** Reads pools with one read per pool. */
import type { Hex } from '@sluice/chains'
import type { Pool, Read, Reads } from '../../family.ts'

/** Reads each pool and decodes the result; null if the read reverts or `decode` returns null. */
export function* readEach<P extends Pool, T>(
  pools: readonly P[],
  readOf: (pool: P) => Read,
  decode: (answer: Hex, pool: P) => T | null,
): Reads<readonly (T | null)[]> {
  const answers = yield pools.map(readOf)
  return answers.map((answer, i) => answer && decode(answer, pools[i]!))
}
