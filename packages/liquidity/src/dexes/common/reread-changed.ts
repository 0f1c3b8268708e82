/** Reads the states of some pools of a refresh again. */
import type { DexRow } from '@sluice/chains'
import type { DexFamily, Pool, PoolReads } from '../../family.ts'

/** Returns the states of pools. Reads those of `changedPools` again, and keeps the others. */
export function* rereadChanged<State>(
  readStates: DexFamily<State>['readStates'],
  row: DexRow,
  pools: readonly Pool<State>[],
  changedPools: readonly Pool<State>[],
): PoolReads<State> {
  if (changedPools.length === 0) return pools.map(({ state }) => state)
  const rereadStates = yield* readStates(
    row,
    changedPools.map((pool) => ({ ...pool, state: null })),
  )
  const stateByPool = new Map(changedPools.map((pool, k) => [pool, rereadStates[k]!]))
  return pools.map((pool) => (stateByPool.has(pool) ? stateByPool.get(pool)! : pool.state))
}
