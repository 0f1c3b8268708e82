import type { Hex } from '@sluice/chains'
import type { Pool, Read, Reads } from '../../family.ts'

/** One read for each pool, and its answer decoded; null where it reverts, or means nothing. */
export function* readEach<P extends Pool, T>(
  pools: readonly P[],
  readOf: (pool: P) => Read,
  decode: (answer: Hex, pool: P) => T | null,
): Reads<readonly (T | null)[]> {
  const answers = yield pools.map(readOf)
  return answers.map((answer, i) => answer && decode(answer, pools[i]!))
}
