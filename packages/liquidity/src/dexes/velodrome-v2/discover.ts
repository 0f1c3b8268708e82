/** Pool creation logs of Velodrome V2 factories. */
import { IVelodromeV2Factory__factory } from '@sluice/bindings'
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool } from '../../family.ts'
import { pairPool } from '../common/pair-discover.ts'

const factory = IVelodromeV2Factory__factory.createInterface()

export const creationTopics: readonly Hex[] = [factory.getEvent('PoolCreated').topicHash as Hex]

/** Returns the pair of a creation log. */
export function createdPool(row: DexRow, log: Log): Pool<null> {
  const { token0, token1, pool } = factory.decodeEventLog('PoolCreated', log.data, log.topics)
  return pairPool(row, toAddress(pool), [toAddress(token0), toAddress(token1)])
}
