/** Decodes the logs by which factories announce new pools. */
import type { DexRow } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { DexFamily, Pool } from '../family.ts'

/**
 * Returns the pool that a log of the row's contract announces. Null if the log announces none, or if it cannot be
 * decoded: a factory of another version may emit the same topic with other indexed arguments. Such a log must stop
 * neither the market nor the scan of past logs.
 */
export function createdPoolOf(family: DexFamily, row: DexRow, log: Log): Pool<null> | null {
  if (!family.createdPool || !family.creationTopics?.includes(log.topics[0]!)) return null
  try {
    return family.createdPool(row, log)
  } catch {
    return null
  }
}
