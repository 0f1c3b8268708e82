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
  poolIdsOf: (log: Log) => readonly string[],
): Steps<AppliedLogs> {
  const changedPools = new Map<string, Pool>()
  const idsToReread = new Set<string>()
  for (const log of [...logs].sort((a, b) => a.logIndex - b.logIndex)) {
    for (const id of poolIdsOf(log)) {
      yield
      const pool = changedPools.get(id) ?? pools.get(id)
      if (!pool || idsToReread.has(id)) continue
      const state = stateAfter(pool, log, familyOf(pool.family))
      if (state === 'reread') {
        idsToReread.add(id)
        changedPools.delete(id)
      } else if (state !== 'ignore') changedPools.set(id, { ...pool, state })
    }
  }
  return { changedPools, idsToReread }
}

function stateAfter(pool: Pool, log: Log, family: DexFamily | undefined): unknown {
  const topic = log.topics[0]!
  if (family?.contractTopics?.includes(topic)) return 'reread'
  if (!family?.topics.includes(topic)) return 'ignore'
  try {
    return family.applyLog(pool, log)
  } catch {
    // An upgraded pool can emit other arguments under the same topic. Its logs must not stop the updates of all pools.
    return 'reread'
  }
}
