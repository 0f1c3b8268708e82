/** Helps families to refresh states: reads only the pools again that have changed. */
import type { DexRow } from '@sluice/chains'
import type { DexFamily, Pool, PoolReads } from '../../family.ts'

/** Returns the states of all `pools`. Reads the states of `changedPools` again, and keeps the other states. */
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
