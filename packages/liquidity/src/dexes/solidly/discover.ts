/** Decodes the pool creation logs of Solidly factories. */
import { ISolidlyFactory__factory } from '@sluice/bindings'
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool } from '../../family.ts'
import { pairPool } from '../common/pair-discover.ts'

const factoryInterface = ISolidlyFactory__factory.createInterface()

export const creationTopics: readonly Hex[] = [factoryInterface.getEvent('PairCreated').topicHash as Hex]

/** Returns the pair of a creation log. */
export function createdPool(row: DexRow, log: Log): Pool<null> {
  const { token0, token1, pair } = factoryInterface.decodeEventLog('PairCreated', log.data, log.topics)
  return pairPool(row, toAddress(pair), [toAddress(token0), toAddress(token1)])
}
