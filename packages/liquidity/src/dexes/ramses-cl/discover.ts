/** Finds pools of Ramses CL factories. */
import { ISlipstreamFactory__factory, IUniswapV3Factory__factory } from '@sluice/bindings'
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, Reads, TokenPair } from '../../family.ts'
import { findByKeys } from '../common/concentrated-discover.ts'
import { pairPool } from '../common/pair-discover.ts'

const byFeeInterface = IUniswapV3Factory__factory.createInterface()
const byTickSpacingInterface = ISlipstreamFactory__factory.createInterface()

/** Fees in ppm that factories are known to offer. Pools with other fees are found by their creation logs. */
const KNOWN_FEES_PPM = [50, 80, 100, 250, 500, 1000, 2500, 3000, 5000, 10_000, 20_000]
/** Tick spacings that factories are known to offer. Pools with other spacings are found by their creation logs. */
const TICK_SPACINGS = [1, 5, 10, 20, 50, 60, 100, 200]

/**
 * Finds pools by fee in earlier factories, and by tick spacing in later factories. A factory has only one of these two
 * getters.
 */
export function* findPools(row: DexRow, pairs: readonly TokenPair[]): Reads<readonly Pool<null>[]> {
  const poolsByFee = yield* findByKeys(row, pairs, { finderName: 'find', values: KNOWN_FEES_PPM })
  return poolsByFee.length > 0
    ? poolsByFee
    : yield* findByKeys(row, pairs, { finderName: 'findByTickSpacing', values: TICK_SPACINGS })
}

const CREATED_BY_FEE_TOPIC = byFeeInterface.getEvent('PoolCreated').topicHash as Hex
const CREATED_BY_TICK_SPACING_TOPIC = byTickSpacingInterface.getEvent('PoolCreated').topicHash as Hex
export const creationTopics: readonly Hex[] = [CREATED_BY_FEE_TOPIC, CREATED_BY_TICK_SPACING_TOPIC]

/** Returns the pool of a creation log. */
export function createdPool(row: DexRow, log: Log): Pool<null> {
  const factory = log.topics[0] === CREATED_BY_FEE_TOPIC ? byFeeInterface : byTickSpacingInterface
  const { token0, token1, pool } = factory.decodeEventLog('PoolCreated', log.data, log.topics)
  return pairPool(row, toAddress(pool), [toAddress(token0), toAddress(token1)])
}
