/** Pool discovery for Slipstream factories. */
import { ISlipstreamFactory__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool } from '../../family.ts'
import { findByKeys } from '../common/concentrated-discover.ts'
import { pairPool } from '../common/pair-discover.ts'

const factory = ISlipstreamFactory__factory.createInterface()

/** Tick spacings that factories are known to offer; pools with other spacings are found by their creation log. */
const TICK_SPACINGS = [1, 2, 5, 10, 20, 50, 60, 80, 100, 200, 500, 1000, 2000]

export const findPools = (row: DexRow, pairs: readonly (readonly [Address, Address])[]) =>
  findByKeys(row, pairs, { by: 'findByTickSpacing', values: TICK_SPACINGS })

export const creationTopics: readonly Hex[] = [factory.getEvent('PoolCreated').topicHash as Hex]

/** Returns the pool of a creation log. */
export function createdPool(row: DexRow, log: Log): Pool<null> {
  const { token0, token1, pool } = factory.decodeEventLog('PoolCreated', log.data, log.topics)
  return pairPool(row, toAddress(pool), [toAddress(token0), toAddress(token1)])
}
