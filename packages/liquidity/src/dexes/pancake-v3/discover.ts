/** Pool discovery for Pancake V3 factories. */
import { IUniswapV3Factory__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool } from '../../family.ts'
import { findByKeys } from '../common/concentrated-discover.ts'
import { pairPool } from '../common/pair-discover.ts'

const factory = IUniswapV3Factory__factory.createInterface()

/** Fees, in ppm, that factories are known to offer; pools with other fees are found by their creation log. */
const FEES = [100, 500, 2500, 3000, 5000, 10_000, 20_000]

export const findPools = (row: DexRow, pairs: readonly (readonly [Address, Address])[]) =>
  findByKeys(row, pairs, { by: 'find', values: FEES })

export const creationTopics: readonly Hex[] = [factory.getEvent('PoolCreated').topicHash as Hex]

/** Returns the pool of a creation log. */
export function createdPool(row: DexRow, log: Log): Pool<null> {
  const { token0, token1, pool } = factory.decodeEventLog('PoolCreated', log.data, log.topics)
  return pairPool(row, toAddress(pool), [toAddress(token0), toAddress(token1)])
}
