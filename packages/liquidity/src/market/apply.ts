/** Applies the logs of a block to pool states. */
import type { Log, Steps } from '@sluice/rpc'
import type { DexFamily, Pool } from '../family.ts'
import type { PoolMap } from '../pool-map.ts'

/** Result of applying logs. */
export type AppliedLogs = {
  readonly changedPools: ReadonlyMap<string, Pool>
  /** Ids of pools whose logs lack data; they must be read at the end of the block. */
  readonly idsToReread: ReadonlySet<string>
}

/** Applies the logs of a block in order; logs of unknown pools are ignored. */
export function* applyLogs(
  pools: PoolMap,
  logs: readonly Log[],
  familyOf: (id: string) => DexFamily | undefined,
  poolIdOf: (log: Log) => string,
): Steps<AppliedLogs> {
  const changedPools = new Map<string, Pool>()
  const idsToReread = new Set<string>()
  for (const log of [...logs].sort((a, b) => a.logIndex - b.logIndex)) {
    yield
    const id = poolIdOf(log)
    const pool = changedPools.get(id) ?? pools.get(id)
    if (!pool || idsToReread.has(id)) continue
    const family = familyOf(pool.family)
    if (!family?.topics.includes(log.topics[0]!)) continue
    const state = family.applyLog(pool, log)
    if (state === 'reread') {
      idsToReread.add(id)
      changedPools.delete(id)
    } else if (state !== 'ignore') changedPools.set(id, { ...pool, state })
  }
  return { changedPools, idsToReread }
}
