/** Finds pools of Solidly V3 factories. */
import { IUniswapV3Factory__factory } from '@sluice/bindings'
import type { DexRow } from '@sluice/chains'
import type { TokenPair } from '../../family.ts'
import { findByKeys } from '../common/concentrated-discover.ts'
import { poolCreation } from '../common/pair-discover.ts'

/**
 * Interface of Uniswap V3's factory, whose creation log has the same signature. In Solidly V3, the fields for the fee
 * and the tick spacing are exchanged, but neither is used here.
 */
const factoryInterface = IUniswapV3Factory__factory.createInterface()

/** Tick spacings that the factory's constructor enables. Pools with other spacings are found by their creation logs. */
const TICK_SPACINGS = [1, 10, 50, 100]

export const findPools = (row: DexRow, pairs: readonly TokenPair[]) =>
  findByKeys(row, pairs, { finderName: 'findByTickSpacing', values: TICK_SPACINGS })

export const { creationTopics, createdPool } = poolCreation(factoryInterface)
