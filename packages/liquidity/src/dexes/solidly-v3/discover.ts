/** Pool discovery for Solidly V3 factories. */
import { IUniswapV3Factory__factory } from '@sluice/bindings'
import type { DexRow } from '@sluice/chains'
import type { TokenPair } from '../../family.ts'
import { findByKeys } from '../common/concentrated-discover.ts'
import { poolCreation } from '../common/pair-discover.ts'

/**
 * The creation log has the signature of Uniswap V3's log. It indexes the tick spacing, not the fee, so these two fields
 * are exchanged. Neither is used.
 */
const factoryInterface = IUniswapV3Factory__factory.createInterface()

/** Tick spacings that the constructor enables; pools with other spacings are found by their creation log. */
const TICK_SPACINGS = [1, 10, 50, 100]

export const findPools = (row: DexRow, pairs: readonly TokenPair[]) =>
  findByKeys(row, pairs, { finderName: 'findByTickSpacing', values: TICK_SPACINGS })

export const { creationTopics, createdPool } = poolCreation(factoryInterface)
